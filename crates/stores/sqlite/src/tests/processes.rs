//! Many processes at one store: each is this test program again, at [`child`].

use std::env;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use model::Revision;
use store::{Opener, StoreError};
use tempfile::TempDir;

use super::commit_count;
use crate::SqliteOpener;

const FOLDER: &str = "MAINSTAY_TEST_FOLDER";

/// What each process does: create the store, and count once.
#[test]
fn child() {
    let Some(folder) = env::var_os(FOLDER) else { return };
    let store = SqliteOpener.create(Path::new(&folder)).unwrap();
    while let Err(error) = commit_count(store.as_ref()) {
        assert!(matches!(error, StoreError::Busy), "{error}");
    }
}

fn spawn(folder: &Path) -> Child {
    Command::new(env::current_exe().unwrap())
        .args(["--exact", "--nocapture", "tests::processes::child"])
        .env(FOLDER, folder)
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn forty_processes_create_one_store() {
    let root = TempDir::new().unwrap();
    let children: Vec<_> = (0..40).map(|_| spawn(root.path())).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let store = SqliteOpener.open(root.path()).unwrap().unwrap();
    assert_eq!(store.read().unwrap().head().unwrap(), Revision(40));
    assert_eq!(store.check().unwrap(), [""; 0]);
}

#[test]
fn a_process_killed_at_any_moment_leaves_a_sound_store() {
    for step in 0..40 {
        let root = TempDir::new().unwrap();
        let mut child = spawn(root.path());
        // The moments are spread over what a child does; none of them has to be met.
        thread::sleep(Duration::from_micros(400 * step));
        child.kill().unwrap();
        let finished = child.wait().unwrap().success();
        let store = SqliteOpener.create(root.path()).unwrap();
        assert_eq!(store.check().unwrap(), [""; 0]);
        let head = store.read().unwrap().head().unwrap();
        assert!(head == Revision(1) || !finished && head == Revision(0), "{head} after {step} steps");
    }
}
