//! A write makes file, record and entry, and a repeat of what stands changes nothing.

use serde_json::json;

use crate::desk::{Desk, call, pair, told};
use crate::probe::{COUNT, ITEMS, TRUTH};

#[test]
fn a_write_makes_a_file_a_record_and_an_entry() {
    let desk = Desk::new();
    let reply = desk.done("put", pair("a", "one"));
    assert_eq!(reply.to_object(), *json!({"put": "a", "warnings": []}).as_object().unwrap());
    assert_eq!(desk.text(ITEMS), "# Items\n\na: one\n");
    assert_eq!(desk.item("a"), Some("one".into()));
    assert_eq!(desk.journal(), ["1 tester put"]);
    assert!(!desk.stands(TRUTH), "nothing changed that it shows");
    desk.is_in_order();
}

#[test]
fn history_shows_both_sides_of_a_change() {
    let desk = Desk::new();
    desk.done("put", pair("a", "one"));
    desk.done("put", pair("a", "two"));
    let history = desk.history();
    assert_eq!(history[0]["changes"], json!([{"key": "item/a", "before": "one", "after": "two"}]));
    assert_eq!(history[1]["changes"], json!([{"key": "item/a", "before": null, "after": "one"}]));
    assert_eq!(history[0]["at"], "2026-01-02T03:04:05.678Z");
    assert_eq!(history[0]["space"], "probe");
    assert_eq!(history[0]["session"], json!(null));
}

#[test]
fn an_identical_request_changes_no_byte() {
    let desk = Desk::new();
    let engine = desk.engine();
    call(&engine, "put", pair("a", "one")).unwrap();
    let before = desk.besides_locks();
    call(&engine, "put", pair("a", "one")).unwrap();
    assert_eq!(desk.besides_locks(), before);
    assert_eq!(desk.journal(), ["1 tester put"]);
}

#[test]
fn an_image_that_stands_as_rendered_is_left_alone() {
    let desk = Desk::new();
    desk.done("bump", json!({"key": "n"}));
    let before = desk.snapshot();
    // The record becomes text; its line reads the same.
    desk.done("put", pair("n", "1"));
    assert_eq!(desk.item("n"), Some("1".into()));
    assert_eq!(desk.snapshot()[ITEMS], before[ITEMS]);
    desk.is_in_order();
}

#[test]
fn only_the_image_that_shows_a_change_is_written() {
    let desk = Desk::new();
    desk.done("put", pair("a", "one"));
    desk.done("settle", json!({"name": "goal", "value": "ship"}));
    assert_eq!(desk.text(TRUTH), "{\"goal\":\"ship\"}\n");
    let before = desk.snapshot();
    desk.done("settle", json!({"name": "goal", "value": "rest"}));
    assert_eq!(desk.snapshot()[ITEMS], before[ITEMS]);
    assert_ne!(desk.snapshot()[TRUTH], before[TRUTH]);
    desk.is_in_order();
}

#[test]
fn a_replaced_file_keeps_its_permissions() {
    use std::os::unix::fs::PermissionsExt as _;
    let desk = Desk::new();
    desk.done("put", pair("a", "one"));
    std::fs::set_permissions(desk.at(ITEMS), std::fs::Permissions::from_mode(0o640)).unwrap();
    desk.done("put", pair("a", "two"));
    assert_eq!(desk.at(ITEMS).metadata().unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn a_refused_call_in_a_fresh_project_leaves_no_trace() {
    let desk = Desk::new();
    let before = desk.snapshot();
    assert_eq!(desk.refused("refuse", json!({})), "not_today");
    assert_eq!(desk.refused("put", json!({"key": "a"})), "invalid_argument");
    assert_eq!(desk.refused("nothing", json!({})), "unknown_tool");
    assert_eq!(desk.refused("bump", json!({"key": "a", "place": "nowhere"})), "unknown_place");
    assert_eq!(desk.snapshot(), before);
}

#[test]
fn a_read_in_a_fresh_project_leaves_no_trace() {
    let desk = Desk::new();
    let before = desk.snapshot();
    let reply = desk.done("get", json!({}));
    assert_eq!(reply.body["items"], json!({}));
    assert!(told(&reply).is_empty());
    assert_eq!(desk.snapshot(), before);
}

#[test]
fn files_without_records_are_created_once_and_logs_are_kept_short() {
    let desk = Desk::new();
    desk.done("create", json!({"path": "notes/deep/a.txt", "text": "first"}));
    desk.done("create", json!({"path": "notes/deep/a.txt", "text": "second"}));
    assert_eq!(desk.text("notes/deep/a.txt"), "first");
    for line in ["one", "two", "three", "four", "five"] {
        desk.done("log", json!({"line": line}));
    }
    assert_eq!(desk.text("probe.log"), "three\nfour\nfive\n");
    assert!(desk.temporary().is_empty());
}

#[test]
fn a_log_that_is_no_text_is_still_written_and_kept_short() {
    let desk = Desk::new();
    desk.edit("probe.log", b"\xff\xfe\none\ntwo\n");
    let reply = desk.done("log", json!({"line": "three"}));
    assert!(told(&reply).is_empty());
    assert_eq!(desk.text("probe.log"), "one\ntwo\nthree\n");
}

#[test]
fn an_image_that_is_no_source_is_written_too() {
    let desk = Desk::new();
    desk.done("bump", json!({"key": "count"}));
    assert_eq!(desk.text(COUNT), "1\n");
    desk.done("bump", json!({"key": "count"}));
    assert_eq!(desk.text(COUNT), "2\n");
    desk.is_in_order();
}

#[test]
fn folders_move_to_the_trash_and_back() {
    let desk = Desk::new().write("shelf/box/deep/file", "kept");
    desk.done("shelve", json!({"name": "box"}));
    assert!(!desk.stands("shelf/box"));
    assert_eq!(desk.text(".mainstay/trash/box/deep/file"), "kept");
    desk.done("unshelve", json!({"name": "box"}));
    assert_eq!(desk.text("shelf/box/deep/file"), "kept");
    assert!(!desk.stands(".mainstay/trash/box"));
    assert!(desk.store().read().unwrap().pending_moves().unwrap().is_empty());
}
