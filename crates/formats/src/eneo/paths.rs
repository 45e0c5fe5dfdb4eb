//! Where the format's files stand.

use format::{FileState, Files, Irregular};
use model::{ProjectPath, Rewrite};

/// Largest task or wave file. **Units**: bytes.
pub(super) const LIMIT: usize = 1024 * 1024;

/// Largest mirror that is looked at. **Units**: bytes.
pub(super) const MIRROR_LIMIT: usize = 4 * 1024;

/// The folder of the state; it is the marker of the format.
pub(super) fn state() -> ProjectPath {
    ProjectPath::known(".claude/state")
}

/// Whether the folder of the state may be there: one that cannot be looked at is not taken for absent.
pub(super) fn may_have_state(files: &dyn Files) -> bool {
    let looks_so =
        || matches!(files.read(&state(), 0), FileState::Irregular(Irregular::Folder | Irregular::Unreadable));
    files.is_folder(&state()) || looks_so()
}

/// The task document.
pub(super) fn task() -> ProjectPath {
    ProjectPath::known(".claude/state/current-task.json")
}

/// The mirror of `tdd_phase`.
pub(super) fn mirror() -> ProjectPath {
    ProjectPath::known(".claude/state/phase")
}

/// The counter of the running wave.
pub(super) fn wave() -> ProjectPath {
    ProjectPath::known(".claude/state/wave.json")
}

/// The folder that shell scripts make to lock.
pub(super) fn lock() -> ProjectPath {
    ProjectPath::known(".claude/state/.locks/state.lock")
}

/// The folder of the prompt log.
pub(super) fn stats() -> ProjectPath {
    ProjectPath::known(".claude/stats")
}

/// The prompt log.
pub(super) fn prompts() -> ProjectPath {
    ProjectPath::known(".claude/stats/prompts.jsonl")
}

/// The rules that a session is told of.
pub(super) fn rules() -> ProjectPath {
    ProjectPath::known(".claude/rules/eneo-context.md")
}

/// What stands at a path that is read up to one of the limits.
pub(super) fn read(files: &dyn Files, path: &ProjectPath, limit: usize) -> FileState {
    files.read(path, limit as u64)
}

/// A file whose bytes are kept beside before it is written again, or removed.
pub(super) fn kept(path: ProjectPath) -> Rewrite {
    Rewrite { path, keeps_old: true }
}
