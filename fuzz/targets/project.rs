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

const PLAN_FILE: &str = ".planning/phases/1-begin/PLAN.md";
const POSITION: &[u8] = b"---\nmilestone: v1.0\n---\n\n## Current Position\n\nPhase: 1 of 3\nStatus: Planning\n";
const TASK: &[u8] = b"{\"slug\":\"login\",\"lane\":\"fast\",\"tdd_phase\":\"RED\",\"wave_status\":{},\"n\":1.50,\
\"active_agents\":[\"scout\"],\"status\":\"in_progress\",\"next_hint\":\"go\",\"last_update\":\"2026-01-01T00:00:00Z\"}";

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
    edit(file, bytes);
    take_in(&Taken { format: "upgrade", file, beside: &[], read: "get_state", write: ("reconcile", "{}") }, bytes);
}

pub(super) fn upgrade_tasks(bytes: &[u8]) {
    let (file, beside) = (".github/upgrades/net/tasks.md", &[(".github/upgrades/net/plan.md", PLAN)]);
    edit(file, bytes);
    let write = ("start_task", r#"{"taskId":"01-one"}"#);
    take_in(&Taken { format: "upgrade", file, beside, read: "get_state", write }, bytes);
}

pub(super) fn upgrade_scenario(bytes: &[u8]) {
    let (file, beside) = (".github/upgrades/net/scenario.json", &[(".github/upgrades/net/plan.md", PLAN)]);
    edit(file, bytes);
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

pub(super) fn msd_roadmap(bytes: &[u8]) {
    let (file, beside) =
        (".planning/ROADMAP.md", &[(".planning/STATE.md", POSITION), (PLAN_FILE, b"# Plan\n" as &[u8])]);
    take_in(&Taken { format: "msd", file, beside, read: "msd_state_json", write: ("msd_state_sync", "{}") }, bytes);
}

pub(super) fn skillstate_spec(bytes: &[u8]) {
    let beside = &[(".skillstate/skillstate.json", b"{\"version\":1,\"state\":{\"goal\":\"x\"}}" as &[u8])];
    let write = ("state_patch", r#"{"patch":{"notes":"one more"}}"#);
    take_in(&Taken { format: "skillstate", file: "skill-spec.json", beside, read: "state_get", write }, bytes);
}

pub(super) fn upgrade_instructions(bytes: &[u8]) {
    let file = ".github/upgrades/net/scenario-instructions.md";
    let (beside, write) = (&[(".github/upgrades/net/plan.md", PLAN)], ("start_task", r#"{"taskId":"01-one"}"#));
    take_in(&Taken { format: "upgrade", file, beside, read: "recover", write }, bytes);
}

pub(super) fn eneo_task(bytes: &[u8]) {
    let (file, write) = (".claude/state/current-task.json", ("eneo_phase_set", r#"{"phase":"GREEN"}"#));
    take_in(&Taken { format: "eneo", file, beside: &[], read: "eneo_task_get", write }, bytes);
}

pub(super) fn eneo_wave(bytes: &[u8]) {
    let (file, beside) = (".claude/state/wave.json", &[(".claude/state/current-task.json", TASK)]);
    let write = ("eneo_wave_event", r#"{"agent_id":"a1","agent_type":"scout","last_assistant_message":"DONE|x"}"#);
    take_in(&Taken { format: "eneo", file, beside, read: "eneo_wave_status", write }, bytes);
}

/// A program is refused, or makes one object of the task; either way the task can be read afterwards.
pub(super) fn jq_program(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let files: &[(&str, &[u8])] =
        &[("mainstay.toml", b"formats = [\"eneo\"]\n"), (".claude/state/current-task.json", TASK)];
    World::with(files, |world| {
        let arguments = serde_json::json!({ "expr": text }).to_string();
        drop(world.call("eneo_task_get", &arguments));
        drop(world.call("eneo_task_update", &arguments));
        let found = world.call("eneo_task_get", "{}").expect("a task can be read").body;
        assert_eq!(found.get("found"), Some(&Value::Bool(true)), "{found:?}");
    });
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

/// A file of an upgrade that is under way is edited: no work and no words are lost, and reading never refuses.
///
/// The task with work is listed or waits; the words of a plan that was not edited stand in it or in a copy.
fn edit(file: &str, bytes: &[u8]) {
    let own: &[(&str, &[u8])] =
        &[("mainstay.toml", b"formats = [\"upgrade\"]\n"), (".github/upgrades/net/plan.md", PLAN)];
    World::with(own, |world| {
        world.call("start_task", r#"{"taskId":"01-one"}"#).expect("the plan is good");
        std::fs::write(world.root().join(file), bytes).expect("a file in memory can be written");
        for _ in 0..2 {
            let mut shown = world.call("get_state", "{}").expect("reading never refuses").body;
            shown.shift_remove("warnings");
            let shown = Value::Object(shown).to_string();
            assert!(shown.contains("\"01-one\""), "the task with work is gone: {shown}");
            drop(world.call("reconcile", "{}"));
        }
        if !file.ends_with("plan.md") {
            let folder = std::fs::read_dir(world.root().join(".github/upgrades/net")).expect("the scenario is there");
            let plans =
                folder.filter_map(Result::ok).filter(|entry| entry.file_name().to_string_lossy().contains("plan.md"));
            let plans: String = plans.filter_map(|entry| std::fs::read_to_string(entry.path()).ok()).collect();
            let lost = ["Do it.", "**Depends on**: 01-one"].into_iter().find(|words| !plans.contains(words));
            assert_eq!(lost, None, "words of the plan are gone: {plans}");
        }
    });
}
