//! Which tasks of the top level came, and the guard against files that lost most of them.

use std::collections::{HashMap, HashSet};

use model::Warning;

use super::{Intake, Sides};
use crate::upgrade::ids::title_of;
use crate::upgrade::limits::{MOST_NAMED, MOST_TASKS};
use crate::upgrade::pending::Mass;
use crate::upgrade::place::{PLAN, TASKS};
use crate::upgrade::plan::PlanText;
use crate::upgrade::records::{Source, Task};
use crate::upgrade::status::Status;

/// A task that a row brought, and the task behind whose section it is to stand.
pub(super) struct Addition {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) after: Option<String>,
}

impl Intake<'_, '_> {
    /// Sees whether a file lost most of its tasks at once.
    pub(super) fn guard(&mut self, sides: &mut Sides<'_>) {
        let known: HashSet<&str> = self.tops().map(|task| task.id.as_str()).collect();
        let mut found: Option<Mass> = None;
        if let (true, Some(was), Some(now)) = (sides.plan_changed, sides.plan_was, sides.plan) {
            let base = was.sections.iter().map(|section| section.id).filter(|id| known.contains(id));
            let present: HashSet<&str> = now.sections.iter().map(|section| section.id).collect();
            if let Some(ids) = lost(base, &present) {
                sides.plan_guarded = true;
                found = Some(Mass { file: PLAN.to_owned(), ids });
            }
        }
        if let (false, Some(was), Some(now)) = (sides.is_damaged, sides.tasks_was, sides.tasks) {
            let base = was.rows.iter().map(|row| row.id.text).filter(|id| known.contains(id));
            let present: HashSet<&str> = now.rows.iter().map(|row| row.id.text).collect();
            if let Some(ids) = lost(base, &present) {
                sides.tasks_guarded = true;
                found = found.or(Some(Mass { file: TASKS.to_owned(), ids }));
            }
        }
        if let Some(plan) = sides.plan.filter(|_| sides.plan_changed) {
            let present: HashSet<&str> = plan.sections.iter().map(|section| section.id).collect();
            self.state.pending.found_again(|id| present.contains(id));
        }
        if let Some(mass) = found {
            let message = format!("{} lost most of its tasks at once; nothing is removed", mass.file);
            let warning = Warning::new("mass_removal_guard", message).with("file", mass.file.as_str());
            let named: Vec<String> = mass.ids.iter().take(MOST_NAMED).cloned().collect();
            let warning = warning.with("ids", named);
            let more = mass.ids.len().saturating_sub(MOST_NAMED);
            self.warnings.push(if more > 0 { warning.with("more", more) } else { warning });
            // What the plan lost stays with the plan: only there does it outlast the request.
            let stands = self.state.pending.mass.take().filter(|mass| mass.file == PLAN);
            self.state.pending.mass = Some(match stands {
                Some(stands) if mass.file == PLAN => {
                    let new = mass.ids.into_iter().filter(|id| !stands.ids.contains(id)).collect::<Vec<_>>();
                    Mass { ids: stands.ids.into_iter().chain(new).collect(), ..stands }
                }
                Some(stands) => stands,
                None => mass,
            });
        }
        // A plan that was guarded before is left alone until its tasks are back or given up.
        let is_short = |mass: &Mass| mass.file == PLAN;
        sides.plan_guarded |= self.state.pending.mass.as_ref().is_some_and(is_short);
    }

    pub(super) fn tops(&self) -> impl Iterator<Item = &Task> {
        let tasks = self.state.tasks.iter().enumerate();
        tasks.filter(|(at, _)| self.state.parent(*at).is_none()).map(|(_, task)| task)
    }

    /// Adds what the plan has and what rows bring. Answers what the rows brought.
    pub(super) fn members(&mut self, sides: &Sides<'_>) -> Vec<Addition> {
        let mut known: HashSet<String> = self.state.tasks.iter().map(|task| task.id.clone()).collect();
        if let Some(plan) = sides.plan.filter(|_| sides.plan_changed) {
            for section in &plan.sections {
                let id = section.id;
                if known.contains(id) {
                    continue;
                }
                if self.state.pending.removal(id).is_some() {
                    // The heading's return restores everything.
                    self.state.pending.removals.retain(|removal| removal.id != id);
                    known.insert(id.to_owned());
                    continue;
                }
                let mut task = Task::new(id, "", Source::Plan);
                section.apply(&mut task);
                let unplanned = self.state.pending.unplanned.iter().find(|row| row.id == id);
                task.set_status(unplanned.map_or(Status::Pending, |row| row.status));
                self.state.pending.unplanned.retain(|row| row.id != id);
                if self.add(task, &mut known) {
                    self.state.drift.added.push(id.to_owned());
                }
            }
        }
        let additions = self.rows_added(sides, &mut known);
        if self.refused > 0 {
            let message = format!("{} tasks are not added: a scenario has at most {MOST_TASKS}", self.refused);
            self.warnings.push(Warning::new("too_large", message).with("field", "tasks").with("allowed", MOST_TASKS));
        }
        self.order(sides.plan, &additions);
        additions
    }

    fn rows_added(&mut self, sides: &Sides<'_>, known: &mut HashSet<String>) -> Vec<Addition> {
        let Some(tasks) = sides.tasks else { return Vec::new() };
        let before: HashSet<&str> = sides.tasks_was.iter().flat_map(|was| &was.rows).map(|row| row.id.text).collect();
        let mut additions = Vec::new();
        // The last task of the top level that stands above.
        let mut above: Option<String> = None;
        for row in tasks.rows.iter().filter(|row| !row.id.is_dotted()) {
            let id = row.id.text;
            let waits =
                self.state.pending.removal(id).is_some() || self.state.pending.unplanned.iter().any(|row| row.id == id);
            let is_new = !known.contains(id) && !before.contains(id) && !waits;
            if is_new && (row.id.is_canonical || !sides.is_damaged) {
                let title = row.title.map_or_else(|| title_of(id), str::to_owned);
                if self.add(Task::new(id, &title, Source::Plan), known) {
                    self.state.drift.added.push(id.to_owned());
                    additions.push(Addition { id: id.to_owned(), title, after: above.clone() });
                }
            }
            if known.contains(id) {
                above = Some(id.to_owned());
            }
        }
        additions
    }

    fn add(&mut self, mut task: Task, known: &mut HashSet<String>) -> bool {
        if self.state.tasks.len() + self.state.hidden.len() >= MOST_TASKS {
            self.refused += 1;
            return false;
        }
        known.insert(task.id.clone());
        task.order = usize::MAX;
        self.state.hidden.push(task);
        true
    }

    /// Takes the plan's order over, with what it lacks behind what stood before it.
    pub(super) fn order(&mut self, plan: Option<&PlanText<'_>>, additions: &[Addition]) {
        let was: Vec<String> = self.tops().map(|task| task.id.clone()).collect();
        let listed: Vec<&str> = plan.iter().flat_map(|plan| &plan.sections).map(|section| section.id).collect();
        let in_plan: HashSet<&str> = listed.iter().copied().collect();
        let mut behind: HashMap<Option<&str>, Vec<&str>> = HashMap::new();
        let mut before = None;
        for id in &was {
            if !in_plan.contains(id.as_str()) {
                behind.entry(before).or_default().push(id);
            }
            before = Some(id.as_str());
        }
        for addition in additions {
            behind.entry(addition.after.as_deref()).or_default().push(&addition.id);
        }
        let mut order: HashMap<String, usize> = HashMap::new();
        let mut waiting: Vec<&str> = Vec::new();
        let start = behind.remove(&None).unwrap_or_default();
        for id in start.into_iter().chain(listed) {
            waiting.push(id);
            while let Some(id) = waiting.pop() {
                let place = order.len();
                order.entry(id.to_owned()).or_insert(place);
                waiting.extend(behind.remove(&Some(id)).unwrap_or_default().into_iter().rev());
            }
        }
        // What stood behind a task that is in no list any more.
        let mut rest: Vec<&str> = behind.into_values().flatten().collect();
        rest.sort_unstable();
        for id in rest {
            let place = order.len();
            order.entry(id.to_owned()).or_insert(place);
        }
        let mut kept: Vec<&String> = was.iter().filter(|id| in_plan.contains(id.as_str())).collect();
        let as_was = kept.clone();
        kept.sort_by_key(|id| order.get(id.as_str()));
        if kept != as_was {
            self.state.drift.reordered = Some(PLAN.to_owned());
        }
        for task in self.state.tasks.iter_mut().chain(&mut self.state.hidden) {
            if let Some(place) = order.get(&task.id) {
                task.order = *place;
            }
        }
        self.state.rearrange();
    }
}

// What a file lost, where that is two or more and most of it, or all of it.
fn lost<'a>(base: impl Iterator<Item = &'a str>, present: &HashSet<&str>) -> Option<Vec<String>> {
    let base: Vec<&str> = base.collect();
    let lost: Vec<String> = base.iter().filter(|id| !present.contains(*id)).map(|id| (*id).to_owned()).collect();
    let most = lost.len() >= 2 && lost.len() * 2 > base.iter().collect::<HashSet<_>>().len();
    let all = !base.is_empty() && present.is_empty();
    (most || all).then_some(lost)
}
