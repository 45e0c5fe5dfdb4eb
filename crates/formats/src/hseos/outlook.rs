//! What the generic commands show of the format.

use format::task_graph::{Node, TaskGraph};
use format::{Records, natural};
use model::{WorkItem, WorkState};

use super::records::{Field, Status, Task};

/// The open tasks, in natural order.
pub(super) fn work(records: &dyn Records) -> Vec<WorkItem> {
    let mut tasks = Task::all(records);
    tasks.sort_by(|(a, _), (b, _)| natural::compare(a, b));
    let nodes = nodes(&tasks);
    let graph = TaskGraph::new(&nodes);
    let open = tasks.iter().zip(&nodes).filter(|((_, task), _)| !task.is_done());
    let item = |((id, task), node): (&(String, Task), &Node)| {
        let mut blocked_by: Vec<String> = graph.unmet(node).into_iter().map(str::to_owned).collect();
        let state = match task.status {
            Status::InProgress => WorkState::InProgress,
            Status::Pending if blocked_by.is_empty() => WorkState::Ready,
            _ => WorkState::Blocked,
        };
        if task.status == Status::Blocked {
            blocked_by.extend(task.note.clone());
        }
        WorkItem { id: id.clone(), title: task.description.clone(), state, owner: Some(task.owner.clone()), blocked_by }
    };
    open.map(item).collect()
}

/// The tasks as the graph takes them.
pub(super) fn nodes(tasks: &[(String, Task)]) -> Vec<Node> {
    let node =
        |(id, task): &(String, Task)| Node { id: id.clone(), done: task.is_done(), depends: task.depends_on.clone() };
    tasks.iter().map(node).collect()
}

/// One line: `phase execution, 3 open tasks, 1 blocked`.
pub(super) fn summary(records: &dyn Records) -> String {
    let work = work(records);
    let blocked = work.iter().filter(|item| item.state == WorkState::Blocked).count();
    let phase = Field::get(records, "phase").map(|field| field.value).filter(|value| !value.is_empty());
    let mut parts = vec![phase.map_or_else(|| "no phase".to_owned(), |phase| format!("phase {phase}"))];
    parts.push(format!("{} open {}", work.len(), if work.len() == 1 { "task" } else { "tasks" }));
    if blocked > 0 {
        parts.push(format!("{blocked} blocked"));
    }
    parts.join(", ")
}
