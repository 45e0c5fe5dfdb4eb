//! Removals that someone confirms: the folder with work goes to the trash, the rest is forgotten.

use format::distinct;
use model::{Refusal, Value};

use super::{Applied, Kind};
use crate::upgrade::ids::{TaskId, is_forbidden, number};
use crate::upgrade::plan::{PlanEdits, PlanText};
use crate::upgrade::reading::left_out;
use crate::upgrade::records::Task;
use crate::upgrade::turn::{Turn, ambiguous, invalid_id};

/// Removes tasks that wait for it.
pub(super) fn confirm(turn: &mut Turn<'_>, names: &[&str], applied: &mut Applied) -> Result<(), Refusal> {
    if names.is_empty() {
        return Ok(());
    }
    // A task that the plan does not name may go as well: nothing else would ever take it out.
    let plan = turn.state.plan.as_deref().map(PlanText::read);
    let unplanned: Vec<&str> = plan.iter().flat_map(|plan| left_out(&turn.state, plan)).collect();
    let ids = names.iter().map(|name| waiting(turn, &unplanned, name, "confirmRemovals", "not_pending"));
    let ids: Vec<String> = ids.collect::<Result<_, _>>()?;
    for id in &ids {
        let family = family(turn, id);
        let seeds = turn.seeds();
        let work = turn.work(&seeds);
        let archived: Vec<String> =
            family.iter().filter(|task| !work.in_folder(task).is_empty()).map(|task| task.id.clone()).collect();
        let all: Vec<String> = family.into_iter().map(|task| task.id).collect();
        if all.is_empty() {
            continue;
        }
        if !archived.iter().any(|other| other == id) {
            applied.add(Kind::Removed, id.clone());
        }
        for id in &archived {
            turn.archive(id);
            applied.add(Kind::Archived, id.clone());
        }
        drop_section(turn, id);
        turn.forget(&all);
    }
    Ok(())
}

/// The task that a name means among those that wait to be removed, and `others`.
pub(super) fn waiting(
    turn: &Turn<'_>,
    others: &[&str],
    name: &str,
    field: &str,
    otherwise: &'static str,
) -> Result<String, Refusal> {
    if is_forbidden(name) {
        return Err(invalid_id(name, field));
    }
    let pending = &turn.state.pending;
    let removals = pending.removals.iter().map(|removal| &removal.id);
    let all = removals.chain(pending.mass.iter().flat_map(|mass| &mass.ids)).map(String::as_str);
    let all: Vec<&str> = distinct(all.chain(others.iter().copied()));
    let numbered = number(name);
    let is_number = |id: &str| numbered.is_some() && TaskId::parse(id).is_ok_and(|id| Some(id.number) == numbered);
    let folded = name.to_lowercase();
    let ways: [&dyn Fn(&str) -> bool; 3] = [&|id| id == name, &|id| id.to_lowercase() == folded, &is_number];
    for way in ways {
        let found: Vec<&str> = all.iter().copied().filter(|id| way(id)).collect();
        match found.as_slice() {
            [] => {}
            [only] => return Ok((*only).to_owned()),
            several => return Err(ambiguous(name, field, several.iter().copied())),
        }
    }
    let allowed: Vec<Value> = all.into_iter().map(Value::from).collect();
    Err(Refusal::refused(otherwise, format!("{name} does not wait to be removed")).field(field).allowed(allowed))
}

// The task and everything beneath it, listed or hidden.
fn family(turn: &Turn<'_>, id: &str) -> Vec<Task> {
    if let Some(at) = turn.state.place(id) {
        let places = [at].into_iter().chain(turn.state.descendants(at));
        return places.map(|at| turn.state.tasks[at].clone()).collect();
    }
    let mut family: Vec<Task> = Vec::new();
    for task in &turn.state.hidden {
        let is_beneath = task.parent.as_deref().is_some_and(|up| family.iter().any(|other| other.id == up));
        if task.id == id || is_beneath {
            family.push(task.clone());
        }
    }
    family
}

/// Takes a task's section out of the plan, where it stands there.
fn drop_section(turn: &mut Turn<'_>, id: &str) {
    let Some(text) = &turn.state.plan else { return };
    let edited = {
        let plan = PlanText::read(text);
        let Some(section) = plan.section(id) else { return };
        let mut edits = PlanEdits::new(&plan);
        edits.remove(section);
        edits.made()
    };
    turn.put_plan(edited);
}
