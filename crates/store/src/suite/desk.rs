//! The desk of one case: a store in a fresh folder, and short words for what cases do.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use model::{Change, EntryCause, RecordKey, Revision, Scan, Space, Timestamp, Value};
use tempfile::TempDir;

use crate::{EntryPage, NewEntry, Opener, Reads, Store, StoredEntry, Txn};

/// A store in a folder that goes away with the case.
pub(super) struct Desk<'a> {
    _root: TempDir,
    folder: PathBuf,
    opener: &'a dyn Opener,
    pub(super) store: Box<dyn Store>,
}

impl<'a> Desk<'a> {
    pub(super) fn new(opener: &'a dyn Opener) -> Self {
        let root = TempDir::new().unwrap();
        let folder = root.path().join("store");
        let store = opener.create(&folder).unwrap();
        Self { _root: root, folder, opener, store }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The same store, opened once more.
    pub(super) fn again(&self) -> Box<dyn Store> {
        self.opener.open(&self.folder).unwrap().unwrap()
    }

    /// Runs one transaction and commits it.
    pub(super) fn commit<T>(&self, work: impl FnOnce(&mut dyn Txn) -> T) -> T {
        let mut txn = self.store.begin().unwrap();
        let result = work(txn.as_mut());
        txn.commit().unwrap();
        result
    }

    /// Commits one entry with these changes.
    pub(super) fn append(&self, changes: &[Change]) -> Revision {
        self.commit(|txn| append(txn, changes))
    }

    /// Reads what is committed.
    pub(super) fn read(&self) -> Box<dyn Reads + '_> {
        self.store.read().unwrap()
    }
}

/// Appends a plain entry with these changes.
pub(super) fn append(txn: &mut dyn Txn, changes: &[Change]) -> Revision {
    txn.append(&entry(changes)).unwrap()
}

/// A plain entry with these changes.
pub(super) fn entry(changes: &[Change]) -> NewEntry<'_> {
    NewEntry {
        at: Timestamp::from_millis(1_700_000_000_123),
        actor: "tester",
        session: None,
        request_id: None,
        space: &SPACE,
        call: "test",
        cause: EntryCause::Call,
        changes,
        moves: &[],
        takes_back: &[],
    }
}

/// The space that most cases work in.
pub(super) static SPACE: Space = Space::known("desk");

/// A key in that space.
pub(super) fn key(kind: &'static str, id: &str) -> RecordKey {
    RecordKey::new(SPACE.clone(), kind, id)
}

/// A change between two JSON texts.
pub(super) fn change(key: &RecordKey, before: Option<&str>, after: Option<&str>) -> Change {
    Change { key: key.clone(), before: before.map(json), after: after.map(json) }
}

pub(super) fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// The text of a record's value.
pub(super) fn text_of(reads: &dyn Reads, key: &RecordKey) -> Option<String> {
    reads.record(key).unwrap().map(|record| record.value.to_string())
}

/// The ids that a scan answers.
pub(super) fn ids(reads: &dyn Reads, kind: &str, scan: &Scan) -> Vec<String> {
    reads.scan(&SPACE, kind, scan).unwrap().into_iter().map(|record| record.id.to_string()).collect()
}

/// All entries of a page.
pub(super) fn page(reads: &dyn Reads, before: Option<u64>, down_to: u64) -> Vec<StoredEntry> {
    let page = EntryPage { before: before.map(Revision), down_to: Revision(down_to) };
    let mut entries = Vec::new();
    reads
        .entries(&page, &mut |entry| {
            entries.push(entry);
            ControlFlow::Continue(())
        })
        .unwrap();
    entries
}
