//! Titles that someone changed, and rows that stand in another order.

use std::collections::HashSet;

use super::{Intake, Sides};
use crate::upgrade::pending::{Clash, TitleChange};
use crate::upgrade::place::{PLAN, TASKS};
use crate::upgrade::tasks_md::TasksText;

impl Intake<'_, '_> {
    /// Takes changed titles over: where both sides changed one, the plan's counts.
    ///
    /// Answers the titles that the plan does not have yet.
    pub(super) fn titles(&mut self, sides: &Sides<'_>) -> Vec<(String, String)> {
        let rows = sides.tasks.filter(|_| !sides.is_damaged).map(TasksText::by_id).unwrap_or_default();
        let rows_were = sides.tasks_was.map(TasksText::by_id).unwrap_or_default();
        let sections = sides.plan.map(|plan| plan.by_id()).unwrap_or_default();
        let sections_were = sides.plan_was.map(|plan| plan.by_id()).unwrap_or_default();
        let mut for_plan = Vec::new();
        for task in &mut self.state.tasks {
            let id = task.id.as_str();
            let by_row = rows
                .get(id)
                .and_then(|row| row.title)
                .filter(|title| rows_were.get(id).and_then(|row| row.title).is_some_and(|was| was != *title));
            let section = sections.get(id).map(|section| section.title_or_slug());
            let by_plan = section.clone().filter(|title| {
                sides.plan_changed && sections_were.get(id).is_some_and(|was| was.title_or_slug() != *title)
            });
            let (title, source) = match (by_plan, by_row) {
                (Some(plan), Some(row)) => {
                    if plan != row {
                        let clash = Clash::Title { id: id.to_owned(), plan: plan.clone(), tasks: row.to_owned() };
                        self.state.drift.conflicts.push(clash);
                    }
                    (plan, PLAN)
                }
                (Some(plan), None) => (plan, PLAN),
                (None, Some(row)) => {
                    if section.is_some() {
                        for_plan.push((id.to_owned(), row.to_owned()));
                    }
                    (row.to_owned(), TASKS)
                }
                (None, None) => continue,
            };
            if title != task.title {
                self.state.drift.titles.push(TitleChange {
                    id: id.to_owned(),
                    from: task.title.clone(),
                    to: title.clone(),
                    source: source.to_owned(),
                });
                task.title = title;
            }
        }
        if !sides.is_damaged && self.state.drift.reordered.is_none() && is_reordered(sides) {
            self.state.drift.reordered = Some(TASKS.to_owned());
        }
        for_plan
    }
}

fn is_reordered(sides: &Sides<'_>) -> bool {
    let (Some(was), Some(now)) = (sides.tasks_was, sides.tasks) else { return false };
    let ids = |text: &TasksText<'_>| text.rows.iter().map(|row| row.id.text.to_owned()).collect::<Vec<_>>();
    let (was, now) = (ids(was), ids(now));
    let (before, after): (HashSet<&String>, HashSet<&String>) = (was.iter().collect(), now.iter().collect());
    was.iter().filter(|id| after.contains(id)).ne(now.iter().filter(|id| before.contains(id)))
}
