//! `OpenCode`: `opencode.json`, a plugin of a few lines, `AGENTS.md`.
//!
//! **Source**: <https://opencode.ai/docs/build/plugins>, `…/docs/config`, `…/docs/mcp-servers` (version 2), and
//! `packages/plugin/src` of <https://github.com/anomalyco/opencode> (both versions), as of 2026-12-01.

use serde_json::json;

use crate::host::{Event, Host, NAME, instructions, server_entry};
use crate::part::{Base, Comment, Entry, Moved, Part, Piece, Scope};

/// `OpenCode`.
pub(crate) static HOST: Host = Host {
    name: "opencode",
    title: "OpenCode",
    pages: &[
        "https://opencode.ai/docs/build/plugins",
        "https://opencode.ai/docs/config",
        "https://opencode.ai/docs/mcp-servers",
    ],
    looked_at: "2026-12-01",
    events: &[
        Event { theirs: "chat.message (2: session.prompt), the first", ours: "session-start" },
        Event { theirs: "chat.message (2: session.prompt)", ours: "user-prompt-submit" },
        Event { theirs: "tool.execute.before", ours: "pre-tool-use" },
        Event { theirs: "session.idle", ours: "stop" },
        Event { theirs: "experimental.session.compacting (2: session.compaction)", ours: "pre-compact" },
        Event { theirs: "session.deleted", ours: "session-end" },
    ],
    parts,
    driven_as: Some("opencode-ai"),
    unseen: &[
        "OpenCode 2: npm has none; its form of the plugin is run in a host that behaves as its documentation says.",
    ],
    lacks: &[
        "Status line: there is none that a program could write.",
        "subagent-start, subagent-stop: a sub-agent is a session of its own and is treated as one.",
    ],
    then: &["OpenCode loads the plugin when it starts; `opencode mcp list` shows the server."],
};

fn parts(scope: Scope) -> Vec<Part> {
    let moved = |path| (scope == Scope::Global).then_some(Moved { variable: "XDG_CONFIG_HOME", path });
    let (base, settings, other, plugin, memory) = match scope {
        Scope::Project => {
            (Base::Project, "opencode.json", "opencode.jsonc", ".opencode/plugins/mainstay.js", "AGENTS.md")
        }
        Scope::Global => (
            Base::Home,
            ".config/opencode/opencode.json",
            ".config/opencode/opencode.jsonc",
            ".config/opencode/plugins/mainstay.js",
            ".config/opencode/AGENTS.md",
        ),
    };
    // The form of version 1, which version 2 takes too (`normalizeMcp`); that of version 2, beneath `mcp.servers`,
    // says nothing to version 1.
    let server = json!({"type": "local", "command": [NAME, "serve", "--stdio"], "enabled": true});
    let server = Entry { elsewhere: &["mcp", "servers"], ..server_entry("mcp", server) };
    vec![
        Part {
            path: settings,
            moved: moved("opencode/opencode.json"),
            what: "server",
            base,
            other: Some(other),
            piece: Piece::Json { entries: vec![server], companion: None },
        },
        Part {
            path: plugin,
            moved: moved("opencode/plugins/mainstay.js"),
            what: "hooks",
            base,
            other: None,
            piece: Piece::Section { comment: Comment::Slashes, body: include_str!("opencode.js").to_owned() },
        },
        Part {
            path: memory,
            moved: moved("opencode/AGENTS.md"),
            what: "instructions",
            base,
            other: None,
            piece: Piece::Section { comment: Comment::Markdown, body: instructions(scope) },
        },
    ]
}
