//! Sessions: one open transaction, for reading or for writing.

use std::ops::ControlFlow;

use model::{Record, RecordId, RecordKey, Revision, Scan, Space, Timestamp};
use rusqlite::Connection;
use store::{
    Checkpoint, EntryPage, ImageState, Keepsake, KeepsakeKind, NewEntry, PendingMove, Reads, Receipt, Splice,
    StoreError, StoredEntry, TableState, Txn,
};

use crate::error::{Fault, Outcome};
use crate::store::Lease;
use crate::{checkpoints, images, journal, keepsakes, receipts, records};

const COMMIT: &str = "COMMIT";
const SAVEPOINT: &str = "SAVEPOINT request";
const RELEASE: &str = "RELEASE request";
const ROLLBACK: &str = "ROLLBACK TO request";

/// An open transaction; dropping it undoes what it did.
pub(crate) struct Session<'a> {
    lease: Lease<'a>,
    has_savepoint: bool,
}

impl<'a> Session<'a> {
    /// Takes over a connection with an open transaction.
    pub(crate) fn new(lease: Lease<'a>) -> Self {
        Self { lease, has_savepoint: false }
    }

    pub(crate) fn conn(&self) -> &Connection {
        &self.lease
    }

    /// The connection for writing, as long as its transaction is open.
    ///
    /// A full disk makes `SQLite` undo the whole transaction; what came after would be committed one
    /// statement at a time.
    fn writing(&self) -> Outcome<&Connection> {
        if self.lease.is_autocommit() {
            return Err(Fault::io("an earlier error undid the transaction"));
        }
        Ok(&self.lease)
    }

    fn run(&self, statement: &str) -> Outcome<()> {
        self.writing()?.prepare_cached(statement)?.execute([])?;
        Ok(())
    }

    fn end_savepoint(&mut self) -> Outcome<()> {
        if !self.has_savepoint {
            return Err(Fault::io("there is no savepoint"));
        }
        self.run(RELEASE)?;
        self.has_savepoint = false;
        Ok(())
    }
}

impl Reads for Session<'_> {
    fn record(&self, key: &RecordKey) -> Result<Option<Record>, StoreError> {
        Ok(records::get(&self.lease, key)?)
    }

    fn scan(&self, space: &Space, kind: &str, scan: &Scan) -> Result<Vec<Record>, StoreError> {
        Ok(records::scan(&self.lease, space, kind, scan)?)
    }

    fn texts(
        &self,
        space: &Space,
        kind: &str,
        visit: &mut dyn FnMut(RecordId, &str) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        Ok(records::texts(&self.lease, space, kind, visit)?)
    }

    fn kinds(&self, space: &Space) -> Result<Vec<String>, StoreError> {
        Ok(records::kinds(&self.lease, space)?)
    }

    fn spaces(&self) -> Result<Vec<Space>, StoreError> {
        Ok(records::spaces(&self.lease)?)
    }

    fn head(&self) -> Result<Revision, StoreError> {
        Ok(journal::head(&self.lease)?)
    }

    fn entries(
        &self,
        page: &EntryPage,
        visit: &mut dyn FnMut(StoredEntry) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        Ok(journal::entries(&self.lease, page, visit)?)
    }

    fn entries_after(&self, after: Revision, limit: usize) -> Result<Vec<StoredEntry>, StoreError> {
        Ok(journal::entries_after(&self.lease, after, limit)?)
    }

    fn changes_of(&self, key: &RecordKey, after: Revision) -> Result<Vec<(Revision, Splice)>, StoreError> {
        Ok(journal::changes_of(&self.lease, key, after)?)
    }

    fn receipt(&self, tool: &str, request_id: &str) -> Result<Option<Receipt>, StoreError> {
        Ok(receipts::get(&self.lease, tool, request_id)?)
    }

    fn images(&self, space: &Space) -> Result<Vec<ImageState>, StoreError> {
        Ok(images::images(&self.lease, space)?)
    }

    fn blob(&self, digest: &str) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(images::blob(&self.lease, digest)?)
    }

    fn tables(&self, space: &Space) -> Result<Vec<TableState>, StoreError> {
        Ok(images::tables(&self.lease, space)?)
    }

    fn pending_moves(&self) -> Result<Vec<PendingMove>, StoreError> {
        Ok(journal::pending_moves(&self.lease)?)
    }

    fn checkpoints(&self) -> Result<Vec<Checkpoint>, StoreError> {
        Ok(checkpoints::all(&self.lease)?)
    }

    fn oldest_computed(&self) -> Result<Option<Revision>, StoreError> {
        Ok(receipts::oldest_computed(&self.lease)?)
    }

    fn meta(&self, name: &str) -> Result<Option<String>, StoreError> {
        Ok(receipts::meta(&self.lease, name)?)
    }

    fn keepsakes(&self, kind: KeepsakeKind, visit: &mut dyn FnMut(Keepsake)) -> Result<bool, StoreError> {
        Ok(keepsakes::all(&self.lease, kind, visit)?)
    }
}

impl Txn for Session<'_> {
    fn append(&mut self, entry: &NewEntry<'_>) -> Result<Revision, StoreError> {
        Ok(journal::append(self.writing()?, entry)?)
    }

    fn replay(&mut self, entry: &StoredEntry) -> Result<(), StoreError> {
        Ok(journal::replay(self.writing()?, entry)?)
    }

    fn fold(&mut self, after: Revision, baseline: &StoredEntry) -> Result<(), StoreError> {
        Ok(journal::fold(self.writing()?, after, baseline)?)
    }

    fn put_checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<(), StoreError> {
        Ok(checkpoints::put(self.writing()?, checkpoint)?)
    }

    fn delete_checkpoint(&mut self, id: &str) -> Result<(), StoreError> {
        Ok(checkpoints::delete(self.writing()?, id)?)
    }

    fn put_receipt(&mut self, receipt: &Receipt) -> Result<(), StoreError> {
        Ok(receipts::put(self.writing()?, receipt)?)
    }

    fn drop_receipts(&mut self, before: Timestamp) -> Result<(), StoreError> {
        Ok(receipts::drop_older(self.writing()?, before)?)
    }

    fn put_image(&mut self, image: &ImageState) -> Result<(), StoreError> {
        Ok(images::put_image(self.writing()?, image)?)
    }

    fn delete_image(&mut self, image: &ImageState) -> Result<(), StoreError> {
        Ok(images::delete_image(self.writing()?, image)?)
    }

    fn put_blob(&mut self, digest: &str, bytes: &[u8]) -> Result<(), StoreError> {
        Ok(images::put_blob(self.writing()?, digest, bytes)?)
    }

    fn delete_blob(&mut self, digest: &str) -> Result<(), StoreError> {
        Ok(images::delete_blob(self.writing()?, digest)?)
    }

    fn put_table(&mut self, table: &TableState) -> Result<(), StoreError> {
        Ok(images::put_table(self.writing()?, table)?)
    }

    fn put_move(&mut self, pending: &PendingMove) -> Result<(), StoreError> {
        Ok(journal::put_move(self.writing()?, pending)?)
    }

    fn settle_move(&mut self, pending: &PendingMove) -> Result<(), StoreError> {
        Ok(journal::settle_move(self.writing()?, pending)?)
    }

    fn put_meta(&mut self, name: &str, value: Option<&str>) -> Result<(), StoreError> {
        Ok(receipts::put_meta(self.writing()?, name, value)?)
    }

    fn savepoint(&mut self) -> Result<(), StoreError> {
        if self.has_savepoint {
            return Err(StoreError::Io("savepoints do not nest".into()));
        }
        self.run(SAVEPOINT)?;
        self.has_savepoint = true;
        Ok(())
    }

    fn release(&mut self) -> Result<(), StoreError> {
        Ok(self.end_savepoint()?)
    }

    fn rollback(&mut self) -> Result<(), StoreError> {
        if self.has_savepoint {
            self.run(ROLLBACK)?;
        }
        Ok(self.end_savepoint()?)
    }

    fn commit(self: Box<Self>) -> Result<(), StoreError> {
        Ok(self.run(COMMIT)?)
    }
}
