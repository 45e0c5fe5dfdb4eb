//! The tables, and how a file is told to be ours.

use rusqlite::Connection;
use store::StoreError;

use crate::error::{Fault, Outcome};

/// The schema that this program writes.
pub(crate) const VERSION: i64 = 2;

/// Marks the file as one of ours: `Msty` in ASCII.
const APPLICATION: i64 = 0x4d73_7479;

const READ_VERSION: &str = "PRAGMA user_version";
const READ_APPLICATION: &str = "PRAGMA application_id";
const COUNT_OBJECTS: &str = "SELECT count(*) FROM sqlite_schema";
const MARK: &str = "PRAGMA application_id = 1299412089; PRAGMA user_version = 2;";

/// What version 2 adds to the tables of version 1.
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

/// The tables of version 1.
///
/// The columns `id` are `ANY`: a canonical decimal is an integer, any other id is text.
const TABLES: &str = "
CREATE TABLE record (
    space TEXT NOT NULL,
    kind TEXT NOT NULL,
    id ANY NOT NULL,
    value TEXT NOT NULL,
    revision INTEGER NOT NULL,
    PRIMARY KEY (space, kind, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE entry (
    revision INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    actor TEXT NOT NULL,
    session TEXT,
    request_id TEXT,
    space TEXT NOT NULL,
    call TEXT NOT NULL,
    cause TEXT NOT NULL,
    moves TEXT
) STRICT;

CREATE TABLE change (
    revision INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    space TEXT NOT NULL,
    kind TEXT NOT NULL,
    id ANY NOT NULL,
    splice BLOB NOT NULL,
    PRIMARY KEY (revision, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX change_by_record ON change (space, kind, id, revision);

CREATE TABLE receipt (
    tool TEXT NOT NULL,
    request_id TEXT NOT NULL,
    digest TEXT NOT NULL,
    at INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    reply TEXT,
    PRIMARY KEY (tool, request_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX receipt_by_time ON receipt (at);

CREATE TABLE image (
    path TEXT NOT NULL PRIMARY KEY,
    space TEXT NOT NULL,
    confirmed TEXT NOT NULL,
    intended TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX image_by_space ON image (space, path);

CREATE TABLE blob (
    digest TEXT NOT NULL PRIMARY KEY,
    bytes BLOB NOT NULL
) STRICT;

CREATE TABLE table_image (
    space TEXT NOT NULL,
    place TEXT NOT NULL,
    nonce TEXT NOT NULL,
    confirmed INTEGER NOT NULL,
    intended INTEGER NOT NULL,
    drained INTEGER NOT NULL,
    PRIMARY KEY (space, place)
) STRICT, WITHOUT ROWID;

CREATE TABLE pending_move (
    revision INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    source TEXT NOT NULL,
    target TEXT NOT NULL,
    PRIMARY KEY (revision, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE meta (
    name TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
";

/// What stands in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Nothing yet: a creation was cut short, or is under way.
    Blank,
    /// A store of an older version; [`raise`] makes it one of this.
    Older,
    /// A store of the version that this program knows.
    Ready,
}

/// Tells what stands in the file, on a connection without a transaction.
pub(crate) fn standing_now(conn: &Connection) -> Outcome<Standing> {
    standing(&*conn.unchecked_transaction()?)
}

/// Tells what stands in the file, and fixes the snapshot of the open transaction.
///
/// Both marks must come from one snapshot, or a file just being made looks like a foreign one.
///
/// **Errors**: [`StoreError::TooNew`] for a newer schema, [`StoreError::Corrupt`] for a file that
/// is not ours.
pub(crate) fn standing(conn: &Connection) -> Outcome<Standing> {
    let version: i64 = conn.prepare_cached(READ_VERSION)?.query_one([], |row| row.get(0))?;
    let application: i64 = conn.prepare_cached(READ_APPLICATION)?.query_one([], |row| row.get(0))?;
    match (application, version) {
        (APPLICATION, VERSION) => Ok(Standing::Ready),
        (APPLICATION, 1) => Ok(Standing::Older),
        (APPLICATION, found) if found > VERSION => Err(StoreError::TooNew { found, known: VERSION }.into()),
        (0, 0) if conn.query_one(COUNT_OBJECTS, [], |row| row.get::<_, i64>(0))? == 0 => Ok(Standing::Blank),
        _ => Err(Fault::corrupt("the file is a SQLite database of something else")),
    }
}

/// Makes the tables of a blank file; the caller has a write transaction open.
pub(crate) fn make_tables(conn: &Connection) -> Outcome<()> {
    conn.execute_batch(TABLES)?;
    raise(conn)
}

/// Brings the tables of an older version up to this one; the caller has a write transaction open.
pub(crate) fn raise(conn: &Connection) -> Outcome<()> {
    conn.execute_batch(SINCE_2)?;
    conn.execute_batch(MARK)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_marked_file_is_ready() {
        let conn = Connection::open_in_memory().unwrap();
        assert_eq!(standing(&conn).unwrap(), Standing::Blank);
        make_tables(&conn).unwrap();
        assert_eq!(standing(&conn).unwrap(), Standing::Ready);
    }

    #[test]
    fn an_older_file_is_raised() {
        let conn = Connection::open_in_memory().unwrap();
        conn.execute_batch(TABLES).unwrap();
        conn.execute_batch("PRAGMA application_id = 1299412089; PRAGMA user_version = 1;").unwrap();
        assert_eq!(standing(&conn).unwrap(), Standing::Older);
        raise(&conn).unwrap();
        assert_eq!(standing(&conn).unwrap(), Standing::Ready);
    }
}
