//! Watching: every entry once, in order, whoever makes it.

use std::thread;

use model::Object;
use serde_json::json;

use crate::desk::{Desk, pair};

fn revision(entry: &Object) -> u64 {
    entry["revision"].as_u64().unwrap()
}

#[test]
fn every_entry_of_three_writers_is_shown_once() {
    let desk = Desk::new();
    desk.done("put", pair("first", "one"));
    let engine = desk.engine();
    let mut follower = engine.follow(None, None, false).unwrap();
    let mut shown = Vec::new();
    thread::scope(|scope| {
        for writer in 0..3 {
            let desk = &desk;
            scope.spawn(move || {
                for number in 0..20 {
                    desk.done("put", pair(&format!("w{writer}"), &number.to_string()));
                }
            });
        }
        while shown.len() < 60 {
            shown.extend(follower.wait_for_entries().unwrap());
        }
    });
    assert_eq!(shown.iter().map(revision).collect::<Vec<_>>(), (2..=61).collect::<Vec<_>>());
    assert_eq!(shown[0]["call"], "put");
}

#[test]
fn it_begins_where_it_is_told() {
    let desk = Desk::new();
    for value in ["one", "two", "three"] {
        desk.done("put", pair("a", value));
    }
    desk.done("put", pair("deep", "known"));
    desk.done("put", json!({"key": "x", "value": "y", "place": "deep"}));
    let engine = desk.engine();
    let seen = |space: Option<&str>, since: &str| -> Vec<u64> {
        let mut follower = engine.follow(space, Some(since), false).unwrap();
        follower.wait_for_entries().unwrap().iter().map(revision).collect()
    };
    assert_eq!(seen(None, "1"), [1, 2, 3, 4, 5]);
    assert_eq!(seen(None, "4"), [4, 5]);
    assert_eq!(seen(Some("probe/deep"), "0"), [5]);
    assert_eq!(seen(None, "2026-01-01"), [1, 2, 3, 4, 5]);
    assert_eq!(engine.follow(None, Some("never"), false).err().unwrap().field.as_deref(), Some("since"));
    assert_eq!(engine.follow(Some("nope"), None, false).err().unwrap().field.as_deref(), Some("space"));
}
