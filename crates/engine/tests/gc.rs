//! Folding: old entries become one, and everything that is left stays right.

use mainstay_engine::{CheckpointQuery, GcQuery, RollbackQuery};
use model::{Change, EntryCause, Object, RecordKey, Revision, Space, Timestamp, Value};
use serde_json::json;
use store::{NewEntry, TableState};

use crate::back::{checkpoint, entry, newest, records, undo};
use crate::desk::{Desk, anyone, pair};
use crate::exchange::journal;
use crate::probe::SPACE;

fn gc(desk: &Desk, keep: &str) -> Object {
    desk.engine().gc(&GcQuery { keep: keep.into(), dry_run: false }, &anyone()).unwrap()
}

/// A change on a day of January 2026.
fn put(desk: &Desk, day: u8, key: &str, value: &str) {
    desk.at_time(&format!("2026-01-{day:02}T00:00:00Z")).done("put", pair(key, value));
}

fn late(desk: &Desk) -> Desk {
    desk.at_time("2026-02-01T00:00:00Z")
}

/// Six entries, one a day.
fn six() -> Desk {
    let desk = Desk::new();
    for (day, key, value) in [(1, "a", "1"), (2, "b", "1"), (3, "a", "2"), (4, "c", "1"), (5, "b", "2"), (6, "a", "3")]
    {
        put(&desk, day, key, value);
    }
    desk
}

fn revisions(desk: &Desk) -> Vec<u64> {
    journal(desk).0.into_iter().map(|entry| entry.revision.0).collect()
}

#[test]
fn old_entries_become_one() {
    let desk = late(&six());
    let (text, blame) = (desk.text("ITEMS.md"), desk.engine().blame("probe", Some("b")).unwrap());
    let ahead = desk.engine().gc(&GcQuery { keep: "28d".into(), dry_run: true }, &anyone()).unwrap();
    assert_eq!((&ahead["dropped"], revisions(&desk).len()), (&json!(2), 6));
    assert_eq!(gc(&desk, "28d")["dropped"], 2);
    assert_eq!(revisions(&desk), [3, 4, 5, 6]);
    assert_eq!(journal(&desk).0[0].cause, EntryCause::Baseline);
    desk.is_in_order();
    assert_eq!(desk.text("ITEMS.md"), text);
    assert_eq!(desk.engine().blame("probe", Some("b")).unwrap(), blame);
    assert_eq!(desk.engine().blame("probe", Some("a")).unwrap()["fields"][0]["revision"], 6);
    let at = |revision: &str| records(&desk.engine().show(None, Some(revision)).unwrap());
    assert_eq!(at("3").values().collect::<Vec<_>>(), [&json!("2"), &json!("1")]);
    for folded in ["1", "2"] {
        assert_eq!(desk.engine().show(None, Some(folded)).unwrap_err().code, "revision_folded");
        let query = RollbackQuery { to: folded.into(), space: None };
        assert_eq!(desk.engine().rollback(query, &anyone()).unwrap_err().code, "revision_folded");
        assert_eq!(undo(&desk, entry(folded.parse().unwrap())).unwrap_err().code, "revision_folded");
    }
    assert_eq!(undo(&desk, entry(3)).unwrap_err().code, "revision_folded");
    // What is left can be taken back, down to what was folded.
    for expected in [6, 5, 4] {
        assert_eq!(undo(&desk, newest()).unwrap().body["undone"], json!([expected]));
    }
    assert_eq!(undo(&desk, newest()).unwrap_err().code, "nothing_to_undo");
    assert_eq!(desk.text("ITEMS.md"), "# Items\n\na: 2\nb: 1\n");
    desk.is_in_order();
    // Folding again folds the baseline too.
    gc(&desk.at_time("2026-03-01T00:00:00Z"), "0s");
    assert_eq!(revisions(&desk).len(), 1);
    desk.is_in_order();
}

#[test]
fn what_checkpoints_stand_on_stays() {
    let desk = Desk::new();
    let mut then = Vec::new();
    for day in 1..=9_u8 {
        put(&desk, day, if day % 2 == 0 { "a" } else { "b" }, &day.to_string());
        if [3, 4, 7].contains(&day) {
            checkpoint(&desk, &format!("day {day}"));
            then.push((format!("day {day}"), records(&desk.engine().show(None, None).unwrap())));
        }
    }
    let desk = late(&desk);
    gc(&desk, "1d");
    assert_eq!(revisions(&desk), [3, 4, 7, 9]);
    desk.is_in_order();
    for (label, records_then) in then.into_iter().rev() {
        assert_eq!(records(&desk.engine().show(None, Some(&label)).unwrap()), records_then, "{label}");
        desk.engine().rollback(RollbackQuery { to: label.clone(), space: None }, &anyone()).unwrap();
        assert_eq!(records(&desk.engine().show(None, None).unwrap()), records_then, "{label}");
        desk.is_in_order();
    }
    for number in 1..=6 {
        drop(desk.engine().checkpoint(CheckpointQuery::Drop { id: format!("c{number}") }, &anyone()));
    }
    gc(&desk.at_time("2026-03-01T00:00:00Z"), "0s");
    assert_eq!(revisions(&desk).len(), 1);
}

#[test]
fn the_trash_of_folded_entries_goes_and_no_other() {
    let desk = Desk::new().write("shelf/old/file", "x").write("shelf/back/file", "x").write("shelf/new/file", "x");
    let shelve = |day: u8, tool: &str, name: &str| {
        desk.at_time(&format!("2026-01-{day:02}T00:00:00Z")).done(tool, json!({"name": name}));
    };
    shelve(1, "shelve", "old");
    shelve(2, "shelve", "back");
    shelve(20, "unshelve", "back");
    shelve(21, "shelve", "back");
    shelve(22, "shelve", "new");
    let desk = late(&desk);
    let report = gc(&desk, "20d");
    assert_eq!(report["removed"], json!([".mainstay/trash/old"]));
    assert_eq!(desk.names(".mainstay/trash"), ["back", "new"]);
    desk.is_in_order();
}

#[test]
fn a_computed_reply_keeps_its_entry() {
    let desk = Desk::new();
    put(&desk, 1, "a", "1");
    put(&desk, 2, "a", "2");
    let first = desk.at_time("2026-01-31T00:00:00Z").repeat("r", "big", json!({})).unwrap();
    put(&desk, 31, "a", "3");
    let desk = late(&desk);
    let report = gc(&desk, "0s");
    assert_eq!((&report["dropped"], revisions(&desk)), (&json!(1), vec![2, 3, 4]));
    assert!(report["held"].as_str().unwrap().contains("reply"));
    let again = desk.repeat("r", "big", json!({})).unwrap();
    assert_eq!(first.body["text"], again.body["text"]);
    assert_eq!(
        desk.engine().gc(&GcQuery { keep: "x".into(), dry_run: false }, &anyone()).unwrap_err().field.as_deref(),
        Some("keep")
    );
}

#[test]
fn a_table_that_was_moved_with_its_project_holds_nothing() {
    let desk = Desk::new().write(".hseos/keep", "");
    for day in 1..=5_u8 {
        let fields = json!({"fields": {"branch": format!("b{day}")}});
        desk.at_time(&format!("2026-01-{day:02}T00:00:00Z")).done("state_write", fields);
    }
    let own = desk.store().read().unwrap().tables(&Space::known("hseos")).unwrap().pop().unwrap();
    let (confirmed, intended) = (Revision(1), Revision(2));
    let moved = TableState { place: "/elsewhere/project.db".into(), confirmed, intended, ..own.clone() };
    desk.tamper(|txn| txn.put_table(&moved).unwrap());
    let ahead = |desk: &Desk| desk.engine().gc(&GcQuery { keep: "0s".into(), dry_run: true }, &anyone()).unwrap();
    assert_eq!(ahead(&late(&desk))["dropped"], 3);
    // One that stands where another configuration looks for it may be shown again, and needs what it lacks.
    let aside = tempfile::NamedTempFile::new().unwrap();
    let place = aside.path().to_str().unwrap().to_owned();
    desk.tamper(|txn| txn.put_table(&TableState { nonce: "another".into(), place, ..moved }).unwrap());
    assert_eq!(ahead(&late(&desk))["dropped"], 0);
    // Once it is gone, it holds nothing, and is none that anybody knows when it comes back.
    drop(aside);
    assert_eq!(ahead(&late(&desk))["dropped"], 3);
    desk.tamper(|txn| txn.put_table(&TableState { place: "/elsewhere/project.db".into(), ..own }).unwrap());
    assert_eq!(gc(&late(&desk), "0s")["dropped"], 3);
    let known = desk.store().read().unwrap().tables(&Space::known("hseos")).unwrap();
    assert!(known.iter().all(|table| table.nonce != "another"), "{known:?}");
    assert_eq!(desk.done("state_read", json!({})).body["state"]["branch"], "b5");
}

#[test]
fn a_long_journal_is_folded_step_by_step_and_becomes_one() {
    let desk = Desk::new();
    for number in 0..1_100_u32 {
        desk.done("put", pair(&format!("k{}", number % 7), &number.to_string()));
    }
    let (text, shown) = (desk.text("ITEMS.md"), records(&desk.engine().show(None, None).unwrap()));
    assert_eq!(gc(&late(&desk), "0s")["dropped"], 1_099);
    assert_eq!(revisions(&desk), [1_100]);
    desk.is_in_order();
    assert_eq!((desk.text("ITEMS.md"), records(&desk.engine().show(None, Some("1100")).unwrap())), (text, shown));
}

/// One entry that gives `from..to` of many records the value `value`, behind the engine's back.
fn many(desk: &Desk, range: std::ops::Range<u32>, value: u32) {
    let at = Timestamp::parse_rfc3339("2026-01-01T00:00:00Z").unwrap();
    let store = desk.store();
    let reads = store.read().unwrap();
    let change = |number: u32| {
        let key = RecordKey::new(SPACE, "bulk", i64::from(number));
        let before = reads.record(&key).unwrap().map(|record| record.value);
        Change { key, before, after: Some(value.into()) }
    };
    let changes: Vec<Change> = range.map(change).collect();
    let (changes, moves, takes_back, cause) = (&changes[..], &[][..], &[][..], EntryCause::Call);
    let (actor, session, request_id, space, call) = ("tester", None, None, &SPACE, "put");
    let entry = NewEntry { at, actor, session, request_id, space, call, cause, changes, moves, takes_back };
    desk.tamper(|txn| {
        txn.append(&entry).unwrap();
    });
}

#[test]
fn what_changes_very_many_records_becomes_several_entries() {
    let desk = Desk::new();
    put(&desk, 1, "a", "1");
    many(&desk, 0..4_000, 1);
    many(&desk, 3_999..8_000, 2);
    put(&desk, 1, "a", "2");
    many(&desk, 8_000..9_000, 3);
    many(&desk, 10..20, 4);
    put(&desk, 1, "a", "3");
    let shown = |at| records(&desk.engine().show(Some(SPACE.as_str()), at).unwrap());
    let (middle, newest) = (shown(Some("4")), shown(None));
    let planned = desk.engine().gc(&GcQuery { keep: "0s".into(), dry_run: true }, &anyone()).unwrap();
    assert_eq!(planned["dropped"], 5);
    assert_eq!(gc(&late(&desk), "0s")["dropped"], 5);
    assert_eq!(revisions(&desk), [4, 7], "each stands for at most 8,192 records");
    assert!(middle != newest && shown(Some("4")) == middle && shown(Some("7")) == newest && shown(None) == newest);
    desk.is_in_order();
    assert_eq!(gc(&late(&desk), "0s")["dropped"], 0, "there is nothing more to fold");
    many(&desk, 0..1, 5);
    put(&desk, 1, "a", "4");
    assert_eq!(gc(&late(&desk), "0s")["dropped"], 2);
    assert_eq!((revisions(&desk), shown(Some("4"))), (vec![4, 9], middle));
}

#[test]
fn undo_walks_past_what_a_folded_undo_took_back() {
    let desk = Desk::new();
    put(&desk, 1, "a", "1");
    checkpoint(&desk, "kept");
    undo(&desk.at_time("2026-01-02T00:00:00Z"), newest()).unwrap();
    put(&desk, 3, "c", "1");
    put(&desk, 5, "c", "2");
    gc(&late(&desk), "28d");
    assert_eq!(revisions(&desk), [1, 3, 4]);
    assert_eq!(undo(&desk, newest()).unwrap().body["undone"], json!([4]));
    // The undo of the first entry is part of the third now, so nobody can tell that it was taken back.
    assert_eq!(undo(&desk, newest()).unwrap_err().code, "nothing_to_undo");
    assert_eq!(undo(&desk, entry(1)).unwrap_err().code, "undo_conflict");
}

#[test]
fn where_nothing_was_recorded_nothing_is_done() {
    let desk = Desk::new();
    let before = desk.snapshot();
    assert_eq!(gc(&desk, "0s")["dropped"], Value::from(0));
    assert_eq!(desk.snapshot(), before);
}
