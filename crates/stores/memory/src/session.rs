//! The write transaction over a copy of the state.

use std::mem;
use std::ops::ControlFlow;

use model::{Record, RecordId, RecordKey, Revision, Scan, Space, Timestamp};
use store::{
    Checkpoint, EntryPage, ImageState, Keepsake, KeepsakeKind, Mark, NewEntry, PendingMove, Reads, Receipt, Splice,
    StoreError, StoredChange, StoredEntry, TableState, Txn, apply, check_newer, weave,
};

use crate::MemoryStore;
use crate::state::State;

/// The write transaction; dropping it lets its copy go.
pub(crate) struct Session<'a> {
    store: &'a MemoryStore,
    state: State,
    savepoint: Option<State>,
}

impl<'a> Session<'a> {
    pub(crate) fn new(store: &'a MemoryStore, state: State) -> Self {
        Self { store, state, savepoint: None }
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        self.store.stop_writing();
    }
}

impl Txn for Session<'_> {
    fn append(&mut self, entry: &NewEntry<'_>) -> Result<Revision, StoreError> {
        let records = &self.state.records;
        let woven = weave(entry.changes, |key| Ok(records.get(key).map(|(text, _)| text.clone())))?;
        let revision = Revision(self.state.head()?.0 + 1);
        let mut changes = Vec::with_capacity(woven.len());
        for change in woven {
            let key = change.key.clone();
            match change.after {
                Some(text) => drop(self.state.records.insert(key.clone(), (text, revision))),
                None => drop(self.state.records.remove(&key)),
            }
            changes.push(StoredChange { key, splice: change.splice });
        }
        for (ordinal, step) in (0..).zip(entry.moves) {
            self.state.moves.insert((revision, ordinal), PendingMove { revision, ordinal, step: step.clone() });
        }
        self.state.entries.push(StoredEntry {
            revision,
            at: entry.at,
            actor: entry.actor.to_owned(),
            session: entry.session.map(str::to_owned),
            request_id: entry.request_id.map(str::to_owned),
            space: entry.space.clone(),
            call: entry.call.to_owned(),
            cause: entry.cause,
            changes,
            moves: entry.moves.to_vec(),
            takes_back: entry.takes_back.to_vec(),
        });
        Ok(revision)
    }

    fn replay(&mut self, entry: &StoredEntry) -> Result<(), StoreError> {
        check_newer(entry, self.state.head()?)?;
        let mut records = self.state.records.clone();
        for change in &entry.changes {
            let before = records.remove(&change.key).map(|(text, _)| text);
            if let Some(after) = apply(change, before.as_deref())? {
                records.insert(change.key.clone(), (after, entry.revision));
            }
        }
        self.state.records = records;
        self.state.entries.push(entry.clone());
        Ok(())
    }

    fn fold(&mut self, after: Revision, baseline: &StoredEntry) -> Result<(), StoreError> {
        let folded = |revision: Revision| revision > after && revision <= baseline.revision;
        self.state.entries.retain(|entry| !folded(entry.revision));
        let at = self.state.entries.partition_point(|entry| entry.revision < baseline.revision);
        self.state.entries.insert(at, baseline.clone());
        for (_, revision) in self.state.records.values_mut().filter(|(_, revision)| folded(*revision)) {
            *revision = baseline.revision;
        }
        Ok(())
    }

    fn put_checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<(), StoreError> {
        self.state.checkpoints.insert(checkpoint.id.clone(), checkpoint.clone());
        Ok(())
    }

    fn delete_checkpoint(&mut self, id: &str) -> Result<(), StoreError> {
        self.state.checkpoints.remove(id);
        Ok(())
    }

    fn put_receipt(&mut self, receipt: &Receipt) -> Result<(), StoreError> {
        self.state.receipts.insert((receipt.tool.clone(), receipt.request_id.clone()), receipt.clone());
        Ok(())
    }

    fn drop_receipts(&mut self, before: Timestamp) -> Result<(), StoreError> {
        self.state.receipts.retain(|_, receipt| receipt.at >= before);
        Ok(())
    }

    fn put_image(&mut self, image: &ImageState) -> Result<(), StoreError> {
        self.state.images.insert(image.path.clone(), image.clone());
        Ok(())
    }

    fn delete_image(&mut self, image: &ImageState) -> Result<(), StoreError> {
        self.state.images.remove(&image.path);
        Ok(())
    }

    fn put_blob(&mut self, digest: &str, bytes: &[u8]) -> Result<(), StoreError> {
        self.state.blobs.insert(digest.to_owned(), bytes.to_owned());
        Ok(())
    }

    fn delete_blob(&mut self, digest: &str) -> Result<(), StoreError> {
        let marks = |mark: &Mark| matches!(mark, Mark::Digest(marked) if marked == digest);
        let needs = |image: &ImageState| marks(&image.confirmed) || image.intended.as_ref().is_some_and(marks);
        if !self.state.images.values().any(needs) {
            self.state.blobs.remove(digest);
        }
        Ok(())
    }

    fn put_table(&mut self, table: &TableState) -> Result<(), StoreError> {
        self.state.tables.insert((table.space.clone(), table.place.clone()), table.clone());
        Ok(())
    }

    fn put_move(&mut self, pending: &PendingMove) -> Result<(), StoreError> {
        self.state.moves.insert((pending.revision, pending.ordinal), pending.clone());
        Ok(())
    }

    fn settle_move(&mut self, pending: &PendingMove) -> Result<(), StoreError> {
        self.state.moves.remove(&(pending.revision, pending.ordinal));
        Ok(())
    }

    fn put_meta(&mut self, name: &str, value: Option<&str>) -> Result<(), StoreError> {
        match value {
            Some(value) => drop(self.state.meta.insert(name.to_owned(), value.to_owned())),
            None => drop(self.state.meta.remove(name)),
        }
        Ok(())
    }

    fn savepoint(&mut self) -> Result<(), StoreError> {
        if self.savepoint.is_some() {
            return Err(StoreError::Io("savepoints do not nest".into()));
        }
        self.savepoint = Some(self.state.clone());
        Ok(())
    }

    fn release(&mut self) -> Result<(), StoreError> {
        self.savepoint.take().map(drop).ok_or_else(no_savepoint)
    }

    fn rollback(&mut self) -> Result<(), StoreError> {
        self.state = self.savepoint.take().ok_or_else(no_savepoint)?;
        Ok(())
    }

    fn commit(mut self: Box<Self>) -> Result<(), StoreError> {
        self.store.commit(mem::take(&mut self.state));
        Ok(())
    }
}

fn no_savepoint() -> StoreError {
    StoreError::Io("there is no savepoint".into())
}

impl Reads for Session<'_> {
    fn record(&self, key: &RecordKey) -> Result<Option<Record>, StoreError> {
        self.state.record(key)
    }

    fn scan(&self, space: &Space, kind: &str, scan: &Scan) -> Result<Vec<Record>, StoreError> {
        self.state.scan(space, kind, scan)
    }

    fn texts(
        &self,
        space: &Space,
        kind: &str,
        visit: &mut dyn FnMut(RecordId, &str) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.state.texts(space, kind, visit)
    }

    fn kinds(&self, space: &Space) -> Result<Vec<String>, StoreError> {
        self.state.kinds(space)
    }

    fn spaces(&self) -> Result<Vec<Space>, StoreError> {
        self.state.spaces()
    }

    fn head(&self) -> Result<Revision, StoreError> {
        self.state.head()
    }

    fn entries(
        &self,
        page: &EntryPage,
        visit: &mut dyn FnMut(StoredEntry) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        self.state.entries(page, visit)
    }

    fn entries_after(&self, after: Revision, limit: usize) -> Result<Vec<StoredEntry>, StoreError> {
        self.state.entries_after(after, limit)
    }

    fn changes_of(&self, key: &RecordKey, after: Revision) -> Result<Vec<(Revision, Splice)>, StoreError> {
        self.state.changes_of(key, after)
    }

    fn receipt(&self, tool: &str, request_id: &str) -> Result<Option<Receipt>, StoreError> {
        self.state.receipt(tool, request_id)
    }

    fn images(&self, space: &Space) -> Result<Vec<ImageState>, StoreError> {
        self.state.images(space)
    }

    fn blob(&self, digest: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.state.blob(digest)
    }

    fn tables(&self, space: &Space) -> Result<Vec<TableState>, StoreError> {
        self.state.tables(space)
    }

    fn pending_moves(&self) -> Result<Vec<PendingMove>, StoreError> {
        self.state.pending_moves()
    }

    fn checkpoints(&self) -> Result<Vec<Checkpoint>, StoreError> {
        self.state.checkpoints()
    }

    fn oldest_computed(&self) -> Result<Option<Revision>, StoreError> {
        self.state.oldest_computed()
    }

    fn meta(&self, name: &str) -> Result<Option<String>, StoreError> {
        self.state.meta(name)
    }

    fn keepsakes(&self, kind: KeepsakeKind, visit: &mut dyn FnMut(Keepsake)) -> Result<bool, StoreError> {
        self.state.keepsakes(kind, visit)
    }
}
