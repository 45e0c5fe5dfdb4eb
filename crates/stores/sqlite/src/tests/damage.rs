//! Files that are not ours, not whole, not of our time, or hostile.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use model::{RecordKey, Revision, Space};
use store::{Opener, StoreError};
use tempfile::TempDir;

use super::{commit_count, meddle};
use crate::SqliteOpener;

/// Asserts that neither opening nor creating takes the file, and that its bytes stay.
#[track_caller]
fn check_refused(folder: &Path) {
    let before = fs::read(folder.join("state.db")).ok();
    for result in [SqliteOpener.open(folder).map(drop), SqliteOpener.create(folder).map(drop)] {
        assert!(matches!(result, Err(StoreError::Corrupt(_))), "{result:?}");
    }
    assert_eq!(fs::read(folder.join("state.db")).ok(), before);
}

/// A store with some entries, all of them in the database file.
fn filled() -> TempDir {
    let root = TempDir::new().unwrap();
    let store = SqliteOpener.create(root.path()).unwrap();
    for _ in 0..30 {
        commit_count(store.as_ref()).unwrap();
    }
    drop(store);
    meddle(root.path(), "PRAGMA wal_checkpoint(TRUNCATE)");
    root
}

#[test]
fn bytes_that_are_no_database_are_refused() {
    for bytes in ["x".as_bytes(), b"hello world\n", &[0; 4096], &[0xff; 10_000], b"SQLite format 3\0"] {
        let root = TempDir::new().unwrap();
        fs::write(root.path().join("state.db"), bytes).unwrap();
        check_refused(root.path());
    }
}

#[test]
fn what_is_no_plain_file_is_refused() {
    let root = TempDir::new().unwrap();
    let path = root.path().join("state.db");
    fs::create_dir(&path).unwrap();
    check_refused(root.path());
    fs::remove_dir(&path).unwrap();
    for target in ["elsewhere.db", "/dev/null"] {
        symlink(target, &path).unwrap();
        check_refused(root.path());
        fs::remove_file(&path).unwrap();
    }
    assert!(!root.path().join("elsewhere.db").exists());
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    let result = SqliteOpener.create(root.path()).map(drop);
    assert!(matches!(result, Err(StoreError::Corrupt(_))), "{result:?}");
}

#[test]
fn the_database_of_another_program_is_refused() {
    let root = TempDir::new().unwrap();
    meddle(root.path(), "CREATE TABLE record (a); INSERT INTO record VALUES (1)");
    check_refused(root.path());
    let root = TempDir::new().unwrap();
    meddle(root.path(), "PRAGMA application_id = 7; PRAGMA user_version = 1");
    check_refused(root.path());
}

#[test]
fn a_newer_schema_is_left_alone() {
    let root = filled();
    let open = SqliteOpener.open(root.path()).unwrap().unwrap();
    meddle(root.path(), "PRAGMA user_version = 4");
    let results = [
        SqliteOpener.open(root.path()).map(drop),
        SqliteOpener.create(root.path()).map(drop),
        open.read().map(drop),
        open.begin().map(drop),
    ];
    for result in results {
        assert!(matches!(result, Err(StoreError::TooNew { found: 4, known: 3 })), "{result:?}");
    }
}

#[test]
fn an_emptied_database_does_not_take_its_log_along() {
    let root = TempDir::new().unwrap();
    commit_count(SqliteOpener.create(root.path()).unwrap().as_ref()).unwrap();
    let log = fs::read(root.path().join("state.db-wal")).unwrap();
    File::create(root.path().join("state.db")).unwrap();
    check_refused(root.path());
    assert_eq!(fs::read(root.path().join("state.db-wal")).unwrap(), log);
    fs::remove_file(root.path().join("state.db")).unwrap();
    check_refused(root.path());
    assert_eq!(fs::read(root.path().join("state.db-wal")).unwrap(), log);
}

#[test]
fn a_creation_that_was_cut_short_is_finished() {
    for statements in ["", "PRAGMA journal_mode = WAL"] {
        let root = TempDir::new().unwrap();
        File::create(root.path().join("state.db")).unwrap();
        meddle(root.path(), statements);
        assert!(SqliteOpener.open(root.path()).unwrap().is_none());
        let store = SqliteOpener.create(root.path()).unwrap();
        assert_eq!(commit_count(store.as_ref()).unwrap(), Revision(1));
        assert_eq!(store.check().unwrap(), [""; 0]);
    }
}

#[test]
fn triggers_and_views_of_others_do_not_run() {
    let root = filled();
    meddle(
        root.path(),
        "CREATE TRIGGER evil AFTER INSERT ON entry BEGIN INSERT INTO record VALUES ('s', 'k', 'evil', '1', 1); END;
         DROP TABLE book;
         CREATE VIEW book AS SELECT 'table' AS shelf, '[\"s\",\"p\"]' AS name, '[\"n\",1,1,1]' AS value;",
    );
    let store = SqliteOpener.open(root.path()).unwrap().unwrap();
    commit_count(store.as_ref()).unwrap();
    let view = store.read().unwrap();
    assert_eq!(view.record(&RecordKey::new(Space::known("s"), "k", "evil")).unwrap(), None);
    let table = view.tables(&Space::known("s"));
    assert!(matches!(table, Err(StoreError::Corrupt(_))), "{table:?}");
}

#[test]
fn the_check_finds_what_does_not_fit() {
    for (statement, problem) in [
        ("UPDATE record SET value = '31'", "does not fit"),
        ("DELETE FROM record", "does not fit"),
        ("DELETE FROM entry WHERE revision = 7", "revision 7 is missing"),
        ("DELETE FROM change WHERE revision = 1", "where its first value came from"),
        ("UPDATE change SET splice = x'09' WHERE revision = 3", "cannot be read"),
        ("UPDATE record SET value = 'x'", "not JSON"),
        ("INSERT INTO record VALUES ('s', 'k', 'new', '1', 1)", "no entry"),
        ("UPDATE entry SET cause = 'x' WHERE revision = 2", "cause"),
    ] {
        let root = filled();
        let store = SqliteOpener.open(root.path()).unwrap().unwrap();
        assert_eq!(store.check().unwrap(), [""; 0]);
        meddle(root.path(), statement);
        let problems = store.check().unwrap().join("\n");
        assert!(problems.contains(problem), "{statement}: {problems}");
    }
}

/// Uses a damaged store in every way; whatever it answers, it must not panic.
fn use_all(folder: &Path) {
    let Ok(Some(store)) = SqliteOpener.open(folder) else {
        return;
    };
    let _ = store.check();
    let _ = commit_count(store.as_ref());
    let _ = store.size();
}

#[test]
fn cut_and_flipped_files_are_survived() {
    let root = filled();
    let path = root.path().join("state.db");
    let whole = fs::read(&path).unwrap();
    let damaged = (0..whole.len()).step_by(whole.len() / 60).flat_map(|at| {
        let mut flipped = whole.clone();
        flipped[at] ^= 0x55;
        [whole[..at].to_vec(), flipped]
    });
    for bytes in damaged {
        let folder = TempDir::new().unwrap();
        fs::write(folder.path().join("state.db"), &bytes).unwrap();
        use_all(folder.path());
    }
}
