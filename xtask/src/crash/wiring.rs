//! Hosts being wired and unwired, disturbed at each system call.
//!
//! Their files are nobody's images, so no journal tells what happened: every file has to be as it was or as it
//! shall be, and a repeat completes what is missing.

use std::collections::BTreeMap;
use std::fs;

use testkit::pool::{cores, in_parallel};

use crate::product::Product;
use crate::project::{Project, end};

use super::story::told_of;
use super::trace::{self, Point, injecting};
use super::{Choice, Fault, Outcome, faults, sample};

/// The name by which it can be chosen.
pub(super) const NAME: &str = "init-host";

const WIRE: &[&str] = &["--json", "init", "--host", "claude", "--host", "codex"];
const UNWIRE: &[&str] = &["--json", "init", "--host", "claude", "--host", "codex", "--uninstall"];

/// What people have before; other files are new.
const BEFORE: &[(&str, &str)] = &[
    (".claude/settings.json", "{\n  // mine\n  \"hooks\": {\"Stop\": []},\n}\n"),
    (".codex/config.toml", "model = \"x\" # why"),
    ("CLAUDE.md", "# Rules\n"),
];

type Files = BTreeMap<String, Vec<u8>>;

/// Tries both ways at the chosen points.
pub(super) fn try_both(product: &Product, choice: &Choice) -> Result<Outcome, String> {
    let before = Project::new(product)?;
    for (file, text) in BEFORE {
        let path = before.root().join(file);
        let written = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, text));
        written.map_err(|error| format!("{file}: {error}"))?;
    }
    let after = before.copy()?;
    after.reply(WIRE)?;
    let mut all = Outcome::default();
    for (words, start, goal) in [(WIRE, &before, &after), (UNWIRE, &after, &before)] {
        let points = trace::points_of(words, &start.copy()?)?;
        let points = if choice.quick { sample(points) } else { points };
        let (old, new) = (contents(start)?, contents(goal)?);
        let faults: Vec<(Point, Fault)> =
            points.iter().enumerate().flat_map(|(place, point)| faults(place, point, choice)).collect();
        let found = in_parallel(cores(), &faults, |(point, fault)| {
            let problem = disturbed(words, start, &old, &new, point, *fault).err();
            if let Some(problem) = &problem {
                println!("{NAME}: {fault:?} at {} {} ({}): {problem}", point.call, point.nth, point.shown);
            }
            usize::from(problem.is_some())
        });
        all.points += faults.len();
        all.violations += found.into_iter().sum::<usize>();
    }
    println!("{NAME}: {} points, {} violations", all.points, all.violations);
    Ok(all)
}

fn disturbed(
    words: &[&str],
    start: &Project<'_>,
    old: &Files,
    new: &Files,
    point: &Point,
    fault: Fault,
) -> Result<(), String> {
    let project = start.copy()?;
    let finished = end(project.under(&injecting(point, fault)).args(words))?;
    if let Some(panicked) = told_of(&finished).1.pop() {
        return Err(panicked);
    }
    let mut left = contents(&project)?;
    if finished.status.success() && left != *new {
        return Err("success was reported and not everything is there".into());
    }
    left.retain(|path, _| !path.contains(".mainstay-"));
    for path in old.keys().chain(new.keys()).chain(left.keys()) {
        let found = left.get(path);
        if found != old.get(path) && found != new.get(path) {
            return Err(format!("{path} is neither as it was nor whole: {found:?}"));
        }
    }
    project.reply(words).map_err(|problem| format!("repeat: {problem}"))?;
    if contents(&project)? == *new { Ok(()) } else { Err("a repeat did not complete it".into()) }
}

fn contents(project: &Project<'_>) -> Result<Files, String> {
    let read = |path: String| {
        let bytes = fs::read(project.root().join(&path)).map_err(|error| format!("{path}: {error}"))?;
        Ok((path, bytes))
    };
    project.files()?.into_iter().map(read).collect()
}
