//! Changes of records as changes of the three tables.

use model::{Cell, Change, RowImage, TableRows, Value};

use super::invalid;
use super::records::{Field, HistoryRow, Kind, Task};

/// The rows to write and the verdicts on outside rows.
pub(super) fn rows(changes: &[Change]) -> TableRows {
    let mut out = TableRows::default();
    for change in changes {
        let kind = change.key.kind.as_ref();
        if kind == Kind::State.word() {
            out.rows.extend(row("state", text(change), change, |value| state_cells(Field::from_value(value))));
        } else if kind == Kind::Task.word() {
            out.rows.extend(row("tasks", text(change), change, |value| task_cells(Task::from_value(value))));
        } else if kind == Kind::History.word() {
            let Some(number) = change.key.id.as_number() else { continue };
            out.rows.extend(row("state_history", Cell::Integer(number), change, |value| {
                history_cells(HistoryRow::from_value(value))
            }));
        } else if kind == Kind::Invalid.word() {
            verdicts(change, &mut out);
            out.rows.extend(settled(change));
        }
    }
    out
}

/// The row of one change; `None` where the table shows the same before and after.
fn row(table: &'static str, key: Cell, change: &Change, cells: impl Fn(&Value) -> Vec<Cell>) -> Option<RowImage> {
    let before = change.before.as_ref().map(&cells);
    let after = change.after.as_ref().map(&cells);
    (before != after).then_some(RowImage { table, key, cells: after })
}

/// The row that a call settled, as it is to stand.
fn settled(change: &Change) -> Option<RowImage> {
    let value = change.after.as_ref()?;
    let shown = value.get("shown").filter(|shown| shown.is_object())?;
    let key = Cell::Text(value.get("key")?.as_str()?.to_owned());
    match value.get("table")?.as_str()? {
        "state" => Some(RowImage { table: "state", key, cells: Some(state_cells(Field::from_value(shown))) }),
        "tasks" => Some(RowImage { table: "tasks", key, cells: Some(task_cells(Task::from_value(shown))) }),
        _ => None,
    }
}

fn text(change: &Change) -> Cell {
    Cell::Text(change.key.id.as_str().to_owned())
}

fn state_cells(field: Field) -> Vec<Cell> {
    vec![Cell::Text(field.value), Cell::Text(field.updated_at)]
}

fn task_cells(task: Task) -> Vec<Cell> {
    let depends = if task.depends_on.is_empty() {
        Cell::Null
    } else {
        Cell::Text(Value::Array(task.depends_on.into_iter().map(Value::String).collect()).to_string())
    };
    vec![
        Cell::Text(task.owner),
        Cell::Text(task.description),
        Cell::Text(task.status.word().to_owned()),
        depends,
        task.note.map_or(Cell::Null, Cell::Text),
        Cell::Text(task.created_at),
        Cell::Text(task.updated_at),
    ]
}

fn history_cells(row: HistoryRow) -> Vec<Cell> {
    vec![
        Cell::Text(row.key),
        row.old_value.map_or(Cell::Null, Cell::Text),
        Cell::Text(row.new_value),
        Cell::Text(row.changed_by),
        Cell::Text(row.changed_at),
    ]
}

fn verdicts(change: &Change, out: &mut TableRows) {
    let before = change.before.as_ref().map(invalid::verdicts).unwrap_or_default();
    let was_open = change.before.as_ref().is_some_and(invalid::is_open);
    let after = change.after.as_ref().map(invalid::verdicts).unwrap_or_default();
    out.refused.extend(after.iter().filter(|verdict| !before.contains(verdict)).cloned());
    let is_settled = |value: &Value| !invalid::is_open(value);
    if was_open && change.after.as_ref().is_none_or(is_settled) {
        out.closed.extend(before.iter().map(|(seq, _)| seq));
    }
    if change.after.as_ref().is_some_and(is_settled) {
        out.closed.extend(after.iter().filter(|verdict| !before.contains(verdict)).map(|(seq, _)| seq));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hseos::records::object;

    fn change(before: Option<Value>, after: Option<Value>) -> Change {
        Change { key: Kind::Invalid.key("tasks/T1"), before, after }
    }

    fn record(seqs: &[(i64, &str)], closed: bool) -> Value {
        let pairs = seqs.iter().map(|(seq, reason)| Value::Array(vec![(*seq).into(), (*reason).into()])).collect();
        let mut value = object([("table", "tasks".into()), ("key", "T1".into()), ("seqs", pairs)]);
        if closed {
            value["closed"] = true.into();
        }
        value
    }

    #[test]
    fn every_verdict_reaches_the_inbox_once() {
        let one = [(1, "bad_status")];
        let both = [(1, "bad_status"), (2, "bad_type")];
        let check = |before, after, refused: &[i64], closed: &[i64]| {
            let out = rows(&[change(before, after)]);
            assert_eq!(out.refused.iter().map(|(seq, _)| *seq).collect::<Vec<_>>(), refused);
            assert_eq!(out.closed, closed);
        };
        check(None, Some(record(&one, false)), &[1], &[]);
        check(Some(record(&one, false)), Some(record(&both, false)), &[2], &[]);
        check(Some(record(&both, false)), None, &[], &[1, 2]);
        check(None, Some(record(&one, true)), &[1], &[1]);
        check(Some(record(&one, false)), Some(record(&both, true)), &[2], &[1, 2]);
        check(Some(record(&one, true)), Some(record(&[(3, "bad_key")], false)), &[3], &[]);
    }

    #[test]
    fn pruning_touches_no_row() {
        let task = Task {
            owner: "GHOST".into(),
            description: "x".into(),
            status: crate::hseos::records::Status::Done,
            depends_on: vec!["T2".into()],
            note: None,
            created_at: String::new(),
            updated_at: String::new(),
            pruned: false,
        };
        let pruned = Task { pruned: true, ..task.clone() };
        let change = |before: Option<&Task>, after: Option<&Task>| Change {
            key: Kind::Task.key("T1"),
            before: before.map(Task::to_value),
            after: after.map(Task::to_value),
        };
        assert_eq!(rows(&[change(Some(&task), Some(&pruned))]), TableRows::default());
        let written = rows(&[change(None, Some(&task))]).rows;
        assert_eq!(written[0].cells.as_ref().unwrap()[3], Cell::Text("[\"T2\"]".into()));
        assert_eq!(rows(&[change(Some(&task), None)]).rows[0].cells, None);
    }
}
