//! An agent with two sub-agents plays a procedure over MCP; its server is killed at every step once.
//!
//! Whatever the moment, the step is repeated against a server that starts from disk, and in the end
//! every reply and every file is what an undisturbed run gives.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::{Value, json};
use testkit::process::Sandbox;

use crate::server::Server;

/// How many steps the procedure has.
const STEPS: usize = 200;

/// One call of the procedure.
struct Step {
    tool: &'static str,
    arguments: Value,
}

/// When the server of a step is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moment {
    /// Before the call is sent.
    Before,
    /// While it may be carried out: after so many turns of an empty loop.
    Within(usize),
    /// Once its answer was read.
    Answered,
}

fn procedure() -> Vec<Step> {
    (0..STEPS).map(step).collect()
}

fn step(n: usize) -> Step {
    let done = format!("step {n}");
    let (tool, mut arguments) = match n % 10 {
        0 => ("state_patch", json!({"append": {"progress": [done]}})),
        1 => (
            "state_patch",
            json!({"agent": "w1", "append": {"progress": [done], "artifacts": [format!("src/{n}.rs")]}}),
        ),
        2 => ("state_patch", json!({"patch": {"goal": format!("reach {n}"), "next_steps": [n + 1, n + 2]}})),
        3 => ("state_patch", json!({"agent": "w2", "append": {"blockers": [done]}, "patch": {"goal": "of w2"}})),
        4 => ("state_diff", json!({"reader": "driver", "full": true})),
        5 => ("state_patch", json!({"agent": "w1", "patch": {"notes": (n % 20 == 5).then(|| "n".repeat(n))}})),
        6 => ("state_validate", json!({"patch": {"goal": n}})),
        7 if n % 20 == 7 => ("state_checkpoint", json!({"label": done})),
        7 => ("state_rollback", json!({})),
        8 => ("agent_merge", json!({"agent": "w1", "keep": "sub"})),
        _ => ("agent_merge", json!({"agent": "w2"})),
    };
    if tool != "state_validate" {
        arguments["request_id"] = format!("step-{n}").into();
    }
    Step { tool, arguments }
}

fn moment(n: usize) -> Moment {
    match n % 4 {
        0 => Moment::Answered,
        1 => Moment::Before,
        _ => Moment::Within(n * n * 100),
    }
}

impl Server {
    fn send(&mut self, step: &Step) {
        self.send_call(step.tool, &step.arguments);
    }

    fn answer(&mut self) -> Value {
        let answer = self.read();
        assert_eq!(answer["result"]["isError"], false, "{answer}");
        answer["result"]["structuredContent"].clone()
    }

    fn call(&mut self, step: &Step) -> Value {
        self.send(step);
        self.answer()
    }

    /// `SIGKILL`.
    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

fn project() -> Sandbox {
    let sandbox = Sandbox::new().unwrap();
    std::fs::create_dir(sandbox.root().join(".skillstate")).unwrap();
    sandbox
}

/// Everything that the format keeps in files, but for the session meta, which every launch renews.
fn files(sandbox: &Sandbox) -> BTreeMap<PathBuf, String> {
    let mut files = BTreeMap::new();
    let mut folders = vec![sandbox.root().join(".skillstate")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.file_name().unwrap() != ".session-meta.json" {
                let name = path.strip_prefix(sandbox.root()).unwrap().to_owned();
                files.insert(name, std::fs::read_to_string(path).unwrap());
            }
        }
    }
    files
}

/// A reply as it was the first time.
fn first(mut reply: Value) -> (Value, bool) {
    let replayed = reply.as_object_mut().unwrap().shift_remove("replayed");
    (reply, replayed == Some(true.into()))
}

#[test]
fn a_procedure_survives_a_kill_at_every_step() {
    let undisturbed = project();
    let mut server = Server::start(&undisturbed);
    let expected: Vec<Value> = procedure().iter().map(|step| server.call(step)).collect();
    server.kill();

    let disturbed = project();
    let mut server = Server::start(&disturbed);
    let mut applied_before_the_kill = 0;
    for (n, (step, expected)) in procedure().iter().zip(&expected).enumerate() {
        let moment = moment(n);
        match moment {
            Moment::Before => {}
            Moment::Within(turns) => {
                server.send(step);
                (0..turns).for_each(|_| std::hint::spin_loop());
            }
            Moment::Answered => assert_eq!(server.call(step), *expected, "step {n}"),
        }
        server.kill();
        server = Server::start(&disturbed);
        let (reply, replayed) = first(server.call(step));
        assert_eq!(reply, *expected, "step {n}, killed {moment:?}");
        applied_before_the_kill += usize::from(replayed);
        let is_write = step.tool != "state_validate";
        match moment {
            Moment::Before => assert!(!replayed, "step {n}"),
            Moment::Answered => assert_eq!(replayed, is_write, "step {n}: an answer is a promise"),
            Moment::Within(_) => {}
        }
    }
    server.kill();

    assert!(applied_before_the_kill >= STEPS / 5, "{applied_before_the_kill} steps were applied before their kill");
    let (expected, found) = (files(&undisturbed), files(&disturbed));
    assert!(expected.len() > 10 && expected.keys().all(|path| found.contains_key(path)), "{:?}", expected.keys());
    assert_eq!(found, expected);
}
