//! Subtasks, whose list only tasks.md shows, and marks that someone set by hand.

use std::collections::{HashMap, HashSet};

use format::distinct;
use model::Warning;

use super::{Intake, Sides};
use crate::upgrade::ids::{DEEPEST, TaskId, number_of, title_of};
use crate::upgrade::limits::MOST_TASKS;
use crate::upgrade::pending::Removal;
use crate::upgrade::records::{Source, Task};
use crate::upgrade::status::Status;
use crate::upgrade::tasks_md::TasksText;

impl Intake<'_, '_> {
    /// Adds and removes subtasks as the rows say. Answers ids of rows that could not be adopted.
    pub(super) fn subtasks(&mut self, sides: &Sides<'_>) -> Vec<String> {
        let Some(tasks) = sides.tasks else { return Vec::new() };
        self.added_subtasks(sides, tasks);
        if let (false, false, Some(was)) = (sides.is_damaged, sides.tasks_guarded, sides.tasks_was) {
            self.removed_subtasks(sides, tasks, was);
        }
        let before: HashSet<&str> = sides.tasks_was.iter().flat_map(|was| &was.rows).map(|row| row.id.text).collect();
        let known: HashSet<&str> =
            self.state.tasks.iter().chain(&self.state.hidden).map(|task| task.id.as_str()).collect();
        let waits: HashSet<&str> = self.state.pending.unplanned.iter().map(|row| row.id.as_str()).collect();
        let is_lost = |id: &&str| !known.contains(id) && !before.contains(id) && !waits.contains(id);
        let ids = tasks.rows.iter().map(|row| row.id.text).filter(is_lost);
        distinct(ids).into_iter().map(str::to_owned).collect()
    }

    fn added_subtasks(&mut self, sides: &Sides<'_>, tasks: &TasksText<'_>) {
        let before: HashSet<&str> = sides.tasks_was.iter().flat_map(|was| &was.rows).map(|row| row.id.text).collect();
        let all = self.state.tasks.iter().chain(&self.state.hidden);
        let mut known: HashSet<String> = all.map(|task| task.id.clone()).collect();
        let numbers = |task: &Task| TaskId::parse(&task.id).map(|id| id.number).ok();
        let mut parents: HashSet<Vec<u16>> = self.state.tasks.iter().filter_map(numbers).collect();
        let fits = |row: &&crate::upgrade::tasks_md::Row<'_>| {
            row.id.is_dotted() && row.id.is_canonical && row.id.number.len() <= DEEPEST && !before.contains(row.id.text)
        };
        let mut rows: Vec<_> = tasks.rows.iter().filter(fits).collect();
        rows.sort_by_key(|row| row.id.number.len());
        let mut added = Vec::new();
        for row in rows {
            let (id, number) = (row.id.text, &row.id.number);
            let has_room = self.state.tasks.len() + self.state.hidden.len() + added.len() < MOST_TASKS;
            if known.contains(id) || !parents.contains(&number[..number.len() - 1]) || !has_room {
                continue;
            }
            known.insert(id.to_owned());
            parents.insert(number.clone());
            let title = row.title.map_or_else(|| title_of(id), str::to_owned);
            added.push(Task { order: usize::MAX, ..Task::new(id, &title, Source::Breakdown) });
        }
        if added.is_empty() {
            return;
        }
        self.state.drift.added.extend(added.iter().map(|task| task.id.clone()));
        let up = |id: &str| number_of(id).split_last().map(|(_, up)| up.to_vec()).unwrap_or_default();
        let mut begun: HashSet<Vec<u16>> = added.iter().map(|task| up(&task.id)).collect();
        for parent in &mut self.state.tasks {
            // A parent that was worked on itself has only begun now; of two with one number it is the first.
            if begun.remove(&number_of(&parent.id)) {
                let status = parent.status;
                parent.set_status(Status::Pending);
                parent.started |= !matches!(status, Status::Pending | Status::Blocked);
            }
        }
        self.state.hidden.append(&mut added);
        self.state.rearrange();
    }

    fn removed_subtasks(&mut self, sides: &Sides<'_>, now: &TasksText<'_>, was: &TasksText<'_>) {
        let (rows, rows_were) = (now.by_id(), was.by_id());
        let mut lost: HashMap<usize, Vec<usize>> = HashMap::new();
        for (at, task) in self.state.tasks.iter().enumerate() {
            let Some(parent) = self.state.parent(at) else { continue };
            let id = task.id.as_str();
            let is_lost = rows_were.contains_key(id) && !rows.contains_key(id) && !sides.may_stand(id, true);
            if is_lost && rows.contains_key(self.state.tasks[parent].id.as_str()) {
                lost.entry(parent).or_default().push(at);
            }
        }
        let mut parents: Vec<usize> = lost.keys().copied().collect();
        parents.sort_unstable();
        let statuses: Vec<Status> = {
            let tree = self.state.tree();
            (0..self.state.tasks.len()).map(|at| tree.status(at)).collect()
        };
        let mut removals = Vec::new();
        for parent in parents {
            let children = &lost[&parent];
            let id = self.state.tasks[parent].id.as_str();
            if children.len() >= 2 && children.len() == self.state.children(parent).len() {
                let message = format!("{id} is shown without its subtasks; they stay");
                self.warnings.push(Warning::new("children_collapsed", message).with("id", id));
                continue;
            }
            for child in children.iter().filter(|child| statuses[**child] != Status::Completed) {
                let id = self.state.tasks[*child].id.clone();
                removals.push(Removal { id, from_plan: false, is_edited: false });
            }
        }
        self.remove(removals);
    }

    /// Notes marks that differ from what we last wrote; they are suggestions.
    pub(super) fn status_edits(&mut self, sides: &Sides<'_>) {
        let Some(tasks) = sides.tasks.filter(|_| !sides.is_damaged) else { return };
        let rows_were = sides.tasks_was.map(TasksText::by_id).unwrap_or_default();
        let edits: Vec<(String, Status, bool)> = {
            let tree = self.state.tree();
            let places: HashMap<&str, usize> =
                self.state.tasks.iter().enumerate().map(|(at, task)| (task.id.as_str(), at)).collect();
            let by_id = tasks.by_id();
            let marked = tasks.rows.iter().filter(|row| by_id.get(row.id.text).is_some_and(|first| *first == *row));
            marked
                .filter_map(|row| {
                    let to = row.status?;
                    let at = *places.get(row.id.text)?;
                    let was = rows_were.get(row.id.text).map_or(Some(Status::Pending), |was| was.status);
                    let is_edit = tree.is_leaf(at) && was != Some(to);
                    is_edit.then(|| (row.id.text.to_owned(), to, tree.status(at) == to))
                })
                .collect()
        };
        for (id, to, is_reached) in edits {
            self.state.pending.status_edits.retain(|(other, _)| *other != id);
            if !is_reached {
                self.state.pending.status_edits.push((id, to));
            }
        }
    }
}
