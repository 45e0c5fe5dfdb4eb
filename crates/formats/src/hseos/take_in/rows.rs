//! What others wrote into the tables: taken as it stands, or refused and kept.

use std::collections::HashMap;

use format::{Records, RowsSeen};
use model::{Cell, Warning};

use super::Intake;
use crate::hseos::arguments::{self, TEXT_LIMIT};
use crate::hseos::records::{Field, HistoryRow, Kind, Status, Task};
use crate::hseos::{history, invalid};

/// The longest key. **Units**: bytes.
const KEY_LIMIT: usize = 512;

/// Applies the rows in their order, then adds the history rows that the outside did not.
pub(super) fn take(seen: &RowsSeen, intake: &mut Intake<'_>) {
    for table in &seen.restored {
        let message = format!("the table {table} was gone and is filled from the records again");
        intake.taken.warnings.push(Warning::new("table_restored", message).with("table", *table));
    }
    let mut covered = covered(seen);
    let mut steps = Vec::new();
    for row in &seen.rows {
        match (row.table, &row.key) {
            (table, None) => delete(table, row.old_key.as_ref(), intake),
            (table, Some(key)) => match parse(table, key, &row.cells) {
                Ok(parsed) => {
                    drop_former(table, key, intake);
                    if row.old_key.as_ref().is_some_and(|old| old != key) {
                        delete(table, row.old_key.as_ref(), intake);
                    }
                    put(parsed, intake, &mut steps);
                }
                Err(reason) => {
                    let was =
                        row.old_key.as_ref().filter(|old| *old != key).and_then(|old| renamed(table, old, intake));
                    invalid::open(&mut intake.draft, table, &key_text(key), reason, row.seq, was);
                }
            },
        }
    }
    for (_, highest) in seen.highest.iter().filter(|(table, _)| *table == "state_history") {
        intake.history.reserve(*highest);
    }
    if !seen.first_contact {
        for step in steps {
            match covered.get_mut(&(step.key.clone(), step.new_value.clone())) {
                Some(left) if *left > 0 => *left -= 1,
                _ => intake.history.append(&mut intake.draft, &step),
            }
        }
    }
    let reserved = intake.history.reserved();
    history::note_used(&mut intake.draft, reserved);
}

/// How many history rows the outside brought for a key and new value; each covers one step.
fn covered(seen: &RowsSeen) -> HashMap<(String, String), usize> {
    let mut covered = HashMap::new();
    for row in seen.rows.iter().filter(|row| row.table == "state_history" && row.old_key.is_none()) {
        let parsed = row.key.as_ref().map(|key| parse(row.table, key, &row.cells));
        if let Some(Ok(Parsed::History(_, row))) = parsed {
            *covered.entry((row.key, row.new_value)).or_default() += 1;
        }
    }
    covered
}

enum Parsed {
    Field(String, Field),
    Task(String, TaskRow),
    History(i64, HistoryRow),
}

/// A task as its row says it.
struct TaskRow {
    task: Task,
    /// As the row lists them; digits only are still to be read.
    depends: Vec<String>,
}

/// Settles what was open about a row under its former key. Answers the key of the record that shows it.
fn renamed(table: &str, old: &Cell, intake: &mut Intake<'_>) -> Option<String> {
    let old = key_text(old);
    let kind = if table == "state" { Kind::State } else { Kind::Task };
    let is_shown = table != "state_history" && intake.draft.get(&kind.key(old.as_str())).is_some();
    let was = invalid::former(&intake.draft, table, &old);
    invalid::close(&mut intake.draft, intake.beneath, table, &old);
    if is_shown { Some(old) } else { was }
}

/// Takes away the record that showed an unreadable row under its former key.
///
/// The row can be read again, or is gone.
fn drop_former(table: &str, key: &Cell, intake: &mut Intake<'_>) {
    if let Some(was) = invalid::former(&intake.draft, table, &key_text(key)) {
        delete(table, Some(&Cell::Text(was)), intake);
    }
}

fn put(parsed: Parsed, intake: &mut Intake<'_>, steps: &mut Vec<HistoryRow>) {
    match parsed {
        Parsed::Field(key, field) => {
            let before = intake.field(&key);
            if before.as_deref() != Some(field.value.as_str()) {
                steps.push(intake.step(&key, before, field.value.clone()));
            }
            field.put(&mut intake.draft, &key);
            intake.settle("state", &key);
        }
        Parsed::Task(id, TaskRow { mut task, depends }) => {
            for other in depends {
                let other = arguments::canonical_id(&other, &intake.draft);
                if !task.depends_on.contains(&other) {
                    task.depends_on.push(other);
                }
            }
            task.pruned = task.is_done() && intake.task(&id).is_some_and(|before| before.pruned);
            intake.put_task(&id, &task);
        }
        Parsed::History(id, row) => {
            intake.draft.put(Kind::History.key(id), row.to_value());
            history::note_latest(&mut intake.draft, &row.key, id);
            intake.settle("state_history", &id.to_string());
        }
    }
}

fn delete(table: &str, key: Option<&Cell>, intake: &mut Intake<'_>) {
    let Some(key) = key else { return };
    drop_former(table, key, intake);
    match (table, key) {
        ("state", Cell::Text(key)) => intake.delete_field(key),
        ("tasks", Cell::Text(id)) => intake.delete_task(id),
        ("state_history", Cell::Integer(id)) => {
            intake.draft.delete(Kind::History.key(*id));
            intake.history.reserve(*id);
            intake.settle("state_history", &id.to_string());
        }
        _ => intake.settle(table, &key_text(key)),
    }
}

/// **Errors**: the reason that stands beside the row in the inbox.
fn parse(table: &str, key: &Cell, cells: &[Cell]) -> Result<Parsed, &'static str> {
    match table {
        "state" => {
            let key = text_key(key)?;
            let [value, updated_at] = texts(cells)?;
            Ok(Parsed::Field(key, Field { value, updated_at }))
        }
        "tasks" => {
            let id = text_key(key)?;
            let [owner, description, status, depends, note, created_at, updated_at] = cells else {
                return Err("bad_type");
            };
            let [owner, description, status, created_at, updated_at] =
                texts(&[owner, description, status, created_at, updated_at].map(Clone::clone))?;
            let (depends, note) = (optional(depends)?, optional(note)?);
            let status = Status::from_word(&status).ok_or("bad_status")?;
            let depends = depends.map(|text| depends_list(&text)).transpose()?.unwrap_or_default();
            let note = note.filter(|note| !note.is_empty());
            let (depends_on, pruned) = (Vec::new(), false);
            let task = Task { owner, description, status, depends_on, note, created_at, updated_at, pruned };
            Ok(Parsed::Task(id, TaskRow { task, depends }))
        }
        _ => {
            let Cell::Integer(id @ 0..=history::HIGHEST_ID) = key else { return Err("bad_key") };
            let [key, old_value, new_value, changed_by, changed_at] = cells else { return Err("bad_type") };
            let [key, new_value, changed_by, changed_at] =
                texts(&[key, new_value, changed_by, changed_at].map(Clone::clone))?;
            let old_value = optional(old_value)?;
            Ok(Parsed::History(*id, HistoryRow { key, old_value, new_value, changed_by, changed_at }))
        }
    }
}

fn text_key(key: &Cell) -> Result<String, &'static str> {
    let text = key.as_text().filter(|text| (1..=KEY_LIMIT).contains(&text.len()) && !text.contains(char::is_control));
    text.map(str::to_owned).ok_or("bad_key")
}

/// Texts that must stand; the type of every one is looked at before the size of any.
fn texts<const N: usize>(cells: &[Cell]) -> Result<[String; N], &'static str> {
    let texts: Vec<String> = cells.iter().map(|cell| text(cell).ok_or("bad_type")).collect::<Result<_, _>>()?;
    if texts.iter().any(|text| text.len() > TEXT_LIMIT) {
        return Err("too_large");
    }
    texts.try_into().map_err(|_| "bad_type")
}

fn optional(cell: &Cell) -> Result<Option<String>, &'static str> {
    match cell {
        Cell::Null => Ok(None),
        cell => match text(cell).ok_or("bad_type")? {
            text if text.len() > TEXT_LIMIT => Err("too_large"),
            text => Ok(Some(text)),
        },
    }
}

/// The text of a cell; a number in a column without an affinity counts as its digits.
fn text(cell: &Cell) -> Option<String> {
    match cell {
        Cell::Text(text) => Some(text.clone()),
        Cell::Integer(number) => Some(number.to_string()),
        Cell::Real(number) => Some(number.to_string()),
        Cell::Null | Cell::Blob(_) => None,
    }
}

/// **Shape**: empty, `["T1","T2"]`, `T1, T2`, `T1 T2`, or a list of the last two forms as a JSON string.
fn depends_list(text: &str) -> Result<Vec<String>, &'static str> {
    let text = text.trim();
    if text.starts_with('[') {
        let ids: Vec<serde_json::Value> = serde_json::from_str(text).map_err(|_| "bad_depends")?;
        let id = |value: serde_json::Value| match value {
            serde_json::Value::String(id) => text_key(&Cell::Text(id)).map_err(|_| "bad_depends"),
            serde_json::Value::Number(number) if number.is_u64() => Ok(number.to_string()),
            _ => Err("bad_depends"),
        };
        return ids.into_iter().map(id).collect();
    }
    if text.starts_with('"') {
        let inner: String = serde_json::from_str(text).map_err(|_| "bad_depends")?;
        return bare_ids(&inner);
    }
    bare_ids(text)
}

fn bare_ids(text: &str) -> Result<Vec<String>, &'static str> {
    let ids = text.split(|c: char| c == ',' || c.is_whitespace()).filter(|id| !id.is_empty());
    // What names an owner is what an id may hold, digits first included.
    ids.map(|id| if arguments::is_name(id) { Ok(id.to_owned()) } else { Err("bad_depends") }).collect()
}

/// A key as text, to name a row whose key may be anything.
fn key_text(key: &Cell) -> String {
    let cut = |text: &str| match text.char_indices().nth(KEY_LIMIT) {
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], text.len()),
        None => text.to_owned(),
    };
    match key {
        Cell::Text(text) => cut(text),
        Cell::Blob(bytes) => cut(&bytes.iter().fold("x'".to_owned(), |hex, byte| format!("{hex}{byte:02x}"))) + "'",
        Cell::Null => "NULL".to_owned(),
        Cell::Integer(number) => number.to_string(),
        Cell::Real(number) => number.to_string(),
    }
}
