//! Tasks that someone took out of the plan or of tasks.md: gone without work, waiting with it.

use std::collections::HashSet;

use super::{Intake, Sides};
use crate::upgrade::forget::forget;
use crate::upgrade::pending::{Clash, Removal};
use crate::upgrade::place::PLAN;
use crate::upgrade::status::Status;
use crate::upgrade::tasks_md::TasksText;
use crate::upgrade::work::{Seeds, Work};

impl Intake<'_, '_> {
    /// Removes tasks of the top level. Answers those whose section is to leave the plan.
    pub(super) fn removals(&mut self, sides: &Sides<'_>) -> Vec<String> {
        let rows = sides.tasks.map(TasksText::by_id).unwrap_or_default();
        let rows_were = sides.tasks_was.map(TasksText::by_id).unwrap_or_default();
        let sections = sides.plan.map(|plan| plan.by_id()).unwrap_or_default();
        let sections_were = sides.plan_was.map(|plan| plan.by_id()).unwrap_or_default();
        // What rows lost all at once says nothing about what the plan drops with reason.
        let mass = self.state.pending.mass.iter().filter(|mass| mass.file == PLAN);
        let mass: HashSet<&str> = mass.flat_map(|mass| &mass.ids).map(String::as_str).collect();
        let believes_rows = sides.tasks.is_some() && !sides.is_damaged && !sides.tasks_guarded;
        let mut removals = Vec::new();
        let mut clashes = Vec::new();
        for task in self.tops().filter(|task| !mass.contains(task.id.as_str())) {
            let id = task.id.as_str();
            let left_plan = sides.plan_changed
                && !sides.plan_guarded
                && sections_were.contains_key(id)
                && !sections.contains_key(id);
            let is_unread = sides.in_rows.holds(id) && !rows.contains_key(id);
            let left_rows = believes_rows && rows_were.contains_key(id) && !rows.contains_key(id) && !is_unread;
            if sides.plan_changed && !sections.contains_key(id) && sides.in_plan.holds(id) {
                // Its heading is there, though nothing that can be read.
                continue;
            }
            if left_plan {
                let edited = rows
                    .get(id)
                    .zip(rows_were.get(id))
                    .is_some_and(|(now, was)| believes_rows && (now.title != was.title || now.status != was.status));
                let edited = edited || believes_rows && is_unread;
                removals.push(Removal { id: id.to_owned(), from_plan: true, is_edited: edited });
            } else if left_rows {
                let section = sections.get(id).zip(sections_were.get(id));
                let is_edited = sides.plan_changed
                    && section.is_some_and(|(now, was)| now.body != was.body || now.title != was.title);
                if is_edited {
                    clashes.push(Clash::EditedVsRemoved { id: id.to_owned() });
                } else {
                    removals.push(Removal { id: id.to_owned(), from_plan: false, is_edited: false });
                }
            }
        }
        self.state.drift.conflicts.extend(clashes);
        let gone = self.remove(removals);
        gone.into_iter().filter(|id| sections.contains_key(id.as_str())).collect()
    }

    /// Removes what has no work and lets the rest wait. Answers what was removed, without what stood beneath.
    pub(super) fn remove(&mut self, removals: Vec<Removal>) -> Vec<String> {
        if removals.is_empty() {
            return Vec::new();
        }
        let seeds = Seeds::of(self.state.plan.as_deref());
        let (mut gone, mut beneath) = (Vec::new(), Vec::new());
        let records = self.view.records;
        {
            let tree = self.state.tree();
            let work = Work { records, place: self.place, shelf: self.shelf, seeds: &seeds };
            let mut waiting = Vec::new();
            for removal in removals {
                let Some(at) = self.state.place(&removal.id) else { continue };
                let has_work = removal.is_edited
                    || !work.of_listed(&self.state, at, |at| -> Status { tree.status(at) }).is_empty();
                if has_work {
                    waiting.push(removal);
                } else {
                    gone.push(removal.id);
                    beneath.extend(self.state.descendants(at).map(|child| self.state.tasks[child].id.clone()));
                }
            }
            drop(tree);
            for removal in waiting {
                if self.state.pending.removal(&removal.id).is_none() || removal.from_plan {
                    self.state.pending.removals.retain(|other| other.id != removal.id);
                    self.state.pending.removals.push(removal);
                }
            }
        }
        self.state.drift.removed.extend(gone.iter().cloned());
        self.state.drift.beneath.extend(beneath.iter().cloned());
        let all: Vec<String> = gone.iter().cloned().chain(beneath).collect();
        forget(&mut self.state, self.draft, &self.place.space, &all);
        gone
    }
}
