//! The three files of a scenario as texts, and what is wrong with one that is none.

use format::{FileState, Files, Irregular, has_conflict_markers};
use model::{ProjectPath, Refusal, RefusalClass, Warning};

use super::lists::some;
use super::place::{FILE_LIMIT, PLAN, Place, SCENARIO, TASKS};

/// A file as a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Text {
    /// There is no such file.
    #[default]
    Absent,
    /// Its text.
    Is(String),
    /// It is a file, and no text that could be read.
    Unreadable,
    /// It cannot be read as a file.
    Irregular,
}

impl Text {
    /// The text of what stands at a path.
    pub(super) fn of(state: &FileState) -> Self {
        match state {
            FileState::Absent => Self::Absent,
            FileState::Irregular(_) => Self::Irregular,
            FileState::Bytes(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) if !text.contains('\0') => Self::Is(text.to_owned()),
                _ => Self::Unreadable,
            },
        }
    }

    /// The text, where there is one.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Is(text) => Some(text),
            Self::Absent | Self::Unreadable | Self::Irregular => None,
        }
    }
}

/// The three files.
#[derive(Clone, Debug, Default)]
pub(super) struct Texts {
    pub(super) plan: Text,
    pub(super) tasks: Text,
    pub(super) json: Text,
}

impl Texts {
    /// Reads them.
    pub(super) fn read(files: &dyn Files, place: &Place) -> Self {
        let read = |name| Text::of(&files.read(&place.file(name), FILE_LIMIT));
        Self { plan: read(PLAN), tasks: read(TASKS), json: read(SCENARIO) }
    }
}

/// Why a file that cannot be read stops changes, and what readers are told.
pub(super) fn irregular(path: &ProjectPath, what: Irregular) -> (Refusal, Warning) {
    let (class, code) = match what {
        Irregular::Link => (RefusalClass::Refused, "path_outside_project"),
        Irregular::TooLarge => (RefusalClass::Corrupt, "too_large"),
        Irregular::Folder | Irregular::Special | Irregular::Unreadable => (RefusalClass::Refused, "image_unreadable"),
    };
    let message = format!("{path} {what}; it is neither read nor replaced");
    let warning = Warning::new(code, message.as_str()).with("path", path.as_str());
    let refusal = Refusal::new(class, code, message).with("path", path.as_str());
    (refusal.hint(format!("move {path} away; the next change writes it anew")), warning)
}

/// Tells of a plan that is no text.
pub(super) fn unreadable_plan(place: &Place) -> Warning {
    let path = place.file(PLAN);
    let message = format!("{path} is not UTF-8 text; it is left alone and what was known of it counts");
    Warning::new("plan_unreadable", message).with("path", path.as_str())
}

/// Tells of a task.md with conflict markers of a merge: it is its agent's, so it counts as it stands.
pub(super) fn markers(path: &ProjectPath, bytes: &[u8]) -> Option<Warning> {
    let message =
        || format!("{path} holds conflict markers of a merge; it counts as it stands, and nobody rewrites it");
    let warning = || Warning::new("conflict_markers", message()).with("path", path.as_str());
    has_conflict_markers(bytes).then(warning)
}

/// Tells of sections that leave the plan with the words in them.
pub(super) fn words_lost(place: &Place, ids: &[String]) -> Warning {
    kept_aside(place, PLAN, "text_not_kept", &format!("loses sections with words, whose tasks go: {}", some(ids)))
}

/// Tells of a file that is kept beside before it is rewritten.
pub(super) fn kept_aside(place: &Place, name: &'static str, code: &'static str, why: &str) -> Warning {
    let path = place.file(name);
    Warning::new(code, format!("{path} {why}; it is kept beside before it is rewritten")).with("path", path.as_str())
}
