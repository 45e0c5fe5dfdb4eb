//! What the engine remembers of image files, their kept bytes, and table images.

use model::{Revision, Space};
use rusqlite::{Connection, OptionalExtension, Row, params};
use store::{ImageState, Mark, TableState};

use crate::error::Outcome;
use crate::id::{load_revision, number};
use crate::journal::path;

const IMAGES: &str = "SELECT path, confirmed, intended FROM image WHERE space = ?1 ORDER BY path";
const PUT_IMAGE: &str = "INSERT INTO image (path, space, confirmed, intended) VALUES (?1, ?2, ?3, ?4)
    ON CONFLICT (path) DO UPDATE SET
    space = excluded.space, confirmed = excluded.confirmed, intended = excluded.intended";
const DELETE_IMAGE: &str = "DELETE FROM image WHERE path = ?1";
const BLOB: &str = "SELECT bytes FROM blob WHERE digest = ?1";
const PUT_BLOB: &str = "INSERT INTO blob (digest, bytes) VALUES (?1, ?2) ON CONFLICT (digest) DO NOTHING";
const DELETE_BLOB: &str = "DELETE FROM blob WHERE digest = ?1 \
     AND NOT EXISTS (SELECT 1 FROM image WHERE confirmed = ?1 OR intended = ?1)";
const TABLES: &str = "SELECT place, nonce, confirmed, intended, drained FROM table_image WHERE space = ?1
    ORDER BY place";
const PUT_TABLE: &str = "INSERT INTO table_image (space, place, nonce, confirmed, intended, drained)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6)
    ON CONFLICT (space, place) DO UPDATE SET nonce = excluded.nonce,
    confirmed = excluded.confirmed, intended = excluded.intended, drained = excluded.drained";

pub(crate) fn images(conn: &Connection, space: &Space) -> Outcome<Vec<ImageState>> {
    let mut statement = conn.prepare_cached(IMAGES)?;
    let mut rows = statement.query([space.as_str()])?;
    let mut images = Vec::new();
    while let Some(row) = rows.next()? {
        images.push(load(row, space)?);
    }
    Ok(images)
}

/// An image from the columns path, confirmed and intended.
pub(crate) fn load(row: &Row<'_>, space: &Space) -> Outcome<ImageState> {
    Ok(ImageState {
        path: path(row.get(0)?)?,
        space: space.clone(),
        confirmed: mark(row.get(1)?),
        intended: row.get::<_, Option<String>>(2)?.map(mark),
    })
}

pub(crate) fn put_image(conn: &Connection, image: &ImageState) -> Outcome<()> {
    let intended = image.intended.as_ref().map(column);
    let row = params![image.path.as_str(), image.space.as_str(), column(&image.confirmed), intended];
    conn.prepare_cached(PUT_IMAGE)?.execute(row)?;
    Ok(())
}

pub(crate) fn delete_image(conn: &Connection, image: &ImageState) -> Outcome<()> {
    conn.prepare_cached(DELETE_IMAGE)?.execute([image.path.as_str()])?;
    Ok(())
}

pub(crate) fn blob(conn: &Connection, digest: &str) -> Outcome<Option<Vec<u8>>> {
    Ok(conn.prepare_cached(BLOB)?.query_row([digest], |row| row.get(0)).optional()?)
}

pub(crate) fn put_blob(conn: &Connection, digest: &str, bytes: &[u8]) -> Outcome<()> {
    conn.prepare_cached(PUT_BLOB)?.execute(params![digest, bytes])?;
    Ok(())
}

pub(crate) fn delete_blob(conn: &Connection, digest: &str) -> Outcome<()> {
    conn.prepare_cached(DELETE_BLOB)?.execute([digest])?;
    Ok(())
}

pub(crate) fn tables(conn: &Connection, space: &Space) -> Outcome<Vec<TableState>> {
    let mut statement = conn.prepare_cached(TABLES)?;
    let tables = statement.query_map([space.as_str()], |row| {
        Ok(TableState {
            place: row.get(0)?,
            space: space.clone(),
            nonce: row.get(1)?,
            confirmed: load_revision(row, 2)?,
            intended: load_revision(row, 3)?,
            drained: row.get(4)?,
        })
    })?;
    Ok(tables.collect::<Result<_, _>>()?)
}

pub(crate) fn put_table(conn: &Connection, table: &TableState) -> Outcome<()> {
    let TableState { place, space, nonce, confirmed, intended, drained } = table;
    let revision = |of: &Revision| number(*of);
    let row = params![space.as_str(), place, nonce, revision(confirmed), revision(intended), drained];
    conn.prepare_cached(PUT_TABLE)?.execute(row)?;
    Ok(())
}

/// A mark as a column: the digest, or nothing for no file.
fn column(mark: &Mark) -> &str {
    match mark {
        Mark::Absent => "",
        Mark::Digest(digest) => digest,
    }
}

fn mark(column: String) -> Mark {
    if column.is_empty() { Mark::Absent } else { Mark::Digest(column) }
}
