//! Removals that someone confirms: the folder with work goes to the trash, the rest is forgotten.

use model::{Refusal, Value};

use super::{Applied, Kind};
use crate::upgrade::plan::{PlanEdits, PlanText};
use crate::upgrade::records::Task;
use crate::upgrade::turn::Turn;

/// Removes tasks that wait for it.
pub(super) fn confirm(turn: &mut Turn<'_>, ids: &[&str], applied: &mut Applied) -> Result<(), Refusal> {
    let pending = &turn.state.pending;
    let removals = pending.removals.iter().map(|removal| removal.id.as_str());
    let waiting: Vec<String> =
        removals.chain(pending.mass.iter().flat_map(|mass| &mass.ids).map(String::as_str)).map(str::to_owned).collect();
    if let Some(other) = ids.iter().find(|id| waiting.iter().all(|waiting| waiting != *id)) {
        let refusal = Refusal::refused("not_pending", format!("{other} does not wait to be removed"));
        let allowed: Vec<Value> = waiting.into_iter().map(Value::from).collect();
        return Err(refusal.field("confirmRemovals").allowed(allowed));
    }
    for id in ids {
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
            applied.add(Kind::Removed, (*id).to_owned());
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
pub(super) fn drop_section(turn: &mut Turn<'_>, id: &str) {
    let Some(text) = turn.state.plan.take() else { return };
    let made = {
        let plan = PlanText::read(&text);
        plan.section(id).map(|section| {
            let mut edits = PlanEdits::new(&plan);
            edits.remove(section);
            edits.made()
        })
    };
    turn.state.plan = Some(made.unwrap_or(text));
}
