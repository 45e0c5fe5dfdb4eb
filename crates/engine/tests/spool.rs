//! Events: safe before they are applied, applied once, in order, each with its own time.

use std::fs::{self, File};

use serde_json::{Value, json};

use crate::desk::{Desk, pair, told};

/// Another process that is writing: it holds the format's lock.
fn hold(desk: &Desk, name: &str) -> File {
    fs::create_dir_all(desk.at(".mainstay/locks")).unwrap();
    let path = desk.at(&format!(".mainstay/locks/{name}.lock"));
    let file = File::options().create(true).truncate(false).write(true).open(path).unwrap();
    file.try_lock().unwrap();
    file
}

/// An event that comes while someone else holds a lock.
fn note(desk: &Desk, name: &str) -> Value {
    desk.at_once("note_event", json!({"name": name})).unwrap().body["outcome"].clone()
}

fn spooled(desk: &Desk) -> Vec<String> {
    desk.names(".mainstay/spool")
}

fn events(desk: &Desk) -> Vec<String> {
    let events = desk.done("get", json!({})).body["events"].as_array().unwrap().clone();
    events.iter().map(|e| format!("{} {}", e["name"].as_str().unwrap(), e["at"].as_str().unwrap())).collect()
}

#[test]
fn an_event_is_applied_at_once_where_nobody_writes() {
    let desk = Desk::new();
    let reply = desk.done("note_event", json!({"name": "a"}));
    assert_eq!(reply.body, *json!({"outcome": "counted", "number": 1}).as_object().unwrap());
    assert!(spooled(&desk).is_empty());
    assert_eq!(desk.journal(), ["1 tester note_event"]);
    desk.is_in_order();
}

#[test]
fn an_event_is_kept_while_another_process_writes() {
    for lock in ["probe", "queue"] {
        let desk = Desk::new();
        let held = hold(&desk, lock);
        let reply = desk.at_once("note_event", json!({"name": "a"})).unwrap();
        assert_eq!((reply.body["outcome"].as_str(), told(&reply)), (Some("spooled"), vec!["event_spooled"]), "{lock}");
        assert_eq!(spooled(&desk).len(), 1);
        drop(held);
        assert!(events(&desk).is_empty(), "a read applies nothing");
        desk.done("put", pair("k", "v"));
        assert!(spooled(&desk).is_empty());
        assert_eq!(desk.journal(), ["2 tester put", "1 tester note_event"]);
        desk.is_in_order();
    }
}

#[test]
fn spooled_events_keep_their_order_their_time_and_their_actor() {
    let desk = Desk::new();
    let held = hold(&desk, "probe");
    let mut expected = Vec::new();
    for number in 0..8 {
        assert_eq!(note(&desk, &format!("same{number}")), "spooled");
        expected.push(format!("same{number} 2026-01-02T03:04:05.678Z"));
    }
    let desk = desk.with("MAINSTAY_NOW", "2026-01-02T03:04:06Z").with("PROBE_ACTOR", "other");
    assert_eq!(note(&desk, "later"), "spooled");
    expected.push("later 2026-01-02T03:04:06.000Z".into());
    drop(held);
    let desk = desk.with("MAINSTAY_NOW", "2026-02-01T00:00:00Z").with("PROBE_ACTOR", "third");
    assert_eq!(desk.done("note_event", json!({"name": "now"})).body["outcome"], "counted");
    expected.push("now 2026-02-01T00:00:00.000Z".into());
    assert_eq!(events(&desk), expected);
    assert_eq!(desk.item("events"), Some(10.into()));
    let history = desk.history();
    let of = |place: usize, name: &str| history[place][name].as_str().unwrap().to_owned();
    assert_eq!((of(0, "actor"), of(0, "at")), ("third".into(), "2026-02-01T00:00:00.000Z".into()));
    assert_eq!((of(1, "actor"), of(1, "at")), ("other".into(), "2026-01-02T03:04:06.000Z".into()));
    assert_eq!((of(9, "actor"), of(9, "at")), ("tester".into(), "2026-01-02T03:04:05.678Z".into()));
}

#[test]
fn an_event_whose_file_outlived_its_commit_is_not_applied_again() {
    let desk = Desk::new();
    let held = hold(&desk, "probe");
    note(&desk, "a");
    drop(held);
    let name = spooled(&desk).remove(0);
    let bytes = fs::read(desk.at(&format!(".mainstay/spool/{name}"))).unwrap();
    desk.done("put", pair("k", "v"));
    desk.edit(&format!(".mainstay/spool/{name}"), bytes);
    desk.done("put", pair("k", "w"));
    assert_eq!(desk.item("events"), Some(1.into()));
    assert!(spooled(&desk).is_empty());
}

#[test]
fn files_that_are_no_events_are_left_alone() {
    let desk = Desk::new();
    let junk = [
        ("spool-1-x.json", "not json"),
        ("spool-2-x.json", "{\"tool\":\"nothing\",\"arguments\":{},\"at\":1,\"actor\":\"a\"}"),
        ("spool-3-x.json", "{\"tool\":\"note_event\",\"arguments\":{}}"),
        (".spool-4-x", "{\"tool\":\"note_event\""),
        ("README", "hello"),
    ];
    for (name, text) in junk {
        desk.edit(&format!(".mainstay/spool/{name}"), text);
    }
    fs::create_dir(desk.at(".mainstay/spool/spool-5-x.json")).unwrap();
    assert_eq!(desk.done("note_event", json!({"name": "a"})).body["outcome"], "counted");
    desk.done("put", pair("k", "v"));
    for (name, text) in junk {
        assert_eq!(desk.text(&format!(".mainstay/spool/{name}")), text);
    }
    assert_eq!(spooled(&desk).len(), junk.len() + 1);
    assert_eq!(desk.item("events"), Some(1.into()));
}

#[test]
fn a_refused_event_leaves_the_spool_and_stops_nobody() {
    let desk = Desk::new();
    desk.done("put", pair("k", "v"));
    let held = hold(&desk, "probe");
    let reply = desk.at_once("note_event", json!({"nome": "a"})).unwrap();
    assert_eq!(reply.body["outcome"], "spooled");
    note(&desk, "b");
    drop(held);
    desk.done("put", pair("k", "w"));
    assert_eq!(desk.item("k"), Some("w".into()));
    assert_eq!(desk.item("events"), Some(1.into()));
    assert!(spooled(&desk).is_empty());
    assert_eq!(desk.refused("note_event", json!({})), "invalid_argument");
    assert!(spooled(&desk).is_empty());
}

#[test]
fn an_event_stays_while_the_state_cannot_be_read() {
    let desk = Desk::new();
    desk.done("settle", json!({"name": "goal", "value": "ship"}));
    desk.edit("truth.json", "{ broken");
    assert_eq!(desk.refused("note_event", json!({"name": "a"})), "state_corrupt");
    assert_eq!(spooled(&desk).len(), 1);
    desk.edit("truth.json", "{}");
    desk.done("put", pair("k", "v"));
    assert_eq!(desk.item("events"), Some(1.into()));
    assert!(spooled(&desk).is_empty());
}

#[test]
fn what_is_taken_in_beside_an_old_event_has_the_time_of_the_request() {
    let desk = Desk::new();
    let held = hold(&desk, "probe");
    note(&desk, "a");
    drop(held);
    desk.edit("ITEMS.md", "# Items\n\nb: theirs\n");
    let desk = desk.with("MAINSTAY_NOW", "2026-02-01T00:00:00Z");
    desk.done("put", pair("k", "v"));
    assert_eq!(desk.journal(), ["3 tester put", "2 tester note_event", "1 external take_in"]);
    assert_eq!(desk.history()[2]["at"], "2026-02-01T00:00:00.000Z");
}

#[test]
fn a_space_that_comes_to_be_within_a_batch_is_looked_at() {
    let desk = Desk::new();
    let held = hold(&desk, "probe");
    note(&desk, "a");
    drop(held);
    // The item `events`, which makes the place known, comes with the event in front of the request.
    desk.done("put", json!({"key": "k", "value": "v", "place": "events"}));
    let key = model::RecordKey::new(model::Space::new("probe/events"), "item", "k");
    let record = desk.store().read().unwrap().record(&key).unwrap();
    assert_eq!(record.map(|record| record.value), Some("v".into()));
    assert_eq!(desk.text("place-events.txt"), "# Items\n\nk: v\n", "its images are rendered");
    assert_eq!(desk.journal(), ["2 tester put", "1 tester note_event"]);
}
