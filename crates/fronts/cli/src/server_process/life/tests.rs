//! `start` and `stop` over a desk that plays a script.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use super::*;
use crate::server_process::{Spawned, is_held, seen};
use format::HealthProbe;
use serde_json::json;

const PORT: u16 = 3100;

/// What the port shows, look by look; the last stays. `MINE` stands for the nonce that was spawned.
struct Script {
    looks: RefCell<VecDeque<Seen>>,
    record: RefCell<Option<Object>>,
    ended: Option<i32>,
    nonce: RefCell<String>,
    waits: Cell<u32>,
    done: Rc<RefCell<Vec<String>>>,
}

fn script(looks: &[Seen]) -> Script {
    Script {
        looks: RefCell::new(looks.iter().cloned().collect()),
        record: RefCell::new(None),
        ended: None,
        nonce: RefCell::default(),
        waits: Cell::new(0),
        done: Rc::default(),
    }
}

impl Script {
    fn recorded(self, pid: impl Into<Value>, nonce: &str) -> Self {
        let pid = pid.into();
        *self.record.borrow_mut() = json!({"pid": pid, "port": PORT, "nonce": nonce}).as_object().cloned();
        self
    }
    fn did(&self, what: &str) {
        self.done.borrow_mut().push(what.to_owned());
    }
    fn done(&self) -> String {
        self.done.borrow().join(", ")
    }
}

impl Desk for Script {
    fn look(&self, _: u16) -> Seen {
        let mut looks = self.looks.borrow_mut();
        let seen = if looks.len() > 1 { looks.pop_front().unwrap() } else { looks[0].clone() };
        match seen {
            Seen::Ours { nonce: Some(nonce), pid } if nonce == "MINE" => {
                Seen::Ours { nonce: Some(self.nonce.borrow().clone()), pid }
            }
            seen => seen,
        }
    }
    fn record(&self) -> Option<Object> {
        self.record.borrow().clone()
    }
    fn keep(&self, pid: u32, port: u16, _: &str) -> Result<(), Refusal> {
        self.did(&format!("keep {pid} {port}"));
        Ok(())
    }
    fn spawn(&self, _: u16, nonce: &str) -> Result<Box<dyn Spawned>, Refusal> {
        assert_eq!(nonce.len(), 32);
        nonce.clone_into(&mut self.nonce.borrow_mut());
        self.did("spawn");
        Ok(Box::new(Puppet { ended: self.ended, done: Rc::clone(&self.done) }))
    }
    fn terminate(&self, pid: u32) -> Result<(), Refusal> {
        self.did(&format!("terminate {pid}"));
        Ok(())
    }
    fn wait(&self, _: Instant) -> bool {
        self.waits.set(self.waits.get() + 1);
        self.waits.get() < 5
    }
}

struct Puppet {
    ended: Option<i32>,
    done: Rc<RefCell<Vec<String>>>,
}

impl Spawned for Puppet {
    fn pid(&self) -> u32 {
        77
    }
    fn ended(&mut self) -> Option<i32> {
        self.ended
    }
    fn kill(&mut self) {
        self.done.borrow_mut().push("kill".to_owned());
    }
}

fn ours(nonce: &str) -> Seen {
    Seen::Ours { nonce: Some(nonce.to_owned()), pid: None }
}

fn shows(nonce: &str, pid: u64) -> Seen {
    Seen::Ours { nonce: Some(nonce.to_owned()), pid: Some(pid) }
}

fn line(answer: Result<Answer, Refusal>) -> String {
    answer.map_or_else(|refusal| refusal.code.into_owned(), |answer| answer.line)
}

#[test]
fn start_waits_for_its_own_answer() {
    let desk = script(&[Seen::Nobody, Seen::Nobody, Seen::Nobody, ours("MINE")]);
    assert_eq!(line(start(&desk, PORT)), "MCP server started (PID 77) — http://127.0.0.1:3100");
    assert_eq!(desk.done(), "spawn, keep 77 3100");
}

#[test]
fn a_server_that_runs_already_stays() {
    let desk = script(&[ours("n")]).recorded(5, "n");
    assert_eq!(line(start(&desk, PORT)), "MCP server already running (PID 5) — http://127.0.0.1:3100");
    let desk = script(&[Seen::Ours { nonce: None, pid: None }]).recorded(5, "n");
    assert_eq!(line(start(&desk, PORT)), "MCP server already running (PID unknown) — http://127.0.0.1:3100");
    let desk = script(&[Seen::Ours { nonce: None, pid: Some(9) }]);
    assert_eq!(line(start(&desk, PORT)), "MCP server already running (PID 9) — http://127.0.0.1:3100");
    assert_eq!(desk.done(), "");
}

#[test]
fn the_loser_of_two_starts_ends_its_process() {
    let desk = script(&[Seen::Nobody, Seen::Nobody, ours("winner")]).recorded(5, "winner");
    assert_eq!(line(start(&desk, PORT)), "MCP server already running (PID 5) — http://127.0.0.1:3100");
    assert_eq!(desk.done(), "spawn, kill");
}

#[test]
fn a_port_held_by_others_is_refused() {
    assert_eq!(line(start(&script(&[Seen::Other]), PORT)), "port_in_use");
    let silent = Script { ended: Some(1), ..script(&[Seen::Nobody]) };
    assert_eq!(line(start(&silent, PORT)), "port_in_use");
    let broken = Script { ended: Some(2), ..script(&[Seen::Nobody]) };
    assert_eq!(line(start(&broken, PORT)), "backend_unavailable");
    let slow = script(&[Seen::Nobody]);
    assert_eq!(line(start(&slow, PORT)), "backend_unavailable");
    assert_eq!(slow.done(), "spawn, kill");
}

#[test]
fn stop_signals_only_when_record_and_answer_agree() {
    let none = "No MCP server found on port 3100.";
    for desk in [
        script(&[shows("n", 5)]),
        script(&[shows("other", 5)]).recorded(5, "n"),
        script(&[shows("n", 6)]).recorded(5, "n"),
        script(&[ours("n")]).recorded(5, "n"),
        script(&[Seen::Ours { nonce: None, pid: Some(5) }]).recorded(5, "n"),
        script(&[Seen::Other]).recorded(5, "n"),
        script(&[Seen::Nobody]).recorded(5, "n"),
        script(&[shows("", 5)]).recorded(5, ""),
    ] {
        assert_eq!(line(stop(&desk, PORT)), none);
        assert_eq!(desk.done(), "");
    }
    let desk = script(&[shows("n", 5), shows("n", 5), Seen::Nobody]).recorded(5, "n");
    assert_eq!(line(stop(&desk, 3101)), "No MCP server found on port 3101.");
    assert_eq!(line(stop(&desk, PORT)), "MCP server on port 3100 stopped.");
    assert_eq!(desk.done(), "terminate 5");
}

#[test]
fn stop_signals_no_process_that_a_record_cannot_mean() {
    for pid in
        [json!(0), json!(1), json!(4_294_967_295_u64), json!(-5), json!(5.5), json!("5"), json!(null), json!([5])]
    {
        let shown = pid.as_u64().unwrap_or(5);
        let desk = script(&[shows("n", shown)]).recorded(pid.clone(), "n");
        assert_eq!(line(stop(&desk, PORT)), "No MCP server found on port 3100.", "{pid}");
        assert_eq!(desk.done(), "", "{pid}");
    }
}

#[test]
fn a_silent_holder_of_the_port_is_not_taken_for_nobody() {
    let silent = script(&[Seen::Mute]).recorded(5, "n");
    assert_eq!(line(stop(&silent, PORT)), "backend_unavailable");
    let silent = script(&[Seen::Mute]).recorded(5, "n");
    assert_eq!(line(start(&silent, PORT)), "backend_unavailable");
    assert_eq!(line(stop(&script(&[Seen::Mute]), PORT)), "No MCP server found on port 3100.");
    let foreign = script(&[Seen::Mute]);
    assert_eq!(line(start(&foreign, PORT)), "port_in_use");
    assert_eq!(foreign.done(), "");
    let slow = script(&[Seen::Mute, shows("n", 5), Seen::Mute, Seen::Nobody]).recorded(5, "n");
    assert_eq!(line(stop(&slow, PORT)), "MCP server on port 3100 stopped.");
}

#[test]
fn a_listener_that_says_nothing_holds_its_port() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    assert!(is_held(port));
    drop(listener);
    assert!(!is_held(port));
}

#[test]
fn health_answers_are_read_in_the_light_of_the_project() {
    let health = |value: Value| HealthProbe::Healthy(value.as_object().cloned().unwrap());
    let cases = [
        (HealthProbe::Silent, Seen::Nobody),
        (HealthProbe::Foreign, Seen::Other),
        (health(json!({"server": "s", "project": "/p", "nonce": "n"})), ours("n")),
        (health(json!({"server": "s", "project": "/other"})), Seen::Other),
        (health(json!({"server": "else", "project": "/p"})), Seen::Other),
    ];
    for (probe, expected) in cases {
        assert_eq!(seen(&probe, "s", "/p"), expected);
    }
}

#[test]
fn skill_only_warns() {
    let answer = without_server(PORT);
    assert_eq!((answer.line.as_str(), answer.warning.unwrap().code.as_ref()), ("", "mode_without_server"));
}
