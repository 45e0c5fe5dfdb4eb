//! STATE.md, edited outside: each part that differs from the base is an edit.

use format::Records;
use format::markdown::{escape_cell, escape_line, unescape_cell, unescape_line};
use model::ProjectPath;

use super::state_text::{StateText, Table, TextRow, is_empty, parse};
use super::{Intake, Was};
use crate::hseos::arguments::{self, TEXT_LIMIT};
use crate::hseos::records::Kind;
use crate::hseos::state_read::{DEPLOYMENT_PARTS, ENVIRONMENTS, FEATURE_PARTS};

/// How a text in the file stands for a value.
#[derive(Clone, Copy)]
enum Form {
    Line,
    Cell,
    /// Notes stand as they are.
    Plain,
}

/// Takes the file in; `base` is what was last published or taken in, `None` at first contact.
pub(super) fn take(path: &ProjectPath, now: &str, base: Option<&str>, intake: &mut Intake<'_>) {
    let now = parse(now);
    if !now.is_ours {
        return intake.keep(path, "has no section \"## Current State\"");
    }
    let base = base.map(parse);
    let mut understood = !now.is_odd;
    for (key, text) in &now.bullets {
        let was = Was::of(base.is_some(), base.as_ref().and_then(|base| base.bullet_text(key)));
        understood &= edit(key, text, was, Form::Line, intake);
    }
    let rows_were = |table: fn(&StateText) -> Option<&Table>| {
        base.as_ref().map(|base| table(base).map(|table| table.rows.as_slice()).unwrap_or_default())
    };
    if let Some(table) = &now.features {
        let was = rows_were(|base| base.features.as_ref());
        understood &= take_table("feature.", FEATURE_PARTS, table, was, intake);
    }
    if let Some(table) = &now.deployment {
        let was = rows_were(|base| base.deployment.as_ref());
        understood &= take_table("deployment.", DEPLOYMENT_PARTS, table, was, intake);
    }
    if let Some(notes) = &now.notes {
        let was = Was::of(base.is_some(), base.as_ref().and_then(|base| base.notes.as_deref()));
        understood &= edit("notes", notes, was, Form::Plain, intake);
    }
    if !understood {
        intake.keep(path, "holds lines that are not understood or differ from the records");
    }
}

fn take_table(prefix: &str, parts: [&str; 3], table: &Table, was: Option<&[TextRow]>, intake: &mut Intake<'_>) -> bool {
    let mut understood = true;
    let rows = &table.rows;
    let keys = |name: &str| parts.map(|part| format!("{prefix}{name}.{part}"));
    for row in rows {
        let before = Was::of(was.is_some(), was.and_then(|rows| rows.iter().find(|known| known.name == row.name)));
        for (column, key) in keys(&row.name).iter().enumerate() {
            let text = before.map(|row| row.parts[column].as_str());
            understood &= edit(key, &row.parts[column], text, Form::Cell, intake);
        }
        let says_nothing = row.parts.iter().all(|part| is_empty(part)) && !ENVIRONMENTS.contains(&row.name.as_str());
        let is_known = matches!(before, Was::Said(_)) || keys(&row.name).iter().any(|key| intake.field(key).is_some());
        understood &= !says_nothing || is_known;
    }
    // A row that can no longer be read is not removed: the file is kept beside.
    let removed = was.unwrap_or_default().iter().filter(|_| !table.is_broken);
    for row in removed.filter(|row| rows.iter().all(|now| now.name != row.name)) {
        for key in keys(&row.name) {
            if intake.field(&key).is_some() {
                intake.delete_field(&key);
            }
        }
    }
    understood
}

/// Applies one text where it differs from the base's. Answers whether nothing of it is lost.
fn edit(key: &str, text: &str, was: Was<&str>, form: Form, intake: &mut Intake<'_>) -> bool {
    let present = intake.field(key);
    match was {
        Was::Said(was) if was == text || is_empty(was) && is_empty(text) => return true,
        // A new row or section that says nothing is no edit; a new bullet that does empties its key.
        Was::Lacking if is_empty(text) && !matches!(form, Form::Line) => return true,
        Was::Unknown if is_empty(text) => return true,
        Was::Unknown if present.is_some() => return present.is_some_and(|value| shown(&value, form) == text),
        _ => {}
    }
    if is_empty(text) {
        if present.is_some() {
            intake.set_field(key, String::new());
        }
        return true;
    }
    let value = match form {
        Form::Line => unescape_line(text, present.as_deref()),
        Form::Cell => unescape_cell(text, present.as_deref()),
        Form::Plain => text.to_owned(),
    };
    let may_stand = arguments::is_key(key) || intake.draft.get(&Kind::State.key(key)).is_some();
    if !may_stand || key == "last_updated" || value.len() > TEXT_LIMIT {
        return false;
    }
    intake.set_field(key, value);
    true
}

/// A value as the file shows it, ends trimmed as the reader trims them.
fn shown(value: &str, form: Form) -> String {
    match form {
        Form::Line => escape_line(value).trim().to_owned(),
        Form::Cell => escape_cell(value).trim().to_owned(),
        Form::Plain => value.replace("\r\n", "\n").replace('\r', "\n").trim_start_matches('\n').trim_end().to_owned(),
    }
}
