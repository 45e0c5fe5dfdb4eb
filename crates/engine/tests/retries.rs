//! A request that comes again is answered again and carried out once.

use serde_json::json;

use crate::desk::{Desk, pair, told};
use crate::probe::ITEMS;

#[test]
fn a_repeat_is_answered_and_changes_nothing() {
    let desk = Desk::new();
    let first = desk.repeat("r1", "bump", json!({"key": "n"})).unwrap();
    let before = desk.besides_locks();
    let again = desk.repeat("r1", "bump", json!({"key": "n"})).unwrap();
    assert_eq!(first.body["count"], again.body["count"]);
    assert_eq!(again.body["replayed"], true);
    assert_eq!(first.body.get("replayed"), None);
    assert_eq!(desk.besides_locks(), before);
    assert_eq!(desk.journal(), ["1 tester bump"]);
    assert_eq!(desk.item("n"), Some(1.into()));
}

#[test]
fn a_repeat_heals_the_images() {
    let desk = Desk::configured("restore = \"always\"");
    desk.repeat("r1", "bump", json!({"key": "n"})).unwrap();
    desk.remove(ITEMS);
    desk.repeat("r1", "bump", json!({"key": "n"})).unwrap();
    desk.is_in_order();
}

#[test]
fn an_id_belongs_to_its_arguments_and_its_tool() {
    let desk = Desk::new();
    desk.repeat("r1", "bump", json!({"key": "n"})).unwrap();
    let refusal = desk.repeat("r1", "bump", json!({"key": "m"})).unwrap_err();
    assert_eq!((refusal.code.as_ref(), refusal.field.as_deref()), ("request_id_reused", Some("request_id")));
    assert_eq!(desk.item("m"), None);
    desk.repeat("r1", "put", pair("m", "x")).unwrap();
    assert_eq!(desk.item("m"), Some("x".into()));
}

#[test]
fn a_reply_that_is_too_large_to_keep_is_thought_again() {
    let desk = Desk::new();
    let first = desk.repeat("r1", "big", json!({})).unwrap();
    assert!(first.body["text"].as_str().unwrap().len() > 4096);
    // Time passes, others write; the answer stays what it was.
    desk.repeat("r2", "big", json!({})).unwrap();
    desk.done("put", pair("a", "one"));
    let desk = desk.with("MAINSTAY_NOW", "2026-01-03T00:00:00Z").with("PROBE_ACTOR", "other");
    let again = desk.repeat("r1", "big", json!({})).unwrap();
    assert_eq!(first.body["text"], again.body["text"]);
    assert_eq!(again.body["replayed"], true);
    assert_eq!(desk.item("bigs"), Some(2.into()));
    assert_eq!(desk.journal().len(), 3);
}

#[test]
fn a_refusal_is_not_kept() {
    let desk = Desk::new();
    let place = json!({"key": "n", "value": "x", "place": "nowhere"});
    assert_eq!(desk.repeat("r1", "put", place).unwrap_err().code, "unknown_place");
    assert_eq!(desk.repeat("r1", "refuse", json!({})).unwrap_err().code, "not_today");
    assert_eq!(desk.repeat("r1", "refuse", json!({})).unwrap_err().code, "not_today");
    desk.repeat("r1", "put", pair("n", "y")).unwrap();
    assert_eq!(desk.item("n"), Some("y".into()));
}

#[test]
fn a_request_that_changes_nothing_is_kept_too() {
    let desk = Desk::new();
    desk.done("put", pair("a", "one"));
    desk.repeat("r1", "put", pair("a", "one")).unwrap();
    desk.done("put", pair("a", "two"));
    let again = desk.repeat("r1", "put", pair("a", "one")).unwrap();
    assert_eq!(again.body["replayed"], true);
    assert_eq!(desk.item("a"), Some("two".into()), "it is not carried out now");
}

#[test]
fn receipts_expire_after_seven_days() {
    let desk = Desk::new();
    desk.repeat("r1", "bump", json!({"key": "n"})).unwrap();
    let desk = desk.with("MAINSTAY_NOW", "2026-01-09T03:04:05.678Z");
    desk.repeat("r2", "bump", json!({"key": "n"})).unwrap();
    assert_eq!(desk.repeat("r1", "bump", json!({"key": "n"})).unwrap().body["replayed"], true);
    let desk = desk.with("MAINSTAY_NOW", "2026-01-09T03:04:05.679Z");
    desk.repeat("r3", "bump", json!({"key": "n"})).unwrap();
    let late = desk.repeat("r1", "bump", json!({"key": "n"})).unwrap();
    assert_eq!(late.body.get("replayed"), None);
    assert!(told(&late).is_empty());
    assert_eq!(desk.item("n"), Some(4.into()));
}

#[test]
fn the_order_of_arguments_is_no_part_of_a_request() {
    let desk = Desk::new();
    desk.repeat("r1", "put", json!({"key": "a", "value": {"x": 1, "y": [{"p": 1, "q": 2}]}})).unwrap();
    let again = desk.repeat("r1", "put", json!({"value": {"y": [{"q": 2, "p": 1}], "x": 1}, "key": "a"})).unwrap();
    assert_eq!(again.body["replayed"], true);
    let other = desk.repeat("r1", "put", json!({"key": "a", "value": {"x": 1, "y": [{"p": 2, "q": 1}]}}));
    assert_eq!(other.unwrap_err().code, "request_id_reused");
}
