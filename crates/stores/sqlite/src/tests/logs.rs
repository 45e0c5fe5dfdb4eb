//! Logs that are damaged, torn, or hold what nobody committed.

use std::fs;
use std::path::Path;

use model::Revision;
use store::{Opener, Store, StoreError};
use tempfile::TempDir;

use super::{commit_count, meddle};
use crate::SqliteOpener;

/// How many commits the logs of these tests hold.
const COMMITS: u64 = 5;

const LOG: &str = "state.db-wal";

/// How many bytes a frame has with its page.
const FRAME: usize = 24 + 4096;

/// A database, and a log of so many commits beside it.
struct Files {
    database: Vec<u8>,
    log: Vec<u8>,
}

impl Files {
    fn of(folder: &Path) -> Self {
        let read = |name| fs::read(folder.join(name)).unwrap();
        Self { database: read("state.db"), log: read(LOG) }
    }

    fn filled() -> Self {
        let root = TempDir::new().unwrap();
        let store = SqliteOpener.create(root.path()).unwrap();
        meddle(root.path(), "PRAGMA wal_checkpoint(TRUNCATE)");
        for _ in 0..COMMITS {
            commit_count(store.as_ref()).unwrap();
        }
        drop(store);
        Self::of(root.path())
    }

    /// The same with another log.
    fn with(&self, log: Vec<u8>) -> TempDir {
        let root = TempDir::new().unwrap();
        fs::write(root.path().join("state.db"), &self.database).unwrap();
        fs::write(root.path().join(LOG), log).unwrap();
        root
    }

    /// The frames at which transactions end, counted from 1.
    fn ends(&self) -> Vec<usize> {
        let frames = self.log[32..].chunks(FRAME);
        frames.enumerate().filter(|(_, frame)| frame[4..8] != [0; 4]).map(|(place, _)| place + 1).collect()
    }
}

fn open(root: &TempDir) -> Box<dyn Store> {
    SqliteOpener.open(root.path()).unwrap().unwrap()
}

fn head(store: &dyn Store) -> u64 {
    store.read().unwrap().head().unwrap().0
}

/// Asserts that the store is written as ever.
#[track_caller]
fn check_sound(root: &TempDir) {
    let store = open(root);
    assert_eq!(store.damage(), None);
    let before = head(store.as_ref());
    assert_eq!(store.check().unwrap(), [""; 0]);
    assert_eq!(commit_count(store.as_ref()).unwrap(), Revision(before + 1));
}

/// Asserts that nothing is written, and that a copy gives back what the log held.
#[track_caller]
fn check_damaged(root: &TempDir, commits: u64, seen: u64) {
    let log = fs::read(root.path().join(LOG)).unwrap();
    let store = open(root);
    assert_eq!(store.damage().map(|damage| damage.commits), Some(commits));
    assert!(matches!(commit_count(store.as_ref()), Err(StoreError::Frozen(_))));
    assert!(matches!(store.compact(), Err(StoreError::Frozen(_))));
    assert_eq!(head(store.as_ref()), seen);
    assert!(store.check().unwrap()[0].contains("write-ahead log"));
    drop(store);
    assert_eq!(fs::read(root.path().join(LOG)).unwrap(), log, "the log is left alone");
    let copy = TempDir::new().unwrap();
    SqliteOpener.copy_files(root.path(), copy.path()).unwrap();
    let store = SqliteOpener.open_copy(copy.path()).unwrap().unwrap();
    assert_eq!((store.damage(), head(store.as_ref())), (None, COMMITS));
}

#[test]
fn a_wrong_bit_is_damage_where_another_transaction_follows() {
    let files = Files::filled();
    let ends = files.ends();
    assert_eq!(ends.len() as u64, COMMITS);
    for frame in 1..=*ends.last().unwrap() {
        let seen = ends.iter().filter(|end| **end < frame).count() as u64;
        for at in [0, 9, 17, 1000, FRAME - 1] {
            let mut log = files.log.clone();
            log[32 + (frame - 1) * FRAME + at] ^= 4;
            let root = files.with(log);
            if seen + 1 == COMMITS {
                check_sound(&root);
            } else if at == FRAME - 1 {
                check_damaged(&root, COMMITS - seen, seen);
            } else {
                let found = open(&root).damage().map(|damage| damage.commits);
                assert_eq!(found, Some(COMMITS - seen), "frame {frame}, byte {at}");
            }
        }
    }
}

#[test]
fn a_wrong_beginning_is_damage() {
    let files = Files::filled();
    for at in [0, 5, 13, 17, 21, 26] {
        let mut log = files.log.clone();
        log[at] ^= 2;
        check_damaged(&files.with(log), COMMITS, 0);
    }
    let root = files.with(b"garbage".repeat(1000));
    let store = open(&root);
    assert_eq!(store.damage().map(|damage| damage.commits), Some(0));
    assert!(matches!(commit_count(store.as_ref()), Err(StoreError::Frozen(_))));
}

#[test]
fn what_a_power_failure_leaves_is_no_damage() {
    let files = Files::filled();
    let ends = files.ends();
    let last = 32 + ends[ends.len() - 2] * FRAME;
    let whole = files.log.len();
    // Each part of the last transaction, missing or zeros.
    for from in (last..whole).step_by(1024) {
        check_sound(&files.with(files.log[..from].to_vec()));
        for to in [from + 1024, whole] {
            let mut log = files.log.clone();
            log[from..to.min(whole)].fill(0);
            check_sound(&files.with(log));
        }
    }
    for length in [0, 1, 16, 31, 32, 40] {
        check_sound(&files.with(files.log[..length].to_vec()));
    }
    // The beginning of a log that was begun anew, over frames that are in the database by then.
    for part in [0..16, 16..32, 0..32] {
        let mut log = files.log.clone();
        log[part].fill(0);
        check_sound(&files.with(log));
    }
    // Half of it: the salts are still those of the old frames, and the next log must not take them for its own.
    let mut log = files.log.clone();
    log[15] += 1;
    let root = files.with(log);
    for _ in 0..3 {
        check_sound(&root);
    }
}

#[test]
fn a_log_that_was_begun_anew_has_old_frames_behind_it() {
    let files = Files::filled();
    let root = files.with(files.log.clone());
    let keeps_log = open(&root);
    meddle(root.path(), "PRAGMA wal_checkpoint(RESTART)");
    drop(keeps_log);
    for _ in 0..3 {
        check_sound(&root);
    }
    assert!(fs::read(root.path().join(LOG)).unwrap().len() >= files.log.len());
}

#[test]
fn what_a_killed_writer_left_behind_a_shorter_commit_is_no_damage() {
    let files = Files::filled();
    let root = files.with(files.log.clone());
    // While a store is open, a commit that only the log knows of was never made.
    let store = open(&root);
    let other = files.with(files.log.clone());
    let elsewhere = open(&other);
    let mut txn = elsewhere.begin().unwrap();
    txn.put_blob("b", &vec![7; 40_000]).unwrap();
    txn.commit().unwrap();
    fs::copy(other.path().join(LOG), root.path().join(LOG)).unwrap();
    assert_eq!(open(&root).damage(), None);
    commit_count(store.as_ref()).unwrap();
    drop(store);
    assert_eq!(head(open(&root).as_ref()), COMMITS + 1);
    check_sound(&root);
}

#[test]
fn another_tools_journal_mode_is_set_back_by_the_first_write() {
    let root = TempDir::new().unwrap();
    commit_count(SqliteOpener.create(root.path()).unwrap().as_ref()).unwrap();
    let mode = || {
        let conn = rusqlite::Connection::open(root.path().join("state.db")).unwrap();
        conn.query_one("PRAGMA journal_mode", [], |row| row.get::<_, String>(0)).unwrap()
    };
    meddle(root.path(), "PRAGMA journal_mode = DELETE");
    let store = open(&root);
    assert_eq!((head(store.as_ref()), mode().as_str()), (1, "delete"), "a read changes nothing");
    commit_count(store.as_ref()).unwrap();
    assert_eq!(mode(), "wal");
}
