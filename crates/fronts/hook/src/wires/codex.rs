//! Codex, which speaks as Claude Code does but for its patches.
//!
//! **Source**: <https://developers.openai.com/docs/hooks>, `codex-rs/hooks/schema/generated` of
//! <https://github.com/openai/codex>, 2026-12-01.

use super::{Speech, Wire, claude};
use crate::spoken::Spoken;

/// Codex.
pub(super) static WIRE: Wire = Wire {
    host: "codex",
    names: &[],
    tools: &[("apply_patch", "Edit")],
    seekers: &[],
    says: |event, spoken, _| says(event, spoken),
};

fn says(event: &str, spoken: &Spoken) -> crate::Said {
    // It checks the answer against a schema that knows additional context at these events alone.
    if ["session-start", "user-prompt-submit", "subagent-start"].contains(&event) {
        return claude::says(event, spoken, Speech::Json);
    }
    claude::says(event, &Spoken { texts: Vec::new(), ..spoken.clone() }, Speech::Json)
}
