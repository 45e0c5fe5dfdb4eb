//! Cases about entries from elsewhere, folded entries, checkpoints, and files that are set aside.

use std::fs;

use model::{EntryCause, FolderMove, ProjectPath, Revision, Space, Timestamp};
use tempfile::TempDir;

use super::desk::{Desk, change, key, page, text_of};
use crate::{Checkpoint, NewEntry, Opener, Receipt, Splice, Store, StoreError, StoredChange, StoredEntry, Txn};

/// Three entries about two records.
fn three(desk: &Desk<'_>) -> Vec<StoredEntry> {
    let (a, b) = (key("k", "a"), key("k", "7"));
    desk.append(&[change(&a, None, Some("1")), change(&b, None, Some("[1]"))]);
    desk.append(&[change(&a, Some("1"), Some("2"))]);
    desk.append(&[change(&b, Some("[1]"), None)]);
    let reads = desk.read();
    reads.entries_after(Revision(0), usize::MAX).unwrap()
}

/// Entries are read forwards too, behind a revision and so many of them.
pub fn entries_are_read_forwards(opener: &dyn Opener) {
    let desk = Desk::new(opener);
    assert_eq!(desk.read().entries_after(Revision(0), 5).unwrap(), []);
    let all = three(&desk);
    let mut backwards = page(desk.read().as_ref(), None, 0);
    backwards.reverse();
    assert_eq!(all, backwards);
    let revisions = |after, limit| -> Vec<u64> {
        let entries = desk.read().entries_after(Revision(after), limit).unwrap();
        entries.into_iter().map(|entry| entry.revision.0).collect()
    };
    assert_eq!(revisions(1, 9), [2, 3]);
    assert_eq!(revisions(0, 2), [1, 2]);
    assert_eq!(revisions(0, 0), [0; 0]);
    assert_eq!(revisions(u64::MAX, 9), [0; 0]);
}

/// What one store kept another one takes over, just as it was.
pub fn entries_are_replayed(opener: &dyn Opener) {
    let (desk, other) = (Desk::new(opener), Desk::new(opener));
    let all = three(&desk);
    other.commit(|txn| all.iter().for_each(|entry| txn.replay(entry).unwrap()));
    assert_eq!(page(other.read().as_ref(), None, 0), page(desk.read().as_ref(), None, 0));
    for key in [key("k", "a"), key("k", "7")] {
        let [there, here] = [&other, &desk].map(|desk| desk.read().record(&key).unwrap());
        assert_eq!(there, here, "{key}");
    }
    assert_eq!(other.store.check().unwrap(), [""; 0]);
    // Its moves have happened where it comes from.
    let step = FolderMove { from: ProjectPath::known("a"), to: ProjectPath::known("b") };
    let far = StoredEntry { revision: Revision(9), changes: Vec::new(), moves: vec![step], ..all[0].clone() };
    other.commit(|txn| txn.replay(&far).unwrap());
    assert!(other.read().pending_moves().unwrap().is_empty());
    assert_eq!(other.read().head().unwrap(), Revision(9));
}

/// An entry that is not newer, or whose changes do not fit, changes nothing.
pub fn what_does_not_fit_is_not_replayed(opener: &dyn Opener) {
    let desk = Desk::new(opener);
    let all = three(&desk);
    let splice = |splice| StoredChange { key: key("k", "a"), splice };
    let wrong = [
        all[2].clone(),
        StoredEntry { revision: Revision(4), ..all[0].clone() },
        StoredEntry {
            revision: Revision(4),
            changes: vec![splice(Splice::between(Some("2"), Some("not JSON")))],
            ..all[0].clone()
        },
        StoredEntry {
            revision: Revision(4),
            changes: vec![splice(Splice::between(Some("2"), Some("{ }")))],
            ..all[0].clone()
        },
    ];
    desk.commit(|txn| {
        for entry in &wrong {
            let result = txn.replay(entry);
            assert!(matches!(result, Err(StoreError::Conflict(_) | StoreError::Corrupt(_))), "{result:?}");
        }
    });
    assert_eq!(page(desk.read().as_ref(), None, 0).len(), 3);
    assert_eq!(text_of(desk.read().as_ref(), &key("k", "a")).as_deref(), Some("2"));
}

fn baseline(revision: u64, changes: Vec<StoredChange>) -> StoredEntry {
    StoredEntry {
        revision: Revision(revision),
        at: Timestamp::from_millis(5),
        actor: "gc".into(),
        session: None,
        request_id: None,
        space: Space::known("desk"),
        call: "gc".into(),
        cause: EntryCause::Baseline,
        changes,
        moves: Vec::new(),
        takes_back: Vec::new(),
    }
}

/// Folded entries are gone, the records are as they were, and all tells one story.
pub fn entries_are_folded(opener: &dyn Opener) {
    let desk = Desk::new(opener);
    three(&desk);
    let created =
        |id: &str, text: &str| StoredChange { key: key("k", id), splice: Splice::Created { after: text.into() } };
    let one = baseline(2, vec![created("a", "2"), created("7", "[1]")]);
    desk.commit(|txn| txn.fold(Revision(0), &one).unwrap());
    let entries = page(desk.read().as_ref(), None, 0);
    assert_eq!(entries.iter().map(|entry| entry.revision.0).collect::<Vec<_>>(), [3, 2]);
    assert_eq!(entries[1], one);
    let record = desk.read().record(&key("k", "a")).unwrap().unwrap();
    assert_eq!((record.value.to_string().as_str(), record.revision), ("2", Revision(2)));
    assert_eq!(desk.store.check().unwrap(), [""; 0]);
    // A later stretch is folded apart.
    desk.append(&[change(&key("k", "a"), Some("2"), Some("3"))]);
    desk.append(&[change(&key("k", "a"), Some("3"), Some("4"))]);
    let splice = Splice::between(Some("2"), Some("4"));
    let deleted = StoredChange { key: key("k", "7"), splice: Splice::Deleted { before: "[1]".into() } };
    let two = baseline(5, vec![StoredChange { key: key("k", "a"), splice }, deleted]);
    desk.commit(|txn| txn.fold(Revision(2), &two).unwrap());
    assert_eq!(page(desk.read().as_ref(), None, 0), [two, one]);
    assert_eq!(desk.store.check().unwrap(), [""; 0]);
    desk.store.compact().unwrap();
    assert_eq!(text_of(desk.again().read().unwrap().as_ref(), &key("k", "a")).as_deref(), Some("4"));
    assert_eq!(desk.append(&[]), Revision(6));
}

/// Checkpoints are listed by revision, then as they were made; one is replaced and forgotten by id.
pub fn checkpoints(opener: &dyn Opener) {
    let desk = Desk::new(opener);
    assert_eq!(desk.read().checkpoints().unwrap(), []);
    let make = |id: &str, revision: u64| Checkpoint {
        id: id.into(),
        revision: Revision(revision),
        label: (revision > 3).then(|| format!("at {revision}")),
        space: (revision > 4).then(|| Space::known("upgrade/x")),
        at: Timestamp::from_millis(1_234),
        actor: "somebody".into(),
    };
    let all = [make("c1", 7), make("c2", 3), make("c10", 4), make("c9", 4)];
    desk.commit(|txn| all.iter().for_each(|one| txn.put_checkpoint(one).unwrap()));
    let [c1, c2, c10, c9] = all;
    assert_eq!(desk.read().checkpoints().unwrap(), [c2.clone(), c9.clone(), c10, c1]);
    let moved = Checkpoint { revision: Revision(8), ..c2 };
    desk.commit(|txn| {
        txn.put_checkpoint(&moved).unwrap();
        for id in ["c10", "c1", "none"] {
            txn.delete_checkpoint(id).unwrap();
        }
    });
    assert_eq!(desk.read().checkpoints().unwrap(), [c9, moved]);
}

/// The oldest entry of a receipt without a reply is known.
pub fn oldest_computed_reply(opener: &dyn Opener) {
    let desk = Desk::new(opener);
    let receipt = |id: &str, revision: u64, has_reply: bool| Receipt {
        tool: "t".into(),
        request_id: id.into(),
        digest: "d".into(),
        at: Timestamp::from_millis(1),
        revision: Revision(revision),
        reply: has_reply.then(model::Object::new),
    };
    desk.commit(|txn| txn.put_receipt(&receipt("a", 2, true)).unwrap());
    assert_eq!(desk.read().oldest_computed().unwrap(), None);
    desk.commit(|txn: &mut dyn Txn| {
        txn.put_receipt(&receipt("b", 9, false)).unwrap();
        txn.put_receipt(&receipt("c", 5, false)).unwrap();
    });
    assert_eq!(desk.read().oldest_computed().unwrap(), Some(Revision(5)));
}

/// A store's files are copied, and another store takes its place.
pub fn a_store_takes_the_place_of_another(opener: &dyn Opener) {
    let desk = Desk::new(opener);
    three(&desk);
    let root = TempDir::new().unwrap();
    let folder = |name: &str| {
        let folder = root.path().join(name);
        fs::create_dir(&folder).unwrap();
        folder
    };
    let (copy, new) = (folder("copy"), folder("new"));
    opener.copy_files(desk.folder(), &copy).unwrap();
    let fresh = opener.create(&new).unwrap();
    let append = |store: &dyn Store| {
        let entry = NewEntry { changes: &[], ..super::desk::entry(&[]) };
        let mut txn = store.begin().unwrap();
        let revision = txn.append(&entry).unwrap();
        txn.commit().unwrap();
        revision
    };
    assert_eq!(append(fresh.as_ref()), Revision(1));
    drop(fresh);
    // One that reads the old one goes on reading it.
    let reads = desk.read();
    opener.replace(desk.folder(), &new).unwrap();
    assert_eq!(reads.head().unwrap(), Revision(3));
    drop(reads);
    assert!(!desk.store.is_current());
    assert!(opener.open(&new).unwrap().is_none());
    let head = |folder: &std::path::Path| opener.open(folder).unwrap().unwrap().read().unwrap().head().unwrap();
    assert_eq!(head(&copy), Revision(3));
    assert_eq!(head(desk.folder()), Revision(1));
    assert_eq!(append(opener.open(desk.folder()).unwrap().unwrap().as_ref()), Revision(2));
    // Where there is none at all, it just gets the place.
    let nowhere = folder("nowhere");
    opener.replace(&nowhere, &copy).unwrap();
    assert_eq!(head(&nowhere), Revision(3));
}
