//! skillstate on disk: what others write, versions, copies, limits, host events.

mod copies;
mod hooks;
mod limits;
mod outside;
mod versions;

use serde_json::{Value, json};

use crate::desk::Desk;

/// The state file of main.
const STATE: &str = ".skillstate/skillstate.json";

/// A project that keeps notes, without any yet.
fn empty() -> Desk {
    Desk::new().write(".skillstate/.gitignore", "*\n")
}

/// With a goal, at seq 1.
fn started() -> Desk {
    let desk = empty();
    patch(&desk, &json!({"goal": "one"}));
    desk
}

fn patch(desk: &Desk, patch: &Value) -> Value {
    Value::Object(desk.done("state_patch", json!({ "patch": patch })).to_object())
}

fn state(desk: &Desk) -> Value {
    Value::Object(desk.done("state_get", json!({})).to_object())
}

fn seq(desk: &Desk) -> Value {
    desk.done("state_summary", json!({})).body["session"]["seq"].clone()
}
