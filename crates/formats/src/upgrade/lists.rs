//! What every reply shows of the tasks: references, what may be started, what is blocked, progress.

use format::task_graph::{Status, TaskTree};
use model::{Object, Value};

use super::limits::{MOST_NAMED, MOST_UNMET, cut_title};
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
    /// Whether it waits for more than is named.
    pub(super) is_cut: bool,
    /// `waiting`, `failed` or `held`.
    pub(super) reason: &'static str,
}

/// The blocked leaves, in document order.
pub(super) fn blocked<'a>(state: &'a State, tree: &TaskTree<'a>) -> Vec<Blocked<'a>> {
    let of = |at: usize| {
        let itself = |reason| Some(Blocked { at, by: vec![state.tasks[at].id.as_str()], is_cut: false, reason });
        match tree.status(at) {
            Status::Failed => itself("failed"),
            Status::Blocked => itself("held"),
            Status::Pending if tree.waits(at) => {
                let (by, is_cut) = unmet(tree, at);
                let reason = if tree.waits_for_failed(at) { "failed" } else { "waiting" };
                Some(Blocked { at, by, is_cut, reason })
            }
            Status::Pending | Status::InProgress | Status::Completed | Status::Skipped => None,
        }
    };
    tree.leaves().filter_map(of).collect()
}

/// The ids that a task waits for, as many as replies name, and whether there are more.
pub(super) fn unmet<'a>(tree: &TaskTree<'a>, at: usize) -> (Vec<&'a str>, bool) {
    let mut ids = tree.unmet(at, MOST_UNMET + 1);
    let is_cut = ids.len() > MOST_UNMET;
    ids.truncate(MOST_UNMET);
    (ids, is_cut)
}

/// The place of the first blocked leaf.
pub(super) fn first_blocked(tree: &TaskTree<'_>) -> Option<usize> {
    let is_blocked = |at: &usize| match tree.status(*at) {
        Status::Failed | Status::Blocked => true,
        Status::Pending => tree.waits(*at),
        Status::InProgress | Status::Completed | Status::Skipped => false,
    };
    tree.leaves().find(is_blocked)
}

/// `blockedTasks`.
///
/// **Shape**: `{"id","name","blockedBy","reason"}`, and `truncated` where `blockedBy` names only the first.
pub(super) fn blocked_tasks(state: &State, tree: &TaskTree<'_>) -> Value {
    let one = |blocked: Blocked<'_>| {
        let task = &state.tasks[blocked.at];
        let mut shown = members([
            ("id", task.id.as_str().into()),
            ("name", task.title.as_str().into()),
            ("blockedBy", blocked.by.into_iter().collect()),
            ("reason", blocked.reason.into()),
        ]);
        if blocked.is_cut {
            shown.insert("truncated".to_owned(), true.into());
        }
        Value::Object(shown)
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
    } else if tree.leaves().any(|at| tree.status(at) == Status::Pending && !tree.waits(at)) {
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

/// A line of somebody's file in a sentence, as much of it as a title may have.
pub(super) fn quoted(line: &str) -> String {
    format!("{:?}", cut_title(line.trim()))
}

/// Ids in a sentence: the first of them, and how many there are beside.
pub(super) fn some(ids: &[String]) -> String {
    let named = ids[..ids.len().min(MOST_NAMED)].join(", ");
    if ids.len() > MOST_NAMED { format!("{named} and {} more", ids.len() - MOST_NAMED) } else { named }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::upgrade::records::{Source, Task};

    fn task(id: &str, depends_on: Option<Vec<String>>) -> Task {
        Task { depends_on, ..Task::new(id, id, Source::Plan) }
    }

    #[test]
    fn a_long_list_that_subtasks_inherit_is_named_in_part() {
        let unknown: Vec<String> = (0..2_000).map(|number| format!("9-{number}")).collect();
        let mut tasks = vec![task("01-a", Some(unknown.clone()))];
        tasks.extend((1..=999).map(|number| task(&format!("01.{number:02}-x"), Some(Vec::new()))));
        let mut state = State::default();
        state.arrange(tasks);
        let tree = state.tree();
        let blocked = blocked_tasks(&state, &tree);
        let blocked = blocked.as_array().unwrap();
        assert_eq!(blocked.len(), 999);
        for one in blocked {
            let by: Vec<&str> = one["blockedBy"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
            assert_eq!((by.len(), &one["truncated"]), (MOST_UNMET, &Value::Bool(true)));
            assert_eq!(by, unknown[..MOST_UNMET]);
        }
        assert_eq!(next_action(&tree), "report_blockers");
    }

    #[test]
    fn what_is_short_is_named_in_full() {
        let mut state = State::default();
        state.arrange(vec![task("01-a", None), task("02-b", None)]);
        let tree = state.tree();
        let expected = r#"[{"id":"02-b","name":"02-b","blockedBy":["01-a"],"reason":"waiting"}]"#;
        assert_eq!(blocked_tasks(&state, &tree).to_string(), expected);
        assert_eq!(available(&state, &tree)[0]["id"], "01-a");
    }
}
