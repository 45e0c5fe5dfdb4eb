//! Checkouts and pulls: one entry over all spaces, by the commit that brought it.

use mainstay_engine::UndoQuery;
use serde_json::json;

use crate::back::{newest, undo};
use crate::desk::{Desk, pair};
use crate::probe::{ITEMS, TRUTH};

const ONE: &str = "1111111111111111111111111111111111111111";
const TWO: &str = "2222222222222222222222222222222222222222";

fn head(desk: &Desk, commit: &str) {
    desk.edit(".git/HEAD", "ref: refs/heads/main\n");
    desk.edit(".git/refs/heads/main", format!("{commit}\n"));
}

/// A repository with both images and the tables of hseos.
fn repository() -> Desk {
    let desk = Desk::new().write(".hseos/keep", "");
    head(&desk, ONE);
    desk.done("put", pair("a", "one"));
    desk.done("settle", json!({"name": "x", "value": "1"}));
    desk.done("tasks_add", json!({"id": "T1", "owner": "GHOST", "description": "first"}));
    desk
}

/// What a checkout makes of the files.
fn checkout(desk: &Desk) -> [String; 3] {
    let texts = [ITEMS, TRUTH, "TASKS.md"].map(|path| desk.text(path));
    head(desk, TWO);
    desk.edit(ITEMS, "# Items\n\na: pulled\n");
    desk.edit(TRUTH, "{\"x\":\"2\"}\n");
    desk.edit("TASKS.md", texts[2].replace("first", "pulled"));
    texts
}

#[test]
fn a_checkout_is_one_entry_and_one_undo_takes_it_back() {
    let desk = repository();
    let before = checkout(&desk);
    // The command is about every space: all images that moved are taken in together.
    let reply = undo(&desk, newest()).unwrap();
    assert_eq!(reply.body["undone"], json!([4]));
    assert_eq!(desk.journal()[1], "4 git:2222222 take_in");
    assert_eq!(reply.body["changes"].as_array().unwrap().len(), 3);
    for (path, text) in [ITEMS, TRUTH].into_iter().zip(&before) {
        assert_eq!(desk.text(path), *text);
    }
    assert!(desk.text("TASKS.md").contains("first"));
    desk.is_in_order();
}

#[test]
fn a_call_takes_in_what_moved_in_its_own_spaces() {
    let desk = repository();
    checkout(&desk);
    desk.done("put", pair("b", "two"));
    assert_eq!(desk.journal()[..2], ["5 tester put", "4 git:2222222 take_in"]);
    desk.done("tasks_list", json!({}));
    assert_eq!(desk.journal()[0], "6 git:2222222 take_in");
    // From here on that commit is known: an edit is someone's.
    desk.edit(ITEMS, "# Items\n\na: edited\nb: two\n");
    desk.done("put", pair("c", "three"));
    assert_eq!(desk.journal()[1], "7 external take_in");
}

#[test]
fn without_a_repository_or_a_move_it_is_someone_elses_edit() {
    for commits in [None, Some(ONE)] {
        let desk = Desk::new();
        if let Some(commit) = commits {
            head(&desk, commit);
        }
        desk.done("put", pair("a", "one"));
        desk.edit(ITEMS, "# Items\n\na: edited\n");
        undo(&desk, UndoQuery::default()).unwrap();
        assert_eq!(desk.journal()[1], "2 external take_in");
    }
}

/// A line of the log of HEAD, as git adds one.
fn logged(desk: &Desk, from: &str, to: &str, what: &str) {
    let path = desk.at(".git/logs/HEAD");
    let before = std::fs::read_to_string(&path).unwrap_or_default();
    desk.edit(".git/logs/HEAD", format!("{before}{from} {to} A <a@b> 1 +0000\t{what}\n"));
    head(desk, to);
}

#[test]
fn a_checkout_of_the_commit_that_was_written_on_is_a_move() {
    let desk = repository();
    logged(&desk, ONE, ONE, "checkout: moving from x to main");
    desk.done("put", pair("b", "two"));
    let old = desk.text(ITEMS);
    desk.done("put", pair("a", "new"));
    let new = desk.text(ITEMS);
    // The usual way of working: what was written is committed, then an older commit is looked at.
    logged(&desk, ONE, TWO, "commit: what was written");
    logged(&desk, TWO, ONE, "checkout: moving from main to HEAD~1");
    desk.edit(ITEMS, &old);
    desk.edit(TRUTH, "{\"x\":\"2\"}\n");
    let reply = undo(&desk, newest()).unwrap();
    assert_eq!(desk.journal()[1], "6 git:1111111 take_in");
    assert_eq!(reply.body["changes"].as_array().unwrap().len(), 2);
    assert_eq!(desk.text(ITEMS), new);
}

#[test]
fn an_edit_after_a_commit_of_ones_own_is_an_edit() {
    let desk = repository();
    logged(&desk, ONE, ONE, "checkout: moving from x to main");
    desk.done("put", pair("b", "two"));
    logged(&desk, ONE, TWO, "commit: what was written");
    desk.edit(ITEMS, "# Items\n\na: edited\nb: two\n");
    desk.done("put", pair("c", "three"));
    assert_eq!(desk.journal()[1], "5 external take_in");
}
