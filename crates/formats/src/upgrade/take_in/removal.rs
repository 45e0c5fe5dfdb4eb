//! Tasks that someone took out of the plan or of tasks.md: gone without work, waiting with it.

use std::collections::{HashMap, HashSet};

use model::Warning;

use super::{Intake, Sides};
use crate::upgrade::forget::forget;
use crate::upgrade::ids::{TaskId, number_of};
use crate::upgrade::limits::{MOST_NAMED, cut_title};
use crate::upgrade::lists::{quoted, some};
use crate::upgrade::pending::{Clash, Removal};
use crate::upgrade::place::PLAN;
use crate::upgrade::records::Task;
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
        let mut unsure = Vec::new();
        for task in self.tops().filter(|task| !mass.contains(task.id.as_str())) {
            let id = task.id.as_str();
            let left_plan = sides.plan_changed
                && !sides.plan_guarded
                && sections_were.contains_key(id)
                && !sections.contains_key(id);
            let is_unread = !rows.contains_key(id) && sides.may_stand(id, rows_were.contains_key(id));
            let left_rows = believes_rows && rows_were.contains_key(id) && !rows.contains_key(id) && !is_unread;
            if sides.plan_changed && !sections.contains_key(id) && sides.in_plan.holds(id) {
                // Its heading is there, though nothing that can be read.
                continue;
            }
            if left_plan && sides.in_plan.strange().is_some() {
                // Its heading may be there, with an id that nobody knows.
                unsure.push(id.to_owned());
            } else if left_plan {
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
        if let Some(line) = sides.in_plan.strange().filter(|_| !unsure.is_empty()) {
            let message = format!("{PLAN} has a new line that names no task: {}", quoted(line));
            let message = format!("{message}; tasks whose headings went at the same time stay: {}", some(&unsure));
            let hint = "a heading is written ### 02-name: Title, and reconcile with confirmRemovals takes a task out";
            unsure.truncate(MOST_NAMED);
            let warning = Warning::new("plan_heading_unreadable", format!("{message}; {hint}")).with("ids", unsure);
            self.warnings.push(warning.with("line", cut_title(line.trim())));
        }
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
        let heirs = Heirs::of(&self.state.tasks, &removals);
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
                    if !heirs.has(&self.state.tasks[at]) {
                        beneath.extend(self.state.descendants(at).map(|child| self.state.tasks[child].id.clone()));
                    }
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

/// The tasks that stay, by their numbers: one that is a removed task under another id keeps its subtasks.
struct Heirs<'a>(HashMap<Vec<u16>, Vec<&'a Task>>);

impl<'a> Heirs<'a> {
    fn of(tasks: &'a [Task], removals: &[Removal]) -> Self {
        let going: HashSet<&str> = removals.iter().map(|removal| removal.id.as_str()).collect();
        let mut heirs: HashMap<Vec<u16>, Vec<&Task>> = HashMap::new();
        for task in tasks.iter().filter(|task| !going.contains(task.id.as_str())) {
            heirs.entry(number_of(&task.id)).or_default().push(task);
        }
        Self(heirs)
    }

    fn has(&self, task: &Task) -> bool {
        let number = number_of(&task.id);
        let same = self.0.get(&number).filter(|_| !number.is_empty());
        same.is_some_and(|all| all.iter().any(|other| is_alike((&task.id, &task.title), (&other.id, &other.title))))
    }
}

/// Whether two tasks, each with its title, look like one under two ids: a title and a number, or a slug.
pub(super) fn is_alike((id, title): (&str, &str), (other, its): (&str, &str)) -> bool {
    let number = number_of(id);
    let slug = |id: &str| TaskId::parse(id).map(|id| id.slug.to_lowercase()).ok();
    let is_numbered = !number.is_empty() && number == number_of(other);
    let is_named = slug(id).is_some() && slug(id) == slug(other);
    is_numbered && (title == its || is_named) || is_named && title == its
}
