//! Every call of the store fails once beneath each generic command: nothing, or everything.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use mainstay_engine::{CheckpointQuery, Engine, GcQuery, RollbackQuery};
use model::Refusal;
use store::Opener as _;
use store::suite::{FailingOpener, Faults};

use crate::back::{newest, records, undo};
use crate::desk::{Desk, anyone, pair};
use crate::exchange::{exported, journal};

/// One command at a project that `prepare` made.
struct Case {
    name: &'static str,
    prepare: fn() -> Desk,
    command: fn(&Engine) -> Result<(), Refusal>,
}

fn written() -> Desk {
    let desk = Desk::new().write("shelf/box/file", "kept");
    desk.done("put", pair("a", "one"));
    desk.done("shelve", serde_json::json!({"name": "box"}));
    desk
}

fn undone() -> Desk {
    let desk = written();
    undo(&desk, newest()).unwrap();
    desk
}

fn old() -> Desk {
    let desk = written();
    desk.done("put", pair("b", "two"));
    desk.at_time("2026-06-01T00:00:00Z")
}

fn fresh() -> Desk {
    Desk::new().write("export.jsonl", &exported(&written(), None))
}

const CASES: &[Case] = &[
    Case { name: "undo", prepare: written, command: |engine| engine.undo(newest(), &anyone()).map(drop) },
    Case { name: "redo", prepare: undone, command: |engine| engine.redo(&anyone()).map(drop) },
    Case {
        name: "rollback",
        prepare: written,
        command: |engine| engine.rollback(RollbackQuery { to: "1".into(), space: None }, &anyone()).map(drop),
    },
    Case {
        name: "checkpoint",
        prepare: written,
        command: |engine| engine.checkpoint(CheckpointQuery::Make { label: None, space: None }, &anyone()).map(drop),
    },
    Case {
        name: "import",
        prepare: fresh,
        command: |engine| engine.import(&engine.root().join("export.jsonl"), false, &anyone()).map(drop),
    },
    Case {
        name: "gc",
        prepare: old,
        command: |engine| engine.gc(&GcQuery { keep: "1d".into(), dry_run: false }, &anyone()).map(drop),
    },
];

/// The journal and the checkpoints; nothing in a project without a store.
fn told(desk: &Desk) -> String {
    match desk.opener.open(&desk.root().join(".mainstay")).unwrap() {
        Some(_) => format!("{:?}", journal(desk)),
        None => format!("{:?}", (Vec::<store::StoredEntry>::new(), Vec::<store::Checkpoint>::new())),
    }
}

fn shown(desk: &Desk) -> String {
    format!("{:?}", records(&desk.engine().show(None, None).unwrap()))
}

#[test]
fn each_failing_call_leaves_nothing_or_everything() {
    for case in CASES {
        let (before, after) = {
            let desk = (case.prepare)();
            let before = (told(&desk), shown(&desk));
            (case.command)(&desk.engine()).unwrap();
            (before, (told(&desk), shown(&desk)))
        };
        let mut nth = 1;
        loop {
            let desk = (case.prepare)();
            let faults = Faults::at(nth);
            let engine = desk.open(Arc::new(FailingOpener::new(desk.opener.clone(), faults.clone()))).unwrap();
            let answer = catch_unwind(AssertUnwindSafe(|| (case.command)(&engine)));
            let at = format!("{}, call {nth}", case.name);
            let answer = answer.unwrap_or_else(|_| panic!("{at}: a panic"));
            let now = (told(&desk), shown(&desk));
            match &answer {
                Err(refusal) => {
                    let codes = ["store_unavailable", "outcome_unknown"];
                    assert!(codes.contains(&refusal.code.as_ref()), "{at}: {refusal}");
                    // Folding goes in steps, and what came before the failing one is done.
                    assert!(now == before || case.name == "gc", "{at}: something changed");
                    (case.command)(&desk.engine()).unwrap();
                }
                Ok(()) => assert_eq!(now, after, "{at}: reported and not there"),
            }
            desk.done("put", pair("later", "yes"));
            desk.is_in_order();
            assert!(desk.temporary().is_empty(), "{at}: a temporary file is left");
            if !faults.have_struck() {
                assert!(answer.is_ok(), "{at}: refused without a fault");
                break;
            }
            nth += 1;
        }
        assert!(nth > 10, "{}: only {nth} calls were counted", case.name);
    }
}
