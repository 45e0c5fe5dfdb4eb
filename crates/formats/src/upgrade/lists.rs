//! What every reply shows of the tasks: references, what may be started, what is blocked, progress.

use format::task_graph::{Status, TaskTree};
use model::{Object, Value, Warning};

use super::ids::TaskId;
use super::limits::MOST_NAMED;
use super::records::{members, object};
use super::state::State;
use super::status::word;

/// A task in a reply. **Shape**: `{"id","name","status"}`, and `parentId` for a subtask.
pub(super) fn task_ref(state: &State, tree: &TaskTree<'_>, at: usize) -> Value {
    let task = &state.tasks[at];
    let mut reference = members([
        ("id", task.id.as_str().into()),
        ("name", task.title.as_str().into()),
        ("status", word(tree.status(at)).into()),
    ]);
    if let Some(parent) = state.parent(at) {
        reference.insert("parentId".to_owned(), state.tasks[parent].id.as_str().into());
    }
    Value::Object(reference)
}

/// References to the leaves of a status, in document order.
pub(super) fn leaves_of(state: &State, tree: &TaskTree<'_>, status: Status) -> Vec<Value> {
    tree.leaves().filter(|at| tree.status(*at) == status).map(|at| task_ref(state, tree, at)).collect()
}

/// `availableTasks`.
pub(super) fn available(state: &State, tree: &TaskTree<'_>) -> Value {
    tree.available().into_iter().map(|at| task_ref(state, tree, at)).collect()
}

/// Why a leaf stands among the blocked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Blocked<'a> {
    pub(super) at: usize,
    pub(super) by: Vec<&'a str>,
    /// `waiting`, `failed` or `held`.
    pub(super) reason: &'static str,
}

/// The blocked leaves, in document order.
pub(super) fn blocked<'a>(state: &'a State, tree: &TaskTree<'a>) -> Vec<Blocked<'a>> {
    let index = state.index();
    let failed = |id: &&str| index.find(id).is_some_and(|at| tree.status(at) == Status::Failed);
    let of = |at: usize| {
        let itself = |reason| Some(Blocked { at, by: vec![state.tasks[at].id.as_str()], reason });
        match tree.status(at) {
            Status::Failed => itself("failed"),
            Status::Blocked => itself("held"),
            Status::Pending => {
                let by = tree.unmet(at);
                let reason = if by.iter().any(failed) { "failed" } else { "waiting" };
                (!by.is_empty()).then_some(Blocked { at, by, reason })
            }
            Status::InProgress | Status::Completed | Status::Skipped => None,
        }
    };
    tree.leaves().filter_map(of).collect()
}

/// The place of the first blocked leaf.
pub(super) fn first_blocked(tree: &TaskTree<'_>) -> Option<usize> {
    let is_blocked = |at: &usize| match tree.status(*at) {
        Status::Failed | Status::Blocked => true,
        Status::Pending => !tree.unmet(*at).is_empty(),
        Status::InProgress | Status::Completed | Status::Skipped => false,
    };
    tree.leaves().find(is_blocked)
}

/// `blockedTasks`. **Shape**: `{"id","name","blockedBy","reason"}`.
pub(super) fn blocked_tasks(state: &State, tree: &TaskTree<'_>) -> Value {
    let one = |blocked: Blocked<'_>| {
        let task = &state.tasks[blocked.at];
        object([
            ("id", task.id.as_str().into()),
            ("name", task.title.as_str().into()),
            ("blockedBy", blocked.by.into_iter().collect()),
            ("reason", blocked.reason.into()),
        ])
    };
    blocked(state, tree).into_iter().map(one).collect()
}

/// `progress`. **Shape**: `{"completed","total","percent"}`, the percent rounded down.
pub(super) fn progress(tree: &TaskTree<'_>) -> Value {
    let progress = tree.progress();
    let percent = (progress.done * 100).checked_div(progress.total).unwrap_or_default();
    object([("completed", progress.done.into()), ("total", progress.total.into()), ("percent", percent.into())])
}

/// Whether there are tasks and every leaf is completed or skipped.
pub(super) fn all_met(tree: &TaskTree<'_>) -> bool {
    let mut leaves = tree.leaves().peekable();
    leaves.peek().is_some() && leaves.all(|at| tree.status(at).is_met())
}

/// `nextAction`: the first that fits.
pub(super) fn next_action(tree: &TaskTree<'_>) -> &'static str {
    if tree.leaves().next().is_none() {
        "plan"
    } else if all_met(tree) {
        "complete"
    } else if tree.leaves().any(|at| tree.status(at) == Status::InProgress) {
        "continue"
    } else if !tree.available().is_empty() {
        "start"
    } else {
        "report_blockers"
    }
}

/// Puts the lists that every changing tool answers into a reply.
pub(super) fn put_lists(body: &mut Object, state: &State, tree: &TaskTree<'_>) {
    body.insert("availableTasks".to_owned(), available(state, tree));
    body.insert("blockedTasks".to_owned(), blocked_tasks(state, tree));
}

/// Ids in a sentence: the first of them, and how many there are beside.
pub(super) fn some(ids: &[String]) -> String {
    let named = ids[..ids.len().min(MOST_NAMED)].join(", ");
    if ids.len() > MOST_NAMED { format!("{named} and {} more", ids.len() - MOST_NAMED) } else { named }
}

/// What is odd about the tasks themselves: numbers, parents, dependencies.
pub(super) fn oddities(state: &State, tree: &TaskTree<'_>) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for id in &state.orphans {
        let message = format!("the parent of {id} is missing");
        warnings.push(Warning::new("orphan_subtask", message).with("id", id.as_str()));
    }
    for id in &state.doubles {
        let message = format!("{id} has the number of another task; subtasks of that number belong to the first");
        warnings.push(Warning::new("duplicate_number", message).with("id", id.as_str()));
    }
    let is_odd = |id: &str| TaskId::parse(id).is_ok_and(|id| !id.is_canonical);
    for task in state.tasks.iter().filter(|task| is_odd(&task.id)) {
        let message = format!("{} is not written as NN(.NN)*-slug", task.id);
        warnings.push(Warning::new("noncanonical_id", message).with("id", task.id.as_str()));
    }
    let index = state.index();
    for task in &state.tasks {
        let unknown = task.depends_on.iter().flatten().filter(|id| index.find(id).is_none());
        let unknown: Vec<&String> = unknown.collect();
        for id in unknown.iter().take(MOST_NAMED) {
            let message = format!("{} depends on {id}, which is no task; it stays blocked", task.id);
            let warning = Warning::new("unknown_dependency", message).with("id", task.id.as_str());
            warnings.push(warning.with("dependency", id.as_str()));
        }
        if let Some(more) = unknown.len().checked_sub(MOST_NAMED).filter(|more| *more > 0) {
            let message = format!("{} depends on {more} more ids that are no tasks", task.id);
            warnings.push(Warning::new("unknown_dependency", message).with("id", task.id.as_str()));
        }
    }
    for group in tree.deadlocks() {
        let ids: Vec<&str> = group.into_iter().map(|at| state.tasks[at].id.as_str()).collect();
        let message = format!("these tasks wait for each other: {}", ids.join(", "));
        warnings.push(Warning::new("dependency_cycle", message).with("ids", ids));
    }
    warnings
}
