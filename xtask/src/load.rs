//! `cargo xtask load`: promises P3, P6 and P12. Waits are printed; only counts and errors are judged.

mod mixed;

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
#[derive(Clone, Copy)]
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

pub(crate) fn run(arguments: &mut Arguments) -> Result<(), String> {
    let size = if arguments.flag("--quick") { Size::Quick } else { Size::Full };
    let product = Product::chosen(arguments)?;
    arguments.end()?;
    check(&product, size)
}

pub(crate) fn check(product: &Product, size: Size) -> Result<(), String> {
    let (rounds, mixed_rounds, increments, told, documents) = match size {
        Size::Quick => (2, 1, 1, 6, 1),
        Size::Full => (50, 120, 4, 80, 20),
    };
    let problems = [
        many_keys(product, rounds)?,
        mixed::check(product, mixed_rounds)?,
        one_key(product)?,
        compare_and_swap(product, increments)?,
        history::check(product, told, SEED)?,
        one_document(product, documents)?,
    ]
    .concat();
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
fn one_key(product: &Product) -> Result<Vec<String>, String> {
    let project = Project::new(product)?;
    let all = writers(ON_ONE_KEY, |writer, done| {
        done.write(&project, &["hseos", "state", "write", "shared", &format!("value {writer}")]);
    });
    report("one field", &all);
    let mut problems = all.problems;
    let rows = sql::query(&project.root().join(TABLES), "select old_value, new_value from state_history order by id")?;
    if rows.len() != ON_ONE_KEY {
        problems.push(format!("one field: {} history rows for {ON_ONE_KEY} writes", rows.len()));
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
    project.reply(&["call", "state_write", "{\"fields\":{\"n\":\"0\"}}"])?;
    let all = writers(WRITERS, |_, done| {
        for _ in 0..increments {
            if let Err(problem) = done.increment(&project) {
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
        let begun = Instant::now();
        match project.run(words) {
            Ok(finished) if finished.status.success() => {}
            Ok(finished) => {
                self.problems.push(format!("`{}`: {} {}", words.join(" "), finished.exit(), finished.stderr));
            }
            Err(problem) => self.problems.push(problem),
        }
        self.waits.push(begun.elapsed());
    }

    fn increment(&mut self, project: &Project<'_>) -> Result<(), String> {
        let mut seen = project.reply(&["call", "state_read"])?["state"]["n"].clone();
        loop {
            let number: usize =
                seen.as_str().and_then(|text| text.parse().ok()).ok_or_else(|| format!("n is {seen}"))?;
            let arguments = json!({"fields": {"n": (number + 1).to_string()}, "expect": {"n": seen}}).to_string();
            let begun = Instant::now();
            let finished = project.run(&["call", "state_write", &arguments])?;
            self.waits.push(begun.elapsed());
            if finished.status.success() {
                return Ok(());
            }
            let reply: Value = serde_json::from_str(&finished.stdout).unwrap_or_default();
            if reply["error"]["code"] != "conflict" {
                return Err(format!("compare-and-swap: {} {}{}", finished.exit(), finished.stdout, finished.stderr));
            }
            self.conflicts += 1;
            seen = reply["error"]["current"]["n"].clone();
        }
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
