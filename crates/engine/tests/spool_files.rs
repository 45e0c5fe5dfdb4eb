//! What happens to the files of events: which stay, which go, and that none is applied twice.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt as _;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::desk::{Desk, pair, told};

const LOCKS: &str = ".mainstay/locks";

/// Another process that is writing: it holds the format's lock.
pub(crate) fn hold(desk: &Desk) -> File {
    fs::create_dir_all(desk.at(LOCKS)).unwrap();
    let path = desk.at(LOCKS).join("probe.lock");
    let file = File::options().create(true).truncate(false).write(true).open(path).unwrap();
    file.try_lock().unwrap();
    file
}

/// Waits until the kernel lists a blocked request for a held lock.
fn until_someone_waits(held: &File) {
    let inode = format!(":{} ", held.metadata().unwrap().ino());
    let waits = |line: &str| line.contains("->") && line.contains(&inode);
    while !fs::read_to_string("/proc/locks").unwrap().lines().any(waits) {
        std::thread::yield_now();
    }
}

fn spooled(desk: &Desk) -> Vec<String> {
    desk.names(".mainstay/spool")
}

/// An event that waits.
fn spool(desk: &Desk, arguments: Value) {
    let held = hold(desk);
    assert_eq!(desk.at_once("note_event", arguments).unwrap().body["outcome"], "spooled");
    drop(held);
}

fn noted(desk: &Desk) -> Option<Value> {
    desk.item("events")
}

#[test]
fn an_event_that_is_refused_for_something_else_stays() {
    let desk = Desk::new();
    desk.done("put", pair("broken", "a place"));
    for place in ["broken", "nowhere"] {
        spool(&desk, json!({"name": "a", "place": place}));
        desk.done("put", pair("k", place));
        assert_eq!(spooled(&desk).len(), 1, "{place}");
        assert_eq!(noted(&desk), None);
        fs::remove_dir_all(desk.at(".mainstay/spool")).unwrap();
    }
    assert_eq!(desk.refused("note_event", json!({"name": "a", "place": "broken"})), "config_invalid");
    assert_eq!(spooled(&desk).len(), 1);
}

#[test]
fn an_old_event_whose_file_outlived_its_commit_is_not_applied_again() {
    let desk = Desk::new();
    spool(&desk, json!({"name": "a"}));
    let path = format!(".mainstay/spool/{}", spooled(&desk)[0]);
    let text = desk.text(&path);
    let desk = desk.with("MAINSTAY_NOW", "2026-03-01T00:00:00Z");
    for value in ["v", "w"] {
        desk.edit(&path, &text);
        // It keeps a receipt and drops old ones.
        desk.repeat(value, "put", pair("k", value)).unwrap();
        assert_eq!(noted(&desk), Some(1.into()));
    }
    assert!(spooled(&desk).is_empty());
}

#[test]
fn the_spool_is_read_under_the_lock() {
    let desk = Desk::new().with("MAINSTAY_LOCK_WAIT_MS", "60000");
    let held = hold(&desk);
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| desk.call("put", pair("a", "one")));
        until_someone_waits(&held);
        let event = json!({"tool": "note_event", "arguments": {"name": "a"}, "at": 1, "actor": "other"});
        desk.edit(".mainstay/spool/spool-1-x.json", event.to_string());
        drop(held);
        writer.join().unwrap().unwrap();
    });
    assert_eq!(desk.journal(), ["2 tester put", "1 other note_event"]);
    assert!(spooled(&desk).is_empty());
}

#[test]
fn an_event_keeps_its_callers_request_id() {
    let desk = Desk::new().with("MAINSTAY_LOCK_WAIT_MS", "0");
    let held = hold(&desk);
    for _ in 0..2 {
        let reply = desk.repeat("r1", "note_event", json!({"name": "a"})).unwrap();
        assert_eq!(told(&reply), ["event_spooled"]);
    }
    drop(held);
    desk.done("put", pair("k", "v"));
    assert_eq!(noted(&desk), Some(1.into()));
    assert_eq!(desk.history()[1]["call"], "note_event");
    let again = desk.repeat("r1", "note_event", json!({"name": "a"})).unwrap();
    assert_eq!((&again.body["number"], &again.body["replayed"]), (&json!(1), &json!(true)));
    let reused = desk.repeat("r1", "note_event", json!({"name": "b"})).unwrap_err();
    assert_eq!(reused.code, "request_id_reused");
    let fresh = desk.repeat("r2", "note_event", json!({"name": "b"})).unwrap();
    assert_eq!((&fresh.body["number"], fresh.body.get("replayed")), (&json!(2), None));
    assert_eq!(noted(&desk), Some(2.into()));
    assert!(spooled(&desk).is_empty());
}

#[test]
fn an_event_that_could_not_be_read_back_is_refused() {
    let desk = Desk::new();
    assert_eq!(desk.refused("note_event", json!({"name": "x".repeat(4 << 20)})), "too_large");
    let deep = (0..200).fold(json!("a"), |inner, _| json!([inner]));
    assert_eq!(desk.refused("note_event", json!({"name": deep})), "invalid_argument");
    assert!(spooled(&desk).is_empty());
    let nearly = (0..100).fold(json!("a"), |inner, _| json!([inner]));
    spool(&desk, json!({"name": nearly}));
    desk.done("put", pair("k", "v"));
    assert_eq!(noted(&desk), Some(1.into()));
}

#[test]
fn what_a_killed_writer_left_is_swept_after_a_minute() {
    let desk = Desk::new();
    for name in [".spool-1-x", ".spool-2-x", ".other"] {
        desk.edit(&format!(".mainstay/spool/{name}"), "{\"tool\":");
    }
    let doctor = desk.engine().doctor().unwrap();
    assert_eq!(doctor["findings"], json!([]), "nothing of this is pending");
    for name in [".spool-1-x", ".other"] {
        let file = File::options().write(true).open(desk.at(&format!(".mainstay/spool/{name}"))).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(61)).unwrap();
    }
    desk.done("put", pair("k", "v"));
    assert_eq!(spooled(&desk), [".other", ".spool-2-x"]);
}

#[test]
fn only_events_are_taken_from_the_spool() {
    let desk = Desk::new();
    let put = json!({"tool": "put", "arguments": {"key": "a", "value": "theirs"}, "at": 1, "actor": "other"});
    desk.edit(".mainstay/spool/spool-1-x.json", put.to_string());
    desk.done("put", pair("k", "v"));
    assert_eq!(desk.item("a"), None);
    assert_eq!(desk.journal(), ["1 tester put"]);
}

#[test]
fn one_requests_trouble_is_nobody_elses() {
    let desk = Desk::new().write("locked.lock", "1\n");
    desk.done("put", pair("locked", "a place"));
    let held = hold(&desk);
    for name in ["a", "b"] {
        assert_eq!(
            desk.at_once("note_event", json!({"name": name, "place": "locked"})).unwrap().body["outcome"],
            "spooled"
        );
    }
    assert_eq!(desk.at_once("note_event", json!({"name": "c"})).unwrap().body["outcome"], "spooled");
    drop(held);
    desk.done("put", pair("k", "v"));
    assert_eq!(desk.journal(), ["3 tester put", "2 tester note_event", "1 tester put"]);
    assert_eq!(spooled(&desk).len(), 2);
    desk.remove("locked.lock");
    desk.done("put", pair("k", "w"));
    assert_eq!(noted(&desk), Some(3.into()));
    assert!(spooled(&desk).is_empty());
    desk.is_in_order();
}
