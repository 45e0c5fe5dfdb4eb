//! A removal and an addition that are one task under another id: its work moves over.

use std::collections::{HashMap, HashSet};

use format::task_graph::Status;
use model::Refusal;

use super::removals::waiting;
use super::{Applied, Kind};
use crate::upgrade::ids::{DEEPEST, TaskId, number_text};
use crate::upgrade::plan::{PlanEdits, PlanText};
use crate::upgrade::records::Task;
use crate::upgrade::turn::Turn;

/// Moves status, files, folder and subtasks of a task that waits to be removed to a new one.
pub(super) fn rename(turn: &mut Turn<'_>, old: &str, new: &str, applied: &mut Applied) -> Result<(), Refusal> {
    let old = &waiting(turn, &[], old, "renames", "rename_invalid")?;
    if turn.state.pending.removal(old).is_none() {
        return Err(invalid(format!("{old} does not wait to be removed")));
    }
    let at = check(turn, old, new)?;
    let new = &turn.state.tasks[at].id.clone();
    let state = &turn.state;
    let Some(was) = state.hidden.iter().chain(&state.tasks).find(|task| task.id == *old).cloned() else {
        return Ok(());
    };
    let children: Vec<Task> = beneath(turn, old);
    let number = |id: &str| TaskId::parse(id).map(|id| id.number).unwrap_or_default();
    let (old_number, new_number) = (number(old), number(new));
    check_children(turn, old, &children, new, &new_number)?;

    let takes_place = pass_section_on(turn, old, &turn.state.tasks[at].clone());
    move_folder(turn, old, new);
    let mut moved = vec![Task { id: new.to_owned(), ..was.clone() }];
    for child in &children {
        let id = renumbered(&child.id, &old_number, &new_number);
        if id != child.id {
            move_folder(turn, &child.id, &id);
        }
        let parent = child
            .parent
            .as_deref()
            .map(|up| if up == *old { new.to_owned() } else { renumbered(up, &old_number, &new_number) });
        moved.push(Task { id, parent, ..child.clone() });
    }
    let mut target = turn.state.tasks[at].clone();
    target.status = was.status;
    target.started = was.started;
    target.owner = was.owner;
    target.completed_at = was.completed_at;
    target.files = was.files;
    target.error = was.error;
    target.has_folder = was.has_folder;
    moved[0] = target;

    let files: Vec<_> = [old.to_owned()].into_iter().chain(children.iter().map(|child| child.id.clone())).collect();
    let texts: Vec<_> = files.iter().map(|id| turn.task_md(id)).collect();
    let gone: Vec<String> = files.iter().cloned().chain([new.to_owned()]).collect();
    // The new task keeps its place among the siblings that stay, or has that of the section it got.
    let parent = moved[0].parent.clone();
    let stays = |task: &&Task| task.parent == parent && !gone.contains(&task.id);
    let order = if takes_place {
        let siblings: Vec<&str> = turn.state.tasks.iter().filter(stays).map(|task| task.id.as_str()).collect();
        place_in_plan(turn, new, &siblings)
    } else {
        turn.state.tasks[..at].iter().filter(stays).count()
    };
    moved[0].order = order;
    turn.forget(&gone);
    if takes_place && let Some(plan) = turn.state.plan.as_deref().map(PlanText::read) {
        plan.section(new).into_iter().for_each(|section| section.apply_fields(&mut moved[0]));
    }
    let seeds = turn.seeds();
    for (task, text) in moved.iter().zip(texts) {
        match text {
            // Its heading names the task.
            Some(file) if file.is_seed && file.is_ours() => turn.write_task_md(&task.id, seeds.text(task), true),
            Some(file) => turn.put_task_md(&task.id, &file),
            None => {}
        }
    }
    let pairs: Vec<(String, String)> = files.into_iter().zip(moved.iter().map(|task| task.id.clone())).collect();
    for task in turn.state.tasks.iter_mut().filter(|task| task.parent == parent && task.order >= order) {
        task.order += 1;
    }
    turn.state.hidden.extend(moved);
    for task in turn.state.tasks.iter_mut().chain(&mut turn.state.hidden) {
        for id in task.depends_on.iter_mut().flatten() {
            if let Some((_, new)) = pairs.iter().find(|(old, _)| old == id) {
                id.clone_from(new);
            }
        }
    }
    turn.state.rearrange();
    applied.add(Kind::Renamed, new.to_owned());
    Ok(())
}

// Words stand where the work is. Answers whether the old section is the new task's now.
fn pass_section_on(turn: &mut Turn<'_>, old: &str, new: &Task) -> bool {
    let Some(text) = &turn.state.plan else { return false };
    let (stays, edited) = {
        let plan = PlanText::read(text);
        let Some(section) = plan.section(old) else { return false };
        let mut edits = PlanEdits::new(&plan);
        (edits.pass_on(section, &new.id, &new.title), edits.made())
    };
    turn.put_plan(edited);
    stays
}

// How many of the siblings stand before it: all up to the last one that has a section above its own.
fn place_in_plan(turn: &Turn<'_>, id: &str, siblings: &[&str]) -> usize {
    let plan = turn.state.plan.as_deref().map(PlanText::read);
    let above = plan.iter().flat_map(|plan| &plan.sections).map(|section| section.id).take_while(|other| *other != id);
    let places: HashMap<&str, usize> = siblings.iter().enumerate().map(|(place, id)| (*id, place)).collect();
    above.filter_map(|id| places.get(id)).max().map_or(0, |place| place + 1)
}

fn invalid(why: String) -> Refusal {
    Refusal::refused("rename_invalid", why).field("renames")
}

fn check(turn: &Turn<'_>, old: &str, new: &str) -> Result<usize, Refusal> {
    let at = turn.find(new, "renames").map_err(|refusal| match &*refusal.code {
        "task_not_found" | "drift_conflict" => invalid(format!("{new} is no listed task")),
        _ => refusal,
    })?;
    let task = &turn.state.tasks[at];
    let seeds = turn.seeds();
    let is_fresh = task.status == Status::Pending
        && turn.state.children(at).is_empty()
        && turn.work(&seeds).of_task(task, Status::Pending).is_empty();
    if !is_fresh || task.id == old {
        return Err(invalid(format!("{} is not pending and without work", task.id)));
    }
    turn.check_folder(&task.id)?;
    Ok(at)
}

// What stands beneath the old task finds a free place of its own beneath the new one, or nothing moves.
fn check_children(turn: &Turn<'_>, old: &str, children: &[Task], new: &str, new_number: &[u16]) -> Result<(), Refusal> {
    if children.is_empty() {
        return Ok(());
    }
    let hint = "rename to a task whose number has no subtasks yet";
    if new_number.is_empty() {
        return Err(invalid(format!("{new} has no number that the subtasks of {old} could continue")).hint(hint));
    }
    if children.iter().any(|child| child.id == new) {
        return Err(invalid(format!("{new} stands beneath {old}")).hint(hint));
    }
    let number = |id: &str| TaskId::parse(id).map(|id| id.number).unwrap_or_default();
    let old_number = number(old);
    let family: HashSet<&str> = children.iter().map(|child| child.id.as_str()).collect();
    let others = turn.state.tasks.iter().chain(&turn.state.hidden).map(|task| task.id.as_str());
    let others: Vec<&str> = others.filter(|id| !family.contains(id)).collect();
    let ids: HashSet<&str> = others.iter().copied().collect();
    let numbers: HashSet<Vec<u16>> = others.iter().map(|id| number(id)).collect();
    for child in children {
        let id = renumbered(&child.id, &old_number, new_number);
        if id == child.id {
            continue;
        }
        let its = number(&id);
        if its.len() > DEEPEST {
            let refusal = invalid(format!("{} would stand deeper than {DEEPEST}, as {id}", child.id));
            return Err(refusal.hint("rename to a task that stands as high as the old one"));
        }
        if ids.contains(id.as_str()) || numbers.contains(&its) || turn.shelf.has_folder(&id) {
            let message = format!("{} would become {id}, which is taken by a task or a folder", child.id);
            return Err(invalid(message).hint(hint));
        }
        turn.check_folder(&id)?;
    }
    Ok(())
}

fn beneath(turn: &Turn<'_>, id: &str) -> Vec<Task> {
    if let Some(at) = turn.state.place(id) {
        return turn.state.descendants(at).map(|child| turn.state.tasks[child].clone()).collect();
    }
    let mut family = vec![id.to_owned()];
    let mut children = Vec::new();
    for task in &turn.state.hidden {
        if task.parent.as_ref().is_some_and(|up| family.contains(up)) {
            family.push(task.id.clone());
            children.push(task.clone());
        }
    }
    children
}

fn move_folder(turn: &mut Turn<'_>, old: &str, new: &str) {
    if !turn.shelf.has_folder(old) {
        return;
    }
    if turn.shelf.has_folder(new) {
        turn.archive(new);
    }
    turn.rename_folder(old, new);
}

// The child's number beneath the new parent's.
fn renumbered(id: &str, old: &[u16], new: &[u16]) -> String {
    match TaskId::parse(id) {
        Ok(parsed) if parsed.number.starts_with(old) => {
            let number: Vec<u16> = new.iter().chain(&parsed.number[old.len()..]).copied().collect();
            format!("{}-{}", number_text(&number), parsed.slug)
        }
        _ => id.to_owned(),
    }
}
