//! Things in place of an image that are no file of ours: they stay, and so does what they point at.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use serde_json::json;

use crate::desk::{Desk, pair, snapshot, told};
use crate::probe::{ITEMS, TRUTH};

fn with_items() -> Desk {
    let desk = Desk::new();
    desk.done("put", pair("a", "one"));
    desk
}

/// Reads go on from the records and warn, writes refuse, and nothing in its place is touched.
fn check(desk: &Desk, case: &str) {
    let before = desk.besides_locks();
    let reply = desk.done("get", json!({}));
    assert_eq!(told(&reply), ["image_unusable"], "{case}");
    assert_eq!(reply.body["items"], json!({"a": "one"}), "{case}");
    assert_eq!(desk.refused("put", pair("a", "two")), "image_unusable", "{case}");
    assert_eq!(desk.refused("bump", json!({"key": "n"})), "image_unusable", "{case}");
    assert_eq!(desk.besides_locks(), before, "{case}");
    assert_eq!(desk.journal(), ["1 tester put"], "{case}");
}

#[test]
fn a_link_is_neither_followed_nor_replaced() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret"), "a: theirs\n").unwrap();
    let untouched = snapshot(outside.path());
    for (case, target) in [
        ("dangling", "nothing/there".into()),
        ("inside", "other.md".into()),
        ("itself", ITEMS.into()),
        ("outside", outside.path().join("secret")),
        ("new file outside", outside.path().join("new")),
    ] {
        let desk = with_items().write("other.md", "a: inside\n");
        desk.remove(ITEMS);
        symlink::<std::path::PathBuf, _>(target, desk.at(ITEMS)).unwrap();
        check(&desk, case);
        assert_eq!(desk.text("other.md"), "a: inside\n");
        assert_eq!(snapshot(outside.path()), untouched, "{case}");
    }
}

#[test]
fn a_folder_is_left_alone() {
    let desk = with_items();
    desk.remove(ITEMS);
    desk.edit("ITEMS.md/inside", "kept");
    check(&desk, "folder");
}

#[test]
fn a_pipe_does_not_hang_anyone() {
    let desk = with_items();
    desk.remove(ITEMS);
    pipe(&desk, ITEMS);
    check(&desk, "pipe");
    pipe(&desk, "probe.log");
    desk.remove(ITEMS);
    let reply = desk.done("log", json!({"line": "one"}));
    assert!(told(&reply).contains(&"image_stale"));
    pipe(&desk, "created");
    desk.done("create", json!({"path": "created", "text": "never"}));
}

fn pipe(desk: &Desk, path: &str) {
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, desk.at(path), rustix::fs::FileType::Fifo, mode, 0).unwrap();
}

#[test]
fn a_socket_is_left_alone() {
    let desk = with_items();
    desk.remove(ITEMS);
    let _listener = std::os::unix::net::UnixListener::bind(desk.at(ITEMS)).unwrap();
    check(&desk, "socket");
}

#[test]
fn a_file_that_may_not_be_read_is_left_alone() {
    let desk = with_items();
    desk.edit(ITEMS, "# Items\n\na: theirs\n");
    fs::set_permissions(desk.at(ITEMS), fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read(desk.at(ITEMS)).is_ok() {
        // The superuser may read everything; then this is an edit like any other.
        desk.done("put", pair("b", "new"));
        assert_eq!(desk.item("a"), Some("theirs".into()));
    } else {
        check(&desk, "unreadable");
    }
}

#[test]
fn a_file_over_its_limit_is_left_alone() {
    let desk = with_items();
    desk.edit(ITEMS, "a: theirs\n".repeat(10_000));
    check(&desk, "too large");
}

#[test]
fn a_file_at_its_limit_is_read() {
    let desk = Desk::configured("limit = 30");
    desk.edit(ITEMS, format!("a: {}", "x".repeat(27)));
    assert_eq!(desk.done("get", json!({})).body["items"], json!({"a": "x".repeat(27)}));
    desk.edit(ITEMS, format!("a: {}", "x".repeat(28)));
    assert_eq!(told(&desk.done("get", json!({}))), ["image_unusable"]);
}

const MARKED: &str = "# Items\n\n<<<<<<< HEAD\na: ours\n=======\na: theirs\n>>>>>>> other\n";

#[test]
fn a_file_with_conflict_markers_is_frozen_until_someone_resolves_it() {
    let desk = with_items();
    desk.edit(ITEMS, MARKED);
    let before = desk.besides_locks();
    let reply = desk.done("get", json!({}));
    assert_eq!(told(&reply), ["conflict_markers"]);
    assert_eq!(reply.body["items"], json!({"a": "one"}));
    assert_eq!(desk.refused("put", pair("b", "new")), "conflict_markers");
    assert_eq!(desk.besides_locks(), before);
    desk.edit(ITEMS, "# Items\n\na: theirs\n");
    desk.done("put", pair("b", "new"));
    assert_eq!(desk.text(ITEMS), "# Items\n\na: theirs\nb: new\n");
    desk.is_in_order();
}

#[test]
fn two_of_three_markers_are_no_conflict() {
    let desk = with_items();
    desk.edit(ITEMS, "# Items\n\n<<<<<<< HEAD\na: ours\n=======\n");
    let reply = desk.done("put", pair("b", "new"));
    assert_eq!(told(&reply), ["image_conflict"]);
    assert_eq!(desk.item("a"), Some("ours".into()));
}

#[test]
fn where_the_file_is_the_truth_its_format_judges_the_markers() {
    let desk = with_items();
    desk.done("settle", json!({"name": "goal", "value": "ship"}));
    desk.edit(TRUTH, MARKED);
    let before = desk.besides_locks();
    assert_eq!(told(&desk.done("get", json!({}))), ["state_corrupt"]);
    assert_eq!(desk.refused("put", pair("b", "new")), "state_corrupt");
    assert_eq!(desk.besides_locks(), before);
}

#[test]
fn a_folder_on_the_way_that_leads_outside_is_not_entered() {
    let outside = tempfile::tempdir().unwrap();
    fs::create_dir(outside.path().join("notes")).unwrap();
    let untouched = snapshot(outside.path());
    let desk = with_items();
    symlink(outside.path(), desk.at("way")).unwrap();
    for path in ["way/file", "way/notes/file", "way/new/deep/file"] {
        assert_eq!(desk.refused("create", json!({"path": path, "text": "leaked"})), "write_failed", "{path}");
    }
    assert_eq!(snapshot(outside.path()), untouched);
}

#[test]
fn a_link_in_place_of_a_log_is_not_followed() {
    let outside = tempfile::tempdir().unwrap();
    let desk = with_items();
    symlink(outside.path().join("log"), desk.at("probe.log")).unwrap();
    assert_eq!(told(&desk.done("log", json!({"line": "leaked"}))), ["image_stale"]);
    assert!(snapshot(outside.path()).is_empty());
}

#[test]
fn our_own_folder_is_never_a_link() {
    let outside = tempfile::tempdir().unwrap();
    let desk = Desk::new();
    symlink(outside.path(), desk.at(".mainstay")).unwrap();
    assert_eq!(desk.refused("put", pair("a", "one")), "path_outside_project");
    assert!(snapshot(outside.path()).is_empty());
    assert!(!desk.stands(ITEMS));
}

#[test]
fn a_request_whose_file_cannot_be_written_changes_nothing() {
    let desk = with_items();
    let before = desk.besides_locks();
    fs::write(desk.at("taken"), "a file").unwrap();
    assert_eq!(desk.refused("create", json!({"path": "taken/below", "text": "never"})), "write_failed");
    fs::remove_file(desk.at("taken")).unwrap();
    assert_eq!(desk.besides_locks(), before);
}
