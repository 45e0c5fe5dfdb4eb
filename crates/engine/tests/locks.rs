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
        let refusal = desk.at_once("put", pair("a", "one")).unwrap_err();
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
    let desk = Desk::new();
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

/// Waits until the kernel lists a blocked request for the lock; answers whether one came.
fn someone_waits(path: &std::path::Path, writer: &std::thread::ScopedJoinHandle<'_, ()>) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let inode = format!(":{} ", path.metadata().unwrap().ino());
    let waits = |line: &str| line.contains("->") && line.contains(&inode);
    while !fs::read_to_string("/proc/locks").unwrap().lines().any(waits) {
        if writer.is_finished() {
            return false;
        }
        std::thread::yield_now();
    }
    true
}

#[test]
fn a_lock_whose_file_was_replaced_is_the_new_files() {
    let desk = Desk::new();
    let path = lock_file(&desk, "probe");
    let old = hold(&desk, "probe", "pid 1\n");
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| drop(desk.done("put", pair("a", "one"))));
        assert!(someone_waits(&path, &writer));
        // Another process found the file gone, made it again and holds it.
        fs::remove_file(&path).unwrap();
        let new = hold(&desk, "probe", "pid 2\n");
        drop(old);
        assert!(someone_waits(&path, &writer), "it went on with a lock that nobody else sees");
        drop(new);
    });
    assert_eq!(desk.item("a"), Some("one".into()));
}

#[test]
fn a_lock_file_that_is_removed_while_someone_waits_is_made_again() {
    let desk = Desk::new();
    let path = lock_file(&desk, "probe");
    let held = hold(&desk, "probe", "pid 1\n");
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| drop(desk.done("put", pair("a", "one"))));
        assert!(someone_waits(&path, &writer));
        fs::remove_file(&path).unwrap();
        drop(held);
    });
    assert_eq!(fs::read_to_string(&path).unwrap().trim(), format!("pid {}", std::process::id()));
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
