//! TASKS.md, edited outside: each part of a line that differs from the base is an edit.

use std::collections::HashMap;

use format::Records;
use format::markdown::unescape_line;
use model::{ProjectPath, Value, Warning};

use super::tasks_text::{Item, Line, TasksText, parse, parse_line};
use super::{Intake, Was};
use crate::hseos::arguments::{self, TEXT_LIMIT, canonical_id};
use crate::hseos::records::{Kind, Status, Task};
use crate::hseos::render_state::DASH;
use crate::hseos::render_tasks;

/// Takes the file in; `base` is what was last published or taken in, `None` at first contact.
pub(super) fn take(path: &ProjectPath, now: &str, base: Option<&str>, intake: &mut Intake<'_>) {
    let now = parse(now);
    if !now.is_ours {
        return intake.keep(path, "has none of the four sections of tasks");
    }
    let base = base.map(parse);
    let by_id = |file: &TasksText, intake: &Intake<'_>| {
        let mut lines: HashMap<String, Line> = HashMap::new();
        for line in &file.lines {
            lines.entry(canonical_id(&line.id, &intake.draft)).or_insert_with(|| line.clone());
        }
        lines
    };
    let base_lines = base.as_ref().map(|base| by_id(base, intake));
    let now_lines = by_id(&now, intake);
    let mut understood = now.odd.is_empty();
    for line in &now.lines {
        let id = canonical_id(&line.id, &intake.draft);
        if now_lines.get(&id).is_some_and(|first| first != line) {
            understood = false;
            continue;
        }
        let was = Was::of(base.is_some(), base_lines.as_ref().and_then(|lines| lines.get(&id)));
        understood &= take_line(&id, line, was, intake);
    }
    if let Some(base) = &base {
        removed(path, base, &now, &now_lines, intake);
    }
    if !understood {
        intake.keep(path, "holds lines that are not understood or differ from the records");
    }
}

/// Applies one line. Answers whether nothing of it is lost.
fn take_line(id: &str, line: &Line, was: Was<&Line>, intake: &mut Intake<'_>) -> bool {
    let Some(task) = intake.task(id) else {
        return match was {
            // The task was deleted by other means, or its line never told its true id.
            Was::Said(was) => was == line,
            _ => add(id, &line.read(None), intake),
        };
    };
    let now = line.read(Some(&task));
    let rendered = || parse_line(&render_tasks::line(id, &task), task.status).map(|line| line.read(Some(&task)));
    match was {
        Was::Said(was) => was == line || change(id, &task, &now, &was.read(Some(&task)), intake),
        Was::Lacking => rendered().is_some_and(|was| change(id, &task, &now, &was, intake)),
        Was::Unknown => rendered().is_some_and(|was| says_the_same(&now, &was)),
    }
}

fn says_the_same(now: &Item, was: &Item) -> bool {
    let same = |now: &Option<String>, was: &Option<String>| now.is_none() || now == was;
    now.status == was.status
        && now.owner == was.owner
        && same(&now.description, &was.description)
        && same(&now.note, &was.note)
        && (same(&now.depends, &was.depends) || was.depends.is_none() && now.depends.as_deref() == Some("none"))
}

fn add(id: &str, item: &Item, intake: &mut Intake<'_>) -> bool {
    let note = item.note.as_deref().and_then(|text| note(text, None));
    let description = item.description.clone().or_else(|| note.clone()).unwrap_or_default();
    let depends = item.depends.as_deref().map_or(Some(Vec::new()), |text| depends(text, &[], intake));
    let fits = |text: &str| text.len() <= TEXT_LIMIT;
    let may_stand = arguments::is_task_id(id)
        && arguments::is_name(&item.owner)
        && !description.is_empty()
        && fits(&description)
        && note.as_deref().is_none_or(fits);
    let understood = depends.is_some();
    if !may_stand {
        return false;
    }
    let task = Task {
        owner: item.owner.clone(),
        description,
        status: item.status,
        depends_on: depends.unwrap_or_default(),
        note,
        created_at: intake.now.clone(),
        updated_at: intake.now.clone(),
        pruned: false,
    };
    intake.put_task(id, &task);
    understood
}

/// Applies what a line says now and did not say in the base.
fn change(id: &str, before: &Task, now: &Item, was: &Item, intake: &mut Intake<'_>) -> bool {
    let mut task = before.clone();
    let mut understood = true;
    if now.status != was.status {
        task.set_status(now.status);
    }
    if now.owner != was.owner {
        if arguments::is_name(&now.owner) { task.owner.clone_from(&now.owner) } else { understood = false }
    }
    if let Some(text) = now.description.as_ref().filter(|_| now.description != was.description) {
        let holds_breaks = before.description.contains(['\n', '\r']);
        let value = if holds_breaks { unescape_line(text, Some(&before.description)) } else { text.clone() };
        if value.is_empty() || value.len() > TEXT_LIMIT { understood = false } else { task.description = value }
    }
    if let Some(text) = now.depends.as_deref().filter(|_| now.depends != was.depends) {
        match depends(text, &before.depends_on, intake) {
            Some(ids) => task.depends_on = ids,
            None => understood = false,
        }
    }
    if let Some(text) = now.note.as_deref().filter(|_| now.note != was.note) {
        let value = note(text, before.note.as_deref());
        if value.as_ref().is_some_and(|value| value.len() > TEXT_LIMIT) {
            understood = false;
        } else {
            task.note = value;
        }
    }
    if task != *before {
        task.updated_at.clone_from(&intake.now);
        intake.put_task(id, &task);
    }
    understood
}

fn note(text: &str, present: Option<&str>) -> Option<String> {
    (!text.is_empty() && text != DASH).then(|| unescape_line(text, present))
}

/// The ids of a clause; `None` where one of them is none.
fn depends(text: &str, present: &[String], intake: &Intake<'_>) -> Option<Vec<String>> {
    let mut ids: Vec<String> = Vec::new();
    if matches!(text, "" | "none" | DASH) {
        return Some(ids);
    }
    let exists = |id: &str| present.iter().any(|known| known == id) || intake.draft.get(&Kind::Task.key(id)).is_some();
    let mut take = |id: &str| {
        let id = if exists(id) { id.to_owned() } else { canonical_id(id, &intake.draft) };
        let may_stand = arguments::is_task_id(&id) || exists(&id);
        if may_stand && !ids.contains(&id) {
            ids.push(id);
        }
        may_stand
    };
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let whole = exists(part) && take(part);
        if !whole && !part.split_whitespace().all(&mut take) {
            return None;
        }
    }
    Some(ids)
}

/// A removed done line prunes its task; any other removed line comes back.
fn removed(
    path: &ProjectPath,
    base: &TasksText,
    now: &TasksText,
    now_lines: &HashMap<String, Line>,
    intake: &mut Intake<'_>,
) {
    let mut restored = Vec::new();
    for line in &base.lines {
        let id = canonical_id(&line.id, &intake.draft);
        // A line that can no longer be read is not removed: the file is kept beside.
        let is_gone = !now_lines.contains_key(&id) && !now.odd.iter().any(|odd| odd.contains(&line.id));
        let Some(task) = intake.task(&id).filter(|task| is_gone && !task.pruned) else { continue };
        if task.is_done() && line.read(Some(&task)).status == Status::Done {
            Task { pruned: true, ..task }.put(&mut intake.draft, &id);
        } else {
            restored.push(Value::from(id));
        }
    }
    if !restored.is_empty() {
        let ids: Vec<&str> = restored.iter().filter_map(Value::as_str).collect();
        let message = format!("{path} lacked lines of tasks that are not done; they stand again: {}", ids.join(", "));
        let warning = Warning::new("task_line_restored", message).with("path", path.as_str());
        intake.taken.warnings.push(warning.with("ids", restored));
    }
}
