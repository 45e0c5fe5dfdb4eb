//! Locks that tools of others honour: who holds them, when they are stale, whose they are.

use std::fs::{self, File};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use serde_json::json;

use crate::desk::{Desk, NOW, pair};
use crate::probe::{ITEMS, meanwhile};

const OWNER: &str = ".locks/state.lock/owner";
const PID_FILE: &str = "probe.lock";

fn folder_lock() -> Desk {
    let desk = Desk::configured("lock = \"folder\"");
    desk.done("put", pair("a", "one"));
    desk
}

fn pid_lock() -> Desk {
    let desk = Desk::configured("lock = \"pid\"");
    desk.done("put", pair("a", "one"));
    desk
}

/// Someone else's lock, so old by the clock of the requests.
fn held(desk: &Desk, owner: &str, age_ms: i64) {
    desk.edit(OWNER, owner);
    let now = model::Timestamp::parse_rfc3339(NOW).unwrap().as_millis();
    let then = SystemTime::UNIX_EPOCH + Duration::from_millis((now - age_ms).cast_unsigned());
    File::options().write(true).open(desk.at(OWNER)).unwrap().set_modified(then).unwrap();
}

/// A process id that no process has: it is above what any kernel gives.
fn dead() -> u32 {
    1_999_999_999
}

/// What stands in a file while a request holds its locks.
fn while_held(desk: &Desk, path: &str) -> String {
    let found = Arc::new(Mutex::new(String::new()));
    let (seen, path) = (Arc::clone(&found), desk.at(path));
    meanwhile(&desk.root(), move || *seen.lock().unwrap() = fs::read_to_string(path).unwrap());
    desk.done("meddle", pair("m", "x"));
    found.lock().unwrap().clone()
}

/// The owner text of a process of our kind.
fn ours(desk: &Desk, pid: u32) -> String {
    let text = while_held(desk, OWNER);
    format!("{pid}\n{}\n", text.lines().nth(1).unwrap())
}

fn check_refused(desk: &Desk, holder: &str) {
    let before = desk.besides_locks();
    let refusal = desk.call("put", pair("a", "two")).unwrap_err();
    assert_eq!((refusal.code.as_ref(), &refusal.details["holder"]), ("lock_timeout", &json!(holder)));
    assert!(refusal.message.contains(holder), "{}", refusal.message);
    assert_eq!(desk.besides_locks(), before, "nothing is written, nobody's lock is touched");
}

#[test]
fn a_free_lock_is_taken_and_given_back() {
    let desk = folder_lock();
    let text = while_held(&desk, OWNER);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], std::process::id().to_string());
    assert!(lines[1].starts_with("mainstay ") && lines[1].split(' ').count() == 5, "{text}");
    assert_eq!(desk.names(".locks"), Vec::<String>::new(), "the folder of the locks stays, the lock goes");
    assert_ne!(while_held(&desk, OWNER), text, "each lock has a token of its own");
}

#[test]
fn a_fresh_lock_of_someone_else_is_waited_for() {
    let desk = folder_lock();
    held(&desk, "4711\n", 29_999);
    check_refused(&desk, "pid 4711");
    held(&desk, "", 0);
    check_refused(&desk, "pid unknown");
}

#[test]
fn a_lock_from_the_future_is_fresh() {
    let desk = folder_lock();
    held(&desk, "4711\n", -86_400_000);
    check_refused(&desk, "pid 4711");
}

#[test]
fn an_old_lock_is_reclaimed_by_the_clock_of_the_request() {
    let desk = folder_lock();
    held(&desk, "4711\n", 30_000);
    desk.done("put", pair("a", "two"));
    assert_eq!(desk.names(".locks"), Vec::<String>::new());
    held(&desk, "4711\n", 0);
    check_refused(&desk, "pid 4711");
    desk.with("MAINSTAY_NOW", "2026-01-02T03:04:35.678Z").done("put", pair("a", "three"));
}

#[test]
fn a_dead_process_of_our_kind_holds_nothing() {
    let desk = folder_lock();
    let owner = ours(&desk, dead());
    held(&desk, &owner, 0);
    desk.done("put", pair("a", "two"));
    assert_eq!(desk.names(".locks"), Vec::<String>::new());
}

#[test]
fn a_living_process_of_our_kind_is_not_robbed() {
    let desk = folder_lock();
    let owner = ours(&desk, std::process::id());
    held(&desk, &owner, 0);
    check_refused(&desk, &format!("pid {}", std::process::id()));
}

#[test]
fn a_dead_process_id_proves_nothing_elsewhere() {
    let desk = folder_lock();
    let pid = dead();
    held(&desk, &format!("{pid}\n"), 0);
    check_refused(&desk, &format!("pid {pid}"));
    let owner = ours_elsewhere(&desk, pid);
    held(&desk, &owner, 0);
    check_refused(&desk, &format!("pid {pid}"));
}

/// Of our kind, on another machine.
fn ours_elsewhere(desk: &Desk, pid: u32) -> String {
    fs::remove_dir_all(desk.at(".locks/state.lock")).unwrap();
    let text = ours(desk, pid);
    let words: Vec<&str> = text.lines().nth(1).unwrap().split(' ').collect();
    format!("{pid}\n{} {} other-host {} {}\n", words[0], words[1], words[3], words[4])
}

#[test]
fn a_lock_without_an_owner_is_judged_by_its_folder() {
    let desk = folder_lock();
    fs::create_dir_all(desk.at(".locks/state.lock")).unwrap();
    check_refused(&desk, "pid unknown");
    desk.with("MAINSTAY_NOW", "2099-01-01T00:00:00Z").done("put", pair("a", "two"));
}

#[test]
fn a_lock_that_is_taken_away_stops_the_commit() {
    let desk = folder_lock();
    let before = desk.text(ITEMS);
    let path = desk.at(OWNER);
    meanwhile(&desk.root(), move || fs::write(path, "4711\n").unwrap());
    assert_eq!(desk.refused("meddle", pair("a", "two")), "lock_lost");
    assert_eq!(desk.text(OWNER), "4711\n", "only our own lock is given back");
    assert_eq!(desk.text(ITEMS), before);
    assert_eq!(desk.item("a"), Some("one".into()));
    assert_eq!(desk.journal(), ["1 tester put"]);
    assert!(desk.temporary().is_empty());
}

#[test]
fn a_lock_that_vanishes_stops_the_commit() {
    let desk = folder_lock();
    let folder = desk.at(".locks/state.lock");
    meanwhile(&desk.root(), move || fs::remove_dir_all(folder).unwrap());
    assert_eq!(desk.refused("meddle", pair("a", "two")), "lock_lost");
    assert_eq!(desk.journal(), ["1 tester put"]);
}

#[test]
fn the_queue_is_free_while_a_foreign_lock_is_waited_for() {
    let desk = Desk::configured("lock = \"folder\"\nwait_ms = 600000").write(".hseos/keep", "");
    held(&desk, "4711\n", 0);
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| desk.call("put", pair("a", "one")));
        let own = desk.at(".mainstay/locks/probe.lock");
        while !File::open(&own).is_ok_and(|file| file.try_lock().is_err()) {
            std::thread::yield_now();
        }
        desk.done("state_write", json!({"fields": {"branch": "main"}}));
        fs::remove_dir_all(desk.at(".locks/state.lock")).unwrap();
        waiting.join().unwrap().unwrap();
    });
}

#[test]
fn reads_take_no_foreign_lock() {
    let desk = folder_lock();
    held(&desk, "4711\n", 0);
    let before = desk.snapshot();
    assert_eq!(desk.done("get", json!({})).body["items"], json!({"a": "one"}));
    assert_eq!(desk.snapshot(), before);
}

#[test]
fn an_event_is_spooled_while_a_foreign_lock_is_held() {
    let desk = folder_lock();
    held(&desk, "4711\n", 0);
    assert_eq!(desk.done("note_event", json!({"name": "e"})).body["outcome"], "spooled");
    let desk = desk.with("MAINSTAY_NOW", "2026-01-02T03:04:35.678Z");
    // Stale for this request, though the spooled event in front of it is older.
    desk.done("put", pair("a", "two"));
    assert_eq!(desk.item("events"), Some(1.into()));
}

#[test]
fn a_lock_file_holds_our_process_id_and_goes() {
    let desk = pid_lock();
    assert_eq!(while_held(&desk, PID_FILE), format!("{}\n", std::process::id()));
    assert!(!desk.stands(PID_FILE));
}

#[test]
fn the_lock_file_of_a_living_process_is_waited_for() {
    let desk = pid_lock();
    for (text, holder) in [("1\n", "pid 1"), (" 1 ", "pid 1"), ("", "unknown"), ("who", "unknown")] {
        desk.edit(PID_FILE, text);
        check_refused(&desk, holder);
    }
}

#[test]
fn the_lock_file_of_a_dead_process_is_taken_over() {
    let desk = pid_lock();
    desk.edit(PID_FILE, format!("{}\n", dead()));
    desk.done("put", pair("a", "two"));
    assert!(!desk.stands(PID_FILE));
}

#[test]
fn a_lock_file_that_is_taken_away_stops_the_commit() {
    let desk = pid_lock();
    let path = desk.at(PID_FILE);
    meanwhile(&desk.root(), move || fs::write(path, "1\n").unwrap());
    assert_eq!(desk.refused("meddle", pair("a", "two")), "lock_lost");
    assert_eq!(desk.text(PID_FILE), "1\n");
    assert_eq!(desk.journal(), ["1 tester put"]);
}

#[test]
fn something_else_in_place_of_a_lock_file_is_waited_for() {
    let desk = pid_lock();
    fs::create_dir(desk.at(PID_FILE)).unwrap();
    check_refused(&desk, "something that is no file");
}
