//! Codex, which speaks as Claude Code does but for its patches.
//!
//! **Source**: <https://developers.openai.com/codex/hooks>, `codex-rs/hooks/schema/generated` of
//! <https://github.com/openai/codex>, 2026-12-01.

use model::{Object, Value};

use super::{Speech, Wire, about_files, claude, patch};
use crate::spoken::Spoken;

/// Codex.
pub(super) static WIRE: Wire = Wire { host: "codex", reads, says: |event, spoken, _| says(event, spoken) };

fn reads(event: &str, input: Object) -> Object {
    if event == "pre-tool-use" && input.get("tool_name").and_then(Value::as_str) == Some("apply_patch") {
        let text = |name: &str| input.get("tool_input")?.get(name)?.as_str();
        let paths = text("command").or_else(|| text("input")).or_else(|| text("patch")).map(patch::paths);
        return about_files(input, "Edit", paths.unwrap_or_default());
    }
    input
}

fn says(event: &str, spoken: &Spoken) -> crate::Said {
    // It checks the answer against a schema that knows additional context at these events alone.
    if ["session-start", "user-prompt-submit", "subagent-start"].contains(&event) {
        return claude::says(event, spoken, Speech::Json);
    }
    claude::says(event, &Spoken { texts: Vec::new(), ..spoken.clone() }, Speech::Json)
}
