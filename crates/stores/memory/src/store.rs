//! The store: the committed state, and who may write.

use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

use model::Revision;
use store::{Reads, Store, StoreDamage, StoreError, StoreSize, Txn};

use crate::session::Session;
use crate::state::State;

/// How long a writer waits for another one.
const PATIENCE: Duration = Duration::from_millis(200);

/// One project's state in memory; its clones share it.
#[derive(Clone, Debug, Default)]
pub struct MemoryStore {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    inner: Mutex<Inner>,
    written: Condvar,
}

#[derive(Debug, Default)]
struct Inner {
    committed: State,
    writing: bool,
    /// The opener does not know this state any more.
    forgotten: bool,
}

impl MemoryStore {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.shared.inner.lock().expect("nothing panics while it holds the state")
    }

    /// A store of its own with what is committed in this one.
    pub(crate) fn copy(&self) -> Self {
        let copy = Self::default();
        copy.commit(self.inner().committed.clone());
        copy
    }

    /// Replaces what is committed.
    pub(crate) fn commit(&self, state: State) {
        self.inner().committed = state;
    }

    /// Marks the state as one that nobody finds any more.
    pub(crate) fn forget(&self) {
        self.inner().forgotten = true;
    }

    /// Lets the next writer in.
    pub(crate) fn stop_writing(&self) {
        self.inner().writing = false;
        self.shared.written.notify_one();
    }
}

impl Store for MemoryStore {
    fn read(&self) -> Result<Box<dyn Reads + '_>, StoreError> {
        Ok(Box::new(self.inner().committed.clone()))
    }

    fn begin(&self) -> Result<Box<dyn Txn + '_>, StoreError> {
        let (mut inner, _) = self
            .shared
            .written
            .wait_timeout_while(self.inner(), PATIENCE, |inner| inner.writing)
            .expect("nothing panics while it holds the state");
        if inner.writing {
            return Err(StoreError::Busy);
        }
        inner.writing = true;
        Ok(Box::new(Session::new(self, inner.committed.clone())))
    }

    fn check(&self) -> Result<Vec<String>, StoreError> {
        store::audit(self.read()?.as_ref())
    }

    fn is_current(&self) -> bool {
        !self.inner().forgotten
    }

    fn damage(&self) -> Option<StoreDamage> {
        None
    }

    fn size(&self) -> Result<StoreSize, StoreError> {
        let state = self.inner().committed.clone();
        let texts = state.records.values().map(|(text, _)| text.len());
        let splices =
            state.entries.iter().flat_map(|entry| &entry.changes).map(|change| change.splice.to_bytes().len());
        let database_bytes = texts.chain(splices).map(|length| length as u64).sum();
        Ok(StoreSize { database_bytes, wal_bytes: 0 })
    }

    fn backup(&self, _file: &Path) -> Result<Revision, StoreError> {
        Err(StoreError::Io("this store is kept in memory alone".into()))
    }

    fn compact(&self) -> Result<(), StoreError> {
        Ok(())
    }
}
