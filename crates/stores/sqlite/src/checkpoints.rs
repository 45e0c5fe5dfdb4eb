//! Checkpoints: revisions that have a name.

use model::{Space, Timestamp};
use rusqlite::{Connection, params};
use store::{Checkpoint, in_order};

use crate::error::Outcome;
use crate::id::{load_revision, number};

const ALL: &str = "SELECT id, revision, label, space, at, actor FROM checkpoint";
const PUT: &str = "INSERT OR REPLACE INTO checkpoint (id, revision, label, space, at, actor)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
const DELETE: &str = "DELETE FROM checkpoint WHERE id = ?1";

pub(crate) fn all(conn: &Connection) -> Outcome<Vec<Checkpoint>> {
    let mut statement = conn.prepare_cached(ALL)?;
    let rows = statement.query_map([], |row| {
        Ok(Checkpoint {
            id: row.get(0)?,
            revision: load_revision(row, 1)?,
            label: row.get(2)?,
            space: row.get::<_, Option<String>>(3)?.map(Space::new),
            at: Timestamp::from_millis(row.get(4)?),
            actor: row.get(5)?,
        })
    })?;
    Ok(in_order(rows.collect::<Result<_, _>>()?))
}

pub(crate) fn put(conn: &Connection, checkpoint: &Checkpoint) -> Outcome<()> {
    let Checkpoint { id, revision, label, space, at, actor } = checkpoint;
    let space = space.as_ref().map(Space::as_str);
    conn.prepare_cached(PUT)?.execute(params![id, number(*revision), label, space, at.as_millis(), actor])?;
    Ok(())
}

pub(crate) fn delete(conn: &Connection, id: &str) -> Outcome<()> {
    conn.prepare_cached(DELETE)?.execute([id])?;
    Ok(())
}
