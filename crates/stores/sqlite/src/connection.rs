//! Connections: how a file is opened, and what `SQLite` may not do with it.

use std::fmt::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use mutants::planted;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::error::Outcome;
use crate::file;

/// How long a statement waits for another process; the engine's queue stands in front of it.
const PATIENCE: Duration = Duration::from_secs(2);

/// How many prepared statements a connection keeps: all there are.
const STATEMENTS: usize = 64;

/// Every connection keeps the log short; that each commit is synced is what `SQLite` does by itself.
///
/// The first to open the store reads the whole log, four thousand instructions a page: with the
/// thousand pages that `SQLite` would let it grow to, a short command would spend most of its time there.
const PRAGMAS: &str = "PRAGMA wal_autocheckpoint = 40";

/// Opens the file, which must exist, for writing if possible.
///
/// Where the folder cannot be written it is opened for reading; and where there is no log either,
/// as nobody can have it open for writing, without the files beside it that `SQLite` would make.
pub(crate) fn connect(path: &Path) -> Outcome<Connection> {
    let path = std::path::absolute(path)?;
    let first = match open(&path, OpenFlags::SQLITE_OPEN_READ_WRITE) {
        Ok(conn) => return Ok(conn),
        Err(fault) => fault,
    };
    if first.is_io() {
        if let Ok(conn) = open(&path, OpenFlags::SQLITE_OPEN_READ_ONLY) {
            return Ok(conn);
        }
        if file::length(&file::log_of(&path))? == 0
            && let Ok(conn) = open(&immutable(&path), OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI)
        {
            return Ok(conn);
        }
    }
    Err(first)
}

pub(crate) fn open(path: &Path, access: OpenFlags) -> Outcome<Connection> {
    let conn = Connection::open_with_flags(path, access | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    conn.busy_timeout(PATIENCE)?;
    conn.set_prepared_statement_cache_capacity(STATEMENTS);
    for (switch, on) in [
        // A short-lived process must not pay for a checkpoint when it ends.
        (DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true),
        // The file may come from anyone: nothing in its schema may run.
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
        (DbConfig::SQLITE_DBCONFIG_DQS_DML, false),
        (DbConfig::SQLITE_DBCONFIG_DQS_DDL, false),
        // A statement is planned once, whatever is bound to it.
        (DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true),
    ] {
        conn.set_db_config(switch, on)?;
    }
    conn.execute_batch(PRAGMAS)?;
    if planted("synchronous_normal") {
        conn.execute_batch("PRAGMA synchronous = NORMAL")?;
    }
    if planted("synchronous_off") {
        conn.execute_batch("PRAGMA synchronous = OFF")?;
    }
    Ok(conn)
}

/// The file as a URI that promises `SQLite` that nobody changes it.
pub(crate) fn immutable(path: &Path) -> PathBuf {
    let mut uri = String::from("file:");
    for &byte in path.as_os_str().as_bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            write!(uri, "%{byte:02x}").expect("a string takes everything");
        }
    }
    uri.push_str("?immutable=1");
    uri.into()
}
