//! What counts as work on a task: whatever of it nobody may lose.

use std::collections::HashMap;

use format::{FileState, Records, digest};

use super::place::Place;
use super::plan::PlanText;
use super::records::{Task, TaskMd};
use super::shelf::Shelf;
use super::state::State;
use super::status::{Status, word};

/// How much of a section goes into a task.md: with its heading less than what is read of one. **Units**: bytes.
const SEEDED: usize = 1_020 * 1_024;

/// The texts that we would seed task.md files with.
#[derive(Debug, Default)]
pub(super) struct Seeds {
    bodies: HashMap<String, String>,
}

impl Seeds {
    /// From the sections of a plan.
    pub(super) fn of(plan: Option<&str>) -> Self {
        let plan = plan.map(PlanText::read);
        let sections = plan.into_iter().flat_map(|plan| plan.sections);
        Self { bodies: sections.map(|section| (section.id.to_owned(), section.body)).collect() }
    }

    /// The text for one task.
    pub(super) fn text(&self, task: &Task) -> String {
        let body = self.bodies.get(&task.id).filter(|body| !body.is_empty());
        let body = body.map(|body| format!("\n{}\n", &body[..body.floor_char_boundary(SEEDED)])).unwrap_or_default();
        format!("# {}: {}\n{body}", task.id, task.title)
    }

    /// Whether a task's section is longer than what its task.md is seeded with.
    pub(super) fn is_cut(&self, id: &str) -> bool {
        self.body(id).is_some_and(|body| body.len() > SEEDED)
    }

    /// The content of a task's section.
    pub(super) fn body(&self, id: &str) -> Option<&str> {
        self.bodies.get(id).map(String::as_str)
    }
}

/// Looks for work.
pub(super) struct Work<'a> {
    pub(super) records: &'a dyn Records,
    pub(super) place: &'a Place,
    pub(super) shelf: &'a Shelf<'a>,
    pub(super) seeds: &'a Seeds,
}

impl Work<'_> {
    /// The reasons of one task by itself, in their order.
    pub(super) fn of_task(&self, task: &Task, status: Status) -> Vec<String> {
        let mut reasons = self.in_folder(task);
        if self.is_given(task) && !reasons.iter().any(|reason| reason == "task_md") {
            let behind = usize::from(reasons.first().is_some_and(|reason| reason == "progress_details"));
            reasons.insert(behind, "task_md".to_owned());
        }
        if status != Status::Pending {
            reasons.push(format!("status:{}", word(status)));
        }
        if !task.files.is_empty() {
            reasons.push("files_modified".to_owned());
        }
        reasons
    }

    /// The reasons that lie in a task's folder: such a folder is kept, not removed.
    pub(super) fn in_folder(&self, task: &Task) -> Vec<String> {
        let id = &task.id;
        let reasons = [
            ("progress_details", self.shelf.has_details(id)),
            ("task_md", self.is_enriched(task)),
            ("files", self.shelf.has_others(id)),
        ];
        reasons.into_iter().filter(|(_, holds)| *holds).map(|(reason, _)| reason.to_owned()).collect()
    }

    /// Whether a task's task.md says more than what we wrote or would seed.
    pub(super) fn is_enriched(&self, task: &Task) -> bool {
        match self.shelf.task_md(&task.id) {
            FileState::Absent => false,
            FileState::Irregular(_) => true,
            FileState::Bytes(bytes) => {
                let wrote = TaskMd::get(self.records, &self.place.space, &task.id).and_then(|file| file.wrote);
                let is_ours = wrote.is_some_and(|wrote| wrote == digest(&bytes));
                !is_ours && bytes != self.seeds.text(task).as_bytes()
            }
        }
    }

    // Whether its task.md is what a caller gave: no plan can make it again.
    fn is_given(&self, task: &Task) -> bool {
        let file = TaskMd::get(self.records, &self.place.space, &task.id);
        file.is_some_and(|file| file.wrote.is_some() && !file.is_seed)
    }

    /// The reasons of a listed task, with what lies in those beneath it.
    pub(super) fn of_listed(&self, state: &State, at: usize, status: impl Fn(usize) -> Status) -> Vec<String> {
        let mut reasons = self.of_task(&state.tasks[at], status(at));
        if state.descendants(at).any(|child| !self.of_task(&state.tasks[child], status(child)).is_empty()) {
            reasons.push("descendant".to_owned());
        }
        reasons
    }

    /// The same of a hidden task.
    pub(super) fn of_hidden(&self, state: &State, id: &str) -> Vec<String> {
        let statuses = state.hidden_statuses();
        let Some(at) = state.hidden.iter().position(|task| task.id == id) else { return Vec::new() };
        let mut reasons = self.of_task(&state.hidden[at], statuses[at]);
        let mut family = vec![id];
        for (task, status) in state.hidden.iter().zip(&statuses).skip(at + 1) {
            if !task.parent.as_deref().is_some_and(|parent| family.contains(&parent)) {
                break;
            }
            family.push(&task.id);
            if !self.of_task(task, *status).is_empty() {
                reasons.push("descendant".to_owned());
                break;
            }
        }
        reasons
    }
}
