//! What the merge makes of the plan's text, and of the task.md files that follow from it.

use std::collections::{HashMap, HashSet};

use format::digest;
use model::Warning;

use super::membership::Addition;
use super::removal::is_alike;
use super::{Intake, Sides};
use crate::upgrade::ids::title_of;
use crate::upgrade::limits::MOST_NAMED;
use crate::upgrade::lists::some;
use crate::upgrade::place::PLAN;
use crate::upgrade::plan::{Edited, Insertion, PlanEdits, PlanText};
use crate::upgrade::records::{Kind, TaskMd};
use crate::upgrade::texts::words_lost;
use crate::upgrade::work::Seeds;

/// What rows made of the plan's list.
pub(super) struct Rows<'r> {
    pub(super) additions: &'r [Addition],
    /// Titles that the plan does not have yet.
    pub(super) titles: &'r [(String, String)],
    /// Tasks whose sections are to leave the plan.
    pub(super) removed: &'r [String],
    /// The removed that look like an addition, and that: their sections get its id and keep their words.
    pub(super) renamed: HashMap<&'r str, &'r str>,
    /// The listed tasks of the top level, in order.
    pub(super) listed: Vec<String>,
}

/// The plan with the sections and titles that rows brought and without those that they took.
pub(super) fn write_plan(sides: &Sides<'_>, text: Option<&str>, rows: &Rows<'_>) -> Option<Edited> {
    let plan = sides.plan?;
    if sides.plan_guarded {
        return text.map(Edited::untouched);
    }
    let mut edits = PlanEdits::new(plan);
    let sections = plan.by_id();
    let renamed: HashMap<&str, &str> = rows.renamed.iter().map(|(old, new)| (*new, *old)).collect();
    let is_new = |one: &&Addition| !sections.contains_key(one.id.as_str()) && !renamed.contains_key(one.id.as_str());
    let new: HashMap<&str, &Addition> =
        rows.additions.iter().filter(is_new).map(|one| (one.id.as_str(), one)).collect();
    // Each stands behind the nearest task before it that has a section, and behind what nobody reads there.
    let (mut after, mut is_past_unread) = (None, false);
    let mut insertions = Vec::new();
    for id in rows.listed.iter().map(String::as_str) {
        let own = sections.contains_key(id).then_some(id).or_else(|| renamed.get(id).copied());
        if own.is_some() {
            (after, is_past_unread) = (own, false);
        } else if let Some(one) = new.get(id) {
            insertions.push(Insertion { id, title: &one.title, body: "", after, is_past_unread });
        } else {
            is_past_unread = true;
        }
    }
    edits.insert(&insertions);
    let additions: HashMap<&str, &Addition> = rows.additions.iter().map(|one| (one.id.as_str(), one)).collect();
    for (old, new) in &rows.renamed {
        if let (Some(section), Some(one)) = (sections.get(old), additions.get(new)) {
            // A row without a title has the plan's.
            let own = section.title_or_slug();
            edits.pass_on(section, new, if one.title == title_of(new) { &own } else { &one.title });
        }
    }
    for (id, title) in rows.titles {
        if let Some(section) = sections.get(id.as_str()) {
            edits.retitle(section, title);
        }
    }
    for id in rows.removed.iter().filter(|id| !rows.renamed.contains_key(id.as_str())) {
        if let Some(section) = sections.get(id.as_str()) {
            edits.remove(section);
        }
    }
    if edits.is_empty() { text.map(Edited::untouched) } else { Some(edits.made()) }
}

/// Removed tasks and the additions that are the same under another id, as a person retypes one.
pub(super) fn renamed<'r>(
    sides: &Sides<'_>,
    additions: &'r [Addition],
    removed: &'r [String],
) -> HashMap<&'r str, &'r str> {
    let sections = sides.plan.map(|plan| plan.by_id()).unwrap_or_default();
    let mut renamed = HashMap::new();
    let mut taken = HashSet::new();
    for id in removed {
        let Some(title) = sections.get(id.as_str()).map(|section| section.title_or_slug()) else { continue };
        let is_meant = |one: &&Addition| {
            !taken.contains(one.id.as_str())
                && !sections.contains_key(one.id.as_str())
                && is_alike((id, &title), (&one.id, &one.title))
        };
        if let Some(one) = additions.iter().find(is_meant) {
            taken.insert(one.id.as_str());
            renamed.insert(id.as_str(), one.id.as_str());
        }
    }
    renamed
}

impl Intake<'_, '_> {
    /// Keeps the plan beside where sections with words are about to leave it.
    pub(super) fn keep_words(&mut self, lost: &[String]) {
        if !lost.is_empty() {
            self.kept.push(PLAN);
            self.warnings.push(words_lost(self.place, lost));
        }
    }

    /// Gives tasks that rows retyped the title and the place of the sections that they got.
    pub(super) fn settle_renamed(&mut self, text: &str, renamed: &HashMap<&str, &str>) {
        if renamed.is_empty() {
            return;
        }
        let plan = PlanText::read(text);
        let told = self.state.drift.reordered.take();
        self.order(Some(&plan), &[]);
        self.state.drift.reordered = told;
        let new: HashSet<&str> = renamed.values().copied().collect();
        let sections = plan.by_id();
        for task in self.state.tasks.iter_mut().filter(|task| new.contains(task.id.as_str())) {
            if let Some(section) = sections.get(task.id.as_str()) {
                task.title = section.title_or_slug();
            }
        }
    }

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
            let message = format!("the plan changed behind task.md files that were worked on: {}", some(&behind));
            behind.truncate(MOST_NAMED);
            self.warnings.push(Warning::new("task_md_behind_plan", message).with("ids", behind));
        }
    }
}
