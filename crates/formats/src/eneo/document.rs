//! The task document: its fields, and what a file of it says.

use format::{FileState, Files};
use model::{Object, Timestamp, Value, json};

use super::paths;

/// What a field of the document may hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    /// A kebab-case name.
    Slug,
    /// One of these words.
    Word(&'static [&'static str]),
    /// An integer in a range.
    Integer { min: i64, max: i64, nullable: bool },
    /// A text, or null.
    Text,
    /// Each wave's number with its status.
    WaveStatus,
    /// The types of the agents that are out.
    Agents,
    /// A second in UTC.
    Time,
}

impl Kind {
    /// Whether null is a value of the field, and the field may be missing.
    pub(super) fn is_nullable(self) -> bool {
        matches!(self, Self::Text | Self::Integer { nullable: true, .. })
    }
}

/// The lanes.
pub(super) const LANES: &[&str] = &["fast", "standard", "deep"];
/// What a task means for tenants.
pub(super) const TENANCY: &[&str] = &["none", "tenant-scoped", "cross"];
/// What a task means for the audit log.
pub(super) const AUDIT: &[&str] = &["none", "appends", "schema"];
/// The phases of test-driven work.
pub(super) const PHASES: &[&str] = &["RED", "GREEN", "REFACTOR", "FREE"];
/// How a task stands.
pub(super) const STATUSES: &[&str] = &["in_progress", "blocked", "verified", "done"];
/// How a wave of the task stands.
pub(super) const WAVE_STATUSES: &[&str] = &["pending", "in_progress", "done"];

const COUNT: Kind = Kind::Integer { min: 0, max: i64::MAX, nullable: true };
const NUMBER: Kind = Kind::Integer { min: 1, max: i64::MAX, nullable: true };

/// The range of the bracket.
pub(super) const BRACKET: Kind = Kind::Integer { min: 1, max: 4, nullable: false };

/// The fields in the order in which init writes them. **Source**: seed, "Field reference".
pub(super) const FIELDS: &[(&str, Kind)] = &[
    ("slug", Kind::Slug),
    ("lane", Kind::Word(LANES)),
    ("bracket", BRACKET),
    ("tenancy_impact", Kind::Word(TENANCY)),
    ("audit_impact", Kind::Word(AUDIT)),
    ("phase", COUNT),
    ("phase_total", COUNT),
    ("phase_name", Kind::Text),
    ("tdd_phase", Kind::Word(PHASES)),
    ("wave", COUNT),
    ("wave_total", COUNT),
    ("wave_status", Kind::WaveStatus),
    ("active_agents", Kind::Agents),
    ("status", Kind::Word(STATUSES)),
    ("started_at", Kind::Time),
    ("last_update", Kind::Time),
    ("next_hint", Kind::Text),
    ("prd_issue", NUMBER),
    ("last_pr", NUMBER),
];

/// What stands in a file that should hold one JSON object.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Found {
    /// Nothing.
    Absent,
    /// An object.
    Object(Object),
    /// Something else; why.
    Unusable(String),
}

impl Found {
    /// The object, if there is one.
    pub(super) fn object(self) -> Option<Object> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }
}

/// What the task file says now.
pub(super) fn read_task(files: &dyn Files) -> Found {
    parse(&paths::read(files, &paths::task(), paths::LIMIT))
}

/// Reads the bytes of a task or wave file: of doubled keys the last value, at the first place.
pub(super) fn parse(state: &FileState) -> Found {
    let bytes = match state {
        FileState::Absent => return Found::Absent,
        FileState::Irregular(what) => return Found::Unusable(format!("it {what}")),
        FileState::Bytes(bytes) => bytes,
    };
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    if bytes.trim_ascii().is_empty() {
        return Found::Unusable("it is blank".to_owned());
    }
    match json::read(bytes) {
        Ok(Value::Object(object)) => Found::Object(object),
        Ok(_) => Found::Unusable("it holds no object".to_owned()),
        Err(error) => Found::Unusable(format!("it is not one JSON object: {error}")),
    }
}

/// The phase of a document, if it is one of the words.
pub(super) fn phase_of(task: &Object) -> Option<&'static str> {
    word_of(task.get("tdd_phase")?.as_str()?)
}

/// The word itself, if it is a phase.
pub(super) fn word_of(text: &str) -> Option<&'static str> {
    PHASES.iter().copied().find(|word| *word == text)
}

/// The slug of a document, if it is a text that is not empty.
pub(super) fn slug_of(task: &Object) -> Option<&str> {
    task.get("slug").and_then(Value::as_str).filter(|slug| !slug.is_empty())
}

/// Whether a text is a slug: kebab-case, at most 64 letters.
pub(super) fn is_slug(text: &str) -> bool {
    let part =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    text.len() <= 64 && text.split('-').all(part)
}

/// The form of the document's times.
const SECONDS: &str = "%Y-%m-%dT%H:%M:%SZ";

/// A time of the document.
pub(super) fn time_of(value: Option<&Value>) -> Option<Timestamp> {
    let text = value?.as_str()?;
    let time = Timestamp::parse_utc(SECONDS, text)?;
    (time.to_seconds_text() == text).then_some(time)
}

/// How far ahead of the clock a stored time may stand. **Units**: milliseconds.
pub(super) const AHEAD: i64 = 5 * 60 * 1000;

/// The time that `last_update` takes, and whether a stored one too far ahead was replaced.
pub(super) fn stamp(task: &Object, now: Timestamp) -> (String, bool) {
    match time_of(task.get("last_update")) {
        Some(stored) if stored.as_millis() > now.as_millis() + AHEAD => (now.to_seconds_text(), true),
        Some(stored) if stored.as_millis() > now.as_millis() => (stored.to_seconds_text(), false),
        _ => (now.to_seconds_text(), false),
    }
}

/// A whole number, decimal text too.
pub(super) fn integer(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => number.as_i64().or_else(|| whole(number.as_f64()?)),
        Value::String(text) => decimal(text),
        _ => None,
    }
}

/// The number of a text of the form `0` or `[1-9][0-9]*`.
pub(super) fn decimal(text: &str) -> Option<i64> {
    let canonical = text == "0" || !text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| canonical)
}

/// The integer that a double is.
pub(super) fn whole(number: f64) -> Option<i64> {
    #[allow(clippy::cast_possible_truncation, reason = "checked right here")]
    let integer = number as i64;
    #[allow(clippy::cast_precision_loss, reason = "compared with what it came from")]
    let difference = integer as f64 - number;
    (number.fract() == 0.0 && difference == 0.0).then_some(integer)
}
