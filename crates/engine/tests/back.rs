//! Undo, redo, rollback and checkpoints: what was done is led back by new entries.

use std::collections::BTreeMap;

use mainstay_engine::{CheckpointQuery, Identity, RollbackQuery, UndoQuery};
use model::{Object, RecordKey, Refusal, Reply, Revision, Value};
use serde_json::json;

use crate::desk::{Desk, anyone, pair, told};
use crate::probe::ITEMS;

pub(crate) fn undo(desk: &Desk, query: UndoQuery) -> Result<Reply, Refusal> {
    desk.engine().undo(query, &anyone())
}

pub(crate) fn newest() -> UndoQuery {
    UndoQuery::default()
}

pub(crate) fn entry(revision: u64) -> UndoQuery {
    UndoQuery { revision: Some(Revision(revision)), ..newest() }
}

fn code(result: Result<Reply, Refusal>) -> String {
    result.unwrap_err().code.into_owned()
}

fn rollback(desk: &Desk, to: &str) -> Reply {
    desk.engine().rollback(RollbackQuery { to: to.into(), space: None }, &anyone()).unwrap()
}

pub(crate) fn checkpoint(desk: &Desk, label: &str) -> String {
    let query = CheckpointQuery::Make { label: Some(label.into()), space: None };
    let reply = desk.engine().checkpoint(query, &anyone()).unwrap();
    reply.body["id"].as_str().unwrap().to_owned()
}

/// Every record, as `show` tells it.
pub(crate) fn records(report: &Object) -> BTreeMap<String, Value> {
    let shown = report["records"].as_array().unwrap();
    let name = |one: &Value| format!("{} {}", one["space"].as_str().unwrap(), one["key"].as_str().unwrap());
    shown.iter().map(|one| (name(one), one["value"].clone())).collect()
}

/// Three entries: `a`, `b`, then `a` again.
fn three() -> Desk {
    let desk = Desk::new();
    for (key, value) in [("a", "one"), ("b", "two"), ("a", "three")] {
        desk.done("put", pair(key, value));
    }
    desk
}

#[test]
fn undo_walks_back_and_redo_walks_forth() {
    let desk = three();
    let mut texts = vec![desk.text(ITEMS)];
    for expected in [3, 2, 1] {
        let reply = undo(&desk, newest()).unwrap();
        assert_eq!(reply.body["undone"], json!([expected]));
        texts.push(desk.text(ITEMS));
        desk.is_in_order();
    }
    assert_eq!(desk.text(ITEMS), "# Items\n\n");
    assert_eq!(code(undo(&desk, newest())), "nothing_to_undo");
    for expected in [1, 2, 3] {
        texts.pop();
        let reply = desk.engine().redo(&anyone()).unwrap();
        assert_eq!(reply.body["redone"], json!([expected]));
        assert_eq!(desk.text(ITEMS), *texts.last().unwrap());
        desk.is_in_order();
    }
    assert_eq!(code(desk.engine().redo(&anyone())), "nothing_to_redo");
    // What was redone can be undone once more.
    assert_eq!(undo(&desk, newest()).unwrap().body["undone"], json!([3]));
}

#[test]
fn after_another_entry_there_is_nothing_to_redo() {
    let desk = three();
    undo(&desk, newest()).unwrap();
    desk.done("put", pair("c", "new"));
    assert_eq!(code(desk.engine().redo(&anyone())), "nothing_to_redo");
    // By its number the undo can still be taken back.
    let reply = undo(&desk, entry(4)).unwrap();
    assert_eq!(reply.body["undone"], json!([4]));
    assert_eq!(desk.item("a"), Some("three".into()));
}

#[test]
fn later_entries_stand_in_the_way() {
    let desk = three();
    let before = desk.text(ITEMS);
    let refusal = undo(&desk, entry(1)).unwrap_err();
    assert_eq!(refusal.code, "undo_conflict");
    assert_eq!(refusal.details["conflicts"], json!([{"space": "probe", "key": "item/a", "revisions": [3]}]));
    assert_eq!((desk.text(ITEMS), desk.journal().len()), (before, 3));
    // What was taken back is in nobody's way.
    undo(&desk, entry(3)).unwrap();
    undo(&desk, entry(1)).unwrap();
    assert_eq!(desk.text(ITEMS), "# Items\n\nb: two\n");
    assert_eq!(code(undo(&desk, entry(1))), "already_undone");
    assert_eq!(code(undo(&desk, entry(99))), "unknown_revision");
    desk.is_in_order();
}

#[test]
fn many_undos_hide_no_later_entry() {
    let desk = Desk::new();
    desk.done("put", pair("a", "one"));
    desk.done("put", pair("a", "two"));
    for number in 0..8 {
        desk.done("put", pair("a", &format!("passing {number}")));
        undo(&desk, newest()).unwrap();
    }
    let refusal = undo(&desk, entry(1)).unwrap_err();
    assert_eq!(refusal.code, "undo_conflict");
    assert_eq!(refusal.details["conflicts"][0]["revisions"], json!([2]));
    assert_eq!(desk.item("a"), Some("two".into()));
    assert_eq!(undo(&desk, entry(2)).unwrap().body["undone"], json!([2]));
    assert_eq!(undo(&desk, entry(1)).unwrap().body["undone"], json!([1]));
    assert_eq!(desk.item("a"), None);
    desk.is_in_order();
}

#[test]
fn an_undo_that_reaches_beneath_another_is_in_its_way() {
    let desk = Desk::new();
    for value in ["one", "two", "three"] {
        desk.done("put", pair("a", value));
    }
    undo(&desk, entry(3)).unwrap();
    undo(&desk, entry(2)).unwrap();
    assert_eq!(desk.item("a"), Some("one".into()));
    // Revision 4 would bring back "three" upon a record that revision 5 has brought to "one".
    assert_eq!(code(undo(&desk, entry(4))), "undo_conflict");
    assert_eq!(undo(&desk, entry(5)).unwrap().body["undone"], json!([5]));
    assert_eq!(desk.item("a"), Some("two".into()));
}

#[test]
fn force_takes_back_the_rest() {
    let desk = Desk::new();
    // An outside edit of two lines is one entry.
    desk.edit(ITEMS, "a: one\nb: one\n");
    desk.done("put", pair("b", "two"));
    let reply = undo(&desk, UndoQuery { force: true, ..entry(1) }).unwrap();
    assert_eq!(reply.body["changes"].as_array().unwrap().len(), 1);
    assert_eq!(desk.text(ITEMS), "# Items\n\nb: two\n");
    let alone = Desk::new();
    alone.done("put", pair("a", "one"));
    alone.done("put", pair("a", "two"));
    assert_eq!(code(undo(&alone, UndoQuery { force: true, ..entry(1) })), "undo_conflict");
}

#[test]
fn a_session_goes_back_as_one() {
    let desk = Desk::new();
    let of = |session: &str, key: &str, value: &str| {
        let identity = Identity { session: Some(session.into()), actor: Some("agent".into()), ..anyone() };
        let call = model::Call::new("put", pair(key, value).as_object().unwrap().clone());
        desk.engine().call(&call, &identity).unwrap();
    };
    of("s1", "a", "one");
    of("s2", "b", "two");
    of("s1", "a", "three");
    of("s1", "c", "four");
    let session = |name: &str| UndoQuery { session: Some(name.into()), ..newest() };
    let reply = undo(&desk, session("s1")).unwrap();
    assert_eq!(reply.body["undone"], json!([4, 3, 1]));
    assert_eq!(desk.text(ITEMS), "# Items\n\nb: two\n");
    assert_eq!(code(undo(&desk, session("s1"))), "nothing_to_undo");
    assert_eq!(desk.engine().redo(&anyone()).unwrap().body["redone"], json!([4, 3, 1]));
    assert_eq!(desk.text(ITEMS), "# Items\n\na: three\nb: two\nc: four\n");
    let of_actor = UndoQuery { actor: Some("somebody".into()), ..newest() };
    assert_eq!(code(undo(&desk, of_actor)), "nothing_to_undo");
    desk.is_in_order();
}

#[test]
fn what_a_session_took_back_of_others_goes_back_with_it() {
    let desk = Desk::new();
    let of = |session: &str| Identity { session: Some(session.into()), ..anyone() };
    let put = |session: &str, key: &str, value: &str| {
        let call = model::Call::new("put", pair(key, value).as_object().unwrap().clone());
        desk.engine().call(&call, &of(session)).unwrap();
    };
    let session = |name: &str| UndoQuery { session: Some(name.into()), ..newest() };
    put("good", "a", "precious");
    put("good", "b", "two");
    desk.engine().undo(entry(1), &of("bad")).unwrap();
    put("bad", "c", "junk");
    // What it took back of its own is no deed of its own.
    put("bad", "d", "slip");
    desk.engine().undo(entry(5), &of("bad")).unwrap();
    let before = records(&desk.engine().show(None, None).unwrap());
    let reply = undo(&desk, session("bad")).unwrap();
    assert_eq!(reply.body["undone"], json!([4, 3]));
    assert_eq!(desk.text(ITEMS), "# Items\n\na: precious\nb: two\n");
    assert_eq!(code(undo(&desk, session("bad"))), "nothing_to_undo");
    assert_eq!(desk.engine().redo(&anyone()).unwrap().body["redone"], json!([4, 3]));
    assert_eq!(records(&desk.engine().show(None, None).unwrap()), before);
    undo(&desk, session("bad")).unwrap();
    // A redo of what somebody else took back is a deed too.
    desk.engine().undo(entry(2), &of("good")).unwrap();
    desk.engine().redo(&of("bad")).unwrap();
    assert_eq!(desk.text(ITEMS), "# Items\n\na: precious\nb: two\n");
    undo(&desk, session("bad")).unwrap();
    assert_eq!(desk.text(ITEMS), "# Items\n\na: precious\n");
    // What others wrote over stands again, and is in the way of what stood before it.
    let desk = Desk::new();
    let put = |session: &str, value: &str| {
        let call = model::Call::new("put", pair("a", value).as_object().unwrap().clone());
        desk.engine().call(&call, &of(session)).unwrap();
    };
    put("bad", "one");
    put("good", "two");
    desk.engine().undo(entry(2), &of("bad")).unwrap();
    assert_eq!(code(undo(&desk, session("bad"))), "undo_conflict");
    undo(&desk, UndoQuery { force: true, ..session("bad") }).unwrap();
    assert_eq!(desk.text(ITEMS), "# Items\n\na: two\n");
    desk.is_in_order();
}

#[test]
fn an_outside_edit_goes_back_too() {
    let desk = three();
    desk.edit(ITEMS, "a: edited\nb: two\n");
    // It is taken in before anything else is decided.
    let reply = undo(&desk, newest()).unwrap();
    assert_eq!(reply.body["undone"], json!([4]));
    assert_eq!(desk.text(ITEMS), "# Items\n\na: three\nb: two\n");
    desk.is_in_order();
}

#[test]
fn folders_come_back_with_their_records() {
    let desk = Desk::new().write("shelf/box/deep/file", "kept");
    desk.done("put", pair("a", "one"));
    desk.done("label", json!({"name": "box"}));
    desk.done("shelve", json!({"name": "box"}));
    assert!(!desk.stands("shelf/box"));
    let reply = undo(&desk, newest()).unwrap();
    assert!(told(&reply).is_empty(), "{:?}", reply.warnings);
    assert_eq!((desk.text("shelf/box/deep/file"), desk.text("shelf/box/LABEL")), ("kept".into(), "\"box\"\n".into()));
    desk.is_in_order();
    desk.engine().redo(&anyone()).unwrap();
    assert!(!desk.stands("shelf/box") && desk.stands(".mainstay/trash/box/deep/file"));
    // A folder that came in its place is nobody's to remove.
    desk.edit("shelf/box/new", "mine");
    let refusal = undo(&desk, newest()).unwrap_err();
    assert_eq!((refusal.code.as_ref(), &refusal.details["path"]), ("undo_conflict", &json!("shelf/box")));
    assert_eq!(desk.text("shelf/box/new"), "mine");
}

#[test]
fn a_rollback_brings_records_images_and_folders_back() {
    let desk = Desk::new().write("shelf/box/file", "kept");
    desk.done("put", pair("a", "one"));
    let id = checkpoint(&desk, "start");
    assert_eq!(id, "c1");
    let (text, then) = (desk.text(ITEMS), desk.engine().show(None, None).unwrap());
    desk.done("put", pair("a", "two"));
    desk.done("shelve", json!({"name": "box"}));
    desk.done("put", pair("b", "three"));
    let ahead = desk.engine().rollback_ahead(&RollbackQuery { to: id.clone(), space: None }).unwrap();
    assert_eq!((ahead["changes"].as_array().unwrap().len(), desk.journal().len()), (3, 4));
    let reply = rollback(&desk, "start");
    assert_eq!((&reply.body["saved"], &reply.body["revision"]), (&json!("c2"), &json!(5)));
    assert_eq!(desk.text(ITEMS), text);
    assert_eq!(desk.text("shelf/box/file"), "kept");
    assert_eq!(records(&desk.engine().show(None, None).unwrap()), records(&then));
    desk.is_in_order();
    // It is an entry as any other.
    assert_eq!(undo(&desk, newest()).unwrap().body["undone"], json!([5]));
    assert_eq!(desk.text(ITEMS), "# Items\n\na: two\nb: three\n");
    assert!(!desk.stands("shelf/box"));
    // To where one is already, nothing happens and nothing is saved.
    let reply = rollback(&desk, "6");
    assert_eq!((&reply.body["saved"], desk.journal().len()), (&Value::Null, 6));
}

#[test]
fn a_checkpoint_belongs_to_its_space() {
    let desk = three();
    let make = |label: Option<&str>, space: Option<&str>| {
        let (label, space) = (label.map(str::to_owned), space.map(str::to_owned));
        desk.engine().checkpoint(CheckpointQuery::Make { label, space }, &anyone())
    };
    make(Some("mine"), Some("probe/a")).unwrap();
    make(Some("same"), None).unwrap();
    for label in ["12", "c7", "", "a\nb"] {
        let refusal = make(Some(label), None).unwrap_err();
        assert_eq!((refusal.code.as_ref(), refusal.field.as_deref()), ("invalid_argument", Some("label")), "{label:?}");
    }
    assert_eq!(make(None, Some("nothing/x")).unwrap_err().field.as_deref(), Some("space"));
    let back = |to: &str, space: &str| {
        let query = RollbackQuery { to: to.into(), space: Some(space.into()) };
        desk.engine().rollback(query, &anyone()).map(|_| ()).map_err(|refusal| refusal.code.into_owned())
    };
    assert_eq!(back("mine", "hseos"), Err("checkpoint_of_other_space".into()));
    assert_eq!(back("mine", "probe"), Err("checkpoint_of_other_space".into()));
    assert_eq!(back("mine", "probe/a/b"), Ok(()));
    assert_eq!(back("same", "probe"), Ok(()));
    assert_eq!(back("nowhere", "probe"), Err("unknown_checkpoint".into()));
    assert_eq!(back("99", "probe"), Err("unknown_revision".into()));
    desk.engine().checkpoint(CheckpointQuery::Drop { id: "c2".into() }, &anyone()).unwrap();
    let listed = desk.engine().checkpoints().unwrap();
    let ids: Vec<_> = listed["checkpoints"].as_array().unwrap().iter().map(|one| one["id"].clone()).collect();
    assert_eq!(ids, ["c1"]);
    // An id is never used again.
    assert_eq!(make(None, None).unwrap().body["id"], "c3");
}

#[test]
fn a_repeated_request_is_answered_from_its_entry() {
    let desk = three();
    let identity = Identity { request_id: Some("r1".into()), ..anyone() };
    let first = desk.engine().undo(newest(), &identity).unwrap();
    let again = desk.engine().undo(newest(), &identity).unwrap();
    assert_eq!(again.body["replayed"], true);
    for name in ["undone", "revision", "changes"] {
        assert_eq!(first.body[name], again.body[name]);
    }
    assert_eq!(desk.journal().len(), 4);
    // A reply too large to keep is told again from the entry.
    let desk = Desk::new();
    let lines: Vec<String> = (0..300).map(|n| format!("key{n}: value{n}")).collect();
    desk.edit(ITEMS, lines.join("\n"));
    desk.done("put", pair("z", "z"));
    let adoption = || UndoQuery { force: true, ..entry(1) };
    let first = desk.engine().undo(adoption(), &identity).unwrap();
    assert!(Value::Object(first.body.clone()).to_string().len() > 4096);
    let again = desk.engine().undo(adoption(), &identity).unwrap();
    assert_eq!((&again.body["undone"], &again.body["revision"]), (&json!([1]), &first.body["revision"]));
    assert_eq!(again.body["changes"].as_array().unwrap().len(), 300);
}

#[test]
fn a_space_that_is_all_gone_comes_back() {
    let desk = Desk::new();
    desk.done("put", pair("deep", "known"));
    desk.done("put", json!({"key": "x", "value": "y", "place": "deep"}));
    let there = || {
        let key = RecordKey::new(model::Space::known("probe/deep"), "item", "x");
        desk.store().read().unwrap().record(&key).unwrap().map(|record| record.value)
    };
    assert_eq!(there(), Some("y".into()));
    rollback(&desk, "0");
    assert_eq!(there(), None);
    undo(&desk, newest()).unwrap();
    assert_eq!(there(), Some("y".into()));
}

#[test]
fn blocked_spaces_refuse_and_touched_files_are_left() {
    let desk = three();
    desk.edit(ITEMS, "<<<<<<< a\na: one\n=======\na: two\n>>>>>>> b\n");
    let before = desk.text(ITEMS);
    assert_eq!(code(undo(&desk, newest())), "conflict_markers");
    let query = RollbackQuery { to: "1".into(), space: None };
    assert_eq!(code(desk.engine().rollback(query, &anyone())), "conflict_markers");
    assert_eq!((desk.text(ITEMS), desk.journal().len()), (before, 3));
}
