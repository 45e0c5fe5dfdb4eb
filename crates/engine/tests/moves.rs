//! Folder moves beside the images in those folders, and moves that cannot happen.

use std::fs;

use serde_json::json;

use crate::desk::{Desk, pair, told};
use crate::probe::ITEMS;

/// A labelled folder on the shelf, with a file of someone's in it.
fn labelled() -> Desk {
    let desk = Desk::new().write("shelf/box/deep/file", "kept");
    desk.done("put", pair("a", "one"));
    desk.done("label", json!({"name": "box"}));
    assert_eq!(desk.text("shelf/box/LABEL"), "\"box\"\n");
    desk
}

fn pending(desk: &Desk) -> usize {
    desk.store().read().unwrap().pending_moves().unwrap().len()
}

#[test]
fn a_rename_takes_its_image_along() {
    let desk = labelled();
    let reply = desk.done("rename", json!({"name": "box", "value": "chest"}));
    assert!(told(&reply).is_empty(), "{:?}", reply.warnings);
    assert!(!desk.stands("shelf/box"));
    assert_eq!(desk.names("shelf/chest"), ["LABEL", "deep", "new"]);
    assert_eq!(desk.text("shelf/chest/LABEL"), "\"chest\"\n");
    assert_eq!(desk.text("shelf/chest/deep/file"), "kept");
    assert!(desk.image("shelf/box/LABEL").is_none());
    desk.is_in_order();
    assert!(told(&desk.done("put", pair("a", "two"))).is_empty());
}

#[test]
fn a_new_image_comes_into_the_folder_that_is_moved_there() {
    let desk = Desk::new().write("shelf/box/file", "kept");
    desk.done("put", pair("a", "one"));
    let reply = desk.done("rename", json!({"name": "box", "value": "chest"}));
    assert!(told(&reply).is_empty(), "{:?}", reply.warnings);
    assert_eq!(desk.names("shelf"), ["chest"]);
    assert_eq!(desk.names("shelf/chest"), ["LABEL", "file", "new"]);
    desk.is_in_order();
}

#[test]
fn an_image_goes_to_the_trash_with_its_folder() {
    let desk = labelled();
    let reply = desk.done("shelve", json!({"name": "box"}));
    assert!(told(&reply).is_empty(), "{:?}", reply.warnings);
    assert_eq!(desk.text(".mainstay/trash/box/LABEL"), "\"box\"\n");
    assert!(desk.image("shelf/box/LABEL").is_none());
    desk.is_in_order();
}

#[test]
fn an_image_without_a_move_gets_its_folders_before_the_commit() {
    let desk = Desk::new();
    desk.done("put", pair("a", "one"));
    assert!(told(&desk.done("label", json!({"name": "new"}))).is_empty());
    assert_eq!(desk.text("shelf/new/LABEL"), "\"new\"\n");
    desk.is_in_order();
}

#[test]
fn a_move_that_cannot_happen_now_waits_and_stops_nobody() {
    let desk = labelled().write(".hseos/keep", "");
    // A file stands in the way of the trash.
    desk.edit(".mainstay/trash", "in the way");
    let reply = desk.done("shelve", json!({"name": "box"}));
    assert_eq!(told(&reply), ["move_pending", "image_stale"]);
    assert_eq!(desk.text("shelf/box/LABEL"), "\"box\"\n", "it goes with its folder");
    // Neither requests of this format nor of another are refused, and other folders move.
    assert_eq!(told(&desk.done("put", pair("a", "two"))), ["move_pending", "image_stale"]);
    assert_eq!(desk.text(ITEMS), "# Items\n\na: two\n");
    // A format that moves no folder has nothing to do with it.
    assert!(told(&desk.done("state_write", json!({"fields": {"branch": "main"}}))).is_empty());
    desk.edit("shelf/other/file", "theirs");
    let reply = desk.done("rename", json!({"name": "other", "value": "another"}));
    assert_eq!(told(&reply), ["move_pending", "image_stale"]);
    assert_eq!(desk.names("shelf/another"), ["LABEL", "file", "new"]);
    assert_eq!(pending(&desk), 1);
    desk.remove(".mainstay/trash");
    let reply = desk.done("put", pair("a", "three"));
    assert!(told(&reply).is_empty(), "{:?}", reply.warnings);
    assert_eq!(desk.names(".mainstay/trash/box"), ["LABEL", "deep"]);
    assert!(!desk.stands("shelf/box"));
    desk.is_in_order();
}

#[test]
fn an_image_waits_for_the_folder_that_is_moved_there() {
    let desk = labelled();
    // A file is no folder: nothing can be moved over it, yet it is none that someone moved there.
    desk.edit("shelf/chest", "in the way");
    let reply = desk.done("rename", json!({"name": "box", "value": "chest"}));
    assert_eq!(told(&reply), ["move_pending", "image_stale", "image_stale"]);
    assert_eq!(desk.names("shelf/box"), ["LABEL", "deep", "new"], "what is created goes along");
    assert_eq!(desk.text("shelf/box/LABEL"), "\"box\"\n");
    desk.remove("shelf/chest");
    assert!(told(&desk.done("put", pair("a", "two"))).is_empty());
    assert_eq!(desk.names("shelf"), ["chest"]);
    assert_eq!(desk.text("shelf/chest/LABEL"), "\"chest\"\n");
    desk.is_in_order();
}

#[test]
fn a_move_that_is_impossible_is_told_once() {
    let desk = labelled().write(".mainstay/trash/box/file", "older");
    let reply = desk.done("shelve", json!({"name": "box"}));
    assert_eq!(told(&reply), ["move_impossible"]);
    assert_eq!(reply.warnings[0].details["from"], "shelf/box");
    assert_eq!(desk.text(".mainstay/trash/box/file"), "older");
    assert_eq!(desk.text("shelf/box/deep/file"), "kept");
    assert_eq!(pending(&desk), 0);
    assert!(told(&desk.done("put", pair("a", "two"))).is_empty());
}

#[test]
fn a_copy_between_file_systems_that_was_killed_is_finished() {
    let desk = labelled();
    desk.edit(".mainstay/trash", "in the way");
    desk.done("shelve", json!({"name": "box"}));
    desk.remove(".mainstay/trash");
    desk.edit(".mainstay/.mainstay-image-0123456789abcdef.tmp", "half of");
    // The copy is complete, and the old folder half deleted.
    for path in ["LABEL", "deep/file"] {
        let bytes = fs::read(desk.at("shelf/box").join(path)).unwrap();
        desk.edit(&format!(".mainstay/trash/box/{path}"), bytes);
    }
    fs::rename(desk.at("shelf/box"), desk.at("shelf/.mainstay-box.leaving")).unwrap();
    desk.remove("shelf/.mainstay-box.leaving/deep/file");
    let reply = desk.done("put", pair("a", "two"));
    assert!(told(&reply).is_empty(), "{:?}", reply.warnings);
    assert_eq!(desk.names("shelf"), Vec::<String>::new());
    assert_eq!(desk.text(".mainstay/trash/box/deep/file"), "kept");
    desk.is_in_order();
}
