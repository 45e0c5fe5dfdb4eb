//! What the merge makes of the plan's text, and of the task.md files that follow from it.

use std::collections::HashMap;

use format::digest;
use model::Warning;

use super::membership::Addition;
use super::{Intake, Sides};
use crate::upgrade::plan::{Insertion, PlanEdits, PlanText};
use crate::upgrade::records::{Kind, TaskMd};
use crate::upgrade::work::Seeds;

/// The plan with the sections and titles that rows brought and without those that they took.
pub(super) fn write_plan(
    sides: &Sides<'_>,
    text: Option<&str>,
    additions: &[Addition],
    titles: &[(String, String)],
    removed: &[String],
) -> Option<String> {
    let plan = sides.plan?;
    if sides.plan_guarded {
        return text.map(str::to_owned);
    }
    let mut edits = PlanEdits::new(plan);
    let sections = plan.by_id();
    let mut anchors: HashMap<&str, Option<&str>> = HashMap::new();
    let mut insertions = Vec::new();
    for one in additions.iter().filter(|one| !sections.contains_key(one.id.as_str())) {
        let after = one.after.as_deref();
        let anchor = after.and_then(|id| {
            let own = sections.contains_key(id).then_some(id);
            own.or_else(|| anchors.get(id).copied().flatten())
        });
        anchors.insert(&one.id, anchor);
        insertions.push(Insertion { id: &one.id, title: &one.title, after: anchor });
    }
    edits.insert(&insertions);
    for (id, title) in titles {
        if let Some(section) = sections.get(id.as_str()) {
            edits.retitle(section, title);
        }
    }
    for id in removed {
        if let Some(section) = sections.get(id.as_str()) {
            edits.remove(section);
        }
    }
    if edits.is_empty() { text.map(str::to_owned) } else { Some(edits.made()) }
}

impl Intake<'_, '_> {
    /// Gives every task what the plan says of it now, and its task.md if that is still our writing.
    pub(super) fn settle(&mut self, sides: &Sides<'_>, text: Option<String>, was: Option<&str>) {
        let changed = text.as_deref() != was;
        self.state.plan = text;
        if !changed {
            return;
        }
        let now = self.state.plan.clone();
        if let (Some(text), false) = (now.as_deref(), sides.plan_guarded) {
            let plan = PlanText::read(text);
            let sections = plan.by_id();
            for task in &mut self.state.tasks {
                if let Some(section) = sections.get(task.id.as_str()) {
                    section.apply_fields(task);
                }
            }
        }
        let (before, after) = (Seeds::of(was), Seeds::of(now.as_deref()));
        let space = &self.place.space;
        let mut behind = Vec::new();
        for task in &self.state.tasks {
            let id = task.id.as_str();
            if !self.state.watched.contains(id) || after.body(id).is_none() {
                continue;
            }
            let Some(file) = TaskMd::get(self.draft, space, id) else { continue };
            let seed = after.text(task);
            if file.text == seed {
                continue;
            }
            if file.is_seed && file.is_ours() {
                let at = self.ctx.now.to_millis_text();
                let wrote = Some(digest(seed.as_bytes()));
                let file = TaskMd { text: seed, wrote, is_seed: true, at };
                self.draft.put(Kind::TaskMd.key(space, id), file.to_value());
            } else if before.body(id) != after.body(id) {
                behind.push(id.to_owned());
            }
        }
        if !behind.is_empty() {
            let message = format!("the plan changed behind task.md files that were worked on: {}", behind.join(", "));
            self.warnings.push(Warning::new("task_md_behind_plan", message).with("ids", behind));
        }
    }
}
