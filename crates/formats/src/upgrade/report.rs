//! `drift`: what the outside changed and what of it waits for somebody's word.

use format::task_graph::{Status, TaskTree};
use model::Value;

use super::ids::TaskId;
use super::limits::MOST_SHOWN;
use super::pending::{Clash, Drift, Removal, TitleChange};
use super::place::{PLAN, TASKS};
use super::records::{Task, object};
use super::state::State;
use super::status::word;
use super::work::Work;

/// The drift of a scenario; null if nothing differs and nothing waits.
pub(super) fn drift(state: &State, tree: &TaskTree<'_>, work: &Work<'_>) -> Value {
    let (drift, pending) = (&state.drift, &state.pending);
    let edits: Vec<Value> = pending.status_edits.iter().filter_map(|(id, to)| edit(state, tree, id, *to)).collect();
    let removals: Vec<Value> = pending.removals.iter().map(|one| removal(state, tree, work, one)).collect();
    let is_top = |id: &&str| TaskId::parse(id).is_ok_and(|id| !id.is_dotted());
    let unplanned: Vec<&str> =
        pending.unplanned.iter().map(|row| row.id.as_str()).filter(is_top).take(MOST_SHOWN).collect();
    let mass = pending.mass.as_ref().map(|mass| mass.file.as_str());
    let is_quiet =
        *drift == Drift::default() && edits.is_empty() && removals.is_empty() && unplanned.is_empty() && mass.is_none();
    if is_quiet {
        return Value::Null;
    }
    let list = |all: &[String]| all.iter().map(String::as_str).collect::<Value>();
    object([
        ("planChanged", drift.plan_changed.into()),
        ("tasksChanged", drift.tasks_changed.into()),
        ("instructionsChanged", drift.instructions_changed.into()),
        ("damaged", drift.is_damaged.into()),
        ("added", list(&drift.added)),
        ("removed", list(&drift.removed)),
        ("reordered", drift.reordered.as_deref().map_or(Value::Null, Value::from)),
        ("titleChanges", drift.titles.iter().map(TitleChange::to_value).collect()),
        ("statusEdits", Value::Array(edits)),
        ("pendingRemovals", Value::Array(removals)),
        ("possibleRenames", possible_renames(state, tree, work)),
        ("conflicts", drift.conflicts.iter().map(Clash::to_value).collect()),
        ("unplanned", unplanned.into_iter().collect()),
        ("massRemoval", mass.map_or(Value::Null, Value::from)),
    ])
}

// A mark that is already reached, or whose task has gone or got children, asks for nothing.
fn edit(state: &State, tree: &TaskTree<'_>, id: &str, to: Status) -> Option<Value> {
    let at = state.place(id)?;
    let from = tree.status(at);
    if !tree.is_leaf(at) || from == to {
        return None;
    }
    let call = match to {
        Status::Completed => format!("complete_task({id})"),
        Status::Failed => format!("complete_task({id}, failed=true)"),
        Status::InProgress => format!("start_task({id})"),
        Status::Pending | Status::Blocked | Status::Skipped => "reconcile(acceptStatusEdits=true)".to_owned(),
    };
    Some(object([
        ("id", id.into()),
        ("from", word(from).into()),
        ("to", word(to).into()),
        ("suggestedCall", call.into()),
    ]))
}

fn removal(state: &State, tree: &TaskTree<'_>, work: &Work<'_>, removal: &Removal) -> Value {
    let id = removal.id.as_str();
    let mut reasons = match state.place(id) {
        Some(at) => work.of_listed(state, at, |at| tree.status(at)),
        None => work.of_hidden(state, id),
    };
    if removal.is_edited {
        let at = reasons.iter().position(|reason| reason == "descendant").unwrap_or(reasons.len());
        reasons.insert(at, "edited_in_tasks_md".to_owned());
    }
    let folder = work.shelf.has_folder(id).then(|| work.place.task(id).as_str().to_owned());
    object([
        ("id", id.into()),
        ("reasons", reasons.into_iter().collect()),
        ("folder", folder.map_or(Value::Null, Value::String)),
        ("source", if removal.from_plan { PLAN } else { TASKS }.into()),
    ])
}

// A task that waits to be removed beside a new one that looks like it.
fn possible_renames(state: &State, tree: &TaskTree<'_>, work: &Work<'_>) -> Value {
    let mut found = Vec::new();
    for removal in &state.pending.removals {
        let all = || state.hidden.iter().chain(&state.tasks);
        let Some(old) = all().find(|task| task.id == removal.id) else { continue };
        for (at, new) in state.tasks.iter().enumerate() {
            let is_new = !new.started && tree.status(at) == Status::Pending && tree.is_leaf(at) && new.id != old.id;
            if !is_new || new.parent.is_some() != old.parent.is_some() {
                continue;
            }
            if let Some(why) = likeness(old, new).filter(|_| work.of_task(new, Status::Pending).is_empty()) {
                found.push(object([
                    ("old", old.id.as_str().into()),
                    ("new", new.id.as_str().into()),
                    ("why", why.into()),
                ]));
            }
        }
    }
    Value::Array(found)
}

fn likeness(old: &Task, new: &Task) -> Option<&'static str> {
    let slug = |task: &Task| TaskId::parse(&task.id).map(|id| id.slug.to_owned()).ok();
    if old.title == new.title {
        Some("title")
    } else if slug(old).is_some() && slug(old) == slug(new) {
        Some("slug")
    } else if old.body.is_some() && old.body == new.body {
        Some("body")
    } else {
        None
    }
}
