//! Gemini CLI: servers and hooks in `settings.json`, `GEMINI.md`.
//!
//! **Source**: <https://geminicli.com/docs/hooks/reference>, `…/docs/reference/configuration`,
//! `…/docs/tools/mcp-server`, as of 2026-12-01.

use serde_json::json;

use crate::host::{Event, Host, NAME, PATIENCE, grouped, hook_entries, instructions, server, server_entry};
use crate::part::{Base, Comment, Part, Piece, Scope};

/// The tools that a gate is asked about.
const GATED: &str = "run_shell_command|replace|.*edit.*|.*write.*";

/// Gemini CLI.
pub(crate) static HOST: Host = Host {
    name: "gemini",
    title: "Gemini CLI",
    pages: &["https://geminicli.com/docs/hooks/reference", "https://geminicli.com/docs/reference/configuration"],
    looked_at: "2026-12-01",
    events: &[
        Event { theirs: "SessionStart", ours: "session-start" },
        Event { theirs: "BeforeAgent", ours: "user-prompt-submit" },
        Event { theirs: "BeforeTool", ours: "pre-tool-use" },
        Event { theirs: "AfterAgent", ours: "stop" },
        Event { theirs: "PreCompress", ours: "pre-compact" },
        Event { theirs: "SessionEnd", ours: "session-end" },
    ],
    parts,
    driven_as: Some("@google/gemini-cli"),
    unseen: &["`/mcp`, `/hooks` and compression: they want a person at a terminal."],
    lacks: &[
        "Status line: there is none that a program could write.",
        "subagent-start, subagent-stop: no events tell of sub-agents.",
    ],
    then: &["Gemini CLI shows the server with /mcp and the hooks with /hooks."],
};

fn parts(scope: Scope) -> Vec<Part> {
    let (base, memory) = match scope {
        Scope::Project => (Base::Project, "GEMINI.md"),
        Scope::Global => (Base::Home, ".gemini/GEMINI.md"),
    };
    let mut entries = vec![server_entry("mcpServers", server())];
    // It counts in milliseconds.
    entries.extend(hook_entries(&HOST, |event, command| {
        let hook = json!({"type": "command", "name": NAME, "command": command, "timeout": PATIENCE * 1000});
        grouped(event, GATED, &hook)
    }));
    vec![
        Part {
            path: ".gemini/settings.json",
            moved: None,
            what: "server, hooks",
            base,
            other: None,
            piece: Piece::Json { entries, companion: None },
        },
        Part {
            path: memory,
            moved: None,
            what: "instructions",
            base,
            other: None,
            piece: Piece::Section { comment: Comment::Markdown, body: instructions(scope) },
        },
    ]
}
