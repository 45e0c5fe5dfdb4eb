//! Where people and agents write: the four files of a scenario and the task.md files that we know.

use format::{FileSource, Restore, Sources, TakeIn, View};

use super::place::{FILE_LIMIT, INSTRUCTIONS, PLAN, Place, SCENARIO, TASK_FILE_LIMIT, TASK_MD, TASKS};
use super::state::State;

/// The sources of a scenario.
///
/// What is gone comes back only with a changing call, which renders it; reads say that it is missing.
pub(super) fn sources(place: &Place, view: &View<'_>) -> Sources {
    let file = |name, keeps_base| FileSource {
        path: place.file(name),
        keeps_base,
        limit: FILE_LIMIT,
        restore: Restore::Never,
    };
    let mut files = vec![file(PLAN, true), file(TASKS, true), file(SCENARIO, true), file(INSTRUCTIONS, false)];
    files.extend(State::watched(view.records, &place.space).iter().map(|id| FileSource {
        path: place.task_file(id, TASK_MD),
        keeps_base: false,
        limit: TASK_FILE_LIMIT,
        restore: Restore::Never,
    }));
    Sources { files, take_in: TakeIn::OnChange, ..Sources::default() }
}
