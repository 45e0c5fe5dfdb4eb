//! Everything that one memory store holds.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use model::{ProjectPath, Record, RecordId, RecordKey, Revision, Scan, Space};
use store::{
    Checkpoint, EntryPage, ImageState, Keepsake, KeepsakeKind, PendingMove, Reads, Receipt, Splice, StoreError,
    StoredEntry, TableState, from_text, in_order,
};

/// The state that a commit replaces as a whole.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    /// Text and revision of each record.
    pub(crate) records: BTreeMap<RecordKey, (String, Revision)>,
    /// The journal, oldest first.
    pub(crate) entries: Vec<StoredEntry>,
    /// By tool and request id.
    pub(crate) receipts: BTreeMap<(String, String), Receipt>,
    pub(crate) images: BTreeMap<ProjectPath, ImageState>,
    pub(crate) blobs: BTreeMap<String, Vec<u8>>,
    pub(crate) tables: BTreeMap<(Space, String), TableState>,
    /// By revision and ordinal.
    pub(crate) moves: BTreeMap<(Revision, u32), PendingMove>,
    pub(crate) checkpoints: BTreeMap<String, Checkpoint>,
    pub(crate) meta: BTreeMap<String, String>,
}

impl Reads for State {
    fn record(&self, key: &RecordKey) -> Result<Option<Record>, StoreError> {
        self.records.get(key).map(|(text, revision)| read_record(key, text, *revision)).transpose()
    }

    fn scan(&self, space: &Space, kind: &str, scan: &Scan) -> Result<Vec<Record>, StoreError> {
        let mut found: Vec<_> = self
            .records
            .iter()
            .filter(|(key, _)| key.space == *space && key.kind == kind)
            .filter(|(key, _)| match &scan.after {
                None => true,
                Some(after) if scan.descending => key.id < *after,
                Some(after) => key.id > *after,
            })
            .collect();
        if scan.descending {
            found.reverse();
        }
        found.into_iter().take(scan.limit).map(|(key, (text, revision))| read_record(key, text, *revision)).collect()
    }

    fn texts(
        &self,
        space: &Space,
        kind: &str,
        visit: &mut dyn FnMut(RecordId, &str) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let mut found = self.records.iter().filter(|(key, _)| key.space == *space && key.kind == kind);
        found.try_for_each(|(key, (text, _))| visit(key.id.clone(), text))
    }

    fn kinds(&self, space: &Space) -> Result<Vec<String>, StoreError> {
        let mut kinds: Vec<_> =
            self.records.keys().filter(|key| key.space == *space).map(|key| key.kind.to_string()).collect();
        kinds.dedup();
        Ok(kinds)
    }

    fn spaces(&self) -> Result<Vec<Space>, StoreError> {
        let mut spaces: Vec<_> = self.records.keys().map(|key| key.space.clone()).collect();
        spaces.dedup();
        Ok(spaces)
    }

    fn head(&self) -> Result<Revision, StoreError> {
        Ok(self.entries.last().map(|entry| entry.revision).unwrap_or_default())
    }

    fn entries(
        &self,
        page: &EntryPage,
        visit: &mut dyn FnMut(StoredEntry) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        for entry in self.entries.iter().rev() {
            let wanted = entry.revision >= page.down_to && page.before.is_none_or(|before| entry.revision < before);
            if wanted && visit(entry.clone()).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn entries_after(&self, after: Revision, limit: usize) -> Result<Vec<StoredEntry>, StoreError> {
        let first = self.entries.partition_point(|entry| entry.revision <= after);
        Ok(self.entries[first..].iter().take(limit).cloned().collect())
    }

    fn changes_of(&self, key: &RecordKey, after: Revision) -> Result<Vec<(Revision, Splice)>, StoreError> {
        let newer = self.entries.iter().rev().take_while(|entry| entry.revision > after);
        let changes = newer.flat_map(|entry| entry.changes.iter().map(|change| (entry.revision, change)));
        Ok(changes
            .filter(|(_, change)| change.key == *key)
            .map(|(revision, change)| (revision, change.splice.clone()))
            .collect())
    }

    fn receipt(&self, tool: &str, request_id: &str) -> Result<Option<Receipt>, StoreError> {
        Ok(self.receipts.get(&(tool.to_owned(), request_id.to_owned())).cloned())
    }

    fn images(&self, space: &Space) -> Result<Vec<ImageState>, StoreError> {
        Ok(self.images.values().filter(|image| image.space == *space).cloned().collect())
    }

    fn blob(&self, digest: &str) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.blobs.get(digest).cloned())
    }

    fn tables(&self, space: &Space) -> Result<Vec<TableState>, StoreError> {
        Ok(self.tables.values().filter(|table| table.space == *space).cloned().collect())
    }

    fn pending_moves(&self) -> Result<Vec<PendingMove>, StoreError> {
        Ok(self.moves.values().cloned().collect())
    }

    fn checkpoints(&self) -> Result<Vec<Checkpoint>, StoreError> {
        Ok(in_order(self.checkpoints.values().cloned().collect()))
    }

    fn oldest_computed(&self) -> Result<Option<Revision>, StoreError> {
        let computed = self.receipts.values().filter(|receipt| receipt.reply.is_none());
        Ok(computed.map(|receipt| receipt.revision).min())
    }

    fn meta(&self, name: &str) -> Result<Option<String>, StoreError> {
        Ok(self.meta.get(name).cloned())
    }

    fn keepsakes(&self, kind: KeepsakeKind, visit: &mut dyn FnMut(Keepsake)) -> Result<bool, StoreError> {
        match kind {
            KeepsakeKind::Receipts => self.receipts.values().cloned().map(Keepsake::Receipt).for_each(visit),
            KeepsakeKind::Images => self.images.values().cloned().map(Keepsake::Image).for_each(visit),
            KeepsakeKind::Blobs => {
                self.blobs.iter().map(|(digest, bytes)| Keepsake::Blob(digest.clone(), bytes.clone())).for_each(visit);
            }
            KeepsakeKind::Tables => self.tables.values().cloned().map(Keepsake::Table).for_each(visit),
            KeepsakeKind::Moves => self.moves.values().cloned().map(Keepsake::Move).for_each(visit),
            KeepsakeKind::Checkpoints => self.checkpoints.values().cloned().map(Keepsake::Checkpoint).for_each(visit),
            KeepsakeKind::Meta => {
                self.meta.iter().map(|(name, value)| Keepsake::Meta(name.clone(), value.clone())).for_each(visit);
            }
        }
        Ok(true)
    }
}

fn read_record(key: &RecordKey, text: &str, revision: Revision) -> Result<Record, StoreError> {
    Ok(Record { id: key.id.clone(), value: from_text(text)?, revision })
}
