//! A process that died between the commit of the records and the commit of the rows.

use model::{Change, EntryCause, RecordKey, Revision, Space, Value};
use serde_json::json;
use store::{NewEntry, TableState};

use super::{ask, field, outside, project, statuses};
use crate::desk::Desk;

const SPACE: Space = Space::known("hseos");

/// Commits the records' side of a request: `key` of `kind` gets `member` set.
fn committed(desk: &Desk, kind: &'static str, id: &str, member: &str, value: &str, drained: i64) {
    let key = RecordKey::new(SPACE, kind, id);
    let reads = desk.store();
    let before = reads.read().unwrap().record(&key).unwrap().unwrap().value;
    let table = reads.read().unwrap().tables(&SPACE).unwrap().remove(0);
    let mut after = before.clone();
    after[member] = Value::from(value);
    let shown: u64 = ask(desk, "SELECT value FROM mainstay_meta WHERE name = 'revision'").parse().unwrap();
    desk.tamper(|txn| {
        let entry = NewEntry {
            at: model::Timestamp::from_millis(0),
            actor: "someone",
            session: None,
            request_id: None,
            space: &SPACE,
            call: "by_hand",
            cause: EntryCause::Call,
            changes: &[Change { key, before: Some(before), after: Some(after) }],
            moves: &[],
            takes_back: &[],
        };
        let head = txn.append(&entry).unwrap();
        txn.put_table(&TableState { confirmed: Revision(shown), intended: head, drained, ..table }).unwrap();
    });
}

#[test]
fn missing_rows_are_written_again() {
    let desk = project();
    committed(&desk, "task", "T1", "status", "done", 0);
    assert_eq!(ask(&desk, "SELECT status FROM tasks"), "pending");
    assert_eq!(statuses(&desk), ["T1 done"]);
    assert_eq!(ask(&desk, "SELECT status FROM tasks"), "done");
    assert_eq!(desk.journal().len(), 3, "nothing was taken in");
    assert_eq!(ask(&desk, "SELECT value FROM mainstay_meta WHERE name = 'revision'"), "3");
}

#[test]
fn nothing_is_drained_twice() {
    let desk = project();
    outside(&desk, "UPDATE state SET value = 'theirs' WHERE key = 'branch'");
    committed(&desk, "state", "branch", "value", "theirs", 1);
    // Someone goes on before the next request.
    outside(&desk, "UPDATE tasks SET status = 'blocked'");
    assert_eq!(statuses(&desk), ["T1 blocked"]);
    assert_eq!(field(&desk, "branch"), "theirs");
    assert_eq!(desk.journal()[..2], ["4 external take_in", "3 someone by_hand"]);
    assert_eq!(desk.history()[0]["changes"].as_array().unwrap().len(), 1, "only the task");
    assert_eq!(ask(&desk, "SELECT count(*) FROM mainstay_inbox"), "0");
}

#[test]
fn what_others_wrote_over_missing_rows_wins() {
    let desk = project();
    committed(&desk, "state", "branch", "value", "ours", 0);
    outside(&desk, "UPDATE state SET value = 'theirs' WHERE key = 'branch'");
    assert_eq!(field(&desk, "branch"), "theirs");
    assert_eq!(ask(&desk, "SELECT value FROM state WHERE key = 'branch'"), "theirs");
}

#[test]
fn rows_that_were_written_are_confirmed_silently() {
    let desk = project();
    committed(&desk, "task", "T1", "status", "done", 0);
    assert_eq!(statuses(&desk), ["T1 done"]);
    let table = desk.store().read().unwrap().tables(&SPACE).unwrap().remove(0);
    desk.tamper(|txn| txn.put_table(&TableState { confirmed: Revision(2), ..table }).unwrap());
    desk.done("state_write", json!({"fields": {"branch": "main"}}));
    assert_eq!(statuses(&desk), ["T1 done"]);
    assert_eq!(desk.journal().iter().filter(|entry| entry.contains("external")).count(), 0);
}
