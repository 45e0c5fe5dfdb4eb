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

/// The log of the store.
const LOG: &str = ".mainstay/state.db-wal";

/// A request that was carried out before the damage.
const REQUEST: [&str; 8] = ["--json", "--request-id", "before-damage", "hseos", "state", "write", "once", "only"];

/// What is damaged: every image, the store and its log, the locks.
const FILES: &[&str] = &[
    "STATE.md",
    "TASKS.md",
    TABLES,
    ".mainstay/state.db",
    LOG,
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
    /// The entries of its journal, newest first.
    entries: Vec<Value>,
}

pub(super) fn check(product: &Product, extent: Extent, random: &mut Random) -> Result<Tried, String> {
    let scenario = scenarios().find(Scenario::starts_worked).ok_or("no scenario starts from a project at work")?;
    let prepared = Project::new(product)?;
    scenario.prepare(&prepared, &mut |words| prepared.reply(words).map(drop))?;
    // The log begins anew, so that all of it counts.
    let store = prepared.root().join(".mainstay/state.db");
    testkit::sql::execute(&store, "PRAGMA wal_checkpoint(TRUNCATE)")?;
    prepared.reply(&REQUEST)?;
    for number in ["1", "2", "3"] {
        prepared.reply(&["--json", "hseos", "state", "write", "later", number])?;
    }
    let original = Original {
        state: prepared.reply(&["call", "state_read"])?,
        tasks: prepared.reply(&["call", "tasks_list"])?,
        entries: entries(&prepared)?,
    };
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
    if file == LOG && matches!(damage, Damage::Flip { .. }) {
        problems.extend(forgotten(original, &project, wrote)?);
    }
    let is_kept = |bytes: &Vec<u8>| {
        let now = texts(&project.root());
        now.values().any(|other| other == bytes) || std::str::from_utf8(bytes).is_ok()
    };
    let unkept = before.iter().filter(|(_, bytes)| !is_kept(bytes));
    problems.extend(unkept.map(|(name, _)| format!("{name} was no text, and its bytes are nowhere")));
    Ok(problems)
}

/// The entries of a project's journal, newest first.
fn entries(project: &Project<'_>) -> Result<Vec<Value>, String> {
    let history = project.reply(&["--json", "history", "--all", "-n", "100000"])?;
    Ok(history["entries"].as_array().cloned().unwrap_or_default())
}

/// The original entries that are gone from a log with one wrong bit, and a request that is carried out again.
///
/// A write that went well may have taken the log as it was; after one that was refused it is mended first.
fn forgotten(original: &Original, project: &Project<'_>, wrote: bool) -> Result<Vec<String>, String> {
    if !wrote {
        project.reply(&["--json", "doctor", "--fix"])?;
    }
    let now = entries(project)?;
    // What an entry says may have been hit.
    let is_there =
        |entry: &&Value| now.iter().any(|other| ["revision", "call"].iter().all(|it| other[it] == entry[it]));
    let missing = original.entries.iter().filter(|entry| !is_there(entry));
    let mut problems: Vec<String> = missing.map(|entry| format!("the journal has lost {entry}")).collect();
    project.reply(&REQUEST)?;
    if entries(project)?.len() != now.len() {
        problems.push("a request that was carried out before the damage is carried out again".into());
    }
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
