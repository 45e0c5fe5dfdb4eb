//! What a killed process leaves behind, written by hand, and what the next request makes of it.

use model::{EntryCause, FolderMove, ProjectPath, Value};
use serde_json::json;
use store::{Mark, NewEntry};

use crate::desk::{Desk, NOW, left, mark, pair, told};
use crate::probe::{COUNT, ITEMS, SPACE, TRUTH, item};

const BEFORE: &str = "# Items\n\na: one\n";
const AFTER: &str = "# Items\n\na: two\n";

/// A project in which a commit has changed `a` and nothing else has happened yet.
fn committed() -> Desk {
    let desk = Desk::new();
    desk.done("put", pair("a", "one"));
    commit(&desk, &[("a", Some("one".into()), "two".into())], &[]);
    desk.tamper(|txn| {
        txn.put_image(&left(ITEMS, mark(BEFORE.as_bytes()), mark(AFTER.as_bytes()))).unwrap();
        let Mark::Digest(digest) = mark(AFTER.as_bytes()) else { panic!("bytes have a digest") };
        txn.put_blob(&digest, AFTER.as_bytes()).unwrap();
    });
    desk
}

fn commit(desk: &Desk, changes: &[(&str, Option<Value>, Value)], moves: &[FolderMove]) {
    let change = |(key, before, after): &(&str, Option<Value>, Value)| model::Change {
        key: item(key),
        before: before.clone(),
        after: Some(after.clone()),
    };
    let changes: Vec<_> = changes.iter().map(change).collect();
    desk.tamper(|txn| {
        let entry = NewEntry {
            at: model::Timestamp::parse_rfc3339(NOW).unwrap(),
            actor: "tester",
            session: None,
            request_id: None,
            space: &SPACE,
            call: "put",
            cause: EntryCause::Call,
            changes: &changes,
            moves,
            takes_back: &[],
        };
        txn.append(&entry).unwrap();
    });
}

#[test]
fn what_was_published_is_confirmed_silently() {
    let desk = committed();
    desk.edit(ITEMS, AFTER);
    let stamp = desk.snapshot()[ITEMS].clone();
    assert_eq!(desk.refused("refuse", json!({})), "not_today");
    assert_eq!(desk.snapshot()[ITEMS], stamp, "it is not written again");
    assert_eq!(desk.journal(), ["2 tester put", "1 tester put"]);
    desk.is_in_order();
}

#[test]
fn what_was_published_is_not_read_as_an_edit() {
    let desk = Desk::new();
    desk.done("put", pair("a", "one"));
    // Reading its rendering back would find a line that is no item.
    commit(&desk, &[("a", Some("one".into()), "two\nlines".into())], &[]);
    let text = "# Items\n\na: two\nlines\n";
    desk.tamper(|txn| txn.put_image(&left(ITEMS, mark(BEFORE.as_bytes()), mark(text.as_bytes()))).unwrap());
    desk.edit(ITEMS, text);
    assert!(told(&desk.done("get", json!({}))).is_empty());
    assert!(told(&desk.done("put", pair("b", "new"))).is_empty());
    assert_eq!(desk.item("a"), Some("two\nlines".into()));
    desk.is_in_order();
}

#[test]
fn what_was_not_published_is_published() {
    for request in ["refuse", "put"] {
        let desk = committed();
        let arguments = if request == "put" { pair("a", "two") } else { json!({}) };
        drop(desk.call(request, arguments));
        assert_eq!(desk.text(ITEMS), AFTER, "{request}");
        assert_eq!(desk.journal(), ["2 tester put", "1 tester put"]);
        desk.is_in_order();
    }
}

#[test]
fn a_read_after_a_crash_answers_from_the_records() {
    let desk = committed();
    let before = desk.snapshot();
    assert_eq!(desk.done("get", json!({})).body["items"], json!({"a": "two"}));
    assert_eq!(desk.snapshot(), before);
}

#[test]
fn anything_else_is_an_edit_of_the_confirmed_bytes() {
    let desk = committed();
    desk.edit(ITEMS, "# Items\n\na: one\nb: theirs\n");
    desk.done("put", pair("c", "next"));
    assert_eq!(desk.text(ITEMS), "# Items\n\na: two\nb: theirs\nc: next\n", "nobody edited a");
    assert_eq!(desk.history()[1]["changes"], json!([{"key": "item/b", "before": null, "after": "theirs"}]));
    desk.is_in_order();
}

#[test]
fn an_edit_of_what_the_commit_changed_wins() {
    let desk = committed();
    desk.edit(ITEMS, "# Items\n\na: theirs\n");
    desk.done("put", pair("c", "next"));
    assert_eq!(desk.text(ITEMS), "# Items\n\na: theirs\nc: next\n");
    desk.is_in_order();
}

#[test]
fn a_first_publication_that_did_not_happen_is_made_up() {
    let desk = Desk::new();
    commit(&desk, &[("a", None, "two".into())], &[]);
    desk.tamper(|txn| txn.put_image(&left(ITEMS, Mark::Absent, mark(AFTER.as_bytes()))).unwrap());
    assert_eq!(desk.refused("refuse", json!({})), "not_today");
    assert_eq!(desk.text(ITEMS), AFTER);
    desk.is_in_order();
}

#[test]
fn a_removal_that_was_not_confirmed_is_settled() {
    let desk = Desk::new();
    desk.done("put", pair("a", "one"));
    desk.tamper(|txn| txn.put_image(&left(TRUTH, mark(b"{}"), Mark::Absent)).unwrap());
    desk.done("put", pair("a", "two"));
    assert!(!desk.stands(TRUTH));
    desk.is_in_order();
}

#[test]
fn a_removal_that_did_not_happen_is_made_up() {
    let desk = Desk::new();
    desk.done("put", pair("a", "one"));
    desk.edit(TRUTH, "{}");
    desk.tamper(|txn| txn.put_image(&left(TRUTH, mark(b"{}"), Mark::Absent)).unwrap());
    desk.done("put", pair("a", "two"));
    assert!(!desk.stands(TRUTH));
    assert!(desk.image(TRUTH).is_none());
    desk.is_in_order();
}

#[test]
fn an_image_that_is_no_source_is_published_too() {
    let desk = Desk::new();
    desk.done("bump", json!({"key": "count"}));
    commit(&desk, &[("count", Some(1.into()), 2.into())], &[]);
    desk.tamper(|txn| {
        txn.put_image(&left(ITEMS, mark(b"# Items\n\ncount: 1\n"), mark(b"# Items\n\ncount: 2\n"))).unwrap();
        txn.put_image(&left(COUNT, mark(b"1\n"), mark(b"2\n"))).unwrap();
    });
    assert_eq!(desk.refused("refuse", json!({})), "not_today");
    assert_eq!(desk.text(COUNT), "2\n");
    desk.is_in_order();
}

#[test]
fn a_leftover_temporary_file_is_removed_by_name() {
    let desk = Desk::new();
    desk.done("put", pair("a", "one"));
    desk.edit(".mainstay-ITEMS.md.tmp", "half of");
    desk.edit(".mainstay-truth.json.tmp", "half of");
    desk.done("put", pair("a", "one"));
    assert!(desk.temporary().is_empty());
    assert_eq!(desk.text(ITEMS), BEFORE);
}

fn to_the_trash() -> FolderMove {
    FolderMove { from: ProjectPath::known("shelf/box"), to: ProjectPath::known(".mainstay/trash/box") }
}

#[test]
fn a_pending_move_happens_before_anything_is_taken_in() {
    let desk = Desk::new().write("shelf/box/file", "kept");
    commit(&desk, &[("a", None, "one".into())], &[to_the_trash()]);
    desk.edit(ITEMS, "# Items\n\nb: theirs\n");
    assert_eq!(desk.refused("refuse", json!({})), "not_today");
    assert!(!desk.stands("shelf/box"));
    assert_eq!(desk.text(".mainstay/trash/box/file"), "kept");
    assert!(desk.store().read().unwrap().pending_moves().unwrap().is_empty());
}

#[test]
fn a_move_that_has_happened_is_settled() {
    let desk = Desk::new().write(".mainstay/trash/box/file", "kept");
    commit(&desk, &[("a", None, "one".into())], &[to_the_trash()]);
    assert_eq!(desk.refused("refuse", json!({})), "not_today");
    assert_eq!(desk.text(".mainstay/trash/box/file"), "kept");
    assert!(desk.store().read().unwrap().pending_moves().unwrap().is_empty());
}

#[test]
fn where_both_ends_stand_nothing_is_removed() {
    let desk = Desk::new().write("shelf/box/file", "theirs").write(".mainstay/trash/box/file", "ours");
    commit(&desk, &[("a", None, "one".into())], &[to_the_trash()]);
    assert_eq!(desk.refused("refuse", json!({})), "not_today");
    assert_eq!(desk.text("shelf/box/file"), "theirs");
    assert_eq!(desk.text(".mainstay/trash/box/file"), "ours");
    assert!(desk.store().read().unwrap().pending_moves().unwrap().is_empty());
}

#[test]
fn a_move_of_nothing_is_settled() {
    let desk = Desk::new();
    commit(&desk, &[("a", None, "one".into())], &[to_the_trash()]);
    let reply = desk.done("put", pair("b", "two"));
    assert_eq!(told(&reply), ["move_impossible"]);
    assert!(desk.store().read().unwrap().pending_moves().unwrap().is_empty());
}
