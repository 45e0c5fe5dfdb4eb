//! Cases about openers: nothing, one store, the same store again.

use std::fs;
use std::thread;

use model::Revision;
use tempfile::TempDir;

use super::desk::{Desk, append, change, key, text_of};
use crate::Opener;

/// Opening nothing answers nothing and makes nothing.
pub fn there_is_nothing_at_first(opener: &dyn Opener) {
    let root = TempDir::new().unwrap();
    let folder = root.path().join("store");
    assert!(opener.open(&folder).unwrap().is_none());
    assert!(!folder.exists());
    fs::create_dir(&folder).unwrap();
    assert!(opener.open(&folder).unwrap().is_none());
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
}

/// Creating a store that is there opens it, with any number of creators at once.
pub fn create_is_idempotent(opener: &dyn Opener) {
    let desk = Desk::new(opener);
    desk.append(&[change(&key("k", "a"), None, Some("1"))]);
    let store = opener.create(desk.folder()).unwrap();
    assert_eq!(text_of(store.read().unwrap().as_ref(), &key("k", "a")).as_deref(), Some("1"));

    let root = TempDir::new().unwrap();
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let store = opener.create(root.path()).unwrap();
                assert_eq!(store.read().unwrap().head().unwrap(), Revision(0));
            });
        }
    });
}

/// What one store commits is seen by another one over the same folder, and by none elsewhere.
pub fn others_see_what_was_committed(opener: &dyn Opener) {
    let desk = Desk::new(opener);
    let other = desk.again();
    for (number, now) in [(1, Revision(1)), (2, Revision(2))] {
        let id = number.to_string();
        desk.append(&[change(&key("k", &id), None, Some(&id))]);
        assert_eq!(other.read().unwrap().head().unwrap(), now);
    }
    let mut txn = other.begin().unwrap();
    append(txn.as_mut(), &[change(&key("k", "1"), Some("1"), None)]);
    txn.commit().unwrap();
    assert_eq!(text_of(desk.read().as_ref(), &key("k", "1")), None);

    let elsewhere = TempDir::new().unwrap();
    let elsewhere = opener.create(elsewhere.path()).unwrap();
    assert_eq!(elsewhere.read().unwrap().head().unwrap(), Revision(0));
}

/// A store that stands where it was opened is current, whoever writes to it or stands elsewhere.
pub fn what_stands_at_its_place_is_current(opener: &dyn Opener) {
    let desk = Desk::new(opener);
    let other = desk.again();
    assert!(desk.store.is_current() && other.is_current());
    desk.append(&[change(&key("k", "1"), None, Some("1"))]);
    let elsewhere = TempDir::new().unwrap();
    let elsewhere = opener.create(elsewhere.path()).unwrap();
    assert!(desk.store.is_current() && other.is_current() && elsewhere.is_current());
    let reads = desk.read();
    assert!(desk.store.is_current());
    drop(reads);
}

/// A store that is written to grows, and no check finds fault with it.
pub fn size_grows_and_the_store_is_sound(opener: &dyn Opener) {
    let desk = Desk::new(opener);
    let total = || {
        let size = desk.store.size().unwrap();
        size.database_bytes + size.wal_bytes
    };
    assert_eq!(desk.store.check().unwrap(), [""; 0]);
    let at_first = total();
    let text = format!("\"{}\"", "x".repeat(100_000));
    desk.append(&[change(&key("k", "1"), None, Some(&text)), change(&key("k", "x"), None, Some("{}"))]);
    desk.append(&[change(&key("k", "1"), Some(&text), Some("1")), change(&key("k", "x"), Some("{}"), None)]);
    assert!(total() >= at_first + 100_000, "{} after {at_first}", total());
    assert_eq!(desk.store.check().unwrap(), [""; 0]);
}
