//! Files of a project: what a format takes in, configuration.

use engine::Engine;
use model::Value;

use crate::world::World;

/// A file of a format, and a call that writes beside what it says.
struct Taken {
    format: &'static str,
    file: &'static str,
    /// What else stands in the project.
    beside: &'static [(&'static str, &'static [u8])],
    read: &'static str,
    write: (&'static str, &'static str),
}

const PLAN: &[u8] =
    b"# Plan\n\n## Tasks\n\n### 01-one: First\n\nDo it.\n\n### 02-two: Second\n\n**Depends on**: 01-one\n";

pub(super) fn hseos_state(bytes: &[u8]) {
    let write = ("state_write", r#"{"fields":{"branch":"main"}}"#);
    take_in(&Taken { format: "hseos", file: "STATE.md", beside: &[], read: "state_read", write }, bytes);
}

pub(super) fn hseos_tasks(bytes: &[u8]) {
    let write = ("tasks_add", r#"{"id":"FUZZ-1","owner":"GHOST","description":"One more"}"#);
    take_in(&Taken { format: "hseos", file: "TASKS.md", beside: &[], read: "tasks_list", write }, bytes);
}

pub(super) fn skillstate_state(bytes: &[u8]) {
    let write = ("state_patch", r#"{"patch":{"notes":"one more"}}"#);
    let file = ".skillstate/skillstate.json";
    take_in(&Taken { format: "skillstate", file, beside: &[], read: "state_get", write }, bytes);
}

pub(super) fn upgrade_plan(bytes: &[u8]) {
    let file = ".github/upgrades/net/plan.md";
    take_in(&Taken { format: "upgrade", file, beside: &[], read: "get_state", write: ("reconcile", "{}") }, bytes);
}

pub(super) fn upgrade_tasks(bytes: &[u8]) {
    let (file, beside) = (".github/upgrades/net/tasks.md", &[(".github/upgrades/net/plan.md", PLAN)]);
    let write = ("start_task", r#"{"taskId":"01-one"}"#);
    take_in(&Taken { format: "upgrade", file, beside, read: "get_state", write }, bytes);
}

pub(super) fn upgrade_scenario(bytes: &[u8]) {
    let (file, beside) = (".github/upgrades/net/scenario.json", &[(".github/upgrades/net/plan.md", PLAN)]);
    let write = ("start_task", r#"{"taskId":"01-one"}"#);
    take_in(&Taken { format: "upgrade", file, beside, read: "get_state", write }, bytes);
}

pub(super) fn msd_state(bytes: &[u8]) {
    let write = ("msd_state_patch", r#"{"fields":{"Status":"Ready"}}"#);
    take_in(
        &Taken { format: "msd", file: ".planning/STATE.md", beside: &[], read: "msd_state_snapshot", write },
        bytes,
    );
}

/// The status line reads the file itself, before any store.
pub(super) fn msd_statusline(bytes: &[u8]) {
    let settings = b"formats = [\"msd\"]\n";
    World::with(&[("mainstay.toml", settings), (".planning/STATE.md", bytes)], |world| {
        let engine = Engine::open(world.setup()).expect("the settings are good");
        if let Ok(said) = front_hook::statusline(&engine, Ok(model::Object::new())) {
            assert!(!said.out.contains('\u{1b}') && said.code == 0, "{:?}", said.out);
        }
    });
}

pub(super) fn hseos_config(bytes: &[u8]) {
    World::with(&[("hseos.config.yaml", bytes)], |world| drop(world.call("state_read", "{}")));
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
    // hseos without its tables: they are read from a disk, which would be slow.
    let config = b"state_management:\n  mode: skill-only\n";
    let own = [("mainstay.toml", settings.as_bytes()), ("hseos.config.yaml", config), (taken.file, bytes)];
    World::with(&[&own, taken.beside].concat(), |world| {
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
