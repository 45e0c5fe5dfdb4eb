//! What makes a commit of the table image's file safe on disk, with few fsyncs.
//!
//! `SQLite` is built without the syncs of folders that each of its connections would make; here the folder is
//! synced right before a commit, when the log or the journal has its name. With a log the commit itself is not
//! synced, as emptying the log right after it syncs the log and then the file.

use std::fs::File;
use std::io;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, ffi};

use super::stamp::beside;

/// Where a commit is to be found when it is safe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rest {
    /// In the file, where nobody is in the way.
    ///
    /// People copy, commit and replace this file: at rest it is whole, and no log is left that would be
    /// taken for another file's. Readers that are in the way are not waited for; the next commit finds
    /// them gone.
    InTheFile,
    /// In the log, as another commit follows.
    InTheLog,
}

/// Sets a connection up for commits that are safe; answers whether the file has a log.
///
/// With a journal instead, its name has to be there before the commit writes into the file, and cutting it off
/// is what ends the commit: so nothing is written early, and the journal stays while there is a transaction.
pub(super) fn prepare(connection: &Connection) -> rusqlite::Result<bool> {
    let with_log = has_log(connection)?;
    if with_log {
        connection.execute_batch("PRAGMA synchronous=NORMAL")?;
    } else {
        connection.query_row("PRAGMA journal_mode=TRUNCATE", [], |_| Ok(()))?;
        connection.execute_batch("PRAGMA synchronous=EXTRA; PRAGMA cache_spill=OFF")?;
    }
    Ok(with_log)
}

/// Whether commits go into a log first.
pub(super) fn has_log(connection: &Connection) -> rusqlite::Result<bool> {
    let mut statement = connection.prepare_cached("PRAGMA journal_mode")?;
    statement.query_row([], |row| Ok(row.get_ref(0)?.as_str()? == "wal"))
}

/// Commits, and makes the commit safe.
pub(super) fn commit(connection: &Connection, place: &Path, rest: Rest) -> rusqlite::Result<()> {
    let folder = place.parent().unwrap_or(Path::new("/"));
    sync(folder)?;
    connection.execute_batch("COMMIT")?;
    if !has_log(connection)? {
        if rest == Rest::InTheFile {
            // An empty journal says nothing to anybody, but it need not lie there.
            drop(connection.query_row("PRAGMA journal_mode=DELETE", [], |_| Ok(())));
        }
        return Ok(());
    }
    if rest == Rest::InTheFile && is_emptied(connection) {
        return Ok(());
    }
    sync(&beside(place, "-wal"))
}

// Everything is committed already, so a failure changes nothing.
fn is_emptied(connection: &Connection) -> bool {
    let empty = || {
        connection.busy_timeout(Duration::ZERO)?;
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0))
    };
    empty().is_ok_and(|busy| busy == 0)
}

fn sync(path: &Path) -> rusqlite::Result<()> {
    let synced = File::open(path).and_then(|file| file.sync_all());
    synced.map_err(|error: io::Error| {
        let said = Some(format!("{}: {error}", path.display()));
        rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_IOERR_FSYNC), said)
    })
}
