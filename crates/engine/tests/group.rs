//! A server's writer: many threads, few commits, each request with its own answer.

use std::sync::Arc;
use std::thread;

use mainstay_engine::Engine;
use serde_json::json;

use crate::desk::{Desk, call, pair};

const THREADS: usize = 32;
const EACH: usize = 20;

fn server(desk: &Desk) -> Arc<Engine> {
    let engine = Arc::new(desk.engine());
    engine.start_writer();
    engine
}

#[test]
fn no_request_is_lost_and_none_disturbs_another() {
    let desk = Desk::new();
    let engine = server(&desk);
    thread::scope(|scope| {
        for number in 0..THREADS {
            let engine = &engine;
            scope.spawn(move || {
                for round in 0..EACH {
                    call(engine, "bump", json!({"key": "n"})).unwrap();
                    // Every kind of refusal stands in some batch.
                    let refused = match (number + round) % 4 {
                        0 => call(engine, "refuse", json!({})).unwrap_err(),
                        1 => call(engine, "put", json!({"key": "x"})).unwrap_err(),
                        2 => call(engine, "bump", json!({"key": "x", "place": "nowhere"})).unwrap_err(),
                        _ => continue,
                    };
                    let expected = ["not_today", "invalid_argument", "unknown_place"][(number + round) % 4];
                    assert_eq!(refused.code, expected);
                }
            });
        }
    });
    assert_eq!(desk.item("n"), Some((THREADS * EACH).into()));
    assert_eq!(desk.item("x"), None);
    assert_eq!(desk.journal().len(), THREADS * EACH);
    desk.is_in_order();
}

#[test]
fn each_request_sees_what_came_before_it() {
    let desk = Desk::new();
    let engine = server(&desk);
    let counts: Vec<u64> = thread::scope(|scope| {
        let writers: Vec<_> = (0..THREADS)
            .map(|_| {
                scope.spawn(|| call(&engine, "bump", json!({"key": "n"})).unwrap().body["count"].as_u64().unwrap())
            })
            .collect();
        writers.into_iter().map(|writer| writer.join().unwrap()).collect()
    });
    let mut sorted = counts;
    sorted.sort_unstable();
    assert_eq!(sorted, (1..=THREADS as u64).collect::<Vec<_>>());
}

#[test]
fn a_space_that_is_configured_badly_is_nobody_elses_trouble() {
    let desk = Desk::new();
    let engine = server(&desk);
    call(&engine, "put", pair("broken", "a place")).unwrap();
    let refusal = call(&engine, "put", json!({"key": "k", "value": "v", "place": "broken"})).unwrap_err();
    assert_eq!(refusal.code, "config_invalid");
    call(&engine, "put", pair("a", "one")).unwrap();
}

#[test]
fn the_writer_ends_with_its_engine() {
    let desk = Desk::new();
    let engine = server(&desk);
    call(&engine, "put", pair("a", "one")).unwrap();
    let weak = Arc::downgrade(&engine);
    drop(engine);
    while weak.upgrade().is_some() {
        thread::yield_now();
    }
}
