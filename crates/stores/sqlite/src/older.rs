//! Older stores: how the tables of each version became those of the next.

use model::{FolderMove, Space, Timestamp};
use rusqlite::{Connection, Row};
use store::{Checkpoint, ImageState, Mark, PendingMove, Receipt, TableState};

use crate::error::Outcome;
use crate::id::load_revision;
use crate::journal::{self, path};
use crate::schema::BOOK;
use crate::{checkpoints, images, receipts};

/// What version 2 added to the tables of version 1.
const SINCE_2: &str = "
ALTER TABLE entry ADD COLUMN takes_back TEXT;
CREATE TABLE checkpoint (
    id TEXT NOT NULL PRIMARY KEY,
    revision INTEGER NOT NULL,
    label TEXT,
    space TEXT,
    at INTEGER NOT NULL,
    actor TEXT NOT NULL
) STRICT, WITHOUT ROWID;
";

const RECEIPTS: &str = "SELECT tool, request_id, digest, at, revision, reply FROM receipt";
const IMAGES: &str = "SELECT path, space, confirmed, intended FROM image";
const BLOBS: &str = "SELECT digest, bytes FROM blob";
const TABLES: &str = "SELECT space, place, nonce, confirmed, intended, drained FROM table_image";
const MOVES: &str = "SELECT revision, ordinal, source, target FROM pending_move";
const CHECKPOINTS: &str = "SELECT id, revision, label, space, at, actor FROM checkpoint";
const META: &str = "SELECT name, value FROM meta";

/// What version 3 keeps in the book instead.
const DROP: &str = "
DROP TABLE receipt; DROP TABLE image; DROP TABLE blob; DROP TABLE table_image; DROP TABLE pending_move;
DROP TABLE checkpoint; DROP TABLE meta;
";

/// Takes the tables of version `from` along to the present one.
pub(crate) fn raise(conn: &Connection, from: i64) -> Outcome<()> {
    if from < 2 {
        conn.execute_batch(SINCE_2)?;
    }
    conn.execute_batch(BOOK)?;
    each(conn, RECEIPTS, |row| receipts::put(conn, &receipt(row)?))?;
    each(conn, IMAGES, |row| images::put_image(conn, &image(row)?))?;
    each(conn, BLOBS, |row| images::put_blob(conn, &row.get::<_, String>(0)?, &row.get::<_, Vec<u8>>(1)?))?;
    each(conn, TABLES, |row| images::put_table(conn, &table(row)?))?;
    each(conn, MOVES, |row| journal::put_move(conn, &pending_move(row)?))?;
    each(conn, CHECKPOINTS, |row| checkpoints::put(conn, &checkpoint(row)?))?;
    each(conn, META, |row| receipts::put_meta(conn, &row.get::<_, String>(0)?, Some(&row.get::<_, String>(1)?)))?;
    Ok(conn.execute_batch(DROP)?)
}

fn each(conn: &Connection, query: &str, mut carry: impl FnMut(&Row<'_>) -> Outcome<()>) -> Outcome<()> {
    let mut statement = conn.prepare(query)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        carry(row)?;
    }
    Ok(())
}

fn receipt(row: &Row<'_>) -> Outcome<Receipt> {
    let reply: Option<String> = row.get(5)?;
    Ok(Receipt {
        tool: row.get(0)?,
        request_id: row.get(1)?,
        digest: row.get(2)?,
        at: Timestamp::from_millis(row.get(3)?),
        revision: load_revision(row, 4)?,
        reply: reply.map(|text| serde_json::from_str(&text)).transpose()?,
    })
}

// The digest, or nothing for no file.
fn mark(column: String) -> Mark {
    if column.is_empty() { Mark::Absent } else { Mark::Digest(column) }
}

fn image(row: &Row<'_>) -> Outcome<ImageState> {
    Ok(ImageState {
        path: path(row.get(0)?)?,
        space: Space::new(row.get::<_, String>(1)?),
        confirmed: mark(row.get(2)?),
        intended: row.get::<_, Option<String>>(3)?.map(mark),
    })
}

fn table(row: &Row<'_>) -> Outcome<TableState> {
    Ok(TableState {
        space: Space::new(row.get::<_, String>(0)?),
        place: row.get(1)?,
        nonce: row.get(2)?,
        confirmed: load_revision(row, 3)?,
        intended: load_revision(row, 4)?,
        drained: row.get(5)?,
    })
}

fn pending_move(row: &Row<'_>) -> Outcome<PendingMove> {
    let step = FolderMove { from: path(row.get(2)?)?, to: path(row.get(3)?)? };
    Ok(PendingMove { revision: load_revision(row, 0)?, ordinal: row.get(1)?, step })
}

fn checkpoint(row: &Row<'_>) -> Outcome<Checkpoint> {
    Ok(Checkpoint {
        id: row.get(0)?,
        revision: load_revision(row, 1)?,
        label: row.get(2)?,
        space: row.get::<_, Option<String>>(3)?.map(Space::new),
        at: Timestamp::from_millis(row.get(4)?),
        actor: row.get(5)?,
    })
}
