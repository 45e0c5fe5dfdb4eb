//! Status: the words that a free text comes down to, and the texts that verbs may replace.
//!
//! **Source**: seed `004_b9ee7d4eaf0c3f31.txt`, Status values; `spec/msd.md`, section 4.

use super::phase_id::PhaseId;
use super::position::{activity_text, is_placeholder, leading_date};

/// The word for a text that no other fits.
pub(super) const UNKNOWN: &str = "unknown";

/// What a verb is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    Discussing,
    Planning,
    Executing,
    Verifying,
}

impl Stage {
    /// The words, in the order of a phase.
    pub(super) const WORDS: &'static [&'static str] = &["discussing", "planning", "executing", "verifying"];

    /// The stage of a word.
    pub(super) fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "discussing" => Self::Discussing,
            "planning" => Self::Planning,
            "executing" => Self::Executing,
            "verifying" => Self::Verifying,
            _ => return None,
        })
    }

    /// The word of the front matter.
    pub(super) fn word(self) -> &'static str {
        Self::WORDS[self as usize]
    }

    /// The word with which a status begins.
    pub(super) fn title(self) -> &'static str {
        ["Discussing", "Planning", "Executing", "Verifying"][self as usize]
    }

    /// The noun of descriptions.
    pub(super) fn noun(self) -> &'static str {
        ["discussion", "planning", "execution", "verification"][self as usize]
    }
}

/// Whether a `paused_at` value says that the project is paused.
pub(super) fn is_paused(paused_at: Option<&str>) -> bool {
    paused_at.is_some_and(|text| !matches!(text.trim(), "" | "null"))
}

/// The word that a status text comes down to.
pub(super) fn normalise(text: &str, paused_at: Option<&str>) -> &'static str {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    match () {
        () if has(&["paused", "stopped"]) || is_paused(paused_at) => "paused",
        () if has(&["executing", "in progress"]) => "executing",
        () if has(&["planning", "ready to plan"]) => "planning",
        () if has(&["discussing"]) => "discussing",
        () if has(&["verif"]) => "verifying",
        () if has(&["complete", "done"]) => "completed",
        () if has(&["ready to execute"]) => "executing",
        () => UNKNOWN,
    }
}

/// Status texts that templates and verbs write, in lower case.
const DEFAULTS: &[&str] = &[
    "",
    "ready to plan",
    "ready to execute",
    "planning complete",
    "defining requirements",
    "all phases complete",
    "awaiting next milestone",
    "executing",
    "in progress",
    "planning",
    "discussing",
    "verifying",
    "completed",
    "done",
    "active",
    "paused",
    "unknown",
];

/// Whether a status is one that a verb may replace; others are the owner's own words.
pub(super) fn is_replaceable(text: &str) -> bool {
    let text = text.trim();
    let lower = text.to_lowercase();
    DEFAULTS.contains(&lower.as_str())
        || is_placeholder(text)
        || is_stage_of_phase(&lower)
        || is_phase_complete(&lower)
        || is_complete_with_tick(&lower)
        || lower.strip_suffix(" milestone complete").is_some_and(is_version)
}

fn is_stage_of_phase(lower: &str) -> bool {
    let digit = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
    Stage::WORDS
        .iter()
        .any(|word| lower.strip_prefix(word).and_then(|rest| rest.strip_prefix(" phase ")).is_some_and(digit))
}

fn is_phase_complete(lower: &str) -> bool {
    let Some(rest) = lower.strip_prefix("phase ") else { return false };
    let rest = PhaseId::leading(&rest.to_uppercase())
        .map_or(Some(rest), |(id, _)| rest[id.as_str().len()..].strip_prefix(' '));
    rest.is_some_and(|rest| rest.starts_with("complete"))
}

fn is_complete_with_tick(lower: &str) -> bool {
    let tick = |c: char| matches!(c, '✓' | '✔' | '✅' | '☑' | '\u{fe0f}' | ' ');
    lower.trim_matches(tick) == "complete"
}

/// **Shape**: `v?[0-9]+(\.[0-9]+)*`.
pub(super) fn is_version(text: &str) -> bool {
    text.strip_prefix('v')
        .unwrap_or(text)
        .split('.')
        .all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether a `Last activity` is one that a verb may replace.
pub(super) fn is_replaceable_activity(text: &str) -> bool {
    let text = text.trim();
    if text.is_empty() || is_placeholder(text) {
        return true;
    }
    let Some((_, rest)) = leading_date(text) else { return false };
    rest.trim().is_empty()
        || activity_text(rest).is_some_and(|text| text.starts_with("Phase ") || text.starts_with("Milestone "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_verb_may_replace() {
        for text in [
            "",
            "[status]",
            "READY TO PLAN",
            "Executing Phase 4.5 now",
            "Phase 4A complete — ready",
            "Phase complete — ready for verification",
            "Complete",
            "complete ✓",
            "Complete ✅",
            "v2.0 milestone complete",
            "Active",
        ] {
            assert!(is_replaceable(text), "{text:?}");
        }
        for text in [
            "Waiting on the harbour office",
            "Executing Phase two",
            "Phase x complete",
            "Complete rewrite",
            "Night milestone complete",
            "Phase 2 completion",
        ] {
            assert!(!is_replaceable(text), "{text:?}");
        }
        for (text, expected) in [
            ("", true),
            ("2026-01-02", true),
            ("[date]", true),
            ("2026-01-02 — Phase 2 complete", true),
            ("2026-01-02 — Milestone v2.0 started", true),
            ("2026-01-02 — moved the crane", false),
            ("yesterday", false),
            ("2026-01-02 late", false),
        ] {
            assert_eq!(is_replaceable_activity(text), expected, "{text:?}");
        }
    }

    #[test]
    fn stages_have_their_words() {
        for word in Stage::WORDS {
            let stage = Stage::parse(word).unwrap();
            assert_eq!((stage.word(), stage.title().to_lowercase().as_str()), (*word, *word));
        }
        assert_eq!(Stage::Verifying.noun(), "verification");
        assert_eq!(Stage::parse("done"), None);
    }
}
