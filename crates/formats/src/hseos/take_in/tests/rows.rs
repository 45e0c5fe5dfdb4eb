//! Rows of the tables that others wrote.

use format::{Format, InboxRow, RowsSeen, Seen};
use model::Cell;
use serde_json::{Value, json};

use super::{file, taken, told};
use crate::hseos::Hseos;
use crate::hseos::tests::{World, context};

fn t(text: &str) -> Cell {
    Cell::Text(text.into())
}

fn seen(rows: Vec<InboxRow>) -> Seen {
    Seen::Rows(RowsSeen { first_contact: false, rows, restored: Vec::new(), highest: Vec::new() })
}

fn row(seq: i64, table: &'static str, old_key: Option<Cell>, key: Option<Cell>, cells: Vec<Cell>) -> InboxRow {
    InboxRow { seq, table, old_key, key, cells }
}

fn field(seq: i64, key: &str, value: &str) -> InboxRow {
    row(seq, "state", None, Some(t(key)), vec![t(value), t("2026-01-02 03:05:00")])
}

fn task(seq: i64, id: &str, status: &str, depends: Cell) -> InboxRow {
    let cells = vec![t("GHOST"), t("x"), t(status), depends, Cell::Null, t("then"), t("then")];
    row(seq, "tasks", None, Some(t(id)), cells)
}

fn history(seq: i64, id: i64, key: &str, new: &str) -> InboxRow {
    let cells = vec![t(key), Cell::Null, t(new), t("cli"), t("2026-01-02 03:05:00")];
    row(seq, "state_history", None, Some(Cell::Integer(id)), cells)
}

fn world() -> World {
    let mut world = World::new();
    let mut call = |tool: &str, arguments: Value| drop(world.call(tool, arguments, &context()).unwrap());
    call("state_write", json!({"fields": {"phase": "planning"}}));
    call("tasks_add", json!({"id": "T1", "owner": "GHOST", "description": "one"}));
    world
}

fn check(rows: Vec<InboxRow>, expected: &[&str]) {
    assert_eq!(told(&taken(&world(), &[seen(rows)])), expected);
}

#[test]
fn rows_are_taken_as_they_stand_with_a_history_row_for_each_step() {
    check(
        vec![field(1, "phase", "a"), field(2, "phase", "b"), field(3, "k", "v")],
        &[
            "state/phase: \"b\"",
            "state/k: \"v\"",
            "history/2: phase \"planning\"->\"a\" external",
            "history/3: phase \"a\"->\"b\" external",
            "history/4: k null->\"v\" external",
        ],
    );
    check(vec![field(1, "phase", "planning")], &["state/phase: \"planning\""]);
    let rename = row(1, "state", Some(t("phase")), Some(t("stage")), vec![t("planning"), t("x")]);
    check(
        vec![rename],
        &["state/phase: gone", "state/stage: \"planning\"", "history/2: stage null->\"planning\" external"],
    );
    check(vec![row(1, "state", Some(t("phase")), None, vec![])], &["state/phase: gone"]);
}

#[test]
fn each_history_row_from_outside_covers_one_step() {
    check(
        vec![history(1, 2, "phase", "a"), field(2, "phase", "a"), field(3, "phase", "b"), field(4, "phase", "a")],
        &[
            "history/2: phase null->\"a\" cli",
            "state/phase: \"a\"",
            "history/3: phase \"a\"->\"b\" external",
            "history/4: phase \"b\"->\"a\" external",
        ],
    );
    let world = world();
    let first = RowsSeen {
        first_contact: true,
        rows: vec![field(1, "k", "v"), history(2, 9, "k", "v")],
        restored: vec![],
        highest: vec![("state_history", 12)],
    };
    assert_eq!(
        told(&taken(&world, &[Seen::Rows(first)])),
        ["state/k: \"v\"", "history/9: k null->\"v\" cli", "counter/history: 12"]
    );
}

#[test]
fn numbers_of_deleted_history_rows_are_not_used_again() {
    let mut world = world();
    let gone = taken(&world, &[seen(vec![row(1, "state_history", Some(Cell::Integer(1)), None, vec![])])]);
    assert_eq!(told(&gone), ["history/1: gone", "counter/history: 1"]);
    world.apply(&gone.changes);
    world.call("state_write", json!({"fields": {"phase": "x"}}), &context()).unwrap();
    let history = world.call("state_history", json!({}), &context()).unwrap();
    assert_eq!(history["history"][0]["id"], 2);
}

#[test]
fn numbers_go_on_behind_the_highest_that_is_taken() {
    const HIGHEST: i64 = 899_999_999_999_999_999;
    for id in [HIGHEST, HIGHEST + 1, i64::MAX] {
        let mut world = world();
        let rows = vec![history(1, id, "k", "v")];
        let highest = vec![("state_history", id)];
        let rows = RowsSeen { first_contact: false, rows, restored: vec![], highest };
        world.apply(&taken(&world, &[Seen::Rows(rows)]).changes);
        for (number, phase) in [(1, "a"), (2, "b"), (3, "c")] {
            world.call("state_write", json!({"fields": {"phase": phase}}), &context()).unwrap();
            let newest = world.call("state_history", json!({"n": 1}), &context()).unwrap();
            assert_eq!(newest["history"][0]["id"], HIGHEST + number, "{id}");
        }
    }
}

#[test]
fn lists_of_dependencies_are_read_in_every_form() {
    let cases = [
        (Cell::Null, Ok("[]")),
        (t(""), Ok("[]")),
        (t("[]"), Ok("[]")),
        (t("T1"), Ok("[\"T1\"]")),
        (t("T1, 2 T3"), Ok("[\"T1\",\"T2\",\"T3\"]")),
        (t("[\"T1\",\"T1\",4]"), Ok("[\"T1\",\"T4\"]")),
        (t("\"T1,T2\""), Ok("[\"T1\",\"T2\"]")),
        (t("[\"my task\"]"), Ok("[\"my task\"]")),
        (Cell::Integer(3), Ok("[\"T3\"]")),
        (t("T1; T2"), Err("bad_depends")),
        (t("{\"a\":1}"), Err("bad_depends")),
        (t("[[]]"), Err("bad_depends")),
        (t("[\"\"]"), Err("bad_depends")),
        (t("[1.5]"), Err("bad_depends")),
        (t("[\"T1\""), Err("bad_depends")),
        (Cell::Blob(vec![1]), Err("bad_type")),
    ];
    for (depends, expected) in cases {
        let told = told(&taken(&world(), &[seen(vec![task(1, "T5", "pending", depends.clone())])]));
        let wanted = match expected {
            Ok(list) => format!("task/T5: pending GHOST x {list} null"),
            Err(reason) => format!(
                "invalid/tasks/T5: {{\"table\":\"tasks\",\"key\":\"T5\",\"reason\":\"{reason}\",\"seqs\":[[1,\"{reason}\"]]}}"
            ),
        };
        assert_eq!(told, [wanted], "{depends:?}");
    }
}

#[test]
fn invalid_rows_are_refused_with_their_reason() {
    let long = "x".repeat(65_537);
    let field = |key: Cell, value: Cell| row(1, "state", None, Some(key), vec![value, t("x")]);
    let cases = [
        (field(Cell::Null, t("x")), "bad_key"),
        (field(t(""), t("x")), "bad_key"),
        (field(t("a\nb"), t("x")), "bad_key"),
        (field(t(&"k".repeat(513)), t("x")), "bad_key"),
        (field(Cell::Blob(vec![0xff]), t("x")), "bad_key"),
        (field(t("k"), Cell::Null), "bad_type"),
        (field(t("k"), Cell::Blob(vec![])), "bad_type"),
        (field(t("k"), t(&long)), "too_large"),
        (task(1, "T1", "banana", Cell::Null), "bad_status"),
        (task(1, "T1", "Done", Cell::Blob(vec![])), "bad_type"),
        (row(1, "tasks", None, Some(t("T1")), vec![]), "bad_type"),
        (history(1, -3, "k", "v"), "bad_key"),
    ];
    for (row, reason) in cases {
        let taken = taken(&world(), &[seen(vec![row.clone()])]);
        assert_eq!(Hseos.rows(&taken.changes).refused, [(1, reason.to_owned())], "{row:?}");
        assert_eq!(taken.changes.len(), 1);
    }
}

#[test]
fn readable_changes_settle_invalid_ones() {
    let rows = Hseos.rows(
        &taken(&world(), &[seen(vec![task(1, "T1", "wip", Cell::Null), task(2, "T1", "done", Cell::Null)])]).changes,
    );
    assert_eq!((rows.refused, rows.closed), (vec![(1, "bad_status".to_owned())], vec![1]));
    let mut world = world();
    let bad = taken(&world, &[seen(vec![task(1, "T1", "wip", Cell::Null), task(2, "T9", "wip", Cell::Null)])]);
    world.apply(&bad.changes);
    let gone = row(3, "tasks", Some(t("T9")), None, vec![]);
    let taken = taken(&world, &[seen(vec![task(4, "T1", "done", Cell::Null), gone])]);
    assert_eq!(Hseos.rows(&taken.changes).closed, [1, 2]);
}

#[test]
fn a_renamed_row_shows_under_its_former_key_until_it_can_be_read() {
    let rename = |seq, old: &str, id: &str, status: &str| InboxRow {
        old_key: Some(t(old)),
        ..task(seq, id, status, Cell::Null)
    };
    let ids = |world: &World| {
        let tasks = world.clone().call("tasks_list", json!({}), &context()).unwrap();
        tasks["tasks"].as_array().unwrap().iter().map(|task| task["id"].clone()).collect::<Vec<_>>()
    };
    let after = |before: &World, rows: Vec<InboxRow>| {
        let mut world = before.clone();
        let taken = taken(&world, &[seen(rows)]);
        world.apply(&taken.changes);
        (world, Hseos.rows(&taken.changes).closed)
    };
    let (renamed, _) = after(&world(), vec![rename(1, "T1", "T8", "wip")]);
    assert_eq!(ids(&renamed), ["T1"]);
    let (again, closed) = after(&renamed, vec![rename(2, "T8", "T9", "wip")]);
    assert_eq!((ids(&again), closed), (vec![json!("T1")], vec![1]));
    let (mended, closed) = after(&again, vec![rename(3, "T9", "T9", "done")]);
    assert_eq!((ids(&mended), closed), (vec![json!("T9")], vec![2]));
    let (back, closed) = after(&again, vec![rename(3, "T9", "T1", "done")]);
    assert_eq!((ids(&back), closed), (vec![json!("T1")], vec![2]));
    let (gone, closed) = after(&again, vec![row(3, "tasks", Some(t("T9")), None, vec![])]);
    assert_eq!((ids(&gone), closed), (vec![], vec![2]));
    let mut written = again;
    written.call("tasks_update", json!({"id": "T1", "note": "mine"}), &context()).unwrap();
    let (both, _) = after(&written, vec![rename(3, "T9", "T9", "done")]);
    assert_eq!(ids(&both), ["T9", "T1"]);
}

#[test]
fn rows_come_before_files_and_done_rows_prune() {
    let world = world();
    let (state, _) = world.images();
    let edited = state.replace("**phase:** planning", "**phase:** by hand");
    let both = [file("STATE.md", Some(&state), &edited), seen(vec![field(1, "phase", "by row")])];
    assert_eq!(
        told(&taken(&world, &both)),
        [
            "state/phase: \"by hand\"",
            "history/2: phase \"planning\"->\"by row\" external",
            "history/3: phase \"by row\"->\"by hand\" external",
        ]
    );
    let rows = (1..=6).map(|number| task(number, &format!("D{number}"), "done", Cell::Null)).chain([task(
        7,
        "T2",
        "pending",
        t("D3"),
    )]);
    let mut after = world.clone();
    after.apply(&taken(&world, &[seen(rows.collect())]).changes);
    assert_eq!(after.images().1.matches("- [x]").count(), 1);
    let restored = RowsSeen { first_contact: false, rows: vec![], restored: vec!["tasks"], highest: vec![] };
    assert_eq!(told(&taken(&world, &[Seen::Rows(restored)])), ["table_restored"]);
}
