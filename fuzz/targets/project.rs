//! Files of a project: what a format takes in, configuration.

use engine::Engine;
use model::Value;

use crate::world::World;

/// A file of a format, and a call that writes beside what it says.
struct Taken {
    format: &'static str,
    file: &'static str,
    read: &'static str,
    write: (&'static str, &'static str),
}

pub(super) fn hseos_state(bytes: &[u8]) {
    let write = ("state_write", r#"{"fields":{"branch":"main"}}"#);
    take_in(&Taken { format: "hseos", file: "STATE.md", read: "state_read", write }, bytes);
}

pub(super) fn hseos_tasks(bytes: &[u8]) {
    let write = ("tasks_add", r#"{"id":"FUZZ-1","owner":"GHOST","description":"One more"}"#);
    take_in(&Taken { format: "hseos", file: "TASKS.md", read: "tasks_list", write }, bytes);
}

pub(super) fn hseos_config(bytes: &[u8]) {
    World::with(&[("hseos.config.yaml", bytes)], |world| drop(world.call("state_read", "{}")));
}

pub(super) fn skillstate_state(bytes: &[u8]) {
    let write = ("state_patch", r#"{"patch":{"notes":"one more"}}"#);
    let file = ".skillstate/skillstate.json";
    take_in(&Taken { format: "skillstate", file, read: "state_get", write }, bytes);
}

pub(super) fn settings(bytes: &[u8]) {
    World::with(&[("mainstay.toml", bytes)], |world| {
        if let Err(refusal) = Engine::open(world.setup()) {
            assert_eq!(refusal.code, "config_invalid", "{refusal:?}");
        }
    });
}

/// The file is read, written beside, and read again: what was taken in once is not taken in twice.
fn take_in(taken: &Taken, bytes: &[u8]) {
    let settings = format!("formats = [\"{}\"]\n", taken.format);
    // One program's log of changes may be in the way of another's: they would go through tables, which are not read here.
    let config = b"state_management:\n  mode: skill-only\n";
    let files = [("mainstay.toml", settings.as_bytes()), ("hseos.config.yaml", config), (taken.file, bytes)];
    World::with(&files, |world| {
        drop(world.call(taken.read, "{}"));
        if world.call(taken.write.0, taken.write.1).is_err() {
            return;
        }
        let first = world.call(taken.read, "{}").map(|reply| Value::Object(reply.to_object()));
        let second = world.call(taken.read, "{}").map(|reply| Value::Object(reply.to_object()));
        match (first, second) {
            (Ok(first), Ok(second)) => assert_eq!(first, second, "reading changes nothing"),
            (first, second) => panic!("after a write the project cannot be read: {first:?}, {second:?}"),
        }
    });
}
