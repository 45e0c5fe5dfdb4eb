//! The book: everything beside records and journal, one row for each thing that is kept.
//!
//! One table, because each costs every command that opens the store; for the same reason all its
//! statements serve every shelf. What a name and a value look like stands with the shelf's own noun.

use rusqlite::types::{FromSql, ToSql};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::error::Outcome;

const GET: &str = "SELECT value FROM book WHERE shelf=?1 AND name=?2";
const ALL: &str = "SELECT name,value FROM book WHERE shelf=?1 ORDER BY name";
const ALL_DOWN: &str = "SELECT name,value FROM book WHERE shelf=?1 ORDER BY name DESC";
const BELOW: &str = "SELECT name FROM book WHERE shelf=?1 AND name<?2";
const PUT: &str = "REPLACE INTO book VALUES(?1,?2,?3)";
const DELETE: &str = "DELETE FROM book WHERE shelf=?1 AND name=?2";

/// Which kind of thing a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shelf {
    /// Receipts of requests.
    Receipt,
    /// The same by age.
    Age,
    /// What is remembered of image files.
    Image,
    /// Kept bytes.
    Blob,
    /// What is remembered of table images.
    Table,
    /// Folder moves that are pending.
    Move,
    /// Checkpoints.
    Checkpoint,
    /// Small named values of the engine's own.
    Meta,
}

impl Shelf {
    fn word(self) -> &'static str {
        match self {
            Self::Receipt => "receipt",
            Self::Age => "age",
            Self::Image => "image",
            Self::Blob => "blob",
            Self::Table => "table",
            Self::Move => "move",
            Self::Checkpoint => "checkpoint",
            Self::Meta => "meta",
        }
    }
}

/// The value of a row.
pub(crate) fn get<T: FromSql>(conn: &Connection, shelf: Shelf, name: &str) -> Outcome<Option<T>> {
    Ok(conn.prepare_cached(GET)?.query_row([shelf.word(), name], |row| row.get(0)).optional()?)
}

/// Puts a row in the place of the one that has its name.
pub(crate) fn put(conn: &Connection, shelf: Shelf, name: &str, value: impl ToSql) -> Outcome<()> {
    conn.prepare_cached(PUT)?.execute(params![shelf.word(), name, value])?;
    Ok(())
}

/// Removes a row, if there is one.
pub(crate) fn delete(conn: &Connection, shelf: Shelf, name: &str) -> Outcome<()> {
    conn.prepare_cached(DELETE)?.execute([shelf.word(), name])?;
    Ok(())
}

/// From which end a shelf is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// From the lowest name, byte by byte.
    Front,
    /// From the highest.
    Back,
}

/// Hands out the rows of a shelf, name and value.
pub(crate) fn all(
    conn: &Connection,
    shelf: Shelf,
    from: End,
    mut visit: impl FnMut(&Row<'_>) -> Outcome<()>,
) -> Outcome<()> {
    let mut statement = conn.prepare_cached(if from == End::Front { ALL } else { ALL_DOWN })?;
    let mut rows = statement.query([shelf.word()])?;
    while let Some(row) = rows.next()? {
        visit(row)?;
    }
    Ok(())
}

/// The names that sort before `name`.
pub(crate) fn names_below(conn: &Connection, shelf: Shelf, name: &str) -> Outcome<Vec<String>> {
    let mut statement = conn.prepare_cached(BELOW)?;
    let names = statement.query_map([shelf.word(), name], |row| row.get(0))?;
    Ok(names.collect::<Result<_, _>>()?)
}
