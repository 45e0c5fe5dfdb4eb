//! What stands on disk: modes, logs, sync, folders that cannot be written.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use model::Revision;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use store::{Opener, Store, StoreError};
use tempfile::TempDir;

use super::{commit_count, count, meddle};
use crate::connection::{connect, immutable, open};
use crate::schema::standing_now;
use crate::{SqliteOpener, file};

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn only_the_owner_reads_it() {
    let root = TempDir::new().unwrap();
    let folder = root.path().join("deep/store");
    let store = SqliteOpener.create(&folder).unwrap();
    commit_count(store.as_ref()).unwrap();
    for name in ["state.db", "state.db-wal", "state.db-shm"] {
        assert_eq!(mode(&folder.join(name)), 0o600, "{name}");
    }
}

#[test]
fn a_file_in_another_mode_is_written_with_a_log_again() {
    let root = TempDir::new().unwrap();
    commit_count(SqliteOpener.create(root.path()).unwrap().as_ref()).unwrap();
    meddle(root.path(), "PRAGMA journal_mode = DELETE");
    let store = SqliteOpener.open(root.path()).unwrap().unwrap();
    assert_eq!(commit_count(store.as_ref()).unwrap(), Revision(2));
    assert_eq!(store.check().unwrap(), Vec::<String>::new());
    assert!(file::length(&root.path().join("state.db-wal")).unwrap() > 0);
}

#[test]
fn a_log_without_its_database_is_no_empty_project() {
    let root = TempDir::new().unwrap();
    commit_count(SqliteOpener.create(root.path()).unwrap().as_ref()).unwrap();
    fs::remove_file(root.path().join(file::NAME)).unwrap();
    for opened in [SqliteOpener.open(root.path()).map(drop), SqliteOpener.create(root.path()).map(drop)] {
        assert!(matches!(opened, Err(StoreError::Corrupt(_))), "{opened:?}");
    }
    fs::remove_file(root.path().join("state.db-wal")).unwrap();
    assert!(SqliteOpener.open(root.path()).unwrap().is_none());
}

#[test]
fn every_connection_syncs_and_runs_nothing_foreign() {
    let root = TempDir::new().unwrap();
    SqliteOpener.create(root.path()).unwrap();
    for _ in 0..2 {
        let conn = connect(&root.path().join(file::NAME)).unwrap();
        let number = |sql| conn.query_one(sql, [], |row| row.get::<_, i64>(0)).unwrap();
        assert_eq!(number("PRAGMA synchronous"), 2);
        let mode: String = conn.query_one("PRAGMA journal_mode", [], |row| row.get(0)).unwrap();
        assert_eq!(mode, "wal");
        for (switch, on) in [
            (DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true),
            (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
            (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
            (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
            (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
        ] {
            assert_eq!(conn.db_config(switch).unwrap(), on, "{switch:?}");
        }
    }
}

#[test]
fn marks_that_change_meanwhile_are_read_as_one() {
    let root = TempDir::new().unwrap();
    let path = root.path().join(file::NAME);
    meddle(root.path(), "PRAGMA journal_mode = WAL");
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let conn = Connection::open(&path).unwrap();
            conn.execute_batch("PRAGMA synchronous = OFF").unwrap();
            while !done.load(Ordering::SeqCst) {
                conn.execute_batch("BEGIN; PRAGMA application_id = 1299412089; PRAGMA user_version = 3; COMMIT")
                    .unwrap();
                conn.execute_batch("BEGIN; PRAGMA application_id = 0; PRAGMA user_version = 0; COMMIT").unwrap();
            }
        });
        let conn = connect(&path).unwrap();
        let torn = (0..30_000).find_map(|_| standing_now(&conn).err());
        done.store(true, Ordering::SeqCst);
        assert!(torn.is_none(), "{torn:?}");
    });
}

#[test]
fn closing_leaves_the_log_alone() {
    let root = TempDir::new().unwrap();
    let store = SqliteOpener.create(root.path()).unwrap();
    commit_count(store.as_ref()).unwrap();
    let before = store.size().unwrap();
    assert!(before.wal_bytes > 0);
    drop(store);
    let store = SqliteOpener.open(root.path()).unwrap().unwrap();
    assert_eq!(store.size().unwrap(), before);
    assert_eq!(store.read().unwrap().head().unwrap(), Revision(1));
}

#[test]
fn a_long_log_is_moved_into_the_database() {
    let root = TempDir::new().unwrap();
    let store = SqliteOpener.create(root.path()).unwrap();
    let mut txn = store.begin().unwrap();
    txn.put_blob("b", &vec![7; 8 << 20]).unwrap();
    txn.commit().unwrap();
    assert!(store.size().unwrap().database_bytes > 8 << 20);
}

#[test]
fn a_folder_that_cannot_be_written_is_read() {
    let root = TempDir::new().unwrap();
    let store = SqliteOpener.create(root.path()).unwrap();
    commit_count(store.as_ref()).unwrap();
    drop(store);
    // With a log, and then without one as a copy or a finished checkpoint leaves it.
    for _ in 0..2 {
        fs::set_permissions(root.path(), Permissions::from_mode(0o500)).unwrap();
        let store = SqliteOpener.open(root.path()).unwrap().unwrap();
        assert_eq!(store.read().unwrap().head().unwrap(), Revision(1));
        drop(store);
        fs::set_permissions(root.path(), Permissions::from_mode(0o700)).unwrap();
        meddle(root.path(), "PRAGMA wal_checkpoint(TRUNCATE)");
        for name in ["state.db-wal", "state.db-shm"] {
            drop(fs::remove_file(root.path().join(name)));
        }
    }
}

#[test]
fn an_immutable_file_is_read_and_not_written() {
    let root = TempDir::new().unwrap();
    let folder = root.path().join("a %41?#ä");
    let path = folder.join(file::NAME);
    commit_count(SqliteOpener.create(&folder).unwrap().as_ref()).unwrap();
    meddle(&folder, "PRAGMA wal_checkpoint(TRUNCATE)");
    drop(fs::remove_file(folder.join("state.db-shm")));
    let read_only = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    let opened = || {
        let conn = open(&immutable(&path), read_only).unwrap();
        crate::SqliteStore::new(path.clone(), file::identity(&path), conn, None)
    };
    assert_eq!(opened().read().unwrap().head().unwrap(), Revision(1));
    let store = opened();
    let refused = store.begin().and_then(|mut txn| count(txn.as_mut()));
    assert!(matches!(refused, Err(StoreError::Io(_))), "{refused:?}");
    assert!(!folder.join("state.db-shm").exists());
    // The next one is for writing, where that is possible by then.
    assert_eq!(commit_count(&store).unwrap(), Revision(2));
}

#[test]
fn a_store_whose_file_is_gone_or_another_one_is_not_current() {
    let root = TempDir::new().unwrap();
    let folder = root.path().join("store");
    let store = SqliteOpener.create(&folder).unwrap();
    commit_count(store.as_ref()).unwrap();
    fs::remove_dir_all(&folder).unwrap();
    assert!(!store.is_current());
    let next = SqliteOpener.create(&folder).unwrap();
    assert!(!store.is_current() && next.is_current());
    assert_eq!(next.read().unwrap().head().unwrap(), Revision(0));
    fs::rename(&folder, root.path().join("aside")).unwrap();
    assert!(!next.is_current());
    fs::rename(root.path().join("aside"), &folder).unwrap();
    assert!(next.is_current() && !store.is_current());
}
