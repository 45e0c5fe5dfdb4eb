//! Every call of the store fails once: before the commit nothing, after it everything.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use mainstay_engine::Engine;
use serde_json::{Value, json};
use store::Opener as _;
use store::suite::{FailingOpener, Faults};

use crate::desk::{Desk, call, pair, told};
use crate::probe::{ITEMS, TRUTH};

/// One request at a project that `prepare` made, with the `n`-th call of the store failing.
struct Case {
    name: &'static str,
    prepare: fn() -> Desk,
    tool: &'static str,
    arguments: fn() -> Value,
}

fn with_items() -> Desk {
    let desk = Desk::new().write("shelf/box/file", "kept");
    desk.done("put", pair("a", "one"));
    desk
}

fn with_an_edit() -> Desk {
    let desk = with_items();
    desk.edit(ITEMS, "# Items\n\na: one\nb: theirs\n");
    desk.edit(TRUTH, "{\"goal\":\"theirs\"}\n");
    desk
}

const CASES: &[Case] = &[
    Case { name: "first write", prepare: Desk::new, tool: "put", arguments: || pair("x", "new") },
    Case { name: "write", prepare: with_items, tool: "put", arguments: || pair("x", "new") },
    Case { name: "write after an edit", prepare: with_an_edit, tool: "put", arguments: || pair("x", "new") },
    Case { name: "move", prepare: with_items, tool: "shelve", arguments: || json!({"name": "box"}) },
    Case { name: "no image", prepare: with_items, tool: "bump", arguments: || json!({"key": "count"}) },
];

fn failing(desk: &Desk, faults: &Faults) -> Engine {
    desk.open(Arc::new(FailingOpener::new(desk.opener.clone(), faults.clone()))).unwrap()
}

/// What the project holds, without the engine's own folder.
fn visible(desk: &Desk) -> Vec<(String, Vec<u8>)> {
    let names = desk.snapshot().into_keys().filter(|path| !path.starts_with(".mainstay/") && desk.at(path).is_file());
    names.map(|path| (path.clone(), std::fs::read(desk.at(&path)).unwrap())).collect()
}

/// How many entries the tool has made; none in a project without a store.
fn entries(desk: &Desk, tool: &str) -> usize {
    if desk.opener.open(&desk.root().join(".mainstay")).unwrap().is_none() {
        return 0;
    }
    desk.journal().iter().filter(|entry| entry.ends_with(&format!("tester {tool}"))).count()
}

#[test]
fn each_failing_call_leaves_nothing_or_everything() {
    for case in CASES {
        let mut nth = 1;
        loop {
            let desk = (case.prepare)();
            let (files, before) = (visible(&desk), entries(&desk, case.tool));
            let faults = Faults::at(nth);
            let engine = failing(&desk, &faults);
            let answer = catch_unwind(AssertUnwindSafe(|| call(&engine, case.tool, (case.arguments)())));
            let answer = answer.unwrap_or_else(|_| panic!("{}, call {nth}: a panic", case.name));
            let struck = faults.have_struck();
            let at = format!("{}, call {nth}", case.name);
            assert!(desk.temporary().is_empty(), "{at}: a temporary file is left");
            match &answer {
                Err(refusal) => {
                    let codes = ["store_unavailable", "outcome_unknown"];
                    assert!(codes.contains(&refusal.code.as_ref()), "{at}: {refusal}");
                    assert_eq!(visible(&desk), files, "{at}: files changed");
                    // What was taken in may be committed; the call's own entry may not.
                    assert_eq!(entries(&desk, case.tool), before, "{at}: an entry stands");
                }
                Ok(reply) => {
                    assert_eq!(entries(&desk, case.tool), before + 1, "{at}: reported and not there");
                    let stale = told(reply).iter().any(|code| ["image_stale", "move_pending"].contains(code));
                    let moved = case.tool != "shelve" || !desk.stands("shelf/box");
                    assert!(moved || stale, "{at}: the folder has not moved and nobody says so");
                }
            }
            // The next request mends what is left, or carries the call out for the first time.
            desk.done("settle", json!({"name": "later", "value": "yes"}));
            if answer.is_err() {
                desk.done(case.tool, (case.arguments)());
            }
            assert_eq!(entries(&desk, case.tool), before + 1, "{at}");
            if case.tool == "shelve" {
                assert_eq!(desk.text(".mainstay/trash/box/file"), "kept", "{at}");
            }
            desk.is_in_order();
            if !struck {
                assert!(answer.is_ok(), "{at}: refused without a fault");
                break;
            }
            nth += 1;
        }
        assert!(nth > 10, "{}: only {nth} calls were counted", case.name);
    }
}

#[test]
fn each_failing_call_of_a_read_is_told() {
    let mut nth = 1;
    loop {
        let desk = with_an_edit();
        let before = desk.snapshot();
        let faults = Faults::at(nth);
        let answer = call(&failing(&desk, &faults), "get", json!({}));
        match answer {
            Ok(reply) if told(&reply).contains(&"store_unavailable") => assert_eq!(nth, 1, "the store did not open"),
            Ok(reply) => assert_eq!(reply.body["items"], json!({"a": "one", "b": "theirs"}), "call {nth}"),
            Err(refusal) => assert_eq!(refusal.code, "store_unavailable", "call {nth}"),
        }
        assert_eq!(desk.snapshot(), before, "call {nth}");
        if !faults.have_struck() {
            break;
        }
        nth += 1;
    }
}

#[test]
fn a_retry_after_any_fault_is_applied_once() {
    let mut nth = 1;
    loop {
        let desk = with_an_edit();
        let faults = Faults::at(nth);
        let engine = failing(&desk, &faults);
        let identity = mainstay_engine::Identity { request_id: Some("r1".into()), ..crate::desk::anyone() };
        let arguments = json!({"key": "n"}).as_object().unwrap().clone();
        drop(engine.call(&model::Call::new("bump", arguments), &identity));
        desk.repeat("r1", "bump", json!({"key": "n"})).unwrap();
        assert_eq!(desk.item("n"), Some(1.into()), "call {nth}");
        desk.is_in_order();
        if !faults.have_struck() {
            break;
        }
        nth += 1;
    }
}
