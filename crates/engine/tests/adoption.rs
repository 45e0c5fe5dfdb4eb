//! What stood there before Mainstay came: neither undo nor rollback takes it from its owner unasked.

use mainstay_engine::{GcQuery, RollbackQuery, UndoQuery};
use model::{Refusal, Reply};
use serde_json::json;

use crate::back::{entry, newest, undo};
use crate::desk::{Desk, anyone, pair};
use crate::probe::{ITEMS, TRUTH};

const OWNED: &str = "{ \"goal\": \"ship\" }";

/// A file of the owner's that Mainstay saw first with the first call, then two changes of it.
fn adopted() -> Desk {
    let desk = Desk::new().write(TRUTH, OWNED);
    for (name, value) in [("goal", "rest"), ("next", "sleep")] {
        desk.done("settle", json!({"name": name, "value": value}));
    }
    assert_eq!(desk.journal(), ["3 tester settle", "2 tester settle", "1 external take_in"]);
    desk
}

fn rollback(desk: &Desk, to: &str) -> Reply {
    desk.engine().rollback(RollbackQuery { to: to.into(), space: None }, &anyone()).unwrap()
}

fn refused(result: Result<Reply, Refusal>) -> Refusal {
    result.unwrap_err()
}

#[test]
fn undo_repeated_passes_over_what_was_adopted() {
    let desk = adopted();
    for expected in [3, 2] {
        assert_eq!(undo(&desk, newest()).unwrap().body["undone"], json!([expected]));
    }
    let refusal = refused(undo(&desk, newest()));
    assert_eq!((&*refusal.code, &refusal.details["adopted"]), ("nothing_to_undo", &json!(1)));
    assert_eq!(desk.text(TRUTH), "{\"goal\":\"ship\"}\n");
    let of_external = UndoQuery { actor: Some("external".into()), ..newest() };
    assert_eq!(refused(undo(&desk, of_external)).code, "nothing_to_undo");
    desk.is_in_order();
}

#[test]
fn undo_goes_on_behind_an_adoption() {
    let desk = Desk::new();
    desk.done("put", pair("a", "one"));
    let desk = desk.write(TRUTH, OWNED);
    desk.done("put", pair("b", "two"));
    assert_eq!(desk.journal(), ["3 tester put", "2 external take_in", "1 tester put"]);
    for expected in [3, 1] {
        assert_eq!(undo(&desk, newest()).unwrap().body["undone"], json!([expected]));
    }
    assert_eq!((desk.text(ITEMS).as_str(), desk.text(TRUTH).as_str()), ("# Items\n\n", OWNED));
    desk.is_in_order();
}

#[test]
fn an_adoption_is_taken_back_where_it_is_named_and_forced() {
    let desk = Desk::new().write(TRUTH, OWNED);
    desk.done("put", pair("a", "one"));
    let refusal = refused(undo(&desk, entry(1)));
    assert_eq!((&*refusal.code, refusal.field.as_deref()), ("undo_of_adoption", Some("revision")));
    assert!(refusal.hint.unwrap().contains("mainstay undo 1 --force"));
    assert_eq!(desk.text(TRUTH), OWNED);
    undo(&desk, UndoQuery { force: true, ..entry(1) }).unwrap();
    assert!(!desk.stands(TRUTH));
    desk.engine().redo(&anyone()).unwrap();
    assert!(desk.stands(TRUTH));
    desk.is_in_order();
}

#[test]
fn a_rollback_behind_an_adoption_leaves_what_stood_there_then() {
    let desk = adopted();
    let reply = rollback(&desk, "0");
    assert_eq!(desk.text(TRUTH), "{\"goal\":\"ship\"}\n");
    assert_eq!(reply.body["changes"].as_array().unwrap().len(), 1, "the goal went back, nothing else");
    desk.is_in_order();
    assert_eq!(rollback(&desk, "0").body["saved"], json!(null), "there is nothing left to bring back");
    // What the records were at the time is told as it was.
    let shown = desk.engine().show(None, Some("0"));
    assert_eq!(shown.unwrap()["records"], json!([]));
}

#[test]
fn an_edit_of_what_is_known_is_taken_back_like_any_other() {
    let desk = adopted();
    desk.edit(TRUTH, "{\"goal\":\"else\"}");
    desk.edit(ITEMS, "# Items\n\nnew: here\n");
    desk.done("put", pair("a", "one"));
    assert_eq!(desk.journal()[1], "4 external take_in");
    for expected in [5, 4] {
        assert_eq!(undo(&desk, newest()).unwrap().body["undone"], json!([expected]));
    }
    assert_eq!(desk.text(TRUTH), "{\"goal\":\"rest\",\"next\":\"sleep\"}\n");
    desk.is_in_order();
}

#[test]
fn gc_leaves_an_adoption_alone() {
    let desk = Desk::new().write(TRUTH, OWNED).at_time("2026-01-01T00:00:00Z");
    for (name, value) in [("goal", "rest"), ("next", "sleep"), ("next", "wake")] {
        desk.done("settle", json!({"name": name, "value": value}));
    }
    let late = desk.at_time("2026-02-01T00:00:00Z");
    late.engine().gc(&GcQuery { keep: "1d".into(), dry_run: false }, &anyone()).unwrap();
    assert_eq!(late.journal().last().unwrap(), "1 external take_in", "{:?}", late.journal());
    assert_eq!(late.journal().len(), 2, "what came behind it is one entry");
    rollback(&late, "0");
    assert_eq!(late.text(TRUTH), "{\"goal\":\"ship\"}\n");
    late.is_in_order();
}

#[test]
fn what_is_met_after_a_checkout_stood_there_all_the_same() {
    let desk = Desk::new().write(".git/HEAD", "1111111111111111111111111111111111111111\n");
    desk.done("put", pair("a", "one"));
    desk.edit(".git/HEAD", "2222222222222222222222222222222222222222\n");
    desk.edit(TRUTH, OWNED);
    desk.done("settle", json!({"name": "goal", "value": "rest"}));
    for _ in 0..2 {
        undo(&desk, newest()).unwrap();
    }
    assert_eq!(refused(undo(&desk, newest())).code, "nothing_to_undo");
    assert_eq!(desk.text(TRUTH), "{\"goal\":\"ship\"}\n");
    desk.is_in_order();
}
