//! GitHub Copilot in VS Code and its command line: `.vscode/mcp.json`, a file of hooks, instructions.
//!
//! **Source**: <https://code.visualstudio.com/docs/agent-customization/hooks>,
//! <https://code.visualstudio.com/docs/agents/reference/mcp-configuration>,
//! <https://docs.github.com/en/copilot/reference/hooks-reference>, as of 2026-12-01.

use serde_json::json;

use crate::host::{Event, Host, NAME, PATIENCE, hook_entries, instructions, server_entry};
use crate::part::{Base, Comment, Companion, Moved, Part, Piece, Scope};

/// GitHub Copilot.
pub(crate) static HOST: Host = Host {
    name: "copilot",
    title: "GitHub Copilot (VS Code, Copilot CLI)",
    pages: &[
        "https://code.visualstudio.com/docs/agent-customization/hooks",
        "https://code.visualstudio.com/docs/agents/reference/mcp-configuration",
        "https://docs.github.com/en/copilot/reference/hooks-reference",
    ],
    looked_at: "2026-12-01",
    events: &[
        Event { theirs: "SessionStart", ours: "session-start" },
        Event { theirs: "PreToolUse", ours: "pre-tool-use" },
        Event { theirs: "SubagentStart", ours: "subagent-start" },
        Event { theirs: "SubagentStop", ours: "subagent-stop" },
        Event { theirs: "PreCompact", ours: "pre-compact" },
        Event { theirs: "SessionEnd", ours: "session-end" },
    ],
    parts,
    driven_as: Some("@github/copilot"),
    unseen: &["VS Code: it is in no package registry; Copilot CLI reads the same hooks and a server file of its own."],
    lacks: &[
        "Status line: there is none that a program could write.",
        "user-prompt-submit: what a hook says there reaches no model, so the state is shown at the start alone.",
        "stop: the event does not carry the response, so its closing block is not read; use the tools.",
        "session-end: VS Code has no such event, Copilot CLI has.",
    ],
    then: &[
        "Its hooks say nothing where `mainstay` is not installed, since a hook that fails denies the tool there.",
        "VS Code and Copilot CLI read `.claude/settings.json` too: wire a project to one of claude and copilot, or \
         switch that file off in `chat.hookFilesLocations`.",
    ],
};

// A hook that fails denies the tool: where the program is not installed, nothing is said and nothing fails.
fn hook(command: &str) -> serde_json::Value {
    json!({
        "type": "command",
        "bash": format!("command -v {NAME} >/dev/null 2>&1 || exit 0; {command}"),
        "powershell": format!("if (Get-Command {NAME} -ErrorAction SilentlyContinue) {{ $input | {command} }}"),
        "timeoutSec": PATIENCE,
    })
}

fn parts(scope: Scope) -> Vec<Part> {
    let moved = |path| (scope == Scope::Global).then_some(Moved { variable: "COPILOT_HOME", path });
    let (base, servers, hooks, memory) = match scope {
        Scope::Project => {
            (Base::Project, ".vscode/mcp.json", ".github/hooks/mainstay.json", ".github/copilot-instructions.md")
        }
        Scope::Global => {
            (Base::Home, ".copilot/mcp-config.json", ".copilot/hooks/mainstay.json", ".copilot/copilot-instructions.md")
        }
    };
    let own = || {
        server_entry(
            "mcpServers",
            json!({"type": "local", "command": NAME, "args": ["serve", "--stdio"], "tools": ["*"]}),
        )
    };
    let server = match scope {
        Scope::Project => {
            server_entry("servers", json!({"type": "stdio", "command": NAME, "args": ["serve", "--stdio"]}))
        }
        Scope::Global => own(),
    };
    let companion = Some(Companion { name: "version", value: json!(1) });
    let entries = hook_entries(&HOST, |_, command| hook(command));
    let server = Part {
        path: servers,
        moved: moved("mcp-config.json"),
        what: "server",
        base,
        other: None,
        piece: Piece::Json { entries: vec![server], companion: None },
    };
    // VS Code reads one, Copilot CLI the other.
    let beside = (scope == Scope::Project).then(|| Part {
        path: ".github/mcp.json",
        moved: None,
        what: "server",
        base,
        other: None,
        piece: Piece::Json { entries: vec![own()], companion: None },
    });
    let mut parts = vec![server];
    parts.extend(beside);
    parts.extend([
        Part {
            path: hooks,
            moved: moved("hooks/mainstay.json"),
            what: "hooks",
            base,
            other: None,
            piece: Piece::Json { entries, companion },
        },
        Part {
            path: memory,
            moved: moved("copilot-instructions.md"),
            what: "instructions",
            base,
            other: None,
            piece: Piece::Section { comment: Comment::Markdown, body: instructions(scope) },
        },
    ]);
    parts
}
