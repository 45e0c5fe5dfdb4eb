//! What the engine remembers of image files, their kept bytes, and table images.

use model::{Revision, Space};
use rusqlite::{Connection, Row};
use store::{ImageState, Mark, TableState};

use crate::book::{self, End, Shelf};
use crate::error::{Fault, Outcome};
use crate::id::{load_number, number};
use crate::journal::path;

// Bytes that an image is marked with stay.
const DELETE_BLOB: &str = "DELETE FROM book WHERE shelf='blob' AND name=?1
    AND NOT EXISTS(SELECT 1 FROM book WHERE shelf='image' AND instr(value,?1))";

/// How a mark stands in a row: no file, and no mark at all.
const ABSENT: &str = "-";
const NONE: &str = ".";

pub(crate) fn images(conn: &Connection, space: &Space) -> Outcome<Vec<ImageState>> {
    let mut images = Vec::new();
    book::all(conn, Shelf::Image, End::Front, |row| {
        let value = row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?;
        if value.ends_with(space.as_str()) {
            images.extend(Some(load(row)?).filter(|image| image.space == *space));
        }
        Ok(())
    })?;
    Ok(images)
}

/// An image from its row. **Shape**: path; `CONFIRMED INTENDED SPACE`.
pub(crate) fn load(row: &Row<'_>) -> Outcome<ImageState> {
    let value = row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?;
    let mut words = value.splitn(3, ' ');
    let (Some(confirmed), Some(intended), Some(space)) = (words.next(), words.next(), words.next()) else {
        return Err(Fault::corrupt(format!("{value:?} tells nothing of an image")));
    };
    Ok(ImageState {
        path: path(row.get(0)?)?,
        space: Space::new(space),
        confirmed: mark(confirmed),
        intended: (intended != NONE).then(|| mark(intended)),
    })
}

pub(crate) fn put_image(conn: &Connection, image: &ImageState) -> Outcome<()> {
    let intended = image.intended.as_ref().map_or(NONE, word);
    let value = format!("{} {intended} {}", word(&image.confirmed), image.space);
    book::put(conn, Shelf::Image, image.path.as_str(), value)
}

pub(crate) fn delete_image(conn: &Connection, image: &ImageState) -> Outcome<()> {
    book::delete(conn, Shelf::Image, image.path.as_str())
}

pub(crate) fn blob(conn: &Connection, digest: &str) -> Outcome<Option<Vec<u8>>> {
    book::get(conn, Shelf::Blob, digest)
}

pub(crate) fn put_blob(conn: &Connection, digest: &str, bytes: &[u8]) -> Outcome<()> {
    book::put(conn, Shelf::Blob, digest, bytes)
}

pub(crate) fn delete_blob(conn: &Connection, digest: &str) -> Outcome<()> {
    conn.prepare_cached(DELETE_BLOB)?.execute([digest])?;
    Ok(())
}

pub(crate) fn tables(conn: &Connection, space: &Space) -> Outcome<Vec<TableState>> {
    let mut tables = Vec::new();
    book::all(conn, Shelf::Table, End::Front, |row| {
        tables.extend(Some(load_table(row)?).filter(|table| table.space == *space));
        Ok(())
    })?;
    tables.sort_by(|one, other| one.place.cmp(&other.place));
    Ok(tables)
}

/// A table image from its row. **Shape**: `["SPACE","PLACE"]`; `["NONCE",CONFIRMED,INTENDED,DRAINED]`.
pub(crate) fn load_table(row: &Row<'_>) -> Outcome<TableState> {
    let (name, value): (String, String) = (row.get(0)?, row.get(1)?);
    let (space, place): (String, String) = serde_json::from_str(&name)?;
    let (nonce, confirmed, intended, drained): (String, i64, i64, i64) = serde_json::from_str(&value)?;
    let (confirmed, intended) = (load_number(confirmed)?, load_number(intended)?);
    Ok(TableState { place, space: Space::new(space), nonce, confirmed, intended, drained })
}

pub(crate) fn put_table(conn: &Connection, table: &TableState) -> Outcome<()> {
    let TableState { place, space, nonce, confirmed, intended, drained } = table;
    let revision = |of: &Revision| number(*of);
    let name = serde_json::to_string(&(space.as_str(), place))?;
    let value = serde_json::to_string(&(nonce, revision(confirmed), revision(intended), drained))?;
    book::put(conn, Shelf::Table, &name, value)
}

fn word(mark: &Mark) -> &str {
    match mark {
        Mark::Absent => ABSENT,
        Mark::Digest(digest) => digest,
    }
}

fn mark(word: &str) -> Mark {
    if word == ABSENT { Mark::Absent } else { Mark::Digest(word.to_owned()) }
}
