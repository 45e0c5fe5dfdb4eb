//! The tables, and how a file is told to be ours.

use rusqlite::Connection;
use store::StoreError;

use crate::error::{Fault, Outcome};
use crate::older;

/// The schema that this program writes.
pub(crate) const VERSION: i64 = 3;

/// Marks the file as one of ours: `Msty` in ASCII.
const APPLICATION: i64 = 0x4d73_7479;

const READ_VERSION: &str = "PRAGMA user_version";
const READ_APPLICATION: &str = "PRAGMA application_id";
const COUNT_OBJECTS: &str = "SELECT count(*) FROM sqlite_schema";
const MARK: &str = "PRAGMA application_id = 1299412089; PRAGMA user_version = 3;";

/// The tables, as few as can be and without blanks: every command that opens the store parses them.
///
/// The columns `id` are `ANY`: a canonical decimal is an integer, any other id is text.
const TABLES: &str = "\
CREATE TABLE record(space TEXT,kind TEXT,id ANY,value TEXT NOT NULL,revision INTEGER NOT NULL,\
PRIMARY KEY(space,kind,id))STRICT,WITHOUT ROWID;
CREATE TABLE entry(revision INTEGER PRIMARY KEY,at INTEGER NOT NULL,actor TEXT NOT NULL,session TEXT,\
request_id TEXT,space TEXT NOT NULL,call TEXT NOT NULL,cause TEXT NOT NULL,moves TEXT,takes_back TEXT)STRICT;
CREATE TABLE change(revision INTEGER,ordinal INTEGER,space TEXT NOT NULL,kind TEXT NOT NULL,id ANY NOT NULL,\
splice BLOB NOT NULL,PRIMARY KEY(revision,ordinal))STRICT,WITHOUT ROWID;
CREATE INDEX change_by_record ON change(space,kind,id,revision);";

/// What is kept beside records and journal, in one table for all of it.
pub(crate) const BOOK: &str = "\
CREATE TABLE book(shelf TEXT,name TEXT,value ANY NOT NULL,PRIMARY KEY(shelf,name))STRICT,WITHOUT ROWID;";

/// What stands in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Nothing yet: a creation was cut short, or is under way.
    Blank,
    /// A store of an older version, whose number it is; [`raise`] makes it one of this.
    Older(i64),
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
        (APPLICATION, found @ 1..VERSION) => Ok(Standing::Older(found)),
        (APPLICATION, found) if found > VERSION => Err(StoreError::TooNew { found, known: VERSION }.into()),
        (0, 0) if conn.query_one(COUNT_OBJECTS, [], |row| row.get::<_, i64>(0))? == 0 => Ok(Standing::Blank),
        _ => Err(Fault::corrupt("the file is a SQLite database of something else")),
    }
}

/// Makes the tables of a blank file; the caller has a write transaction open.
pub(crate) fn make_tables(conn: &Connection) -> Outcome<()> {
    conn.execute_batch(TABLES)?;
    conn.execute_batch(BOOK)?;
    Ok(conn.execute_batch(MARK)?)
}

/// Brings the tables of an older version up to this one; the caller has a write transaction open.
pub(crate) fn raise(conn: &Connection, from: i64) -> Outcome<()> {
    older::raise(conn, from)?;
    Ok(conn.execute_batch(MARK)?)
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
}
