//! Claude Code: `.mcp.json`, hooks and status line in `settings.json`, `CLAUDE.md`.
//!
//! **Source**: <https://code.claude.com/docs/en/hooks>, `…/settings`, `…/mcp`, `…/statusline`,
//! `…/memory`, as of 2026-12-01.

use serde_json::json;

use crate::host::{Event, Host, PATIENCE, grouped, hook_entries, instructions, server, server_entry};
use crate::part::{Base, Comment, Entry, IfTaken, Moved, Part, Piece, Put, Scope};

/// The tools that a gate is asked about.
const GATED: &str = "Bash|.*[Ee]dit.*|.*[Ww]rite.*";

/// Its events, which Codex has by the same names.
pub(crate) const EVENTS: &[Event] = &[
    Event { theirs: "SessionStart", ours: "session-start" },
    Event { theirs: "UserPromptSubmit", ours: "user-prompt-submit" },
    Event { theirs: "PreToolUse", ours: "pre-tool-use" },
    Event { theirs: "SubagentStart", ours: "subagent-start" },
    Event { theirs: "SubagentStop", ours: "subagent-stop" },
    Event { theirs: "Stop", ours: "stop" },
    Event { theirs: "PreCompact", ours: "pre-compact" },
    Event { theirs: "SessionEnd", ours: "session-end" },
];

/// Claude Code.
pub(crate) static HOST: Host = Host {
    name: "claude",
    title: "Claude Code",
    pages: &[
        "https://code.claude.com/docs/en/hooks",
        "https://code.claude.com/docs/en/settings",
        "https://code.claude.com/docs/en/mcp",
        "https://code.claude.com/docs/en/statusline",
        "https://code.claude.com/docs/en/memory",
        "https://code.claude.com/docs/en/plugins-reference",
    ],
    looked_at: "2026-12-01",
    events: EVENTS,
    parts,
    driven_as: Some("@anthropic-ai/claude-code"),
    unseen: &[
        "Status line, `/mcp`, sub-agents and compaction: they want a person at a terminal, or more than one prompt.",
    ],
    lacks: &[],
    then: &["Claude Code asks once whether the project's server may be used; /mcp shows it."],
};

fn parts(scope: Scope) -> Vec<Part> {
    let (base, settings, servers, memory) = match scope {
        Scope::Project => (Base::Project, ".claude/settings.json", ".mcp.json", "CLAUDE.md"),
        Scope::Global => (Base::Home, ".claude/settings.json", ".claude.json", ".claude/CLAUDE.md"),
    };
    let moved = |path| (scope == Scope::Global).then_some(Moved { variable: "CLAUDE_CONFIG_DIR", path });
    let mut entries = hooks();
    entries.push(Entry {
        path: Vec::new(),
        put: Put::Member("statusLine", json!({"type": "command", "command": "mainstay statusline"})),
        taken: IfTaken::Leave,
        elsewhere: &[],
    });
    vec![
        Part { path: servers, moved: moved(".claude.json"), what: "server", base, other: None, piece: server_piece() },
        Part {
            path: settings,
            moved: moved("settings.json"),
            what: "hooks, status line",
            base,
            other: None,
            piece: Piece::Json { entries, companion: None },
        },
        Part {
            path: memory,
            moved: moved("CLAUDE.md"),
            what: "instructions",
            base,
            other: None,
            piece: Piece::Section { comment: Comment::Markdown, body: instructions(scope) },
        },
    ]
}

/// The entries of all events.
pub(crate) fn hooks() -> Vec<Entry> {
    hook_entries(&HOST, |event, command| {
        let hook = json!({"type": "command", "command": command, "timeout": PATIENCE});
        grouped(event, GATED, &hook)
    })
}

/// The entry of the server.
pub(crate) fn server_piece() -> Piece {
    Piece::Json { entries: vec![server_entry("mcpServers", server())], companion: None }
}
