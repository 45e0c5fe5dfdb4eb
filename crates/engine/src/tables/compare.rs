//! Comparing tables that were changed without triggers with the records they should show.

use std::collections::{BTreeMap, HashSet};

use format::TableImage;
use model::{Cell, TableRows};
use rusqlite::{Connection, params_from_iter};

use super::{rows, to_cell, to_sql};

/// How the file came to be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Because {
    /// It is read for the first time: a record without a row is no deletion, its row is written.
    FirstContact,
    /// Someone put another file there: what its inbox calls refused, the records know nothing of.
    Replaced,
    /// Triggers were missing: rows that are kept as refused stay so.
    Unwatched,
}

/// Puts every difference into the inbox, as the triggers would have done.
pub(super) fn into_inbox(
    connection: &Connection,
    tables: &[&'static TableImage],
    expected: &TableRows,
    because: Because,
) -> rusqlite::Result<()> {
    let kept = if because == Because::Unwatched { refused(connection, tables)? } else { HashSet::new() };
    if because != Because::Unwatched {
        let close = "UPDATE mainstay_inbox SET closed_at = strftime('%Y-%m-%dT%H:%M:%fZ','now') \
                     WHERE refused IS NOT NULL AND closed_at IS NULL";
        connection.execute_batch(close)?;
    }
    for image in tables {
        let mut wanted: BTreeMap<String, (&Cell, &Vec<Cell>)> = BTreeMap::new();
        for row in expected.rows.iter().filter(|row| row.table == image.table) {
            if let Some(cells) = &row.cells {
                wanted.insert(key_text(&row.key), (&row.key, cells));
            }
        }
        for (key, cells) in present(connection, image)? {
            match wanted.remove(&key_text(&key)) {
                Some((_, same)) if *same == cells => {}
                known => {
                    if !kept.contains(&row_text(image.table, &key, &cells)) {
                        insert(connection, image, known.is_some(), &key, &cells)?;
                    }
                }
            }
        }
        for (key, _) in wanted.into_values() {
            if because == Because::FirstContact {
                let row = expected.rows.iter().find(|row| row.table == image.table && row.key == *key);
                let one = TableRows { rows: row.into_iter().cloned().collect(), ..TableRows::default() };
                rows::fill(connection, &[image], &one)?;
            } else {
                let text = "INSERT INTO mainstay_inbox (tbl, op, old_pk) VALUES (?1, 'D', ?2)";
                connection.execute(text, (image.table, to_sql(key)))?;
            }
        }
    }
    Ok(())
}

// Cells of different types never look alike: 5 and '5' are two keys.
fn key_text(key: &Cell) -> String {
    format!("{key:?}")
}

fn present(connection: &Connection, image: &TableImage) -> rusqlite::Result<Vec<(Cell, Vec<Cell>)>> {
    let names: Vec<&str> = image.columns.iter().map(|column| column.name).collect();
    let text = format!("SELECT {} FROM {} ORDER BY rowid", names.join(", "), image.table);
    let mut statement = connection.prepare(&text)?;
    let rows = statement.query_map([], |row| {
        let cells = (1..names.len()).map(|place| row.get_ref(place).map(to_cell)).collect::<Result<Vec<_>, _>>()?;
        Ok((to_cell(row.get_ref(0)?), cells))
    })?;
    rows.collect()
}

fn row_text(table: &str, key: &Cell, cells: &[Cell]) -> String {
    format!("{table} {key:?} {cells:?}")
}

// The rows that are kept as refused, in the form of `row_text`.
fn refused(connection: &Connection, tables: &[&'static TableImage]) -> rusqlite::Result<HashSet<String>> {
    let text = "SELECT tbl, pk, c1, c2, c3, c4, c5, c6, c7 FROM mainstay_inbox \
                WHERE refused IS NOT NULL AND closed_at IS NULL AND op <> 'D'";
    let mut statement = connection.prepare(text)?;
    let mut rows = statement.query([])?;
    let mut all = HashSet::new();
    while let Some(row) = rows.next()? {
        let Some(image) =
            row.get_ref(0)?.as_str().ok().and_then(|name| tables.iter().find(|image| image.table == name))
        else {
            continue;
        };
        let cells = (0..image.columns.len() - 1).map(|place| row.get_ref(2 + place).map(to_cell));
        all.insert(row_text(image.table, &to_cell(row.get_ref(1)?), &cells.collect::<Result<Vec<_>, _>>()?));
    }
    Ok(all)
}

fn insert(
    connection: &Connection,
    image: &TableImage,
    known: bool,
    key: &Cell,
    cells: &[Cell],
) -> rusqlite::Result<()> {
    let names: Vec<String> = (1..=cells.len()).map(|place| format!("c{place}")).collect();
    let marks: Vec<String> = (1..=cells.len()).map(|place| format!("?{}", place + 4)).collect();
    let text = format!(
        "INSERT INTO mainstay_inbox (tbl, op, old_pk, pk, {}) VALUES (?1, ?2, ?3, ?4, {})",
        names.join(", "),
        marks.join(", ")
    );
    let op = if known { "U" } else { "I" };
    let old = if known { to_sql(key) } else { to_sql(&Cell::Null) };
    let head = [to_sql(&Cell::Text(image.table.to_owned())), to_sql(&Cell::Text(op.to_owned())), old, to_sql(key)];
    connection.execute(&text, params_from_iter(head.into_iter().chain(cells.iter().map(to_sql))))?;
    Ok(())
}
