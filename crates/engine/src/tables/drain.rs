//! Reading what outside programs changed.

use std::collections::HashSet;

use format::{ColumnType, InboxRow, TableImage};
use model::Cell;
use rusqlite::{Connection, OptionalExtension as _};

use super::schema::CELLS;
use super::{table_of, to_cell};

/// Reads the inbox in order into `rows` and answers the highest number in it.
///
/// Rows that name no table of ours, or no operation, are counted but not shown: nothing of ours can
/// have written them, and they leave with the rest.
pub(super) fn drain(
    connection: &Connection,
    tables: &'static [TableImage],
    rows: &mut Vec<InboxRow>,
) -> rusqlite::Result<i64> {
    let mut statement = connection.prepare(
        "SELECT seq, tbl, op, old_pk, pk, c1, c2, c3, c4, c5, c6, c7 FROM mainstay_inbox \
         WHERE refused IS NULL ORDER BY seq",
    )?;
    let mut found = statement.query([])?;
    let mut highest = 0;
    while let Some(row) = found.next()? {
        let seq: i64 = row.get(0)?;
        highest = seq;
        let table = row.get_ref(1)?.as_str().ok().and_then(|name| table_of(tables, name));
        let Some(image) = table else { continue };
        let op = to_cell(row.get_ref(2)?);
        let (has_old, has_new) = match op.as_text() {
            Some("I") => (false, true),
            Some("U") => (true, true),
            Some("D") => (true, false),
            _ => continue,
        };
        let mut cells = Vec::new();
        if has_new {
            for place in 0..(image.columns.len() - 1).min(CELLS) {
                cells.push(to_cell(row.get_ref(5 + place)?));
            }
        }
        rows.push(InboxRow {
            seq,
            table: image.table,
            old_key: has_old.then(|| row.get_ref(3).map(to_cell)).transpose()?,
            key: has_new.then(|| row.get_ref(4).map(to_cell)).transpose()?,
            cells,
        });
    }
    Ok(highest)
}

/// The highest number that each counting table has ever used, where SQLite knows one.
pub(super) fn highest(
    connection: &Connection,
    tables: &'static [TableImage],
) -> rusqlite::Result<Vec<(&'static str, i64)>> {
    let mut answer = Vec::new();
    for image in tables.iter().filter(|image| image.columns[0].kind == ColumnType::Integer) {
        let number: Option<Cell> = connection
            .query_row("SELECT seq FROM sqlite_sequence WHERE name = ?1", [image.table], |row| {
                Ok(to_cell(row.get_ref(0)?))
            })
            .optional()?;
        if let Some(Cell::Integer(number)) = number {
            answer.push((image.table, number));
        }
    }
    Ok(answer)
}

/// A row's name among those of all tables; keys of different types never look alike.
pub(crate) fn row_name(table: &str, key: &Cell) -> (String, String) {
    (table.to_owned(), format!("{key:?}"))
}

/// The rows that changes behind `drained` are about.
pub(super) fn keys_after(connection: &Connection, drained: i64) -> rusqlite::Result<HashSet<(String, String)>> {
    let text = "SELECT tbl, pk, old_pk FROM mainstay_inbox WHERE refused IS NULL AND seq > ?1";
    let mut statement = connection.prepare(text)?;
    let mut rows = statement.query([drained])?;
    let mut keys = HashSet::new();
    while let Some(row) = rows.next()? {
        if let Ok(table) = row.get_ref(0)?.as_str() {
            keys.insert(row_name(table, &to_cell(row.get_ref(1)?)));
            keys.insert(row_name(table, &to_cell(row.get_ref(2)?)));
        }
    }
    Ok(keys)
}
