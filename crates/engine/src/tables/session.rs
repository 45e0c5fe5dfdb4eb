//! The one transaction that a writing request holds on the table image's file.

use std::path::{Path, PathBuf};
use std::time::Duration;

use format::{TableImage, TableSource};
use model::{Refusal, Revision, RowImage, TableRows, Timestamp};
use rusqlite::Connection;

use super::schema::{self, Meta};
use super::{VERSION, connect, place, rows, stamp};
use crate::refusals;

/// An open write transaction; it is the format's foreign lock. Dropping it undoes everything.
pub(crate) struct TableSession {
    pub(super) connection: Connection,
    pub(super) place: PathBuf,
    pub(super) source: TableSource,
    pub(super) meta: Meta,
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
        Ok(Self { connection, place, source, meta: Meta::default(), drained: 0, dirty: false })
    }

    fn open(place: &Path, fresh: bool, wait: Duration) -> rusqlite::Result<Connection> {
        let connection = connect(place, false)?;
        connection.busy_timeout(wait)?;
        let empty: bool =
            fresh || connection.query_row("PRAGMA page_count", [], |row| Ok(row.get::<_, i64>(0)? == 0))?;
        if empty {
            // Persistent in the file; a file that others made keeps the mode they chose.
            connection.query_row("PRAGMA journal_mode=WAL", [], |_| Ok(()))?;
        }
        // EXTRA is FULL in WAL mode; in rollback mode it also makes the journal's removal durable.
        connection.execute_batch("PRAGMA synchronous=EXTRA")?;
        connection.execute_batch("BEGIN IMMEDIATE")?;
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
        self.connection.execute("DELETE FROM mainstay_inbox WHERE refused IS NULL AND seq <= ?1", [self.drained])?;
        self.meta.cookie = schema::cookie(&self.connection)?;
        schema::write_meta(&self.connection, &self.meta)?;
        let seen = stamp::data_version(&self.connection)?;
        self.connection.execute_batch("COMMIT")?;
        self.empty_log();
        Ok(seen)
    }

    // People copy, commit and replace this file: at rest it is whole, and no log is left that would
    // be taken for another file's. Readers that are in the way are not waited for; the next commit
    // finds them gone. Everything is committed already, so a failure changes nothing.
    fn empty_log(&self) {
        let empty = || {
            self.connection.busy_timeout(Duration::ZERO)?;
            self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        };
        drop::<rusqlite::Result<()>>(empty());
    }
}
