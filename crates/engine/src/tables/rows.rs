//! Writing rows and verdicts. Each row is upserted or deleted by its primary key.

use format::TableImage;
use model::{RowImage, TableRows, Timestamp};
use rusqlite::{Connection, ErrorCode, params_from_iter};

use super::{table_of, to_sql};

/// Writes rows, refusals and closings.
pub(super) fn write(
    connection: &Connection,
    tables: &'static [TableImage],
    rows: &TableRows,
    now: Timestamp,
) -> rusqlite::Result<()> {
    for row in &rows.rows {
        if let Some(image) = table_of(tables, row.table) {
            write_row(connection, image, row)?;
        }
    }
    for (seq, reason) in &rows.refused {
        connection.execute("UPDATE mainstay_inbox SET refused = ?2 WHERE seq = ?1", (seq, reason))?;
    }
    for seq in &rows.closed {
        let text = now.to_millis_text();
        connection
            .execute("UPDATE mainstay_inbox SET closed_at = ?2 WHERE seq = ?1 AND closed_at IS NULL", (seq, text))?;
    }
    Ok(())
}

/// Writes the rows of outside edits; answers those that the table's own constraints do not allow.
///
/// What others have already written into a file cannot be refused for what their table allows.
pub(super) fn write_allowed(
    connection: &Connection,
    tables: &'static [TableImage],
    rows: &[RowImage],
) -> rusqlite::Result<Vec<RowImage>> {
    let mut refused = Vec::new();
    for row in rows {
        let Some(image) = table_of(tables, row.table) else { continue };
        match write_row(connection, image, row) {
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation) => {
                refused.push(row.clone());
            }
            written => written?,
        }
    }
    Ok(refused)
}

/// Fills freshly made tables with the rows of the records.
pub(super) fn fill(connection: &Connection, tables: &[&'static TableImage], all: &TableRows) -> rusqlite::Result<()> {
    for image in tables {
        for row in all.rows.iter().filter(|row| row.table == image.table) {
            write_row(connection, image, row)?;
        }
    }
    Ok(())
}

// An update first: other columns keep what others wrote there, and a table without a primary key
// (an older tool's) works too.
fn write_row(connection: &Connection, image: &TableImage, row: &RowImage) -> rusqlite::Result<()> {
    let (table, key) = (image.table, image.columns[0].name);
    let Some(cells) = &row.cells else {
        let mut statement = connection.prepare_cached(&format!("DELETE FROM {table} WHERE {key} = ?1"))?;
        statement.execute([to_sql(&row.key)])?;
        return Ok(());
    };
    let names: Vec<&str> = image.columns[1..].iter().map(|column| column.name).collect();
    let values = || std::iter::once(to_sql(&row.key)).chain(cells.iter().map(to_sql));
    let set: Vec<String> = names.iter().enumerate().map(|(place, name)| format!("{name} = ?{}", place + 2)).collect();
    let mut update = connection.prepare_cached(&format!("UPDATE {table} SET {} WHERE {key} = ?1", set.join(", ")))?;
    if update.execute(params_from_iter(values()))? == 0 {
        let marks: Vec<String> = (1..=names.len() + 1).map(|place| format!("?{place}")).collect();
        let (names, marks) = (names.join(", "), marks.join(", "));
        let mut insert =
            connection.prepare_cached(&format!("INSERT INTO {table} ({key}, {names}) VALUES ({marks})"))?;
        insert.execute(params_from_iter(values()))?;
    }
    Ok(())
}
