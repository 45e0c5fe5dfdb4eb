//! `update-progress` and `record-metric`.

use format::document::{Outline, edit as lines};
use format::markdown::{escape_cell, is_separator, row, split_row};
use model::{Outcome, Refusal};

use super::arguments::{Arguments, missing};
use super::derive::{StatusRule, derive};
use super::edit::Edit;
use super::members;
use super::position::{bar, with_bar};
use super::site::Site;

/// `update-progress`.
pub(super) fn update(_given: &Arguments, site: &Site<'_>) -> Result<Outcome, Refusal> {
    let mut edit = Edit::open(site)?;
    let derived = derive(&edit.document, site, &edit.own, StatusRule::Show);
    let progress = derived.progress.ok_or_else(|| {
        Refusal::refused("no_phase_data", "there are no phases and plans to count")
            .hint("progress is counted from ROADMAP.md and the folders in phases/")
    })?;
    let bar = format!("{} {}%", bar(progress.percent), progress.percent);
    let there = edit.field("Progress").unwrap_or_default();
    if !edit.set("Progress", &with_bar(&there, &bar))? {
        return Err(Refusal::refused("field_not_found", "STATE.md has no field Progress").field("Progress"));
    }
    let body = members([
        ("updated", true.into()),
        ("percent", progress.percent.into()),
        ("completed", progress.completed_plans.into()),
        ("total", progress.total_plans.into()),
        ("bar", bar.into()),
    ]);
    edit.finish(body)
}

const SECTION: &str = "Performance Metrics";
const HEADER: [&str; 4] = ["Plan", "Duration", "Tasks", "Files"];
const RULE: &str = "|------|----------|-------|-------|";

/// `record-metric`.
pub(super) fn record(given: &Arguments, site: &Site<'_>) -> Result<Outcome, Refusal> {
    let phase = given.needed_phase("phase")?;
    let plan = given.needed("plan")?;
    let duration = given.filled("duration")?.ok_or_else(|| missing("duration"))?;
    let counted = |name: &'static str| -> Result<String, Refusal> {
        Ok(given.count(name)?.map_or_else(|| "-".to_owned(), |count| count.to_string()) + " " + name)
    };
    let (tasks, files) = (counted("tasks")?, counted("files")?);
    let mut edit = Edit::open(site)?;
    let name = format!("Phase {} P{plan}", phase.as_str());
    let new = row(&[&escape_cell(&name), &escape_cell(&duration), &tasks, &files]);
    let mut body = members([
        ("recorded", true.into()),
        ("phase", phase.as_str().into()),
        ("plan", plan.as_str().into()),
        ("duration", duration.as_str().into()),
    ]);
    let header = row(&HEADER);
    let outline = edit.document.outline();
    match outline.section(SECTION).map(|section| outline.whole(section)) {
        None => {
            lines::append_section(&mut edit.document, &format!("## {SECTION}"), &[&header, RULE, &new]);
            body.insert("created".into(), true.into());
        }
        Some(beneath) => match table(&outline, beneath.clone(), &HEADER) {
            Some(rows) if rows.clone().any(|line| outline.content(line) == new) => {}
            Some(rows) => {
                let at = outline.lines()[rows.end - 1].next;
                lines::insert(edit.document.edit_body(), at, &[&new]);
            }
            None => lines::append_block(&mut edit.document, beneath, &[&header, RULE, &new]),
        },
    }
    edit.check_reads("plan", &[&new])?;
    edit.finish(body)
}

/// The lines of the first table with that header, the header and the rule first.
pub(super) fn table(
    outline: &Outline<'_>,
    within: std::ops::Range<usize>,
    header: &[&str],
) -> Option<std::ops::Range<usize>> {
    let cells = |line: usize| split_row(outline.content(line)).filter(|_| !outline.lines()[line].fenced);
    let is_header = |line: &usize| {
        cells(*line).is_some_and(|cells| {
            cells.len() == header.len() && cells.iter().zip(header).all(|(cell, name)| cell.eq_ignore_ascii_case(name))
        })
    };
    let first = within.clone().find(is_header)?;
    let rule = (first + 1..within.end).next().filter(|line| cells(*line).is_some_and(|cells| is_separator(&cells)))?;
    let end = (rule + 1..within.end).find(|line| cells(*line).is_none()).unwrap_or(within.end);
    Some(first..end)
}
