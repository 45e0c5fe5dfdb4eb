//! Files that were cut or hit by a wrong bit (P10).

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;
use testkit::pool::{cores, in_parallel};

use super::{Extent, Tried};
use crate::crash::verbs::{Scenario, scenarios};
use crate::picture::TABLES;
use crate::product::Product;
use crate::project::Project;
use testkit::random::Random;

/// What is damaged: every image, the store and its log, the locks.
const FILES: &[&str] = &[
    "STATE.md",
    "TASKS.md",
    TABLES,
    ".mainstay/state.db",
    ".mainstay/state.db-wal",
    ".mainstay/locks/queue.lock",
    ".mainstay/locks/hseos.lock",
];

/// What happens to a file.
#[derive(Clone, Copy, Debug)]
enum Damage {
    /// Only so many bytes are left.
    Cut(usize),
    /// One bit of one byte is turned.
    Flip { byte: usize, bit: u32 },
}

/// What a sound project says.
struct Original {
    state: Value,
    tasks: Value,
}

pub(super) fn check(product: &Product, extent: Extent, random: &mut Random) -> Result<Tried, String> {
    let scenario = scenarios().find(Scenario::starts_worked).ok_or("no scenario starts from a project at work")?;
    let prepared = Project::new(product)?;
    scenario.prepare(&prepared, &mut |words| prepared.reply(words).map(drop))?;
    let original =
        Original { state: prepared.reply(&["call", "state_read"])?, tasks: prepared.reply(&["call", "tasks_list"])? };
    let (cuts, flips) = match extent {
        Extent::Quick => (3, 6),
        Extent::Full => (24, 160),
    };
    let mut trials = Vec::new();
    for file in FILES {
        let path = prepared.root().join(file);
        let length = fs::metadata(&path).map_err(|error| format!("{file}: {error}"))?.len();
        let length = usize::try_from(length).map_err(|error| error.to_string())?;
        trials.extend([0, 1, length.saturating_sub(1)].map(|left| (*file, Damage::Cut(left))));
        trials.extend((0..cuts).map(|_| (*file, Damage::Cut(random.below(length)))));
        for _ in 0..flips {
            let bit = u32::try_from(random.below(8)).expect("a small number");
            trials.push((*file, Damage::Flip { byte: random.below(length), bit }));
        }
        // The head of a database is where most can be wrong.
        let head = (0..flips).map(|_| Damage::Flip { byte: random.below(length.min(100)), bit: 3 });
        trials.extend(head.map(|damage| (*file, damage)));
    }
    let found = in_parallel(cores(), &trials, |(file, damage)| {
        (format!("{file}, {damage:?}"), hit(&prepared, &original, file, *damage))
    });
    let mut tried = Tried::default();
    for (what, found) in found {
        tried.add(&what, found);
    }
    Ok(tried)
}

fn hit(prepared: &Project<'_>, original: &Original, file: &str, damage: Damage) -> Result<Vec<String>, String> {
    let project = prepared.copy_in_memory()?;
    let path = project.root().join(file);
    let mut bytes = fs::read(&path).map_err(|error| format!("{file}: {error}"))?;
    match damage {
        Damage::Cut(left) => bytes.truncate(left),
        Damage::Flip { byte, bit } => {
            if let Some(byte) = bytes.get_mut(byte) {
                *byte ^= 1 << bit;
            }
        }
    }
    fs::write(&path, &bytes).map_err(|error| format!("{file}: {error}"))?;
    for shared in [TABLES, ".mainstay/state.db"] {
        // Memory of processes that are gone.
        drop(fs::remove_file(project.root().join(format!("{shared}-shm"))));
    }
    let before = texts(&project.root());
    let mut problems = Vec::new();
    let mut ask = |words: &[&str]| -> Result<(bool, Value), String> {
        let finished = project.run(words)?;
        let known = finished.status.code().is_some_and(|code| code <= 4);
        if !known || finished.stderr.contains("panicked") {
            problems.push(format!("`{}` ended with {}: {}", words.join(" "), finished.exit(), finished.stderr));
        }
        Ok((finished.status.success(), serde_json::from_str(&finished.stdout).unwrap_or_default()))
    };
    let (sound, _) = ask(&["--json", "doctor"])?;
    let (reads, state) = ask(&["call", "state_read"])?;
    let (lists, tasks) = ask(&["call", "tasks_list"])?;
    let (wrote, _) = ask(&["--json", "hseos", "state", "write", "after", "damage"])?;
    let (told, history) = ask(&["--json", "history", "--all", "-n", "100000"])?;
    if sound {
        // A file that doctor calls sound says what it said before.
        let same = (state["state"] == original.state["state"]) && (tasks["tasks"] == original.tasks["tasks"]);
        if !(reads && lists && same) {
            problems.push(format!("doctor found nothing, and yet the project says {state} {tasks}"));
        }
    }
    if !wrote && fs::read(&path).ok().as_ref() != Some(&bytes) {
        problems.push("the write was refused, and yet the damaged file is another one".into());
    }
    if wrote && told {
        problems.extend(lost(original, &project, &history));
    }
    let is_kept = |bytes: &Vec<u8>| {
        let now = texts(&project.root());
        now.values().any(|other| other == bytes) || std::str::from_utf8(bytes).is_ok()
    };
    let unkept = before.iter().filter(|(_, bytes)| !is_kept(bytes));
    problems.extend(unkept.map(|(name, _)| format!("{name} was no text, and its bytes are nowhere")));
    Ok(problems)
}

/// The text files at the root of a project, conflict copies among them.
fn texts(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(root).into_iter().flatten().filter_map(Result::ok);
    let files = entries.filter(|entry| entry.path().is_file());
    files.map(|it| (it.file_name().to_string_lossy().into_owned(), fs::read(it.path()).unwrap_or_default())).collect()
}

/// The original values that are neither in the project nor in its journal.
fn lost(original: &Original, project: &Project<'_>, history: &Value) -> Vec<String> {
    let Ok(state) = project.reply(&["call", "state_read"]) else {
        return vec!["after a write that went well, reading fails".into()];
    };
    let known = format!("{state}{history}");
    let fields = original.state["state"].as_object().into_iter().flatten();
    let fields = fields.filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned())));
    let tasks = original.tasks["tasks"].as_array().into_iter().flatten();
    let tasks =
        tasks.filter_map(|task| Some((task["id"].as_str()?.to_owned(), task["description"].as_str()?.to_owned())));
    let missing = fields.chain(tasks).filter(|(_, value)| !value.is_empty() && !known.contains(value.as_str()));
    missing.map(|(key, value)| format!("{key}, {value:?}, is neither in the project nor in its journal")).collect()
}
