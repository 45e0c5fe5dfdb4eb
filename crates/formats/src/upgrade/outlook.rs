//! What the generic commands show of the format.

use format::View;
use format::task_graph::Status;
use model::{WorkItem, WorkState};

use super::lists::blocked;
use super::scenarios::Scenarios;

/// The open leaves of every scenario, in document order.
pub(super) fn work(view: &View<'_>) -> Vec<WorkItem> {
    let scenarios = Scenarios::of_project(view);
    let mut items = Vec::new();
    for place in &scenarios.places {
        let state = scenarios.state(view, place);
        let tree = state.tree();
        let mut waiting = blocked(&state, &tree).into_iter().peekable();
        for at in tree.leaves() {
            let by = waiting.next_if(|blocked| blocked.at == at);
            let work_state = match tree.status(at) {
                Status::Completed | Status::Skipped => continue,
                Status::InProgress => WorkState::InProgress,
                _ if by.is_some() => WorkState::Blocked,
                _ => WorkState::Ready,
            };
            let task = &state.tasks[at];
            let is_one = scenarios.places.len() == 1;
            let named = |id: &str| if is_one { id.to_owned() } else { format!("{}/{id}", place.id) };
            let id = named(&task.id);
            let blocked_by = match by.map(|blocked| (blocked.reason, blocked.by)) {
                // A task that is held or failed stands in its own way.
                Some((reason, ids)) if ids == [task.id.as_str()] => vec![reason.to_owned()],
                Some((_, ids)) => ids.into_iter().map(named).collect(),
                None => Vec::new(),
            };
            let owner = task.owner.as_ref().and_then(|owner| owner.session.clone());
            items.push(WorkItem { id, title: task.title.clone(), state: work_state, owner, blocked_by });
        }
    }
    items
}

/// One line: `net-upgrade 3/7 42%`.
pub(super) fn summary(view: &View<'_>) -> String {
    let scenarios = Scenarios::of_project(view);
    let line = |place| {
        let state = scenarios.state(view, place);
        let progress = state.tree().progress();
        let percent = (progress.done * 100).checked_div(progress.total).unwrap_or_default();
        format!("{} {}/{} {percent}%", place.id, progress.done, progress.total)
    };
    let lines: Vec<String> = scenarios.places.iter().map(line).collect();
    if lines.is_empty() { "no scenario".to_owned() } else { lines.join(", ") }
}
