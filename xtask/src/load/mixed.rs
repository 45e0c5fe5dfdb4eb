//! Writers through every door at once, and readers who look on: promises P3 and P6.

use std::fs;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use serde_json::{Value, json};
use testkit::process::{DEADLINE, finish};

use super::{Done, WRITERS, report, sound, writers};
use crate::picture::FILES;
use crate::product::Product;
use crate::project::Project;

/// How a writer reaches the project; they take turns.
#[derive(Clone, Copy)]
enum Door {
    /// A process for each request.
    Command,
    /// One server process for all requests of the writer.
    Mcp,
    /// A process for each event of a host.
    Hook,
}

const DOORS: [Door; 3] = [Door::Command, Door::Mcp, Door::Hook];

/// How many look on.
const READERS: usize = 2;

/// Every writer counts `rounds` times; all counts are there, and no reader ever saw half an image.
pub(super) fn check(product: &Product, rounds: usize) -> Result<Vec<String>, String> {
    let project = Project::new(product)?;
    project.reply(&["--json", "init", "--format", "hseos", "--format", "eneo"])?;
    project.reply(&["call", "state_write", "{\"fields\":{\"phase\":\"load\"}}"])?;
    let of_door = |door: usize| (0..WRITERS).filter(|writer| writer % DOORS.len() == door).count() * rounds;
    let init = ["--json", "eneo", "task-init", "count-it", "fast", "1", "none", "none"];
    project.reply(&init)?;
    project.reply(&["--json", "eneo", "wave", "seed", "1", &of_door(2).to_string()])?;
    let (is_over, looks) = (AtomicBool::new(false), AtomicUsize::new(0));
    let (mut all, torn) = thread::scope(|scope| {
        let look = || look_on(&project, &is_over, &looks);
        let readers: Vec<_> = (0..READERS).map(|_| scope.spawn(look)).collect();
        let all = writers(WRITERS, |writer, done| {
            if let Err(problem) = count(&project, writer, rounds, done) {
                done.problems.push(problem);
            }
        });
        is_over.store(true, Ordering::Relaxed);
        let torn: Vec<_> = readers.into_iter().flat_map(|it| it.join().expect("a reader does not panic")).collect();
        (all, torn)
    });
    report("every door", &all);
    println!("every door: {} looks at images", looks.into_inner());
    all.problems.extend(torn);
    let tasks = project.reply(&["call", "tasks_list"])?["tasks"].as_array().map_or(0, Vec::len);
    let returned = project.reply(&["call", "eneo_wave_status"])?;
    let wave = fs::read_to_string(project.root().join(".claude/state/wave.json")).unwrap_or_default();
    let wave: Value = serde_json::from_str(&wave).unwrap_or_default();
    if tasks != of_door(0) + of_door(1) {
        all.problems.push(format!("every door: {tasks} tasks of {} are there", of_door(0) + of_door(1)));
    }
    if wave["done"] != of_door(2) {
        all.problems.push(format!("every door: {} events were sent, and {wave} says {returned}", of_door(2)));
    }
    all.problems.extend(sound(&project)?);
    Ok(all.problems)
}

fn count(project: &Project<'_>, writer: usize, rounds: usize, done: &mut Done) -> Result<(), String> {
    let id = |round: usize| format!("W{writer}-{round}");
    match DOORS[writer % DOORS.len()] {
        Door::Command => {
            for round in 0..rounds {
                done.write(project, &["hseos", "tasks", "add", &id(round), "GHOST", "By a command"]);
            }
        }
        Door::Hook => {
            for round in 0..rounds {
                let event =
                    json!({"agent_id": id(round), "agent_type": "scout", "last_assistant_message": "DONE|x.md"});
                let begun = Instant::now();
                let mut command = project.under(&[]);
                let finished = finish(command.args(["hook", "subagent-stop"]), &event.to_string(), DEADLINE)
                    .map_err(|error| format!("a hook: {error}"))?;
                done.waits.push(begun.elapsed());
                if !finished.status.success() {
                    return Err(format!("a hook ended with {}: {}", finished.exit(), finished.stderr));
                }
            }
        }
        Door::Mcp => {
            let message = |number: usize, method: &str, params: Value| {
                json!({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).to_string() + "\n"
            };
            let client = json!({"name": "load", "version": "1"});
            let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
            let calls = (0..rounds).map(|round| {
                let arguments = json!({"id": id(round), "owner": "GHOST", "description": "By a server"});
                message(round + 1, "tools/call", json!({"name": "tasks_add", "arguments": arguments}))
            });
            let input: String = std::iter::once(message(0, "initialize", hello))
                .chain([json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string() + "\n"])
                .chain(calls)
                .collect();
            let begun = Instant::now();
            let mut command = project.under(&[]);
            let finished = finish(command.args(["serve", "--stdio"]), &input, DEADLINE)
                .map_err(|error| format!("a server: {error}"))?;
            done.waits.push(begun.elapsed());
            let answers = finished.stdout.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
            let is_done = |answer: &Value| answer["id"] != 0 && answer["result"]["isError"] == false;
            let told = answers.filter(is_done).count();
            if told != rounds {
                return Err(format!(
                    "a server did {told} of {rounds} requests: {}{}",
                    finished.stdout, finished.stderr
                ));
            }
        }
    }
    Ok(())
}

// Reads the images again and again; answers what was half of one.
fn look_on(project: &Project<'_>, is_over: &AtomicBool, looks: &AtomicUsize) -> Vec<String> {
    let mut torn = Vec::new();
    while !is_over.load(Ordering::Relaxed) && torn.is_empty() {
        for (file, last_part) in FILES {
            let text = fs::read_to_string(project.root().join(file)).unwrap_or_default();
            if !text.contains(last_part) || !text.ends_with('\n') {
                torn.push(format!("{file} is torn (P3): {text:?}"));
            }
            looks.fetch_add(1, Ordering::Relaxed);
        }
    }
    torn
}
