//! Checkpoints: revisions that have a name.

use model::{Space, Timestamp};
use rusqlite::{Connection, Row};
use store::{Checkpoint, in_order};

use crate::book::{self, End, Shelf};
use crate::error::Outcome;
use crate::id::{load_number, number};

pub(crate) fn all(conn: &Connection) -> Outcome<Vec<Checkpoint>> {
    let mut checkpoints = Vec::new();
    book::all(conn, Shelf::Checkpoint, End::Front, |row| {
        checkpoints.push(load(row)?);
        Ok(())
    })?;
    Ok(in_order(checkpoints))
}

/// A checkpoint from its row. **Shape**: `c1`; `[REVISION,"LABEL","SPACE",AT,"ACTOR"]`, label and space or null.
pub(crate) fn load(row: &Row<'_>) -> Outcome<Checkpoint> {
    type Stored = (i64, Option<String>, Option<String>, i64, String);
    let (id, value): (String, String) = (row.get(0)?, row.get(1)?);
    let (revision, label, space, at, actor): Stored = serde_json::from_str(&value)?;
    let (revision, at) = (load_number(revision)?, Timestamp::from_millis(at));
    Ok(Checkpoint { id, revision, label, space: space.map(Space::new), at, actor })
}

pub(crate) fn put(conn: &Connection, checkpoint: &Checkpoint) -> Outcome<()> {
    let Checkpoint { id, revision, label, space, at, actor } = checkpoint;
    let space = space.as_ref().map(Space::as_str);
    let value = serde_json::to_string(&(number(*revision), label, space, at.as_millis(), actor))?;
    book::put(conn, Shelf::Checkpoint, id, value)
}

pub(crate) fn delete(conn: &Connection, id: &str) -> Outcome<()> {
    book::delete(conn, Shelf::Checkpoint, id)
}
