//! A damaged store made anew by `doctor --fix`: page by page, cut, and killed at every call (P1, P10).

use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use testkit::pool::{cores, in_parallel};
use testkit::random::Random;
use testkit::sql;

use super::{Extent, Tried};
use crate::crash::trace::{injecting, points_of};
use crate::crash::{Fault, sample};
use crate::product::Product;
use crate::project::{Project, end};

/// The size of a page. **Units**: bytes.
pub(super) const PAGE: usize = 4096;

/// How many writes stand in the journal.
const WRITES: usize = 60;

const STORE: &str = ".mainstay/state.db";

/// What has to be the same before the damage and after the mending.
#[derive(Debug, PartialEq)]
pub(super) struct Content {
    state: Value,
    tasks: Value,
    entries: usize,
    checkpoints: Value,
}

/// A project at work whose store fills some dozens of pages, its log emptied.
pub(super) fn prepared(product: &Product) -> Result<Project<'_>, String> {
    let project = Project::new(product)?;
    project.reply(&["--json", "init", "--format", "hseos"])?;
    for number in 0..WRITES {
        let (id, key) = (format!("write-{number}"), format!("key-{}", number % 9));
        let value = format!("{number} ").repeat(40);
        project.reply(&["--request-id", &id, "--json", "hseos", "state", "write", &key, &value])?;
        if number == WRITES / 3 {
            project.reply(&["--json", "checkpoint", "kept"])?;
        }
    }
    project.reply(&["--json", "hseos", "tasks", "add", "T1", "GHOST", "First"])?;
    sql::execute(&project.root().join(STORE), "pragma wal_checkpoint(truncate)")?;
    Ok(project)
}

/// Everything that a project tells.
pub(super) fn content(project: &Project<'_>) -> Result<Content, String> {
    let history = project.reply(&["--json", "history", "--all", "-n", "100000"])?;
    Ok(Content {
        state: project.reply(&["call", "state_read"])?["state"].clone(),
        tasks: project.reply(&["call", "tasks_list"])?["tasks"].clone(),
        entries: history["entries"].as_array().map_or(0, Vec::len),
        checkpoints: project.reply(&["--json", "checkpoint", "--list"])?["checkpoints"].clone(),
    })
}

pub(super) fn check(product: &Product, extent: Extent, random: &mut Random) -> Result<Tried, String> {
    let prepared = prepared(product)?;
    let original = content(&prepared)?;
    let mut tried = Tried::default();
    let whole = read(&prepared)?;
    let noise: Vec<u8> = std::iter::repeat_with(|| random.number().to_le_bytes()).flatten().take(PAGE).collect();
    let stride = if extent == Extent::Quick { 5 } else { 1 };
    // The first page tells what the file is: without it there is no store to be read.
    let pages: Vec<usize> = (2..=whole.len() / PAGE).step_by(stride).collect();
    let found = in_parallel(cores(), &pages, |page| {
        let mut bytes = whole.clone();
        bytes[(page - 1) * PAGE..page * PAGE].copy_from_slice(&noise);
        mended(&prepared, &original, &bytes)
    });
    let mut harmless = None;
    for (page, found) in pages.iter().zip(found) {
        if found.as_ref().is_ok_and(|(problems, lost)| problems.is_empty() && *lost == Lost::Nothing) {
            harmless.get_or_insert(*page);
        }
        tried.add(&format!("page {page} of the store is noise"), found.map(|(problems, _)| problems));
    }
    let cuts = [64, 100, PAGE, whole.len() / 2, whole.len() - PAGE, whole.len() - 1].map(|left| whole[..left].to_vec());
    let others = [noise.clone(), b"no database any more\n".repeat(300), noise[..90].to_vec()];
    for bytes in cuts.into_iter().chain(others) {
        let found = mended(&prepared, &original, &bytes).map(|(problems, _)| problems);
        tried.add(&format!("the store has {} other bytes", bytes.len()), found);
    }
    let page = harmless.ok_or("there is no page whose loss does no harm, such as one of an index")?;
    let mut bytes = whole;
    bytes[(page - 1) * PAGE..page * PAGE].copy_from_slice(&noise);
    killed(&prepared, &original, &bytes, extent, &mut tried)?;
    Ok(tried)
}

/// How much a mending says that it could not bring back.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Lost {
    Nothing,
    Something,
}

// Damages a copy and mends it; answers what is wrong with that.
fn mended(prepared: &Project<'_>, original: &Content, bytes: &[u8]) -> Result<(Vec<String>, Lost), String> {
    let project = prepared.copy_in_memory()?;
    fs::write(project.root().join(STORE), bytes).map_err(|error| error.to_string())?;
    let said = doctor(&project, &["--json", "doctor"])?;
    if said["ok"] == true {
        // What stood in those bytes was of no use to anybody.
        let now = content(&project)?;
        let problem = (now != *original).then(|| format!("doctor finds nothing, and yet: {now:?}"));
        return Ok((problem.into_iter().collect(), Lost::Nothing));
    }
    let fixed = doctor(&project, &["--json", "doctor", "--fix"])?;
    let lost = if codes(&fixed, "store_lost") > 0 { Lost::Something } else { Lost::Nothing };
    let mut problems = Vec::new();
    if codes(&said, "store_corrupt") == 0 {
        problems.push(format!("doctor does not find the damage: {said}"));
    }
    if lost == Lost::Something && codes(&said, "store_lost") == 0 {
        problems.push(format!("doctor does not say what is lost: {said}"));
    }
    if (fixed["ok"] == true) != (lost == Lost::Nothing) {
        problems.push(format!("`ok` does not fit what is lost: {fixed}"));
    }
    let kept = damaged(&project).iter().any(|path| fs::read(path.join("state.db")).is_ok_and(|kept| kept == bytes));
    if !kept {
        problems.push("the damaged file is not kept".into());
    }
    let after = doctor(&project, &["--json", "doctor"])?;
    if after["ok"] != true {
        problems.push(format!("the second doctor still finds something: {after}"));
    }
    let now = content(&project)?;
    if now.state != original.state || now.tasks != original.tasks {
        problems.push(format!("records are lost that images or journal hold: {now:?}"));
    }
    if lost == Lost::Nothing && now != *original {
        problems.push(format!("nothing is said to be lost, and yet: {now:?}"));
    }
    let words = ["--request-id", "write-59", "--json", "hseos", "state", "write", "key-5", &"59 ".repeat(40)];
    let everything = fixed.to_string().contains("\"everything\"");
    let again = project.run(&words)?;
    if !everything && !again.stdout.contains("\"replayed\":true") {
        problems.push(format!("a request is carried out twice (P5): {}", again.stdout));
    }
    Ok((problems, lost))
}

// Kills `doctor --fix` at each of its calls; then a write may come in between, and then it is run again.
fn killed(
    prepared: &Project<'_>,
    original: &Content,
    bytes: &[u8],
    extent: Extent,
    tried: &mut Tried,
) -> Result<(), String> {
    let words = ["--json", "doctor", "--fix"];
    let broken = || -> Result<Project<'_>, String> {
        let project = prepared.copy_in_memory()?;
        fs::write(project.root().join(STORE), bytes).map_err(|error| error.to_string())?;
        Ok(project)
    };
    let all = points_of(&words, &broken()?)?;
    let points = if extent == Extent::Quick { sample(all) } else { all };
    let found = in_parallel(cores(), &points, |point| {
        let project = broken()?;
        end(project.under(&injecting(point, Fault::Kill)).args(words))?;
        let between = project.run(&["--json", "hseos", "state", "write", "between", "written"])?;
        let wrote = between.status.success();
        let mut problems = Vec::new();
        if !wrote && !between.stdout.contains("store_corrupt") {
            problems.push(format!("a write in between said {}{}", between.stdout, between.stderr));
        }
        let fixed = doctor(&project, &words)?;
        let after = doctor(&project, &["--json", "doctor"])?;
        if fixed["ok"] != true || after["ok"] != true {
            problems.push(format!("the second --fix said {fixed}, then doctor {after}"));
        }
        let mut now = content(&project)?;
        let has_it = now.state.as_object_mut().and_then(|state| state.shift_remove("between")).is_some();
        now.entries -= usize::from(has_it);
        if wrote != has_it {
            problems.push(format!("the write in between was told {wrote} and is there {has_it}"));
        }
        if now != *original {
            problems.push(format!("something is lost: {now:?}"));
        }
        if project.root().join(".mainstay/rebuild").exists() {
            problems.push("what the killed one made is still there".into());
        }
        Ok(problems)
    });
    for (point, found) in points.iter().zip(found) {
        tried.add(&format!("doctor --fix, killed at {} {} ({})", point.call, point.nth, point.shown), found);
    }
    Ok(())
}

/// What `doctor` says; findings are no failure here, an answer that cannot be read is.
pub(super) fn doctor(project: &Project<'_>, words: &[&str]) -> Result<Value, String> {
    let finished = project.run(words)?;
    if finished.stderr.contains("panicked") {
        return Err(finished.stderr);
    }
    serde_json::from_str(&finished.stdout)
        .map_err(|error| format!("doctor answered no JSON ({error}): {}{}", finished.stdout, finished.stderr))
}

/// The folders in which damaged stores are kept.
pub(super) fn damaged(project: &Project<'_>) -> Vec<PathBuf> {
    let entries = fs::read_dir(project.root().join(".mainstay")).into_iter().flatten().filter_map(Result::ok);
    entries.filter(|it| it.file_name().to_string_lossy().starts_with("damaged-")).map(|it| it.path()).collect()
}

fn codes(report: &Value, code: &str) -> usize {
    report["findings"].as_array().map_or(0, |findings| findings.iter().filter(|one| one["code"] == code).count())
}

fn read(project: &Project<'_>) -> Result<Vec<u8>, String> {
    fs::read(project.root().join(STORE)).map_err(|error| error.to_string())
}
