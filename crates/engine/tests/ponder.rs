//! What takes long is worked out outside of every lock, and counts only for what it was worked out from.

use std::path::PathBuf;
use std::sync::Arc;

use mainstay_engine::Engine;
use serde_json::json;

use crate::desk::{Desk, call, pair};
use crate::probe::meanwhile;

// Does something to the project at once while the next question is worked out: any lock held then would refuse it.
fn meanwhile_at_once(desk: &Desk, tool: &'static str, arguments: serde_json::Value) {
    let twin = desk.at_time(crate::desk::NOW);
    meanwhile(&desk.root(), move || drop(twin.at_once(tool, arguments).unwrap()));
}

#[test]
fn nobody_waits_for_what_is_worked_out() {
    let desk = Desk::new();
    meanwhile_at_once(&desk, "put", pair("other", "one"));
    desk.done("work_out", json!({"key": "n"}));
    assert_eq!((desk.item("n"), desk.item("other")), (Some(1.into()), Some("one".into())));
    desk.is_in_order();
}

#[test]
fn what_was_overtaken_is_worked_out_anew() {
    let desk = Desk::new();
    desk.done("bump", json!({"key": "n"}));
    meanwhile_at_once(&desk, "bump", json!({"key": "n"}));
    desk.done("work_out", json!({"key": "n"}));
    assert_eq!(desk.item("n"), Some(5.into()), "from the two that stood there at last");
    assert_eq!(desk.journal().len(), 3);
    desk.is_in_order();
}

#[test]
fn what_is_overtaken_gives_up_when_its_time_is_over() {
    let desk = Desk::new();
    desk.done("bump", json!({"key": "n"}));
    meanwhile_at_once(&desk, "bump", json!({"key": "n"}));
    let refusal = desk.at_once("work_out", json!({"key": "n"})).unwrap_err();
    assert_eq!((refusal.code.as_ref(), desk.item("n")), ("store_busy", Some(2.into())));
    // Where nobody comes in between, there is time for it however short the wait is.
    desk.at_once("work_out", json!({"key": "n"})).unwrap();
    assert_eq!(desk.item("n"), Some(5.into()));
}

#[test]
fn outside_edits_count_before_it_is_worked_out() {
    let desk = Desk::new();
    desk.done("bump", json!({"key": "n"}));
    desk.edit(crate::probe::ITEMS, desk.rendered().replace('1', "20"));
    desk.done("work_out", json!({"key": "n"}));
    assert_eq!(desk.item("n"), Some(41.into()));
    desk.is_in_order();
}

fn server(desk: &Desk, program: &str) -> Arc<Engine> {
    let engine = Arc::new(desk.engine());
    engine.start_writer();
    engine.ponder_in(PathBuf::from(program));
    engine
}

#[test]
fn a_server_goes_on_while_something_is_worked_out() {
    let desk = Desk::new();
    // Where no process can be had, the work is done here.
    let engine = server(&desk, "/nowhere/at/all");
    let same = Arc::clone(&engine);
    meanwhile(&desk.root(), move || drop(call(&same, "put", pair("other", "one")).unwrap()));
    call(&engine, "work_out", json!({"key": "n"})).unwrap();
    assert_eq!((desk.item("n"), desk.item("other")), (Some(1.into()), Some("one".into())));
}

#[test]
fn a_helper_that_dies_or_talks_without_end_has_no_answer() {
    let desk = Desk::new();
    for program in ["/bin/false", "/usr/bin/yes"] {
        let engine = server(&desk, program);
        let refusal = call(&engine, "work_out", json!({"key": "n"})).unwrap_err();
        assert_eq!(refusal.code, "took_too_much", "{program}");
        call(&engine, "put", pair("other", program)).unwrap();
    }
    assert_eq!(desk.item("n"), None);
}
