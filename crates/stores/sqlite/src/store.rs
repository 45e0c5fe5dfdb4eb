//! The store: one file, and the connections to it that are idle.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use model::Revision;
use mutants::planted;
use rusqlite::{Connection, MAIN_DB};
use store::{Reads, Store, StoreDamage, StoreError, StoreSize, Txn};

use crate::connection::connect;
use crate::error::{Fault, Outcome};
use crate::file::{self, Identity};
use crate::log::Damage;
use crate::opener::use_log;
use crate::schema::{Standing, standing};
use crate::session::Session;
use crate::{copy, log};

const BEGIN_READING: &str = "BEGIN";
const BEGIN_WRITING: &str = "BEGIN IMMEDIATE";
const ROLLBACK: &str = "ROLLBACK";
const INTEGRITY: &str = "PRAGMA integrity_check";
const JOURNAL_MODE: &str = "PRAGMA journal_mode";

/// The one mode in which commits are made.
const LOGGED: &str = "wal";

/// One project's state in a `SQLite` file.
#[derive(Debug)]
pub struct SqliteStore {
    path: PathBuf,
    identity: Option<Identity>,
    idle: Mutex<Vec<Connection>>,
    damage: Option<Damage>,
}

/// A connection in use; goes back to the idle ones, its transaction undone, when it is dropped.
pub(crate) struct Lease<'a> {
    store: &'a SqliteStore,
    conn: Option<Connection>,
}

impl SqliteStore {
    /// Over a connection to the file that was found at `path` before it was opened.
    pub(crate) fn new(path: PathBuf, identity: Option<Identity>, conn: Connection, damage: Option<Damage>) -> Self {
        Self { path, identity, idle: Mutex::new(vec![conn]), damage }
    }

    /// Opens a transaction and makes sure that the schema is still the one that we know.
    fn session(&self, begin: &str) -> Outcome<Session<'_>> {
        if begin == BEGIN_WRITING
            && let Some(damage) = self.damage
        {
            return Err(Fault::frozen(damage));
        }
        let lease = self.lease()?;
        lease.prepare_cached(begin)?.execute([])?;
        // This first reading also fixes the snapshot, which BEGIN alone leaves open.
        match standing(&lease)? {
            Standing::Ready => {
                // A file that someone has put into another mode has no log.
                if begin == BEGIN_WRITING && file::secure_log(&self.path)? && mode(&lease)? != LOGGED {
                    lease.execute_batch(ROLLBACK)?;
                    use_log(&lease)?;
                    return self.session(begin);
                }
                Ok(Session::new(lease))
            }
            Standing::Blank | Standing::Older(_) => Err(Fault::corrupt("the tables are gone")),
        }
    }

    fn lease(&self) -> Outcome<Lease<'_>> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let conn = match idle {
            Some(conn) => conn,
            None => connect(&self.path)?,
        };
        Ok(Lease { store: self, conn: Some(conn) })
    }

    fn problems(&self) -> Outcome<Vec<String>> {
        let mut problems = Vec::new();
        problems.extend(log::look_through(&*self.lease()?, &self.path)?.map(|damage| damage.to_string()));
        let session = self.session(BEGIN_READING)?;
        let mode = mode(session.conn())?;
        // A file that nobody may write is read without its log, whatever mode it is in.
        if mode != LOGGED && !session.conn().is_readonly(MAIN_DB)? {
            problems.push(format!("the journal mode is {mode} instead of wal"));
        }
        let mut statement = session.conn().prepare(INTEGRITY)?;
        let lines = statement.query_map([], |row| row.get::<_, String>(0))?;
        for line in lines {
            problems.push(line?);
        }
        problems.retain(|line| line != "ok");
        problems.extend(store::audit(&session)?);
        Ok(problems)
    }
}

fn mode(conn: &Connection) -> Outcome<String> {
    Ok(conn.query_one(JOURNAL_MODE, [], |row| row.get(0))?)
}

impl Store for SqliteStore {
    fn read(&self) -> Result<Box<dyn Reads + '_>, StoreError> {
        Ok(Box::new(self.session(BEGIN_READING)?))
    }

    fn begin(&self) -> Result<Box<dyn Txn + '_>, StoreError> {
        let begin = if planted("deferred_transaction") { BEGIN_READING } else { BEGIN_WRITING };
        Ok(Box::new(self.session(begin)?))
    }

    fn check(&self) -> Result<Vec<String>, StoreError> {
        match self.problems().map_err(StoreError::from) {
            Err(StoreError::Corrupt(what)) => Ok(vec![what]),
            other => other,
        }
    }

    fn is_current(&self) -> bool {
        self.identity.is_some() && file::identity(&self.path) == self.identity
    }

    fn damage(&self) -> Option<StoreDamage> {
        self.damage.map(|damage| StoreDamage { what: damage.to_string(), commits: damage.commits })
    }

    fn size(&self) -> Result<StoreSize, StoreError> {
        let database_bytes = file::length(&self.path)?;
        let wal_bytes = file::length(&file::log_of(&self.path))?;
        Ok(StoreSize { database_bytes, wal_bytes })
    }

    fn backup(&self, file: &Path) -> Result<Revision, StoreError> {
        Ok(copy::write(self.session(BEGIN_READING)?.conn(), file)?)
    }

    fn compact(&self) -> Result<(), StoreError> {
        // Beginning makes the log's name safe.
        drop(self.session(BEGIN_WRITING)?);
        Ok(copy::compact(&*self.lease()?)?)
    }
}

impl Deref for Lease<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.conn.as_ref().expect("the connection leaves only in drop")
    }
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        let Some(conn) = self.conn.take() else { return };
        // One for reading alone is not kept: what forbade writing may be over by the next time. One
        // that cannot roll back is closed, which undoes its transaction too.
        let is_kept = conn.is_readonly(MAIN_DB).is_ok_and(|is_readonly| !is_readonly);
        if is_kept && (conn.is_autocommit() || conn.execute_batch(ROLLBACK).is_ok()) {
            self.store.idle.lock().unwrap_or_else(PoisonError::into_inner).push(conn);
        }
    }
}
