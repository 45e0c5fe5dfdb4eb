//! The one transaction that a writing request holds on the table image's file.

use std::path::{Path, PathBuf};
use std::time::Duration;

use format::{TableImage, TableSource};
use model::{Refusal, Revision, RowImage, TableRows, Timestamp};
use rusqlite::{Connection, ffi};

use super::safety::{self, Rest};
use super::schema::{self, Meta};
use super::{VERSION, connect, place, rows, stamp};
use crate::refusals;

/// An open write transaction; it is the format's foreign lock. Dropping it undoes everything.
pub(crate) struct TableSession {
    pub(super) connection: Connection,
    pub(super) place: PathBuf,
    pub(super) source: TableSource,
    pub(super) meta: Meta,
    /// What the file said about itself when the transaction began.
    pub(super) said: Option<Meta>,
    /// The schema was looked over, so it may be another one by the end.
    pub(super) stood: bool,
    /// The highest inbox number that this request takes in.
    pub(super) drained: i64,
    /// Something in the file has to be written: schema, rows, inbox.
    pub(super) dirty: bool,
}

impl TableSession {
    /// Opens the file, making it first where there is none, and begins.
    ///
    /// **Errors**: `store_busy` when another program keeps writing for `wait`, `db_corrupt`,
    /// `backend_unavailable`.
    pub(crate) fn begin(place: PathBuf, source: TableSource, wait: Duration) -> Result<Self, Refusal> {
        let fresh = place::create(&place).map_err(|_| refusals::table_impossible(&place))?;
        let connection = Self::open(&place, fresh, wait).map_err(|error| refusals::of_table(&place, &error))?;
        let (meta, said) = (Meta::default(), None);
        Ok(Self { connection, place, source, meta, said, stood: false, drained: 0, dirty: false })
    }

    fn open(place: &Path, fresh: bool, wait: Duration) -> rusqlite::Result<Connection> {
        let connection = connect(place, false)?;
        connection.busy_timeout(wait)?;
        if fresh || place.metadata().is_ok_and(|metadata| metadata.len() == 0) {
            // Persistent in the file; a file that others made keeps the mode they chose.
            connection.query_row("PRAGMA journal_mode=WAL", [], |_| Ok(()))?;
        }
        let with_log = safety::prepare(&connection)?;
        connection.execute_batch("BEGIN IMMEDIATE")?;
        // From here on nobody can change it.
        if safety::has_log(&connection)? != with_log {
            return Err(rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_BUSY), None));
        }
        Ok(connection)
    }

    /// The tables that the file hosts.
    pub(crate) fn tables(&self) -> &'static [TableImage] {
        self.source.tables
    }

    /// The file.
    pub(crate) fn place(&self) -> &Path {
        &self.place
    }

    /// The identity of the file.
    pub(crate) fn nonce(&self) -> &str {
        &self.meta.nonce
    }

    /// The revision whose rows the file holds.
    pub(crate) fn revision(&self) -> Revision {
        Revision(self.meta.revision)
    }

    /// The highest inbox number that this request takes in.
    pub(crate) fn drained(&self) -> i64 {
        self.drained
    }

    /// Whether there is anything to write.
    pub(crate) fn is_dirty(&self) -> bool {
        self.dirty
    }

    /// Writes rows and verdicts into the transaction.
    pub(crate) fn write(&mut self, rows: &TableRows, now: Timestamp) -> Result<(), Refusal> {
        self.dirty |= !(rows.rows.is_empty() && rows.refused.is_empty() && rows.closed.is_empty());
        rows::write(&self.connection, self.source.tables, rows, now)
            .map_err(|error| refusals::of_table(&self.place, &error))
    }

    /// Writes the rows and verdicts of outside edits; answers the rows that the table does not allow.
    pub(crate) fn write_outside(&mut self, mut rows: TableRows, now: Timestamp) -> Result<Vec<RowImage>, Refusal> {
        let images = std::mem::take(&mut rows.rows);
        self.dirty |= !images.is_empty();
        let refused = rows::write_allowed(&self.connection, self.source.tables, &images)
            .map_err(|error| refusals::of_table(&self.place, &error))?;
        self.write(&rows, now)?;
        Ok(refused)
    }

    /// Commits: the rows, the emptied inbox, and the revision that the file now shows.
    ///
    /// Answers the mark by which reads see that nobody wrote since, where it could be set.
    pub(crate) fn commit(mut self, revision: Revision) -> Result<Option<String>, Refusal> {
        self.meta.revision = revision.0;
        self.meta.version = VERSION;
        let seen = self.finish().map_err(|error| refusals::of_table(&self.place, &error))?;
        Ok(stamp::set(&self.connection, &self.place, seen, revision))
    }

    fn finish(&mut self) -> rusqlite::Result<i64> {
        if self.drained > 0 {
            self.connection
                .execute("DELETE FROM mainstay_inbox WHERE refused IS NULL AND seq <= ?1", [self.drained])?;
        }
        if self.stood {
            self.meta.cookie = schema::cookie(&self.connection)?;
        }
        schema::write_meta(&self.connection, &self.meta, self.said.as_ref())?;
        let seen = stamp::data_version(&self.connection)?;
        safety::commit(&self.connection, &self.place, Rest::InTheFile)?;
        Ok(seen)
    }
}
