//! Comparing tables that were changed without triggers with the records they should show.

use std::collections::BTreeMap;

use format::TableImage;
use model::{Cell, TableRows};
use rusqlite::{Connection, params_from_iter};

use super::{rows, to_cell, to_sql};

/// Puts every difference into the inbox, as the triggers would have done.
///
/// On first contact a record without a row is no deletion: its row is written.
pub(super) fn into_inbox(
    connection: &Connection,
    tables: &[&'static TableImage],
    expected: &TableRows,
    first_contact: bool,
) -> rusqlite::Result<()> {
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
                    if !is_kept_as_invalid(connection, image, &key, &cells)? {
                        insert(connection, image, known.is_some(), &key, &cells)?;
                    }
                }
            }
        }
        for (key, _) in wanted.into_values() {
            if first_contact {
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

fn is_kept_as_invalid(
    connection: &Connection,
    image: &TableImage,
    key: &Cell,
    cells: &[Cell],
) -> rusqlite::Result<bool> {
    let same: Vec<String> = (1..=cells.len()).map(|place| format!("c{place} IS ?{}", place + 2)).collect();
    let text = format!(
        "SELECT count(*) FROM mainstay_inbox WHERE tbl = ?1 AND pk IS ?2 AND {} \
         AND refused IS NOT NULL AND closed_at IS NULL",
        same.join(" AND ")
    );
    let values = [to_sql(&Cell::Text(image.table.to_owned())), to_sql(key)].into_iter().chain(cells.iter().map(to_sql));
    connection.query_row(&text, params_from_iter(values), |row| Ok(row.get::<_, i64>(0)? > 0))
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
