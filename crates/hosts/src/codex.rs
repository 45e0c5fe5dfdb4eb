//! Codex: a table in `config.toml`, `hooks.json`, `AGENTS.md`.
//!
//! **Source**: <https://developers.openai.com/docs/hooks>, `…/codex/mcp`, `…/codex/config-reference`, and
//! the schemas in `codex-rs/hooks/schema/generated` of <https://github.com/openai/codex>, as of 2026-12-01.

use serde_json::json;

use crate::claude;
use crate::host::{Host, PATIENCE, grouped, hook_entries, instructions};
use crate::part::{Base, Comment, Moved, Part, Piece, Remark, Scope, When};

/// The tools that a gate is asked about.
const GATED: &str = "Bash|apply_patch|.*[Ee]dit.*|.*[Ww]rite.*";

/// The longest that it waits at a session's end, and warns of more at every start. **Units**: seconds.
const PATIENCE_AT_END: u32 = 3;

const REMARKS: &[Remark] = &[
    Remark {
        place: &["features", "hooks"],
        when: When::Off,
        code: "hooks_off",
        said: "features.hooks is false: Codex runs no hooks until it is true",
    },
    // Which hooks a person trusts stands there too.
    Remark {
        place: &["hooks"],
        when: When::HoldsMoreThan("state"),
        code: "hooks_elsewhere",
        said: "hooks stand here and in hooks.json: Codex runs both, and warns of it when it starts",
    },
];

/// Codex.
pub(crate) static HOST: Host = Host {
    name: "codex",
    title: "Codex",
    pages: &[
        "https://developers.openai.com/docs/hooks",
        "https://developers.openai.com/codex/mcp",
        "https://developers.openai.com/codex/config-reference",
    ],
    looked_at: "2026-12-01",
    events: claude::EVENTS,
    parts,
    driven_as: Some("@openai/codex"),
    unseen: &[
        "The review of hooks in /hooks: it wants a terminal, so CI passes `--dangerously-bypass-hook-trust`.",
        "Models that call tools from code of their own: the session is that of `gpt-5.5`.",
    ],
    lacks: &["Status line: it shows items of its own alone, no program's."],
    then: &[
        "Codex reads a project's settings only where the project is trusted.",
        "Codex runs a new hook only once it was reviewed: type /hooks.",
    ],
};

fn parts(scope: Scope) -> Vec<Part> {
    let base = if scope == Scope::Project { Base::Project } else { Base::Home };
    let instructions_path = if scope == Scope::Project { "AGENTS.md" } else { ".codex/AGENTS.md" };
    let moved = |path| (scope == Scope::Global).then_some(Moved { variable: "CODEX_HOME", path });
    let entries = hook_entries(&HOST, |event, command| {
        let patience = if event.ours == "session-end" { PATIENCE_AT_END } else { PATIENCE };
        grouped(event, GATED, &json!({"type": "command", "command": command, "timeout": patience}))
    });
    let table = "[mcp_servers.mainstay]\ncommand = \"mainstay\"\nargs = [\"serve\", \"--stdio\"]\n";
    vec![
        Part {
            path: ".codex/config.toml",
            moved: moved("config.toml"),
            what: "server",
            base,
            other: None,
            piece: Piece::Toml { body: table.to_owned(), table: ["mcp_servers", "mainstay"], remarks: REMARKS },
        },
        Part {
            path: ".codex/hooks.json",
            moved: moved("hooks.json"),
            what: "hooks",
            base,
            other: None,
            piece: Piece::Json { entries, companion: None },
        },
        Part {
            path: instructions_path,
            moved: moved("AGENTS.md"),
            what: "instructions",
            base,
            other: None,
            piece: Piece::Section { comment: Comment::Markdown, body: instructions(scope) },
        },
    ]
}

#[cfg(test)]
mod tests {
    use crate::part::{Piece, Put, Scope};

    #[test]
    fn the_end_of_a_session_is_told_in_the_time_that_codex_gives() {
        for part in super::parts(Scope::Project) {
            let Piece::Json { entries, .. } = part.piece else { continue };
            let entry = entries.iter().find(|entry| entry.path == ["hooks", "SessionEnd"]).unwrap();
            let Put::Item { value, .. } = &entry.put else { panic!("a hook is an item") };
            let hook = &value["hooks"][0];
            assert_eq!((hook["timeout"].as_u64(), value.get("matcher")), (Some(3), None));
            assert_eq!(hook["command"], "mainstay hook session-end --host codex");
        }
    }
}
