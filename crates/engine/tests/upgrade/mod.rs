//! upgrade on disk: folders, what waits outside, and plans that never lose a task.

mod beginning;
mod checkouts;
mod folders;
mod hostile;
mod others;
mod plans;
mod properties;
mod renames;
mod unpublished;
mod unread;
mod waiting;

use serde_json::{Value, json};

use crate::desk::Desk;

/// The folder of the scenario.
const SCENARIO: &str = ".github/upgrades/net";

const PLAN: &str = "# Plan\n\n## Tasks\n\n### 01-a: Alpha\n\nDo a.\n\n### 02-b: Beta\n\n### 03-c: Gamma\n";

fn at(name: &str) -> String {
    format!("{SCENARIO}/{name}")
}

/// A project with a plan that nobody has read yet.
fn planned() -> Desk {
    Desk::new().write(&at("plan.md"), PLAN)
}

fn reply(desk: &Desk, tool: &str, arguments: Value) -> Value {
    Value::Object(desk.done(tool, arguments).to_object())
}

fn state(desk: &Desk) -> Value {
    reply(desk, "get_state", json!({}))
}

/// The codes of the warnings of a reply.
fn codes(reply: &Value) -> Vec<&str> {
    reply["warnings"].as_array().unwrap().iter().map(|warning| warning["code"].as_str().unwrap()).collect()
}

/// The lines of a text that do not hold a word.
fn without(text: &str, word: &str) -> String {
    text.split_inclusive('\n').filter(|line| !line.contains(word)).collect()
}

/// The ids of a list of tasks.
fn ids(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|task| task["id"].as_str().unwrap()).collect()
}
