//! Bracket identities: `[CODE.MM]` for a milestone, `[CODE.MM] AA.BB` for a phase.

use super::scene::Facts;
use crate::msd::settings::Config;

/// The identity of a project that numbers by brackets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Identity {
    /// `[CODE.MM]`.
    pub(super) milestone: String,
}

impl Identity {
    /// The identity, where the configuration asks for it and every part fits.
    pub(super) fn of(config: &Config, facts: &Facts) -> Option<Self> {
        config.text(&["phase_id_convention"]).filter(|word| *word == "bracket")?;
        let code = config.text(&["project_code"]).filter(|code| is_code(code))?;
        let number = version_number(facts.version.as_deref()?)?;
        let identity = Self { milestone: format!("[{code}.{}]", padded(number)) };
        let shown = facts.active.as_deref().or_else(|| facts.phase.as_ref().map(|phase| phase.number.as_str()));
        shown.is_none_or(|id| identity.phase(id).is_some()).then_some(identity)
    }

    /// `[CODE.MM] AA[.BB]`.
    pub(super) fn phase(&self, id: &str) -> Option<String> {
        let parts: Vec<&str> = id.split('.').collect();
        let fits = (1..=2).contains(&parts.len()) && parts.iter().all(|part| is_digits(part));
        let padded: Vec<String> = parts.into_iter().map(padded).collect();
        fits.then(|| format!("{} {}", self.milestone, padded.join(".")))
    }
}

fn is_code(code: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    code.starts_with(|c: char| c.is_ascii_uppercase()) && code.bytes().all(allowed)
}

/// The first number of `v«M»[.n…]`.
fn version_number(version: &str) -> Option<&str> {
    let parts: Vec<&str> = version.strip_prefix('v')?.split('.').collect();
    parts.iter().all(|part| is_digits(part)).then(|| parts[0])
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn padded(digits: &str) -> String {
    format!("{digits:0>2}")
}
