//! How long foreign locks are waited for, and what that leaves to the locks after them.

use std::fs::{self, File};
use std::time::{Duration, Instant, SystemTime};

use serde_json::json;

use crate::desk::{Desk, NOW, pair};

const PID_FILE: &str = "probe.lock";

/// Someone else's lock file, so old by the clock of the requests.
fn held(desk: &Desk, text: &str, age_ms: i64) {
    desk.edit(PID_FILE, text);
    let now = model::Timestamp::parse_rfc3339(NOW).unwrap().as_millis();
    let then = SystemTime::UNIX_EPOCH + Duration::from_millis((now - age_ms).cast_unsigned());
    File::options().write(true).open(desk.at(PID_FILE)).unwrap().set_modified(then).unwrap();
}

#[test]
fn a_lock_file_is_stale_by_the_clock_of_the_request() {
    for (text, age_ms, is_stale) in
        [("", 0, false), ("", 1_000, true), ("who", 1_000, true), ("1\n", 50_000, false), ("1\n", 60_000, true)]
    {
        let desk = Desk::configured("lock = \"pid\"");
        held(&desk, text, age_ms);
        let answer = desk.call("put", pair("a", "one"));
        if is_stale {
            answer.unwrap();
            assert!(!desk.stands(PID_FILE), "{text:?} of {age_ms} ms");
        } else {
            assert_eq!(answer.unwrap_err().code, "lock_timeout", "{text:?} of {age_ms} ms");
            assert_eq!(desk.text(PID_FILE), text);
        }
    }
}

#[test]
fn a_lock_grows_old_while_it_is_waited_for() {
    for (text, age_ms) in [("", 700), ("1\n", 59_700)] {
        let desk = Desk::configured("lock = \"pid\"\nwait_ms = 20000");
        held(&desk, text, age_ms);
        desk.done("put", pair("a", "one"));
        assert!(!desk.stands(PID_FILE), "{text:?} of {age_ms} ms");
    }
}

#[test]
fn our_own_process_id_in_a_lock_file_is_that_of_someone_killed() {
    let desk = Desk::configured("lock = \"pid\"");
    desk.edit(PID_FILE, format!("{}\n", std::process::id()));
    desk.done("put", pair("a", "one"));
    assert!(!desk.stands(PID_FILE));
}

#[test]
fn a_lock_file_that_cannot_be_made_is_no_grant() {
    let desk = Desk::configured("lock = \"pid\"\nlock_path = \"none/probe.lock\"");
    assert_eq!(desk.refused("put", pair("a", "one")), "store_unavailable");
}

#[test]
fn waiting_for_a_foreign_lock_takes_nothing_from_the_queue_s_wait() {
    let wait = Duration::from_secs(1);
    let desk = Desk::configured("lock = \"pid\"\nwait_ms = 600000").with("MAINSTAY_LOCK_WAIT_MS", "1000");
    desk.done("put", pair("a", "zero"));
    desk.edit(PID_FILE, "1\n");
    let queue = File::open(desk.at(".mainstay/locks/queue.lock")).unwrap();
    queue.lock().unwrap();
    std::thread::scope(|scope| {
        let begun = Instant::now();
        let waiting = scope.spawn(|| desk.call("put", pair("a", "one")));
        // Longer than the other locks may be waited for.
        while begun.elapsed() <= wait {
            std::thread::yield_now();
        }
        fs::remove_file(desk.at(PID_FILE)).unwrap();
        let us = format!("{}\n", std::process::id());
        while !fs::read_to_string(desk.at(PID_FILE)).is_ok_and(|text| text == us) {
            std::thread::yield_now();
        }
        let taken = Instant::now();
        while taken.elapsed() <= wait / 4 {
            std::thread::yield_now();
        }
        drop(queue);
        waiting.join().unwrap().unwrap();
    });
    assert_eq!(desk.done("get", json!({})).body["items"], json!({"a": "one"}));
}
