//! The mirror of the phase: one word for those who read no JSON.

use format::{FileState, Files};

use super::document::{self, PHASES};
use super::paths;

/// The word of a mirror's bytes, blanks and case aside.
pub(super) fn parse(bytes: &[u8]) -> Option<&'static str> {
    let text = std::str::from_utf8(bytes).ok()?.trim();
    PHASES.iter().copied().find(|word| word.eq_ignore_ascii_case(text))
}

/// What the mirror file says.
pub(super) fn read(files: &dyn Files) -> Option<&'static str> {
    match paths::read(files, &paths::mirror(), paths::MIRROR_LIMIT) {
        FileState::Bytes(bytes) => parse(&bytes),
        _ => None,
    }
}

/// The phase that counts: that of a readable task, else the mirror's, else FREE.
pub(super) fn effective(files: &dyn Files) -> &'static str {
    let task = document::read_task(files).object();
    task.as_ref().and_then(document::phase_of).or_else(|| read(files)).unwrap_or("FREE")
}
