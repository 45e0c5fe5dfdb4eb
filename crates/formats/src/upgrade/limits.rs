//! How much a scenario may hold.

/// Tasks of a scenario.
pub(super) const MOST_TASKS: usize = 2_000;

/// A title. **Units**: characters.
pub(super) const TITLE: usize = 200;

/// As much of a text as a title may have.
pub(super) fn cut_title(text: &str) -> &str {
    text.char_indices().nth(TITLE).map_or(text, |(end, _)| text[..end].trim_end())
}

/// The content of a subtask, and an error message. **Units**: bytes.
pub(super) const CONTENT: usize = 256 * 1024;

/// Modified files of a task.
pub(super) const FILES: usize = 5_000;

/// The path of a modified file. **Units**: bytes.
pub(super) const FILE: usize = 1_024;

/// A line of activity. **Units**: characters.
pub(super) const ACTIVITY: usize = 500;

/// Ids that `blockedBy` names of one task: many tasks may inherit one long list.
pub(super) const MOST_UNMET: usize = 64;

/// Entries that a reply shows of a list that no limit of tasks bounds.
pub(super) const MOST_SHOWN: usize = 200;

/// How much of a file, or of what stands in one, a reply shows. **Units**: bytes.
pub(super) const SHOWN: usize = 16 * 1_024;

/// Ids that one warning names, or that have a warning of their own.
pub(super) const MOST_NAMED: usize = 20;
