//! A store that fails on purpose, to see what its callers do then.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use model::{Record, RecordId, RecordKey, Revision, Scan, Space, Timestamp};

use crate::{
    Checkpoint, EntryPage, ImageState, Keepsake, KeepsakeKind, NewEntry, Opener, PendingMove, Reads, Receipt, Splice,
    Store, StoreDamage, StoreError, StoreSize, StoredEntry, TableState, Txn,
};

/// Which call fails; its clones share one count.
#[derive(Clone, Debug)]
pub struct Faults {
    calls: Arc<AtomicU64>,
    nth: u64,
}

impl Faults {
    /// The `nth` call fails, counted from 1; every other call goes through, and with 0 all do.
    pub fn at(nth: u64) -> Self {
        Self { calls: Arc::default(), nth }
    }

    /// How many calls there were.
    pub fn calls(&self) -> u64 {
        self.calls.load(Ordering::SeqCst)
    }

    /// Whether the call that fails has come.
    pub fn have_struck(&self) -> bool {
        self.nth > 0 && self.calls() >= self.nth
    }

    /// Counts one call.
    fn pass(&self) -> Result<(), StoreError> {
        if self.calls.fetch_add(1, Ordering::SeqCst) + 1 == self.nth {
            return Err(StoreError::Io(format!("call {} fails on purpose", self.nth)));
        }
        Ok(())
    }
}

/// A store one call of which fails with [`StoreError::Io`], and does nothing then.
///
/// Every call of the store, its views and its transactions counts, but for the look at its place.
pub struct Failing {
    inner: Box<dyn Store>,
    faults: Faults,
}

impl Failing {
    /// Wraps a store.
    pub fn new(inner: Box<dyn Store>, faults: Faults) -> Self {
        Self { inner, faults }
    }
}

/// An opener whose stores are [`Failing`]; opening and creating count as calls too.
pub struct FailingOpener<T> {
    inner: T,
    faults: Faults,
}

impl<T: Opener> FailingOpener<T> {
    /// Wraps an opener.
    pub fn new(inner: T, faults: Faults) -> Self {
        Self { inner, faults }
    }

    fn wrap(&self, inner: Box<dyn Store>) -> Box<dyn Store> {
        Box::new(Failing::new(inner, self.faults.clone()))
    }
}

impl<T: Opener> Opener for FailingOpener<T> {
    fn open(&self, folder: &Path) -> Result<Option<Box<dyn Store>>, StoreError> {
        self.faults.pass()?;
        Ok(self.inner.open(folder)?.map(|store| self.wrap(store)))
    }

    fn replace(&self, folder: &Path, with: &Path) -> Result<(), StoreError> {
        self.faults.pass()?;
        self.inner.replace(folder, with)
    }

    fn copy_files(&self, folder: &Path, copy: &Path) -> Result<(), StoreError> {
        self.faults.pass()?;
        self.inner.copy_files(folder, copy)
    }

    fn open_copy(&self, folder: &Path) -> Result<Option<Box<dyn Store>>, StoreError> {
        self.faults.pass()?;
        Ok(self.inner.open_copy(folder)?.map(|store| self.wrap(store)))
    }

    fn create(&self, folder: &Path) -> Result<Box<dyn Store>, StoreError> {
        self.faults.pass()?;
        Ok(self.wrap(self.inner.create(folder)?))
    }
}

impl Store for Failing {
    fn read(&self) -> Result<Box<dyn Reads + '_>, StoreError> {
        self.faults.pass()?;
        Ok(Box::new(Session { inner: self.inner.read()?, faults: &self.faults }))
    }

    fn begin(&self) -> Result<Box<dyn Txn + '_>, StoreError> {
        self.faults.pass()?;
        Ok(Box::new(Session { inner: self.inner.begin()?, faults: &self.faults }))
    }

    fn check(&self) -> Result<Vec<String>, StoreError> {
        self.faults.pass()?;
        self.inner.check()
    }

    fn is_current(&self) -> bool {
        self.inner.is_current()
    }

    fn damage(&self) -> Option<StoreDamage> {
        self.inner.damage()
    }

    fn size(&self) -> Result<StoreSize, StoreError> {
        self.faults.pass()?;
        self.inner.size()
    }

    fn backup(&self, file: &Path) -> Result<Revision, StoreError> {
        self.faults.pass()?;
        self.inner.backup(file)
    }

    fn compact(&self) -> Result<(), StoreError> {
        self.faults.pass()?;
        self.inner.compact()
    }
}

/// A view or a transaction of a failing store.
struct Session<'a, T: ?Sized> {
    inner: Box<T>,
    faults: &'a Faults,
}

impl<T: Reads + ?Sized> Reads for Session<'_, T> {
    fn record(&self, key: &RecordKey) -> Result<Option<Record>, StoreError> {
        self.faults.pass()?;
        self.inner.record(key)
    }

    fn scan(&self, space: &Space, kind: &str, scan: &Scan) -> Result<Vec<Record>, StoreError> {
        self.faults.pass()?;
        self.inner.scan(space, kind, scan)
    }

    fn texts(
        &self,
        space: &Space,
        kind: &str,
        visit: &mut dyn FnMut(RecordId, &str) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.faults.pass()?;
        self.inner.texts(space, kind, visit)
    }

    fn kinds(&self, space: &Space) -> Result<Vec<String>, StoreError> {
        self.faults.pass()?;
        self.inner.kinds(space)
    }

    fn spaces(&self) -> Result<Vec<Space>, StoreError> {
        self.faults.pass()?;
        self.inner.spaces()
    }

    fn head(&self) -> Result<Revision, StoreError> {
        self.faults.pass()?;
        self.inner.head()
    }

    fn entries(
        &self,
        page: &EntryPage,
        visit: &mut dyn FnMut(StoredEntry) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        self.faults.pass()?;
        self.inner.entries(page, visit)
    }

    fn entries_after(&self, after: Revision, limit: usize) -> Result<Vec<StoredEntry>, StoreError> {
        self.faults.pass()?;
        self.inner.entries_after(after, limit)
    }

    fn changes_of(&self, key: &RecordKey, after: Revision) -> Result<Vec<(Revision, Splice)>, StoreError> {
        self.faults.pass()?;
        self.inner.changes_of(key, after)
    }

    fn receipt(&self, tool: &str, request_id: &str) -> Result<Option<Receipt>, StoreError> {
        self.faults.pass()?;
        self.inner.receipt(tool, request_id)
    }

    fn images(&self, space: &Space) -> Result<Vec<ImageState>, StoreError> {
        self.faults.pass()?;
        self.inner.images(space)
    }

    fn blob(&self, digest: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.faults.pass()?;
        self.inner.blob(digest)
    }

    fn tables(&self, space: &Space) -> Result<Vec<TableState>, StoreError> {
        self.faults.pass()?;
        self.inner.tables(space)
    }

    fn pending_moves(&self) -> Result<Vec<PendingMove>, StoreError> {
        self.faults.pass()?;
        self.inner.pending_moves()
    }

    fn checkpoints(&self) -> Result<Vec<Checkpoint>, StoreError> {
        self.faults.pass()?;
        self.inner.checkpoints()
    }

    fn oldest_computed(&self) -> Result<Option<Revision>, StoreError> {
        self.faults.pass()?;
        self.inner.oldest_computed()
    }

    fn meta(&self, name: &str) -> Result<Option<String>, StoreError> {
        self.faults.pass()?;
        self.inner.meta(name)
    }

    fn keepsakes(&self, kind: KeepsakeKind, visit: &mut dyn FnMut(Keepsake)) -> Result<bool, StoreError> {
        self.faults.pass()?;
        self.inner.keepsakes(kind, visit)
    }
}

impl Txn for Session<'_, dyn Txn + '_> {
    fn append(&mut self, entry: &NewEntry<'_>) -> Result<Revision, StoreError> {
        self.faults.pass()?;
        self.inner.append(entry)
    }

    fn replay(&mut self, entry: &StoredEntry) -> Result<(), StoreError> {
        self.faults.pass()?;
        self.inner.replay(entry)
    }

    fn fold(&mut self, after: Revision, baseline: &StoredEntry) -> Result<(), StoreError> {
        self.faults.pass()?;
        self.inner.fold(after, baseline)
    }

    fn put_checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<(), StoreError> {
        self.faults.pass()?;
        self.inner.put_checkpoint(checkpoint)
    }

    fn delete_checkpoint(&mut self, id: &str) -> Result<(), StoreError> {
        self.faults.pass()?;
        self.inner.delete_checkpoint(id)
    }

    fn put_receipt(&mut self, receipt: &Receipt) -> Result<(), StoreError> {
        self.faults.pass()?;
        self.inner.put_receipt(receipt)
    }

    fn drop_receipts(&mut self, before: Timestamp) -> Result<(), StoreError> {
        self.faults.pass()?;
        self.inner.drop_receipts(before)
    }

    fn put_image(&mut self, image: &ImageState) -> Result<(), StoreError> {
        self.faults.pass()?;
        self.inner.put_image(image)
    }

    fn delete_image(&mut self, image: &ImageState) -> Result<(), StoreError> {
        self.faults.pass()?;
        self.inner.delete_image(image)
    }

    fn put_blob(&mut self, digest: &str, bytes: &[u8]) -> Result<(), StoreError> {
        self.faults.pass()?;
        self.inner.put_blob(digest, bytes)
    }

    fn delete_blob(&mut self, digest: &str) -> Result<(), StoreError> {
        self.faults.pass()?;
        self.inner.delete_blob(digest)
    }

    fn put_table(&mut self, table: &TableState) -> Result<(), StoreError> {
        self.faults.pass()?;
        self.inner.put_table(table)
    }

    fn put_move(&mut self, pending: &PendingMove) -> Result<(), StoreError> {
        self.faults.pass()?;
        self.inner.put_move(pending)
    }

    fn settle_move(&mut self, pending: &PendingMove) -> Result<(), StoreError> {
        self.faults.pass()?;
        self.inner.settle_move(pending)
    }

    fn put_meta(&mut self, name: &str, value: Option<&str>) -> Result<(), StoreError> {
        self.faults.pass()?;
        self.inner.put_meta(name, value)
    }

    fn savepoint(&mut self) -> Result<(), StoreError> {
        self.faults.pass()?;
        self.inner.savepoint()
    }

    fn release(&mut self) -> Result<(), StoreError> {
        self.faults.pass()?;
        self.inner.release()
    }

    fn rollback(&mut self) -> Result<(), StoreError> {
        self.faults.pass()?;
        self.inner.rollback()
    }

    fn commit(self: Box<Self>) -> Result<(), StoreError> {
        self.faults.pass()?;
        self.inner.commit()
    }
}
