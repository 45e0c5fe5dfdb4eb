//! `cargo xtask load`: promises P3, P6 and P12. Waits are printed; a full run judges those of the mixed writers.

mod doors;
mod mixed;
mod onlookers;
mod replaces;

use std::fs;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use testkit::pool::in_parallel;
use testkit::sql;

use crate::arguments::Arguments;
use crate::history;
use crate::picture::{FILES, Picture, TABLES};
use crate::product::Product;
use crate::project::Project;
use testkit::random::SEED;

const WRITERS: usize = 64;
const ON_ONE_KEY: usize = 40;
const ON_ONE_DOCUMENT: usize = 32;

/// How long a run may be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Size {
    Quick,
    Full,
}

/// What one writer did.
#[derive(Default)]
struct Done {
    waits: Vec<Duration>,
    conflicts: usize,
    problems: Vec<String>,
}

/// What is tried, and how much of it by a quick and by a full run.
struct Part {
    name: &'static str,
    amounts: (usize, usize),
    run: fn(&Product, usize, Size) -> Result<Vec<String>, String>,
}

const PARTS: &[Part] = &[
    Part { name: "mixed", amounts: (2, 50), run: mixed::check },
    Part { name: "replaces", amounts: (200, 10_000), run: |product, count, _| replaces::check(product, count) },
    Part { name: "keys", amounts: (1, 50), run: |product, rounds, _| many_keys(product, rounds) },
    Part { name: "key", amounts: (ON_ONE_KEY, ON_ONE_KEY), run: |product, writers, _| one_key(product, writers) },
    Part { name: "swaps", amounts: (1, 4), run: |product, each, _| compare_and_swap(product, each) },
    Part { name: "history", amounts: (6, 80), run: |product, told, _| history::check(product, told, SEED) },
    Part { name: "document", amounts: (1, 20), run: |product, rounds, _| one_document(product, rounds) },
];

pub(crate) fn run(arguments: &mut Arguments) -> Result<(), String> {
    let size = if arguments.flag("--quick") { Size::Quick } else { Size::Full };
    let only = arguments.values("--only")?;
    let product = Product::chosen(arguments)?;
    arguments.end()?;
    if let Some(unknown) = only.iter().find(|name| PARTS.iter().all(|part| part.name != **name)) {
        let names: Vec<_> = PARTS.iter().map(|part| part.name).collect();
        return Err(format!("there is no part `{unknown}`; there are {}", names.join(", ")));
    }
    check(&product, size, &only)
}

/// Runs the parts that are named, or all.
pub(crate) fn check(product: &Product, size: Size, only: &[String]) -> Result<(), String> {
    // Where other work slows the machine down, as in CI, no wait is judged, nor one that was given up.
    let product = &if size == Size::Full { product.clone() } else { product.patient() };
    let mut problems = Vec::new();
    for part in PARTS.iter().filter(|part| only.is_empty() || only.iter().any(|name| name == part.name)) {
        let (quick, full) = part.amounts;
        problems.extend((part.run)(product, if size == Size::Full { full } else { quick }, size)?);
    }
    for problem in &problems {
        println!("{problem}");
    }
    println!("load: {} problems", problems.len());
    if problems.is_empty() { Ok(()) } else { Err(format!("{} problems under load", problems.len())) }
}

/// Every writer counts on a key of its own and adds tasks.
fn many_keys(product: &Product, rounds: usize) -> Result<Vec<String>, String> {
    let project = Project::new(product)?;
    let all = writers(WRITERS, |writer, done| {
        for round in 1..=rounds {
            done.write(&project, &["hseos", "state", "write", &format!("counter_{writer}"), &round.to_string()]);
            done.write(&project, &["hseos", "tasks", "add", &format!("W{writer}-{round}"), "GHOST", "One of many"]);
        }
    });
    report("fields and tasks", &all);
    let mut problems = all.problems;
    expect(&mut problems, &project, "select count(*) from tasks", &json!(WRITERS * rounds))?;
    expect(&mut problems, &project, "select count(*) from state_history", &json!(WRITERS * rounds))?;
    let last = format!("select count(*) from state where key like 'counter\\_%' escape '\\' and value = '{rounds}'");
    expect(&mut problems, &project, &last, &json!(WRITERS))?;
    problems.extend(sound(&project)?);
    Ok(problems)
}

/// All write one key: each write is in the history, each starts from the one before, the last one stands.
fn one_key(product: &Product, count: usize) -> Result<Vec<String>, String> {
    let project = Project::new(product)?;
    let all = writers(count, |writer, done| {
        done.write(&project, &["hseos", "state", "write", "shared", &format!("value {writer}")]);
    });
    report("one field", &all);
    let mut problems = all.problems;
    let rows = sql::query(&project.root().join(TABLES), "select old_value, new_value from state_history order by id")?;
    if rows.len() != count {
        problems.push(format!("one field: {} history rows for {count} writes", rows.len()));
    }
    let broken = rows.windows(2).filter(|pair| pair[0][1] != pair[1][0]).count();
    if broken > 0 {
        problems.push(format!("one field: {broken} history rows do not start from the one before"));
    }
    let newest = rows.last().map_or(Value::Null, |row| row[1].clone());
    expect(&mut problems, &project, "select value from state where key = 'shared'", &newest)?;
    problems.extend(sound(&project)?);
    Ok(problems)
}

/// All add one to a number by compare-and-swap.
fn compare_and_swap(product: &Product, increments: usize) -> Result<Vec<String>, String> {
    let project = Project::new(product)?;
    let field = |number: usize| json!({"n": number.to_string()});
    project.reply(&["call", "state_write", &json!({"fields": field(0)}).to_string()])?;
    let all = writers(WRITERS, |_, done| {
        for _ in 0..increments {
            if let Err(problem) = done.increment(&project, "n", field) {
                done.problems.push(problem);
            }
        }
    });
    report("compare-and-swap", &all);
    let mut problems = all.problems;
    let total = WRITERS * increments;
    expect(&mut problems, &project, "select value from state where key = 'n'", &json!(total.to_string()))?;
    expect(&mut problems, &project, "select count(*) from state_history", &json!(total + 1))?;
    problems.extend(sound(&project)?);
    Ok(problems)
}

/// All add one to a number in eneo's document by a program, time and again.
fn one_document(product: &Product, rounds: usize) -> Result<Vec<String>, String> {
    let all = count_in_one_document(product, rounds)?;
    report("one document", &all);
    Ok(all.problems)
}

/// How long each of the processes took that count in one document at once, the shortest first.
///
/// **Errors**: where one of them failed, or a count is not exactly how many there were.
pub(crate) fn waits_for_one_document(product: &Product, rounds: usize) -> Result<Vec<Duration>, String> {
    let mut all = count_in_one_document(product, rounds)?;
    if let Some(problem) = all.problems.first() {
        return Err(problem.clone());
    }
    all.waits.sort();
    Ok(all.waits)
}

fn count_in_one_document(product: &Product, rounds: usize) -> Result<Done, String> {
    let project = Project::new(product)?;
    project.reply(&["--json", "eneo", "task-init", "count-it", "fast", "1", "none", "none"])?;
    let mut all = Done::default();
    for _ in 0..rounds {
        project.reply(&["--json", "eneo", "task-update", ".n = 0"])?;
        let round = writers(ON_ONE_DOCUMENT, |_, done| done.write(&project, &["eneo", "task-update", ".n += 1"]));
        all.waits.extend(round.waits);
        all.problems.extend(round.problems);
        let shown = project.run(&["eneo", "task-get", ".n"])?.stdout;
        if shown.trim() != ON_ONE_DOCUMENT.to_string() {
            all.problems.push(format!("one document: {ON_ONE_DOCUMENT} writers counted {shown:?}"));
        }
    }
    Ok(all)
}

impl Done {
    fn write(&mut self, project: &Project<'_>, words: &[&str]) {
        match self.timed(|| project.run(words)) {
            Ok(finished) if finished.status.success() => {}
            Ok(finished) => {
                self.problems.push(format!("`{}`: {} {}", words.join(" "), finished.exit(), finished.stderr));
            }
            Err(problem) => self.problems.push(problem),
        }
    }

    /// Adds one to the number in a field, each attempt by a process; `fields` are all that are to hold it.
    fn increment(&mut self, project: &Project<'_>, key: &str, fields: impl Fn(usize) -> Value) -> Result<(), String> {
        self.increment_by(key, fields, &mut |tool, arguments| {
            let finished = project.run(&["call", tool, &arguments.to_string()])?;
            serde_json::from_str(&finished.stdout)
                .map_err(|_| format!("{tool}: {} {}{}", finished.exit(), finished.stdout, finished.stderr))
        })
    }

    /// The same by any way to call a tool; its reply may be a refusal.
    fn increment_by(
        &mut self,
        key: &str,
        fields: impl Fn(usize) -> Value,
        call: &mut dyn FnMut(&str, &Value) -> Result<Value, String>,
    ) -> Result<(), String> {
        let read = call("state_read", &json!({}))?;
        let mut seen = read["state"][key].clone();
        loop {
            let number = seen.as_str().and_then(|text| text.parse::<usize>().ok());
            let number = number.ok_or_else(|| format!("{key} is {seen}, and the state was {read}"))?;
            let arguments = json!({"fields": fields(number + 1), "expect": {key: seen}});
            let reply = self.timed(|| call("state_write", &arguments))?;
            match reply["error"]["code"].as_str() {
                None => return Ok(()),
                Some("conflict") => self.conflicts += 1,
                Some(_) => return Err(format!("compare-and-swap: {reply}")),
            }
            seen = reply["error"]["current"][key].clone();
        }
    }

    /// Does something and counts how long it took among the waits.
    fn timed<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let begun = Instant::now();
        let done = work();
        self.waits.push(begun.elapsed());
        done
    }
}

fn writers(count: usize, work: impl Fn(usize, &mut Done) + Sync) -> Done {
    let numbers: Vec<usize> = (0..count).collect();
    let each = in_parallel(count, &numbers, |number| {
        let mut done = Done::default();
        work(*number, &mut done);
        done
    });
    let mut all = Done::default();
    for done in each {
        all.waits.extend(done.waits);
        all.conflicts += done.conflicts;
        all.problems.extend(done.problems);
    }
    all
}

fn report(name: &str, all: &Done) {
    let mut waits = all.waits.clone();
    waits.sort();
    let at = |percent: usize| waits.get((waits.len() * percent / 100).min(waits.len().saturating_sub(1)));
    let show = |wait: Option<&Duration>| wait.map_or_else(|| "-".to_owned(), |wait| format!("{} ms", wait.as_millis()));
    println!(
        "{name}: {} writes, {} conflicts, p50 {}, p99 {}, max {}",
        waits.len(),
        all.conflicts,
        show(at(50)),
        show(at(99)),
        show(waits.last()),
    );
}

fn expect(problems: &mut Vec<String>, project: &Project<'_>, query: &str, wanted: &Value) -> Result<(), String> {
    let rows = sql::query(&project.root().join(TABLES), query)?;
    let got = rows.first().and_then(|row| row.first()).cloned().unwrap_or_default();
    if got != *wanted {
        problems.push(format!("{query}: wanted {wanted}, got {got}"));
    }
    Ok(())
}

/// Everything fits together, and did so before any request could mend it.
fn sound(project: &Project<'_>) -> Result<Vec<String>, String> {
    let images = || FILES.map(|(file, _)| fs::read(project.root().join(file)).unwrap_or_default());
    let at_rest = images();
    let picture = Picture::take(project)?;
    let mut problems = picture.disagreements();
    // Nobody edits outside here: such an entry is an image of ours that was not recognised.
    let taken_in = picture.entries_of("external");
    problems.extend(taken_in.map(|entry| format!("our own image was taken in: {entry}")));
    let stale = FILES.iter().zip(at_rest.iter().zip(images())).filter(|(_, (before, after))| *before != after);
    problems.extend(stale.map(|((file, _), _)| format!("{file} was stale although every writer had ended")));
    Ok(problems)
}
