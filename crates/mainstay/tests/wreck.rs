//! What people do after an agent went wild: see it, take it back, bring it again; and watch others at work.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use testkit::process::{DEADLINE, Sandbox, finish};

const POSITION: &str = ".planning/STATE.md";
const TASKS: &str = ".github/upgrades/net/tasks.md";

/// Files that say in a line of its own when they were written, or not at all.
const FILES: &[&str] = &["STATE.md", "TASKS.md", POSITION, TASKS, ".claude/state/phase"];

fn command(sandbox: &Sandbox, now: &str, words: &[&str]) -> Command {
    let mut command = sandbox.mainstay(Path::new(env!("CARGO_BIN_EXE_mainstay")));
    command.env("MAINSTAY_NOW", now).args(words);
    command
}

/// Runs a command, which must succeed; answers what it printed.
fn said(sandbox: &Sandbox, now: &str, words: &[&str]) -> String {
    let finished = finish(&mut command(sandbox, now, words), "", DEADLINE).unwrap();
    assert!(finished.status.success(), "{words:?}: {}{}", finished.stdout, finished.stderr);
    finished.stdout
}

fn told(sandbox: &Sandbox, now: &str, words: &[&str]) -> Value {
    serde_json::from_str(&said(sandbox, now, &[&["--json"], words].concat())).unwrap()
}

fn files(sandbox: &Sandbox) -> BTreeMap<&'static str, String> {
    let is_of_time = |line: &&str| ["last updated", "last_updated"].iter().any(|it| line.to_lowercase().contains(it));
    let timeless = |text: String| text.lines().filter(|line| !is_of_time(line)).collect::<Vec<_>>().join("\n");
    let text = |path: &&'static str| Some((*path, timeless(fs::read_to_string(sandbox.root().join(path)).ok()?)));
    FILES.iter().filter_map(text).collect()
}

const BEFORE: &str = "2026-05-01T10:00:00Z";
const WRECKED: &str = "2026-05-01T13:50:00Z";
const AFTER: &str = "2026-05-01T14:00:00Z";

const GOOD: &[&[&str]] = &[
    &["hseos", "state", "write", "phase", "build"],
    &["hseos", "tasks", "add", "T1", "GHOST", "First"],
    &["eneo", "phase-set", "RED"],
    &["call", "msd_state_patch", r#"{"fields":{"Status":"Executing"}}"#],
    &["call", "activity", r#"{"text":"begun"}"#],
];
const WILD: &[&[&str]] = &[
    &["hseos", "state", "write", "phase", "wrecked"],
    &["hseos", "tasks", "done", "T1"],
    &["hseos", "tasks", "add", "T2", "WILD", "Nonsense"],
    &["eneo", "phase-set", "GREEN"],
    &["call", "msd_state_patch", r#"{"fields":{"Status":"Wrecked"}}"#],
    &["call", "start_task", r#"{"taskId":"01-one"}"#],
];

#[test]
fn a_wild_session_is_seen_taken_back_and_brought_again() {
    let sandbox = Sandbox::new().unwrap();
    let write = |path: &str, text: &str| {
        let path = sandbox.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("mainstay.toml", "formats = [\"hseos\", \"eneo\", \"msd\", \"upgrade\"]\n");
    write(POSITION, "# Project State\n\n## Current Position\n\nPhase: 1 of 3\nStatus: Planning\n");
    write(".github/upgrades/net/plan.md", "# Plan\n\n## Tasks\n\n### 01-one: First\n\nDo it.\n\n### 02-two: Second\n");
    for words in GOOD {
        said(&sandbox, BEFORE, words);
    }
    let good = files(&sandbox);
    assert_eq!(good.len(), FILES.len(), "{good:?}");
    for words in WILD {
        said(&sandbox, WRECKED, &[&["--actor", "WILD", "--session", "w1"], *words].concat());
    }
    let wrecked = files(&sandbox);
    assert!(FILES.iter().all(|path| wrecked[path] != good[path]), "{wrecked:?}");

    // What it did, who did it, and the name by which all of it goes back.
    let history = said(&sandbox, AFTER, &["history", "--since", "1h"]);
    assert!(history.contains("session w1") && history.matches("WILD").count() >= WILD.len(), "{history}");
    let blame = told(&sandbox, AFTER, &["blame", "hseos", "state/phase"]);
    let value = blame["fields"].as_array().unwrap().iter().find(|field| field["value"] == "wrecked").unwrap();
    assert_eq!((&value["actor"], &value["session"]), (&"WILD".into(), &"w1".into()));
    let diff = told(&sandbox, AFTER, &["diff", "--since", "1h"]);
    let keys: Vec<&str> = diff["changes"].as_array().unwrap().iter().map(|it| it["key"].as_str().unwrap()).collect();
    for key in ["state/phase", "task/T1", "task/T2", "document/STATE.md", "task/01-one"] {
        assert!(keys.contains(&key), "{keys:?} lacks {key}");
    }

    let undone = told(&sandbox, AFTER, &["undo", "--session", "w1"]);
    assert_eq!(undone["undone"].as_array().unwrap().len(), WILD.len(), "{undone}");
    assert_eq!(files(&sandbox), good);
    told(&sandbox, AFTER, &["redo"]);
    assert_eq!(files(&sandbox), wrecked);
    let doctor = finish(&mut command(&sandbox, AFTER, &["--json", "doctor"]), "", DEADLINE).unwrap().stdout;
    let doctor: Value = serde_json::from_str(&doctor).unwrap();
    // The person's own file lacks this and that.
    let is_wrong = |it: &&Value| it["where"] != POSITION || it["code"].as_str().unwrap().starts_with("image");
    assert_eq!(doctor["findings"].as_array().unwrap().iter().filter(is_wrong).count(), 0, "{doctor}");
}

struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

#[test]
fn one_terminal_sees_every_write_of_three_others() {
    const EACH: usize = 6;
    let sandbox = Sandbox::new().unwrap();
    said(&sandbox, AFTER, &["hseos", "state", "write", "phase", "begun"]);
    let mut watch = command(&sandbox, AFTER, &["--json", "watch", "--since", "1"]);
    let mut watch = Ended(watch.stdout(Stdio::piped()).stdin(Stdio::null()).spawn().unwrap());
    let mut lines = BufReader::new(watch.0.stdout.take().unwrap()).lines();
    let mut next = || -> Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
    // It is there before anybody else writes.
    assert_eq!(next()["revision"], 1);
    std::thread::scope(|scope| {
        for writer in ["A", "B", "C"] {
            let sandbox = &sandbox;
            scope.spawn(move || {
                for number in 0..EACH {
                    let value = number.to_string();
                    said(sandbox, AFTER, &["--actor", writer, "hseos", "state", "write", writer, &value]);
                }
            });
        }
        let mut seen: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for revision in 2..2 + 3 * EACH {
            let entry = next();
            assert_eq!(entry["revision"], revision, "one is missed, or comes twice");
            let actor = entry["actor"].as_str().unwrap().to_owned();
            let change = entry["changes"].as_array().unwrap().iter().find(|it| it["key"] == format!("state/{actor}"));
            seen.entry(actor).or_default().push(change.unwrap()["after"]["value"].as_str().unwrap().to_owned());
        }
        let all: Vec<String> = (0..EACH).map(|number| number.to_string()).collect();
        assert_eq!(seen, ["A", "B", "C"].map(|writer| (writer.to_owned(), all.clone())).into());
    });
}
