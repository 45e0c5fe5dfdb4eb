//! The engine's own folder: what may stand there, and what happens when it goes away.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::desk::{Desk, call, pair, snapshot, told};
use crate::probe::ITEMS;

const EVENT: &str = "{\"tool\":\"note_event\",\"arguments\":{\"name\":\"a\"},\"at\":1,\"actor\":\"other\"}";

/// A folder that looks like one of ours and belongs to someone else.
fn elsewhere() -> tempfile::TempDir {
    let outside = tempfile::tempdir().unwrap();
    fs::create_dir_all(outside.path().join("locks")).unwrap();
    fs::create_dir(outside.path().join("spool")).unwrap();
    fs::write(outside.path().join("spool-1-x.json"), EVENT).unwrap();
    fs::write(outside.path().join("spool/spool-1-x.json"), EVENT).unwrap();
    fs::write(outside.path().join("probe.lock"), "an innocent file of some length").unwrap();
    outside
}

#[test]
fn a_folder_that_is_a_link_is_not_followed() {
    for (place, target) in [(".mainstay", ""), (".mainstay/locks", ""), (".mainstay/spool", "spool")] {
        let (desk, outside) = (Desk::new(), elsewhere());
        desk.done("put", pair("a", "one"));
        let link = desk.at(place);
        drop(fs::rename(&link, desk.at("aside")));
        symlink(outside.path().join(target), &link).unwrap();
        let (untouched, before) = (snapshot(outside.path()), desk.snapshot());
        for (tool, arguments) in
            [("get", json!({})), ("put", pair("a", "two")), ("refuse", json!({})), ("note_event", json!({"name": "a"}))]
        {
            assert_eq!(desk.refused(tool, arguments), "path_outside_project", "{place}, {tool}");
        }
        let doctor = desk.engine().doctor().unwrap();
        assert_eq!(doctor["findings"][0]["code"], "path_outside_project", "{place}");
        let looked = |finding: &Value| ["lock_held", "spool_pending"].contains(&finding["code"].as_str().unwrap());
        assert!(!doctor["findings"].as_array().unwrap().iter().any(looked), "{place}: {doctor:?}");
        assert_eq!(desk.engine().init(&[]).unwrap_err().code, "path_outside_project", "{place}");
        assert_eq!(snapshot(outside.path()), untouched, "{place}");
        let mut after = desk.snapshot();
        after.remove("mainstay.toml");
        assert_eq!(after, before, "{place}");
    }
}

#[test]
fn a_file_where_a_folder_belongs_is_refused() {
    for place in [".mainstay", ".mainstay/locks", ".mainstay/spool"] {
        let desk = Desk::new().write(place, "text");
        assert_eq!(desk.refused("put", pair("a", "one")), "path_outside_project", "{place}");
        assert_eq!(desk.text(place), "text");
    }
}

#[test]
fn a_lock_file_that_is_a_link_is_not_followed() {
    for (name, target) in [("probe", "probe.lock"), ("queue", "probe.lock"), ("probe", "new"), ("queue", "new")] {
        let (desk, outside) = (Desk::new(), elsewhere());
        fs::create_dir_all(desk.at(".mainstay/locks")).unwrap();
        symlink(outside.path().join(target), desk.at(&format!(".mainstay/locks/{name}.lock"))).unwrap();
        let untouched = snapshot(outside.path());
        assert_eq!(desk.refused("put", pair("a", "one")), "path_outside_project", "{name}");
        assert_eq!(snapshot(outside.path()), untouched, "{name}");
    }
}

#[test]
fn a_pipe_in_place_of_a_file_holds_nobody_up() {
    let desk = Desk::new();
    fs::create_dir_all(desk.at(".mainstay/locks")).unwrap();
    fs::create_dir(desk.at(".mainstay/spool")).unwrap();
    for place in [".mainstay/locks/probe.lock", ".mainstay/spool/spool-1-x.json"] {
        let made = std::process::Command::new("mkfifo").arg(desk.at(place)).status().unwrap();
        assert!(made.success());
    }
    assert_eq!(desk.refused("put", pair("a", "one")), "write_failed");
    desk.remove(".mainstay/locks/probe.lock");
    desk.done("put", pair("a", "one"));
}

#[test]
fn a_spooled_file_that_is_a_link_is_neither_applied_nor_removed() {
    let (desk, outside) = (Desk::new(), elsewhere());
    fs::create_dir_all(desk.at(".mainstay/spool")).unwrap();
    symlink(outside.path().join("spool-1-x.json"), desk.at(".mainstay/spool/spool-1-x.json")).unwrap();
    desk.done("put", pair("a", "one"));
    assert_eq!(desk.item("events"), None);
    assert!(desk.stands(".mainstay/spool/spool-1-x.json"));
}

#[test]
fn a_server_whose_folder_was_removed_writes_where_others_look() {
    let desk = Desk::new();
    let server = Arc::new(desk.engine());
    server.start_writer();
    call(&server, "put", pair("a", "one")).unwrap();
    fs::remove_dir_all(desk.at(".mainstay")).unwrap();
    desk.opener.forget(&desk.root().join(".mainstay"));
    call(&server, "put", pair("b", "two")).unwrap();
    assert_eq!(desk.item("b"), Some("two".into()));
    // The image outlived the store.
    assert_eq!(desk.item("a"), Some("one".into()));
    assert_eq!(call(&server, "get", json!({})).unwrap().body["items"], json!({"a": "one", "b": "two"}));
    desk.is_in_order();
}

#[test]
fn a_read_is_answered_where_nothing_can_be_written() {
    let desk = Desk::configured("take_in = \"always\"");
    desk.done("put", pair("a", "one"));
    desk.edit(ITEMS, "# Items\n\na: one\nb: theirs\n");
    // Whoever may write everywhere cannot write here either.
    desk.remove(".mainstay/locks/probe.lock");
    fs::create_dir(desk.at(".mainstay/locks/probe.lock")).unwrap();
    let before = desk.snapshot();
    let reply = desk.done("get", json!({}));
    assert_eq!(reply.body["items"], json!({"a": "one", "b": "theirs"}));
    assert_eq!(told(&reply)[0], "write_failed");
    assert_eq!(desk.refused("put", pair("c", "three")), "write_failed");
    assert_eq!(desk.snapshot(), before);
    assert_eq!(desk.journal(), ["1 tester put"]);
}

#[test]
fn a_read_that_finds_the_project_in_use_is_refused() {
    let desk = Desk::configured("take_in = \"always\"");
    desk.done("put", pair("a", "one"));
    desk.edit(ITEMS, "# Items\n\na: one\nb: theirs\n");
    let held = crate::spool_files::hold(&desk);
    assert_eq!(desk.at_once("get", json!({})).unwrap_err().code, "store_busy");
    drop(held);
}

#[test]
fn the_wait_for_locks_has_a_sane_length() {
    for long in ["3000000000", "18446744073709551615", "99999999999999999999999"] {
        let desk = Desk::new()
            .with("MAINSTAY_LOCK_WAIT_MS", long)
            .write("mainstay.toml", "formats = [\"hseos\", \"probe\"]\n");
        desk.done("put", pair("a", "one"));
        desk.engine().init(&[]).unwrap();
        desk.done("state_write", json!({"fields": {"notes": "a"}}));
    }
    for garbage in ["soon", "-1", "1.5", "+1", "1s"] {
        let desk = Desk::new().with("MAINSTAY_LOCK_WAIT_MS", garbage);
        let refusal = desk.open(Arc::new(desk.opener.clone())).map(drop).unwrap_err();
        assert_eq!(
            (refusal.code.as_ref(), refusal.field.as_deref()),
            ("config_invalid", Some("MAINSTAY_LOCK_WAIT_MS"))
        );
    }
    Desk::new().with("MAINSTAY_LOCK_WAIT_MS", "").done("put", pair("a", "one"));
}
