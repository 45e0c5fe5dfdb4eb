//! The five formats in one project, with people at their files: the same properties as of the format made for tests.

use std::collections::BTreeMap;

use mainstay_engine::RollbackQuery;
use model::Value;
use proptest::prelude::*;
use serde_json::json;

use crate::back::{checkpoint, entry, newest, records, undo};
use crate::desk::{Desk, anyone};
use crate::exchange::{exported, import, journal};
use crate::time_travel::folded;

const PLAN: &str = ".github/upgrades/net/plan.md";
const TASKS: &str = ".github/upgrades/net/tasks.md";
const POSITION: &str = ".planning/STATE.md";
const TASK: &str = ".claude/state/current-task.json";
const NOTES: &str = ".skillstate/skillstate.json";

/// Every text image of the project.
const IMAGES: &[&str] =
    &["STATE.md", "TASKS.md", PLAN, TASKS, POSITION, TASK, ".claude/state/phase", ".claude/state/wave.json", NOTES];

/// What has its own way to go on, which undo and rollback do not turn back.
const BOOKS: &[&str] = &["history", "latest", "counter", "invalid", "renamed", "seq", "activity", "agent"];

/// Members that tell when, or how often.
const TIMES: &[&str] = &["updated_at", "last_update", "generation", "seq", "_seq", "updated", "last_updated"];

#[derive(Clone, Debug)]
enum Step {
    /// One of the calls, with a value of its own.
    Call(usize, u8),
    /// A text of a file of the format, made another by a person.
    Edit(usize, u8),
    Checkpoint,
    Undo,
    Redo,
    Rollback(u8),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        8 => (0..10_usize, 0..4_u8).prop_map(|(call, value)| Step::Call(call, value)),
        3 => (0..4_usize, 0..4_u8).prop_map(|(file, value)| Step::Edit(file, value)),
        2 => Just(Step::Checkpoint),
        3 => Just(Step::Undo),
        1 => Just(Step::Redo),
        1 => any::<u8>().prop_map(Step::Rollback),
    ];
    prop::collection::vec(step, 4..16)
}

fn project() -> Desk {
    let plan = "# Plan\n\n## Tasks\n\n### 01-a: Alpha\n\nDo a.\n\n### 02-b: Beta\n";
    let position = "---\nmilestone: v1.0\nstatus: planning\n---\n\n# Project State\n\n## Current Position\n\n\
                    Phase: 1 of 3\nStatus: Planning\n\n### Blockers/Concerns\n\nNone yet.\n\n\
                    ## Session Continuity\n\nLast session: none\n";
    let formats = "formats = [\"hseos\", \"eneo\", \"skillstate\", \"upgrade\", \"msd\"]\n";
    let desk = Desk::new().write("mainstay.toml", formats).write(PLAN, plan).write(POSITION, position);
    // Once hseos is in use its two files stand, empty ones where nothing is recorded.
    desk.done("state_write", json!({"fields": {"phase": "planning"}}));
    desk.done("skillstate_init", json!({}));
    desk.done(
        "eneo_task_init",
        json!({"slug": "one", "lane": "fast", "bracket": 1, "tenancy_impact": "none", "audit_impact": "none"}),
    );
    desk
}

/// A call of one of the formats; it may be refused.
fn call(desk: &Desk, which: usize, value: u8) {
    let text = format!("value {value}");
    let phase = ["RED", "GREEN", "FREE", "REFACTOR"][usize::from(value)];
    let (tool, arguments) = match which {
        0 => ("state_write", json!({"fields": {"branch": text}})),
        1 => ("tasks_add", json!({"id": format!("T{value}"), "owner": "GHOST", "description": text})),
        2 => ("eneo_phase_set", json!({ "phase": phase })),
        3 => ("eneo_wave_seed", json!({"wave": value + 1, "expected": 2})),
        4 => ("eneo_task_clear", json!({})),
        5 => ("state_patch", json!({"patch": {"notes": text}})),
        6 => ("start_task", json!({"taskId": "01-a", "force": true})),
        7 => ("activity", json!({"text": text})),
        8 => ("msd_state_patch", json!({"fields": {"Status": text}})),
        _ => ("msd_state_add_blocker", json!({"text": text})),
    };
    drop(desk.call(tool, arguments));
}

/// A person changes one text of a file, where both stand.
fn edit(desk: &Desk, which: usize, value: u8) {
    let (path, label, text) = [
        ("STATE.md", "**branch:** ", format!("edited {value}")),
        (TASK, "\"slug\": \"", format!("edited-{value}")),
        (NOTES, "\"notes\": \"", format!("edited {value}")),
        (POSITION, "Phase: ", format!("{} of 9", value + 1)),
    ][which]
        .clone();
    let Ok(old) = std::fs::read_to_string(desk.at(path)) else { return };
    let Some(begin) = old.find(label).map(|at| at + label.len()) else { return };
    let end = begin + old[begin..].find(['"', '\n']).unwrap_or(0);
    desk.edit(path, format!("{}{text}{}", &old[..begin], &old[end..]));
}

/// Records and images, without what never goes back.
type Moment = (BTreeMap<String, Value>, BTreeMap<&'static str, Value>);

fn moment(desk: &Desk) -> Moment {
    let mut found = records(&desk.engine().show(None, None).unwrap());
    found.retain(|name, _| BOOKS.iter().all(|kind| !name.contains(&format!(" {kind}/"))));
    found.values_mut().for_each(timeless);
    let image = |path: &&'static str| {
        let text = std::fs::read_to_string(desk.at(path)).ok()?;
        let mut value = serde_json::from_str(&text).unwrap_or(Value::String(text));
        timeless(&mut value);
        Some((*path, value))
    };
    let images = IMAGES.iter().filter_map(image).collect();
    (found, images)
}

fn timeless(value: &mut Value) {
    match value {
        Value::Object(object) => {
            object.retain(|name, _| !TIMES.contains(&name.as_str()));
            object.values_mut().for_each(timeless);
        }
        Value::Array(list) => list.iter_mut().for_each(timeless),
        _ => {}
    }
}

/// Brings in whatever people wrote, as any command over all formats does.
fn settle(desk: &Desk) {
    checkpoint(desk, "settled");
}

/// What doctor finds, but for what a person's own file lacks.
fn wrong(desk: &Desk) -> Vec<String> {
    let report = desk.engine().doctor().unwrap();
    let findings = report["findings"].as_array().unwrap().iter();
    let is_own = |one: &&Value| one["where"] != POSITION || one["code"].as_str().unwrap().starts_with("image");
    findings.filter(is_own).map(Value::to_string).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_formats_go_back_and_forth_exactly(steps in steps()) {
        let desk = project();
        settle(&desk);
        let mut shown: BTreeMap<u64, BTreeMap<String, Value>> = BTreeMap::new();
        let mut moments: Vec<(String, Moment)> = Vec::new();
        for step in &steps {
            match step {
                Step::Call(which, value) => call(&desk, *which, *value),
                Step::Edit(which, value) => edit(&desk, *which, *value),
                Step::Checkpoint => {
                    let id = checkpoint(&desk, "point");
                    moments.push((id, moment(&desk)));
                    let revision = desk.history().first().map_or(0, |entry| entry["revision"].as_u64().unwrap());
                    shown.insert(revision, records(&desk.engine().show(None, None).unwrap()));
                }
                Step::Undo => drop(undo(&desk, newest())),
                Step::Redo => drop(desk.engine().redo(&anyone())),
                Step::Rollback(choice) if !moments.is_empty() => {
                    let (id, _) = &moments[usize::from(*choice) % moments.len()];
                    desk.engine().rollback(RollbackQuery { to: id.clone(), space: None }, &anyone()).unwrap();
                }
                Step::Rollback(_) => {}
            }
        }
        settle(&desk);
        prop_assert_eq!(wrong(&desk), [""; 0]);

        // The entries up to a revision come to what was shown then, and up to any to what is told of it.
        for (revision, values) in folded(&desk) {
            let told = records(&desk.engine().show(None, Some(&revision.to_string())).unwrap());
            prop_assert_eq!(told, values, "revision {}", revision);
        }
        for (revision, then) in &shown {
            let told = records(&desk.engine().show(None, Some(&revision.to_string())).unwrap());
            prop_assert_eq!(&told, then, "revision {}", revision);
        }

        // Undo, then redo: as if nothing had been.
        let before = moment(&desk);
        if undo(&desk, newest()).is_ok() {
            desk.engine().redo(&anyone()).unwrap();
            prop_assert_eq!(&moment(&desk), &before);
        }

        // Records and images of each checkpoint come back.
        for (id, then) in &moments {
            desk.engine().rollback(RollbackQuery { to: id.clone(), space: None }, &anyone()).unwrap();
            prop_assert_eq!(&moment(&desk), then, "checkpoint {}", id);
            prop_assert_eq!(wrong(&desk), [""; 0]);
        }

        // An export makes an equal project, which says so when the export comes once more.
        let other = Desk::new();
        let text = exported(&desk, None);
        import(&other, &text, false).unwrap();
        prop_assert_eq!(journal(&other), journal(&desk));
        let mut there = moment(&desk);
        // A plan is its author's file, which upgrade reads and writes only when it is asked to.
        there.1.remove(PLAN);
        let mut here = moment(&other);
        here.1.remove(PLAN);
        prop_assert_eq!(here, there);
        prop_assert_eq!(wrong(&other), [""; 0]);
        prop_assert_eq!(&import(&other, &text, false).unwrap().body["replayed"], &json!(true));
    }
}

#[test]
fn a_merge_that_nobody_ended_stops_undo_and_rollback() {
    let marked = |desk: &Desk, path: &str| {
        let text = desk.text(path);
        desk.edit(path, format!("{text}<<<<<<< ours\none\n=======\ntwo\n>>>>>>> theirs\n"));
        desk.text(path)
    };
    for (path, tool, arguments) in [
        (POSITION, "msd_state_patch", json!({"fields": {"Status": "Tried"}})),
        (NOTES, "state_patch", json!({"patch": {"notes": "tried"}})),
    ] {
        let desk = project();
        settle(&desk);
        let point = checkpoint(&desk, "point");
        desk.done(tool, arguments);
        let revision = desk.history()[0]["revision"].as_u64().unwrap();
        let text = marked(&desk, path);
        // The edit of a document is the newest entry; one that cannot be read is none.
        let query = if path == POSITION { newest() } else { entry(revision) };
        let refused = [
            undo(&desk, query).unwrap_err(),
            desk.engine().rollback(RollbackQuery { to: point, space: None }, &anyone()).unwrap_err(),
        ];
        assert_eq!(refused.map(|refusal| refusal.code.into_owned()), ["state_corrupt", "state_corrupt"], "{path}");
        assert_eq!(desk.text(path), text);
    }
}

#[test]
fn a_phase_that_was_the_first_leaves_no_mirror_when_it_is_taken_back() {
    let desk = Desk::new().write("mainstay.toml", "formats = [\"eneo\"]\n");
    desk.done("eneo_phase_set", json!({"phase": "RED"}));
    assert_eq!(desk.text(".claude/state/phase"), "RED\n");
    undo(&desk, newest()).unwrap();
    assert!(!desk.stands(".claude/state/phase"));
    desk.engine().redo(&anyone()).unwrap();
    assert_eq!(desk.text(".claude/state/phase"), "RED\n");
}
