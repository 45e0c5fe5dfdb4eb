//! Whether a document's fields hold what they may hold.

use std::borrow::Cow;

use model::{Object, Refusal, Value, Warning};

use super::document::{FIELDS, Kind, WAVE_STATUSES, decimal, is_slug, time_of, whole};

/// The longest text of a field. **Units**: bytes.
const TEXT: usize = 4 * 1024;

/// The most agents that are out at once.
const AGENTS: usize = 256;

/// What is wrong with a field.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Violation {
    pub(super) field: &'static str,
    pub(super) message: String,
    pub(super) allowed: Option<&'static [&'static str]>,
    /// `invalid_value` or `immutable_field`.
    pub(super) code: &'static str,
}

impl Violation {
    fn new(field: &'static str, message: String) -> Self {
        Self { field, message, allowed: None, code: "invalid_value" }
    }

    /// The refusal of a write that would bring it about.
    pub(super) fn refusal(&self) -> Refusal {
        let refusal = Refusal::refused(self.code, self.message.clone()).field(self.field);
        match self.allowed {
            Some(words) => refusal.allowed(words.iter().map(|word| Value::from(*word)).collect::<Vec<_>>()),
            None => refusal,
        }
    }

    /// The warning where it is let pass.
    pub(super) fn warning(&self) -> Warning {
        Warning::new("schema_violation", self.message.clone()).with("field", self.field)
    }
}

/// Makes integers of decimal texts and integral doubles in integer fields; answers the fields that were texts.
pub(super) fn coerce(task: &mut Object) -> Vec<&'static str> {
    let mut texts = Vec::new();
    for (field, kind) in FIELDS {
        let (Kind::Integer { .. }, Some(value)) = (kind, task.get_mut(*field)) else { continue };
        let Some(number) = integer_in(value) else { continue };
        if value.is_string() {
            texts.push(*field);
        }
        *value = number.into();
    }
    texts
}

// The integer that a value is to become; none where it is one, or can be none.
fn integer_in(value: &Value) -> Option<i64> {
    match value {
        Value::String(text) => decimal(text),
        Value::Number(number) if number.as_i64().is_none() => number.as_f64().and_then(whole),
        _ => None,
    }
}

/// The document with every integer that [`coerce`] makes; itself where there is none to make.
pub(super) fn with_integers(task: &Object) -> Cow<'_, Object> {
    let is_to_make = |(field, kind): &(&str, Kind)| {
        matches!(kind, Kind::Integer { .. }) && task.get(*field).and_then(integer_in).is_some()
    };
    if !FIELDS.iter().any(is_to_make) {
        return Cow::Borrowed(task);
    }
    let mut task = task.clone();
    coerce(&mut task);
    Cow::Owned(task)
}

/// The warning about a text that became a number.
pub(super) fn coerced(field: &str) -> Warning {
    Warning::new("coerced", format!("{field} was text and is an integer now")).with("field", field)
}

/// What is wrong with one value of a field.
pub(super) fn check(field: &'static str, kind: Kind, value: &Value) -> Option<Violation> {
    let wrong = |message: String| Some(Violation::new(field, message));
    if value.is_null() && kind.is_nullable() {
        return None;
    }
    match (kind, value) {
        (Kind::Slug, Value::String(text)) if is_slug(text) => None,
        (Kind::Slug, _) => wrong(format!("{field} is lower-case words joined by hyphens, at most 64 letters")),
        (Kind::Word(words), Value::String(text)) if words.contains(&text.as_str()) => None,
        (Kind::Word(words), _) => Some(Violation {
            allowed: Some(words),
            ..Violation::new(field, format!("{field} is one of {}", words.join(", ")))
        }),
        (Kind::Integer { min, max, .. }, value) => match value.as_i64() {
            Some(number) if (min..=max).contains(&number) => None,
            _ if max == i64::MAX => wrong(format!("{field} is a whole number from {min}")),
            _ => wrong(format!("{field} is a whole number from {min} to {max}")),
        },
        (Kind::Text, Value::String(text)) if text.len() <= TEXT => None,
        (Kind::Text, _) => wrong(format!("{field} is text of at most {TEXT} bytes, or null")),
        (Kind::WaveStatus, Value::Object(waves)) if waves.iter().all(is_wave) => None,
        (Kind::WaveStatus, _) => {
            wrong(format!("{field} is an object of wave numbers, each {}", WAVE_STATUSES.join(", ")))
        }
        (Kind::Agents, Value::Array(agents)) if agents.len() <= AGENTS && agents.iter().all(is_name) => None,
        (Kind::Agents, _) => wrong(format!("{field} is a list of at most {AGENTS} texts, none empty")),
        (Kind::Time, value) if time_of(Some(value)).is_some() => None,
        (Kind::Time, _) => wrong(format!("{field} is a time as 2026-01-02T03:04:05Z")),
    }
}

fn is_wave((number, status): (&String, &Value)) -> bool {
    let is_number = decimal(number).is_some_and(|number| number > 0);
    is_number && status.as_str().is_some_and(|status| WAVE_STATUSES.contains(&status))
}

fn is_name(value: &Value) -> bool {
    value.as_str().is_some_and(|name| !name.is_empty() && name.len() <= TEXT)
}

/// What a change of a document breaks: only fields whose value it changed count.
pub(super) fn violations(before: &Object, after: &Object) -> Vec<Violation> {
    let mut found = Vec::new();
    for (field, kind) in FIELDS {
        let (old, new) = (before.get(*field), after.get(*field));
        let is_same = match (old, new) {
            (Some(old), Some(new)) => jq::equal(old, new),
            (None, None) => true,
            _ => false,
        };
        if is_same {
            continue;
        }
        if *field == "started_at" && old.is_some() {
            let message = "started_at may be neither changed nor removed".to_owned();
            found.push(Violation { code: "immutable_field", ..Violation::new(field, message) });
            continue;
        }
        match new {
            Some(value) => found.extend(check(field, *kind, value)),
            None if kind.is_nullable() => {}
            None => found.push(Violation::new(field, format!("{field} may not be removed"))),
        }
    }
    found
}

/// What is wrong with a document as it stands; a missing field only where `missing` counts.
pub(super) fn faults(task: &Object, missing: bool) -> Vec<Violation> {
    let fault = |(field, kind): &(&'static str, Kind)| match task.get(*field) {
        None if missing && !kind.is_nullable() => Some(Violation::new(field, format!("{field} is missing"))),
        None => None,
        Some(value) => check(field, *kind, value),
    };
    FIELDS.iter().filter_map(fault).collect()
}
