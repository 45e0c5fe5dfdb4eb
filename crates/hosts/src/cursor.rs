//! Cursor: `mcp.json`, `hooks.json`, `AGENTS.md`.
//!
//! **Source**: <https://cursor.com/docs/agent/hooks>, `…/docs/context/mcp`, `…/docs/context/rules`, as of
//! 2026-12-01, the first of them in copies that others keep of it.

use serde_json::json;

use crate::host::{Event, Host, NAME, PATIENCE, hook_entries, instructions, server_entry};
use crate::part::{Base, Comment, Companion, Part, Piece, Scope};

/// Cursor.
pub(crate) static HOST: Host = Host {
    name: "cursor",
    title: "Cursor",
    pages: &[
        "https://cursor.com/docs/agent/hooks",
        "https://cursor.com/docs/context/mcp",
        "https://cursor.com/docs/context/rules",
    ],
    looked_at: "2026-12-01",
    events: &[
        Event { theirs: "sessionStart", ours: "session-start" },
        Event { theirs: "preToolUse", ours: "pre-tool-use" },
        Event { theirs: "subagentStart", ours: "subagent-start" },
        Event { theirs: "subagentStop", ours: "subagent-stop" },
        Event { theirs: "afterAgentResponse", ours: "stop" },
        Event { theirs: "preCompact", ours: "pre-compact" },
        Event { theirs: "sessionEnd", ours: "session-end" },
    ],
    parts,
    driven_as: None,
    unseen: &["Cursor: it is in no package registry; its files are held against its documentation alone."],
    lacks: &[
        "Status line: there is none that a program could write.",
        "user-prompt-submit: a hook may only stop a prompt there, so the state is shown at the start alone.",
        "Server with `--global` in a window without a folder: it is given `${workspaceFolder}`, and starts only where \
         Cursor knows one.",
        "Instructions with `--global`: rules of the person stand in Cursor's settings, not in a file.",
    ],
    then: &[
        "The server is given the project as `--project ${workspaceFolder}`, as Cursor starts it elsewhere.",
        "Cursor shows the server under Settings, MCP, and the hooks under Settings, Hooks.",
    ],
};

fn parts(scope: Scope) -> Vec<Part> {
    let base = if scope == Scope::Project { Base::Project } else { Base::Home };
    // Its servers do not start in the project's folder, those of a person in the home: without the folder's
    // name they would keep the home's state.
    let server = json!({"command": NAME, "args": ["--project", "${workspaceFolder}", "serve", "--stdio"]});
    let companion = Some(Companion { name: "version", value: json!(1) });
    let entries = hook_entries(&HOST, |_, command| json!({"command": command, "timeout": PATIENCE}));
    let mut parts = vec![
        Part {
            path: ".cursor/mcp.json",
            moved: None,
            what: "server",
            base,
            other: None,
            piece: Piece::Json { entries: vec![server_entry("mcpServers", server)], companion: None },
        },
        Part {
            path: ".cursor/hooks.json",
            moved: None,
            what: "hooks",
            base,
            other: None,
            piece: Piece::Json { entries, companion },
        },
    ];
    if scope == Scope::Project {
        parts.push(Part {
            path: "AGENTS.md",
            moved: None,
            what: "instructions",
            base,
            other: None,
            piece: Piece::Section { comment: Comment::Markdown, body: instructions(scope) },
        });
    }
    parts
}

#[cfg(test)]
mod tests {
    use crate::part::{Piece, Put, Scope};

    #[test]
    fn the_server_is_told_the_project_wherever_it_starts() {
        for scope in [Scope::Project, Scope::Global] {
            let part = super::parts(scope).into_iter().find(|part| part.what == "server").unwrap();
            let Piece::Json { entries, .. } = part.piece else { panic!("the server is an entry") };
            let Put::Member(_, server) = &entries[0].put else { panic!("the server has a name") };
            assert_eq!(server["args"].as_array().unwrap()[..2], ["--project", "${workspaceFolder}"], "{scope:?}");
        }
    }
}
