//! Edits that others make: when they are seen, when they are taken in, what is lost (nothing).

use serde_json::json;

use crate::desk::{Desk, mark, pair, told};
use crate::probe::{ITEMS, TRUTH, meanwhile};

fn edited() -> Desk {
    let desk = Desk::new();
    desk.done("put", pair("a", "one"));
    desk.edit(ITEMS, "# Items\n\na: changed\nb: new\n");
    desk
}

#[test]
fn the_next_write_takes_an_edit_in_as_an_entry_of_its_own() {
    let desk = edited();
    desk.done("put", pair("c", "three"));
    assert_eq!(desk.journal(), ["3 tester put", "2 external take_in", "1 tester put"]);
    assert_eq!(
        desk.history()[1]["changes"],
        json!([
            {"key": "item/a", "before": "one", "after": "changed"},
            {"key": "item/b", "before": null, "after": "new"},
        ])
    );
    assert_eq!(desk.text(ITEMS), "# Items\n\na: changed\nb: new\nc: three\n");
    desk.is_in_order();
}

#[test]
fn a_refused_call_takes_an_edit_in_and_changes_nothing_else() {
    let desk = edited();
    assert_eq!(desk.refused("refuse", json!({})), "not_today");
    assert_eq!(desk.journal(), ["2 external take_in", "1 tester put"]);
    assert_eq!(desk.text(ITEMS), "# Items\n\na: changed\nb: new\n");
    let before = desk.besides_locks();
    assert_eq!(desk.refused("refuse", json!({})), "not_today");
    assert_eq!(desk.besides_locks(), before, "it was taken in once");
    assert_eq!(desk.journal().len(), 2);
    desk.is_in_order();
}

#[test]
fn a_read_sees_an_edit_and_writes_nothing() {
    let desk = edited();
    let before = desk.snapshot();
    let reply = desk.done("get", json!({}));
    assert_eq!(reply.body["items"], json!({"a": "changed", "b": "new"}));
    assert_eq!(desk.snapshot(), before);
    assert_eq!(desk.journal(), ["1 tester put"]);
}

#[test]
fn where_reads_take_in_always_a_read_settles_an_edit() {
    let desk = Desk::configured("take_in = \"always\"");
    desk.done("put", pair("a", "one"));
    desk.edit(ITEMS, "# Items\nb: new\n");
    let reply = desk.done("get", json!({}));
    assert_eq!(reply.body["items"], json!({"b": "new"}));
    assert_eq!(desk.journal(), ["2 external take_in", "1 tester put"]);
    assert_eq!(desk.text(ITEMS), "# Items\n\nb: new\n", "a merged file is written back");
    desk.is_in_order();
    let before = desk.snapshot();
    desk.done("get", json!({}));
    assert_eq!(desk.snapshot(), before, "nothing waits any more, so nothing is written");
}

#[test]
fn a_file_that_is_the_truth_stays_as_others_wrote_it() {
    let desk = Desk::new();
    desk.done("settle", json!({"name": "goal", "value": "ship"}));
    desk.edit(TRUTH, "{ \"goal\": \"rest\" }");
    desk.done("put", pair("a", "one"));
    assert_eq!(desk.text(TRUTH), "{ \"goal\": \"rest\" }");
    assert_eq!(desk.done("get", json!({})).body["truth"], json!({"goal": "rest"}));
    assert_eq!(desk.journal()[1], "2 external take_in");
    desk.is_in_order();
    desk.done("settle", json!({"name": "next", "value": "sleep"}));
    assert_eq!(desk.text(TRUTH), "{\"goal\":\"rest\",\"next\":\"sleep\"}\n", "now we changed it");
}

#[test]
fn a_refused_call_leaves_an_edited_file_as_it_stands() {
    let desk = Desk::new();
    desk.done("put", pair("a", "one"));
    desk.edit(ITEMS, "b: new\n\n\na: one\n");
    assert_eq!(desk.refused("refuse", json!({})), "not_today");
    assert_eq!(desk.text(ITEMS), "b: new\n\n\na: one\n");
    assert_eq!(desk.item("b"), Some("new".into()));
    desk.done("put", pair("c", "three"));
    assert_eq!(desk.text(ITEMS), "# Items\n\na: one\nb: new\nc: three\n");
    desk.is_in_order();
}

#[test]
fn files_there_before_us_are_imported() {
    let desk = Desk::new().write(ITEMS, "# Items\n\nold: text\n").write(TRUTH, "{\"x\":1}");
    assert_eq!(desk.done("get", json!({})).body["items"], json!({"old": "text"}));
    desk.done("put", pair("a", "one"));
    assert_eq!(desk.text(ITEMS), "# Items\n\na: one\nold: text\n");
    assert_eq!(desk.journal(), ["2 tester put", "1 external take_in"]);
    desk.is_in_order();
}

#[test]
fn what_is_not_understood_is_kept_beside_its_file() {
    let desk = Desk::new();
    desk.done("put", pair("a", "one"));
    desk.edit(ITEMS, "# Items\n\na: two\nfree words\n");
    let reply = desk.done("put", pair("b", "new"));
    assert_eq!(told(&reply), ["image_conflict"]);
    let copy = "ITEMS.md.conflict-20260102T030405Z";
    assert_eq!(reply.warnings[0].details["kept_as"], copy);
    assert_eq!(desk.text(copy), "# Items\n\na: two\nfree words\n");
    assert_eq!(desk.text(ITEMS), "# Items\n\na: two\nb: new\n");
    desk.edit(ITEMS, "other words\n");
    desk.done("put", pair("b", "newer"));
    assert_eq!(desk.text("ITEMS.md.conflict-20260102T030405Z-2"), "other words\n", "no copy replaces another");
    assert_eq!(desk.text(copy), "# Items\n\na: two\nfree words\n");
    desk.is_in_order();
}

#[test]
fn bases_that_no_image_needs_are_dropped() {
    let desk = Desk::new();
    let base = |text: &str| {
        let store::Mark::Digest(digest) = mark(text.as_bytes()) else { panic!("bytes have a digest") };
        desk.store().read().unwrap().blob(&digest).unwrap().is_some()
    };
    desk.done("put", pair("a", "one"));
    assert!(base("# Items\n\na: one\n"));
    desk.edit(ITEMS, "a: two\n");
    desk.done("put", pair("b", "three"));
    assert!(base("# Items\n\na: two\nb: three\n"));
    assert!(!base("# Items\n\na: one\n"), "the base before the edit");
    assert!(!base("a: two\n"), "the edit itself");
    desk.edit(ITEMS, "# Items\n\na: four\nb: three\n");
    assert_eq!(desk.refused("refuse", json!({})), "not_today");
    assert!(base("# Items\n\na: four\nb: three\n"));
    assert!(!base("# Items\n\na: two\nb: three\n"), "the base before an edit that was taken as it stood");
}

/// A file removed outside, under each rule for bringing it back.
fn removed(restore: &str) -> Desk {
    let desk = Desk::configured(&format!("restore = \"{restore}\""));
    desk.done("put", pair("a", "one"));
    desk.remove(ITEMS);
    desk
}

#[test]
fn a_removed_file_comes_back_with_the_next_change() {
    let desk = removed("on_change");
    let reply = desk.done("get", json!({}));
    assert_eq!(told(&reply), ["missing_file"]);
    assert_eq!(desk.refused("refuse", json!({})), "not_today");
    desk.done("put", pair("a", "one"));
    assert!(!desk.stands(ITEMS), "nothing changed so far");
    // A change that the file does not show is a change of the space all the same.
    desk.done("settle", json!({"name": "goal", "value": "ship"}));
    assert_eq!(desk.text(ITEMS), "# Items\n\na: one\n");
    desk.is_in_order();
}

#[test]
fn a_removed_file_comes_back_with_the_next_request_of_any_kind() {
    for request in ["get", "refuse"] {
        let desk = removed("always");
        drop(desk.call(request, json!({})));
        assert_eq!(desk.text(ITEMS), "# Items\n\na: one\n", "{request}");
        assert_eq!(desk.journal(), ["1 tester put"]);
        desk.is_in_order();
    }
}

#[test]
fn a_removed_file_may_mean_something() {
    let desk = Desk::new();
    desk.done("settle", json!({"name": "goal", "value": "ship"}));
    desk.remove(TRUTH);
    assert_eq!(desk.done("get", json!({})).body["truth"], json!(null));
    desk.done("put", pair("a", "one"));
    assert!(!desk.stands(TRUTH));
    assert_eq!(desk.journal(), ["3 tester put", "2 external take_in", "1 tester settle"]);
    desk.done("put", pair("a", "two"));
    assert_eq!(desk.journal().len(), 4, "its absence is taken in once");
    desk.done("settle", json!({"name": "goal", "value": "again"}));
    assert_eq!(desk.text(TRUTH), "{\"goal\":\"again\"}\n");
    desk.is_in_order();
}

#[test]
fn a_file_that_changes_while_a_request_thinks_is_not_replaced() {
    let desk = Desk::new();
    desk.done("put", pair("a", "one"));
    let path = desk.at(ITEMS);
    meanwhile(&desk.root(), move || std::fs::write(path, "# Items\n\na: theirs\n").unwrap());
    let reply = desk.done("meddle", pair("b", "ours"));
    assert_eq!(told(&reply), ["image_stale"]);
    assert_eq!(desk.text(ITEMS), "# Items\n\na: theirs\n");
    assert!(desk.temporary().is_empty());
    desk.done("put", pair("c", "next"));
    assert_eq!(desk.text(ITEMS), "# Items\n\na: theirs\nb: ours\nc: next\n");
    desk.is_in_order();
}
