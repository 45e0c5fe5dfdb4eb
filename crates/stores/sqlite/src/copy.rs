//! Copies of the whole database, and giving back room.

use std::fs::File;
use std::path::Path;

use model::Revision;
use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};
use store::StoreError;

use crate::connection::{immutable, open};
use crate::error::{Fault, Outcome};
use crate::journal;
use crate::schema::{Standing, standing};

const LOOK_THROUGH: &str = "PRAGMA quick_check(1)";
const TEMPORARY_FILES: &str = "PRAGMA temp_store = FILE";
const NO_TEMPORARY_FILES: &str = "PRAGMA temp_store = MEMORY";
const COMPACT: &str = "VACUUM";
const EMPTY_LOG: &str = "PRAGMA wal_checkpoint(TRUNCATE)";

/// All pages at once: the reading transaction that is open keeps them as they are.
const ALL: i32 = -1;

/// Copies what the open transaction of `source` sees into an empty file, and looks through the copy.
pub(crate) fn write(source: &Connection, file: &Path) -> Outcome<Revision> {
    let mut target = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    match Backup::new(source, &mut target)?.step(ALL)? {
        StepResult::Done => {}
        step => return Err(Fault::io(format!("the copy stopped: {step:?}"))),
    }
    drop(target);
    File::open(file)?.sync_all()?;
    let wanted = journal::head(source)?;
    let copy = open(&immutable(file), OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI)?;
    let said: String = copy.query_one(LOOK_THROUGH, [], |row| row.get(0))?;
    let is_whole = said == "ok" && standing(&copy)? == Standing::Ready && journal::head(&copy)? == wanted;
    if is_whole { Ok(wanted) } else { Err(Fault::corrupt(format!("the copy is not whole: {said}"))) }
}

/// Moves everything from the log into the database, and empties it.
///
/// **Errors**: [`store::StoreError::Busy`] where a reader still needs the log.
pub(crate) fn empty_log(conn: &Connection) -> Outcome<()> {
    let (in_log, moved): (i64, i64) = conn.query_row(EMPTY_LOG, [], |row| Ok((row.get(1)?, row.get(2)?)))?;
    if in_log == moved { Ok(()) } else { Err(StoreError::Busy.into()) }
}

/// Rewrites the file without the pages that are free, and empties its log.
pub(crate) fn compact(conn: &Connection) -> Outcome<()> {
    // The rewriting must not happen in memory.
    conn.execute_batch(TEMPORARY_FILES)?;
    let rewritten = conn.execute_batch(COMPACT);
    conn.execute_batch(NO_TEMPORARY_FILES)?;
    rewritten?;
    // Readers may keep a part of the log; the next one that is in nobody's way empties it.
    Ok(conn.query_row(EMPTY_LOG, [], |_| Ok(()))?)
}
