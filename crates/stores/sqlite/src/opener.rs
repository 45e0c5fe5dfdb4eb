//! The opener: finds or makes `state.db` in a folder, with any number of processes at it.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::{Connection, MAIN_DB};
use store::{Opener, Store, StoreError};

use crate::SqliteStore;
use crate::connection::connect;
use crate::error::{Fault, Outcome};
use crate::schema::{Standing, make_tables, raise, standing, standing_now};
use crate::{copy, file, log};

/// How long a creation is tried while others create the same store.
const PATIENCE: Duration = Duration::from_secs(10);

/// The pause between two tries.
const PAUSE: Duration = Duration::from_millis(5);

const USE_LOG: &str = "PRAGMA journal_mode = WAL";
const BEGIN: &str = "BEGIN IMMEDIATE";
const COMMIT: &str = "COMMIT";
const ROLLBACK: &str = "ROLLBACK";

/// Finds or makes `SQLite` stores.
#[derive(Clone, Copy, Debug, Default)]
pub struct SqliteOpener;

impl Opener for SqliteOpener {
    fn open(&self, folder: &Path) -> Result<Option<Box<dyn Store>>, StoreError> {
        Ok(open(folder)?.map(|store| Box::new(store) as Box<dyn Store>))
    }

    fn replace(&self, folder: &Path, with: &Path) -> Result<(), StoreError> {
        Ok(replace(folder, with)?)
    }

    fn copy_files(&self, folder: &Path, copy: &Path) -> Result<(), StoreError> {
        Ok(file::copy_all(folder, copy)?)
    }

    fn open_copy(&self, folder: &Path) -> Result<Option<Box<dyn Store>>, StoreError> {
        log::chain_anew(&folder.join(file::NAME))?;
        self.open(folder)
    }

    fn create(&self, folder: &Path) -> Result<Box<dyn Store>, StoreError> {
        Ok(Box::new(create(folder)?))
    }
}

fn open(folder: &Path) -> Outcome<Option<SqliteStore>> {
    let path = folder.join(file::NAME);
    if !file::holds_bytes(&path)? {
        return Ok(None);
    }
    let identity = file::identity(&path);
    let conn = connect(&path)?;
    let standing = standing_now(&conn)?;
    let damage = log::look(&conn, &path)?;
    match standing {
        Standing::Ready => {}
        Standing::Older(_) if conn.is_readonly(MAIN_DB)? => {
            return Err(Fault::io("an older Mainstay made it, and someone who may write has to use it once"));
        }
        Standing::Older(_) => {
            if let Some(damage) = damage {
                return Err(Fault::frozen(damage));
            }
            establish(&conn, &path)?;
        }
        Standing::Blank => return Ok(None),
    }
    Ok(Some(SqliteStore::new(path, identity, conn, damage)))
}

/// Both logs are emptied first, so that each store is one file when the names change hands.
fn replace(folder: &Path, with: &Path) -> Outcome<()> {
    let (old, new) = (folder.join(file::NAME), with.join(file::NAME));
    if !file::holds_bytes(&new)? {
        return Err(Fault::io("there is no store to put there"));
    }
    copy::empty_log(&connect(&new)?)?;
    file::sync(&new)?;
    // Killed right before the renaming, the old store must not have lost what only its log held. One that
    // cannot be opened tells nothing, with its log or without.
    let emptied = match file::holds_bytes(&old) {
        Ok(true) => connect(&old).and_then(|conn| copy::empty_log(&conn)),
        Ok(false) => Ok(()),
        Err(fault) => Err(fault),
    };
    match emptied {
        Err(fault) if !fault.is_damage() => return Err(fault),
        _ => {}
    }
    file::take_place(folder, with)
}

fn create(folder: &Path) -> Outcome<SqliteStore> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        match open_or_make(folder) {
            // Changing the journal mode does not always wait for others, so waiting is done here.
            Err(fault) if fault.is_busy() && Instant::now() < deadline => thread::sleep(PAUSE),
            other => return other,
        }
    }
}

fn open_or_make(folder: &Path) -> Outcome<SqliteStore> {
    if let Some(store) = open(folder)? {
        return Ok(store);
    }
    let path = folder.join(file::NAME);
    file::make(&path)?;
    let identity = file::identity(&path);
    let conn = connect(&path)?;
    establish(&conn, &path)?;
    Ok(SqliteStore::new(path, identity, conn, None))
}

/// Gives the file its journal mode.
pub(crate) fn use_log(conn: &Connection) -> Outcome<()> {
    let mode: String = conn.query_one(USE_LOG, [], |row| row.get(0))?;
    if mode == "wal" {
        return Ok(());
    }
    Err(Fault::io("the file system does not carry SQLite's write-ahead log"))
}

/// Gives the file its journal mode and then its tables, or brings older ones up to date.
///
/// Invariant: a file that has the tables is in WAL mode, whenever this is cut short.
fn establish(conn: &Connection, path: &Path) -> Outcome<()> {
    if standing_now(conn)? == Standing::Ready {
        return Ok(());
    }
    use_log(conn)?;
    conn.execute_batch(BEGIN)?;
    let result = standing(conn).and_then(|found| file::secure_log(path).map(|_| found)).and_then(|found| match found {
        Standing::Ready => Ok(()),
        Standing::Older(from) => raise(conn, from),
        Standing::Blank => make_tables(conn),
    });
    match result {
        Ok(()) => Ok(conn.execute_batch(COMMIT)?),
        Err(fault) => {
            // The fault tells more than a failed rollback could; closing undoes it in any case.
            let _ = conn.execute_batch(ROLLBACK);
            Err(fault)
        }
    }
}
