//! Finished tasks leave TASKS.md when there are many; they stay in the records.
//!
//! **Source**: seed, section 7.

use std::collections::HashSet;

use format::Draft;

use super::records::Task;

/// So many finished tasks may stand in the file.
const MOST: usize = 5;

/// Prunes the finished tasks when there are many; to be called after a task became done.
///
/// If more than five done tasks are not pruned, every one that no open task directly depends on is.
pub(super) fn prune(draft: &mut Draft<'_>) {
    let tasks = Task::all(draft);
    let shown = |task: &Task| task.is_done() && !task.pruned;
    if tasks.iter().filter(|(_, task)| shown(task)).count() <= MOST {
        return;
    }
    let open = tasks.iter().filter(|(_, task)| !task.is_done());
    let needed: HashSet<&str> = open.flat_map(|(_, task)| &task.depends_on).map(String::as_str).collect();
    for (id, task) in tasks.iter().filter(|(id, task)| shown(task) && !needed.contains(id.as_str())) {
        Task { pruned: true, ..task.clone() }.put(draft, id);
    }
}
