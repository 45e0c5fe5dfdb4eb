//! Locks between our own processes.

use std::fs::{self, File};
use std::process::{Command, Stdio};
use std::sync::mpsc;

use serde_json::json;

use crate::desk::{Desk, call, pair};

fn lock_file(desk: &Desk, name: &str) -> std::path::PathBuf {
    desk.at(&format!(".mainstay/locks/{name}.lock"))
}

fn hold(desk: &Desk, name: &str, text: &str) -> File {
    fs::create_dir_all(desk.at(".mainstay/locks")).unwrap();
    fs::write(lock_file(desk, name), text).unwrap();
    let file = File::open(lock_file(desk, name)).unwrap();
    file.try_lock().unwrap();
    file
}

#[test]
fn a_held_lock_refuses_and_names_its_holder() {
    for (name, text, holder) in [("probe", "pid 4711          \n", "pid 4711"), ("queue", "garbage", "unknown")] {
        let desk = Desk::new();
        let held = hold(&desk, name, text);
        let before = desk.besides_locks();
        let refusal = desk.call("put", pair("a", "one")).unwrap_err();
        assert_eq!((refusal.code.as_ref(), &refusal.details["holder"]), ("store_busy", &json!(holder)), "{name}");
        assert!(refusal.message.contains(holder));
        assert_eq!(refusal.class, model::RefusalClass::Unavailable);
        assert_eq!(desk.besides_locks(), before);
        drop(held);
        desk.done("put", pair("a", "one"));
    }
}

#[test]
fn a_read_waits_for_nobody() {
    let desk = Desk::new();
    desk.done("put", pair("a", "one"));
    let _held = (hold(&desk, "probe", ""), hold(&desk, "queue", ""));
    assert_eq!(desk.done("get", json!({})).body["items"], json!({"a": "one"}));
}

#[test]
fn the_lock_of_another_format_stops_nobody() {
    let desk = Desk::new();
    let _held = hold(&desk, "hseos", "");
    desk.done("put", pair("a", "one"));
}

#[test]
fn a_killed_holder_frees_its_lock() {
    let desk = Desk::new().with("MAINSTAY_LOCK_WAIT_MS", "60000");
    fs::create_dir_all(desk.at(".mainstay/locks")).unwrap();
    let path = lock_file(&desk, "probe");
    let shell = "exec 9>>\"$1\"; flock 9; echo held; exec sleep 1000";
    let mut holder = Command::new("sh").args(["-c", shell, "sh"]).arg(&path).stdout(Stdio::piped()).spawn().unwrap();
    let mut said = [0; 4];
    std::io::Read::read_exact(holder.stdout.as_mut().unwrap(), &mut said).unwrap();
    assert!(File::open(&path).unwrap().try_lock().is_err(), "the other process holds it");
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(|| sender.send(desk.call("put", pair("a", "one"))).unwrap());
        assert!(receiver.try_recv().is_err(), "it waits");
        holder.kill().unwrap();
        holder.wait().unwrap();
        receiver.recv().unwrap().unwrap();
    });
    assert_eq!(desk.item("a"), Some("one".into()));
}

/// A writer waits for a lock whose file is replaced or removed meanwhile.
fn waiting(meanwhile: impl FnOnce(&Desk)) {
    let desk = Desk::new().with("MAINSTAY_LOCK_WAIT_MS", "60000");
    let held = hold(&desk, "probe", "pid 1\n");
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| desk.call("put", pair("a", "one")));
        until_someone_waits(&lock_file(&desk, "probe"));
        meanwhile(&desk);
        drop(held);
        writer.join().unwrap().unwrap();
    });
    // It holds no lock on a file that nobody finds: the next writer comes through.
    desk.done("put", pair("a", "two"));
    assert!(lock_file(&desk, "probe").is_file());
}

/// Waits until the kernel lists a blocked request for the lock.
fn until_someone_waits(path: &std::path::Path) {
    use std::os::unix::fs::MetadataExt as _;
    let inode = format!(":{} ", path.metadata().unwrap().ino());
    let waits = |line: &str| line.contains("->") && line.contains(&inode);
    while !fs::read_to_string("/proc/locks").unwrap().lines().any(waits) {
        std::thread::yield_now();
    }
}

#[test]
fn a_lock_file_that_is_removed_while_someone_waits_is_made_again() {
    waiting(|desk| fs::remove_file(lock_file(desk, "probe")).unwrap());
}

#[test]
fn a_lock_file_that_is_replaced_while_someone_waits_is_the_one_that_counts() {
    waiting(|desk| {
        fs::remove_file(lock_file(desk, "probe")).unwrap();
        fs::write(lock_file(desk, "probe"), "").unwrap();
    });
}

#[test]
fn lock_files_are_never_removed() {
    let desk = Desk::new();
    let engine = desk.engine();
    call(&engine, "put", pair("a", "one")).unwrap();
    let before = desk.snapshot();
    call(&engine, "put", pair("a", "two")).unwrap();
    assert_eq!(desk.names(".mainstay/locks"), ["probe.lock", "queue.lock"]);
    let inode = |name: &str| {
        use std::os::unix::fs::MetadataExt as _;
        lock_file(&desk, name).metadata().unwrap().ino()
    };
    for name in ["probe", "queue"] {
        assert!(format!("{:?}", before[&format!(".mainstay/locks/{name}.lock")]).contains(&inode(name).to_string()));
    }
}
