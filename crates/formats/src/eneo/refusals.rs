//! The refusals that several verbs share.

use format::{Files, View};
use model::{Object, Refusal, RefusalClass};

use super::document::{self, Found};
use super::{paths, records};

/// `state_corrupt` for the task file.
pub(super) fn corrupt(why: &str) -> Refusal {
    let path = paths::task();
    Refusal::new(RefusalClass::Corrupt, "state_corrupt", format!("{path} cannot be used: {why}"))
        .with("path", path.as_str())
        .hint("mend the file, run mainstay eneo doctor --fix, or begin anew with mainstay eneo task-init --force")
}

/// The task that may be written: what the file says was taken in; an unusable file refuses.
///
/// **Errors**: `state_corrupt`.
pub(super) fn writable_task(view: &View<'_>) -> Result<Option<Object>, Refusal> {
    match document::read_task(view.files) {
        Found::Unusable(why) => Err(corrupt(&why)),
        _ => Ok(records::task(view.records)),
    }
}

/// The task for those who only look: an unusable file is no task.
pub(super) fn readable_task(view: &View<'_>) -> Option<Object> {
    if is_unusable(view.files) { None } else { records::task(view.records) }
}

/// Whether something stands in the task's place that cannot be used.
pub(super) fn is_unusable(files: &dyn Files) -> bool {
    matches!(document::read_task(files), Found::Unusable(_))
}
