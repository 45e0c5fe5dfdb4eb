//! plan.md is completed: ids for its headings, sections for rows, or the whole file.

use format::FileState;
use model::{Refusal, Warning};

use super::{Applied, Kind};
use crate::upgrade::arguments::too_large;
use crate::upgrade::ids::{HIGHEST, TaskId};
use crate::upgrade::limits::MOST_TASKS;
use crate::upgrade::place::{FILE_LIMIT, PLAN};
use crate::upgrade::plan::{Insertion, PlanEdits, PlanText, Section};
use crate::upgrade::records::{Source, Task};
use crate::upgrade::take_in::Standing;
use crate::upgrade::turn::Turn;

/// Writes the proposed ids into the plan's headings and adds their tasks.
pub(super) fn adopt_ids(turn: &mut Turn<'_>, applied: &mut Applied) -> Result<(), Refusal> {
    let Some(text) = &turn.state.plan else { return Ok(()) };
    let made = {
        let plan = PlanText::read(text);
        if plan.proposals.is_empty() {
            return Ok(());
        }
        let most = usize::from(HIGHEST);
        if plan.proposals.len() > most {
            let message = format!("{} headings need more than the numbers to {HIGHEST}", plan.proposals.len());
            return Err(too_large("adoptIds", message, most));
        }
        let mut edits = PlanEdits::new(&plan);
        edits.adopt();
        edits.made().text
    };
    let plan = PlanText::read(&made);
    let index = turn.state.index();
    let new: Vec<&Section<'_>> = plan.sections.iter().filter(|section| index.exactly(section.id).is_none()).collect();
    has_room(turn, new.len(), "adoptIds")?;
    for section in new {
        let mut task = Task { order: usize::MAX, ..Task::new(section.id, "", Source::Plan) };
        section.apply(&mut task);
        if let Some(row) = turn.state.pending.unplanned.iter().find(|row| row.id == section.id) {
            task.set_status(row.status);
        }
        turn.state.pending.unplanned.retain(|row| row.id != section.id);
        turn.state.hidden.push(task);
        applied.add(Kind::Adopted, section.id.to_owned());
    }
    turn.state.rearrange();
    turn.state.plan = Some(made);
    Ok(())
}

fn has_room(turn: &Turn<'_>, more: usize, field: &str) -> Result<(), Refusal> {
    if turn.state.tasks.len() + turn.state.hidden.len() + more > MOST_TASKS {
        return Err(too_large(field, format!("a scenario has at most {MOST_TASKS} tasks"), MOST_TASKS));
    }
    Ok(())
}

/// Makes the plan from the list where it is missing, and appends sections for rows that it does not know.
pub(super) fn write(turn: &mut Turn<'_>, applied: &mut Applied) -> Result<(), Refusal> {
    if turn.state.plan.is_none() {
        let path = turn.place.file(PLAN);
        if turn.view.files.read(&path, FILE_LIMIT) != FileState::Absent {
            let refusal = Refusal::refused("plan_unreadable", format!("{path} is there and cannot be read"));
            return Err(refusal.with("path", path.as_str()).hint(format!("move {path} away")));
        }
        let mut text = "# Upgrade plan\n\n## Tasks\n".to_owned();
        let tops = turn.state.tasks.iter().enumerate().filter(|(at, _)| turn.state.parent(*at).is_none());
        for (_, task) in tops {
            text.extend(["\n### ", &task.id, ": ", &task.title, "\n"]);
        }
        turn.state.plan = Some(text);
        applied.add(Kind::Planned, None);
    }
    if turn.state.pending.mass.as_ref().is_some_and(|mass| mass.file == PLAN) {
        let message =
            "plan.md lost most of its tasks at once and is left as it is: restore it, or confirm the removals";
        turn.warnings.push(Warning::new("plan_not_written", message).with("file", PLAN));
        return Ok(());
    }
    let rows = std::mem::take(&mut turn.state.pending.unplanned);
    has_room(turn, rows.len(), "writePlan")?;
    let Some(text) = turn.state.plan.take() else { return Ok(()) };
    let plan = PlanText::read(&text);
    let sections = plan.by_id();
    let last = plan.sections.last().map(|section| section.id);
    let is_top = |id: &str| TaskId::parse(id).is_ok_and(|id| !id.is_dotted());
    // Tasks that came while the plan could not be written to, then rows that it never knew.
    let listed = turn.state.tasks.iter().enumerate().filter(|(at, _)| turn.state.parent(*at).is_none());
    let listed = listed.map(|(_, task)| (task.id.as_str(), task.title.as_str()));
    let unplanned = rows.iter().map(|row| (row.id.as_str(), row.title.as_str())).filter(|(id, _)| is_top(id));
    // Each task that is listed comes behind the one before it, as tasks.md shows them.
    // One whose heading stands there unread gets no second one.
    let standing = Standing::in_plan(None, &plan);
    let (mut above, mut is_past_unread) = (None, false);
    let mut insertions = Vec::new();
    for (id, title) in listed {
        if sections.contains_key(id) {
            (above, is_past_unread) = (Some(id), false);
        } else if standing.holds(id) {
            is_past_unread = true;
        } else {
            insertions.push(Insertion { id, title, body: "", after: above, is_past_unread });
            applied.add(Kind::Planned, id.to_owned());
        }
    }
    let unknown = unplanned.filter(|(id, _)| !sections.contains_key(id) && turn.state.place(id).is_none());
    insertions.extend(unknown.map(|(id, title)| Insertion { id, title, body: "", after: last, is_past_unread: false }));
    let mut edits = PlanEdits::new(&plan);
    edits.insert(&insertions);
    let made = edits.made().text;
    for row in rows {
        if turn.state.place(&row.id).is_some() {
            continue;
        }
        let source = if is_top(&row.id) { Source::Plan } else { Source::Breakdown };
        let mut task = Task { order: usize::MAX, ..Task::new(&row.id, &row.title, source) };
        task.set_status(row.status);
        turn.state.hidden.push(task);
        if source == Source::Plan {
            applied.add(Kind::Planned, row.id);
        }
    }
    turn.state.rearrange();
    turn.state.plan = Some(made);
    Ok(())
}
