//! Copies of the whole database.

use std::fs;

use model::Revision;
use store::{Opener, Store, StoreError};
use tempfile::TempDir;

use super::commit_count;
use crate::SqliteOpener;

#[test]
fn a_copy_is_one_whole_file_as_of_one_moment() {
    let root = TempDir::new().unwrap();
    let store = SqliteOpener.create(&root.path().join("store")).unwrap();
    commit_count(store.as_ref()).unwrap();
    let before = store.read().unwrap();
    let file = root.path().join("copy/state.db");
    fs::create_dir(file.parent().unwrap()).unwrap();
    fs::write(&file, []).unwrap();
    assert_eq!(store.backup(&file).unwrap(), Revision(1));
    commit_count(store.as_ref()).unwrap();
    drop(before);
    let names: Vec<_> = fs::read_dir(file.parent().unwrap()).unwrap().map(|name| name.unwrap().file_name()).collect();
    assert_eq!(names, ["state.db"], "nothing lies beside it");
    let copy = SqliteOpener.open(file.parent().unwrap()).unwrap().unwrap();
    assert_eq!(copy.read().unwrap().head().unwrap(), Revision(1));
    assert_eq!(copy.check().unwrap(), Vec::<String>::new());
}

#[test]
fn a_copy_that_cannot_be_written_is_told() {
    let root = TempDir::new().unwrap();
    let store = SqliteOpener.create(&root.path().join("store")).unwrap();
    commit_count(store.as_ref()).unwrap();
    let result = store.backup(&root.path().join("nowhere/copy.db"));
    assert!(matches!(result, Err(StoreError::Io(_))), "{result:?}");
}

#[test]
fn compacting_gives_room_back_and_keeps_everything() {
    let root = TempDir::new().unwrap();
    let store = SqliteOpener.create(root.path()).unwrap();
    for _ in 0..20 {
        commit_count(store.as_ref()).unwrap();
    }
    let size = |store: &dyn Store| {
        let size = store.size().unwrap();
        size.database_bytes + size.wal_bytes
    };
    let before = size(store.as_ref());
    store.compact().unwrap();
    assert!(size(store.as_ref()) < before, "{} after {before}", size(store.as_ref()));
    assert_eq!(store.read().unwrap().head().unwrap(), Revision(20));
    assert_eq!(store.check().unwrap(), Vec::<String>::new());
}
