//! Records: the values as they are now.

use model::{Record, RecordId, RecordKey, Revision, Scan, Space};
use rusqlite::{Connection, OptionalExtension, Row, params};
use store::{StoreError, from_text};

use crate::error::Outcome;
use crate::id::{LoadedId, StoredId, load_revision, number};

const GET: &str = "SELECT value,revision FROM record WHERE space=?1 AND kind=?2 AND id=?3";
const PUT: &str = "REPLACE INTO record VALUES(?1,?2,?3,?4,?5)";
const DELETE: &str = "DELETE FROM record WHERE space=?1 AND kind=?2 AND id=?3";

const DATE_BACK: &str = "UPDATE record SET revision = ?2 WHERE revision > ?1 AND revision < ?2";

// Rows past a limit are not stepped to: with a bound LIMIT the statement would be prepared anew for each use.
const UP: &str = "SELECT id,value,revision FROM record WHERE space=?1 AND kind=?2 ORDER BY id";
const UP_AFTER: &str = "SELECT id,value,revision FROM record WHERE space=?1 AND kind=?2 AND id>?3 ORDER BY id";
const DOWN: &str = "SELECT id,value,revision FROM record WHERE space=?1 AND kind=?2 ORDER BY id DESC";
const DOWN_AFTER: &str = "SELECT id,value,revision FROM record WHERE space=?1 AND kind=?2 AND id<?3 ORDER BY id DESC";

// Each step looks up the next name in the primary key, so the cost does not grow with the records.
const KINDS: &str = "WITH RECURSIVE step (kind) AS (
        SELECT min(kind) FROM record WHERE space = ?1
        UNION ALL
        SELECT (SELECT min(kind) FROM record WHERE space = ?1 AND kind > step.kind) FROM step WHERE kind IS NOT NULL
    ) SELECT kind FROM step WHERE kind IS NOT NULL";
const SPACES: &str = "WITH RECURSIVE step (space) AS (
        SELECT min(space) FROM record
        UNION ALL
        SELECT (SELECT min(space) FROM record WHERE space > step.space) FROM step WHERE space IS NOT NULL
    ) SELECT space FROM step WHERE space IS NOT NULL";

pub(crate) fn get(conn: &Connection, key: &RecordKey) -> Outcome<Option<Record>> {
    let row = conn
        .prepare_cached(GET)?
        .query_row(params![key.space.as_str(), key.kind, StoredId(&key.id)], |row| {
            Ok((LoadedId(key.id.clone()), row.get(0)?, load_revision(row, 1)?))
        })
        .optional()?;
    row.map(parse).transpose()
}

/// The text of a value as it is stored.
pub(crate) fn text(conn: &Connection, key: &RecordKey) -> Outcome<Option<String>> {
    let mut statement = conn.prepare_cached(GET)?;
    Ok(statement.query_row(params![key.space.as_str(), key.kind, StoredId(&key.id)], |row| row.get(0)).optional()?)
}

/// Writes the text of a value, or removes the record.
pub(crate) fn put(conn: &Connection, key: &RecordKey, text: Option<&str>, revision: Revision) -> Outcome<()> {
    let (space, id) = (key.space.as_str(), StoredId(&key.id));
    match text {
        Some(text) => conn.prepare_cached(PUT)?.execute(params![space, key.kind, id, text, number(revision)])?,
        None => conn.prepare_cached(DELETE)?.execute(params![space, key.kind, id])?,
    };
    Ok(())
}

/// Says of records that were last changed behind `after` that it was at `last`, where that is later.
pub(crate) fn date_back(conn: &Connection, after: i64, last: i64) -> Outcome<()> {
    conn.prepare_cached(DATE_BACK)?.execute([after, last])?;
    Ok(())
}

pub(crate) fn scan(conn: &Connection, space: &Space, kind: &str, scan: &Scan) -> Outcome<Vec<Record>> {
    let space = space.as_str();
    let mut statement = conn.prepare_cached(match (scan.descending, &scan.after) {
        (false, None) => UP,
        (false, Some(_)) => UP_AFTER,
        (true, None) => DOWN,
        (true, Some(_)) => DOWN_AFTER,
    })?;
    let rows = match &scan.after {
        None => statement.query_map(params![space, kind], load)?,
        Some(after) => statement.query_map(params![space, kind, StoredId(after)], load)?,
    };
    rows.take(scan.limit).map(|row| parse(row?)).collect()
}

pub(crate) fn texts(
    conn: &Connection,
    space: &Space,
    kind: &str,
    visit: &mut dyn FnMut(RecordId, &str) -> Result<(), StoreError>,
) -> Outcome<()> {
    let mut statement = conn.prepare_cached(UP)?;
    let mut rows = statement.query(params![space.as_str(), kind])?;
    while let Some(row) = rows.next()? {
        let LoadedId(id) = row.get(0)?;
        visit(id, row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?)?;
    }
    Ok(())
}

pub(crate) fn kinds(conn: &Connection, space: &Space) -> Outcome<Vec<String>> {
    let mut statement = conn.prepare_cached(KINDS)?;
    let kinds = statement.query_map([space.as_str()], |row| row.get(0))?;
    Ok(kinds.collect::<Result<_, _>>()?)
}

pub(crate) fn spaces(conn: &Connection) -> Outcome<Vec<Space>> {
    let mut statement = conn.prepare_cached(SPACES)?;
    let spaces = statement.query_map([], |row| Ok(Space::new(row.get::<_, String>(0)?)))?;
    Ok(spaces.collect::<Result<_, _>>()?)
}

type Loaded = (LoadedId, String, Revision);

fn load(row: &Row<'_>) -> rusqlite::Result<Loaded> {
    Ok((row.get(0)?, row.get(1)?, load_revision(row, 2)?))
}

fn parse((LoadedId(id), text, revision): Loaded) -> Outcome<Record> {
    Ok(Record { id, value: from_text(&text)?, revision })
}
