//! Large projects: what a write, a list and the journal cost there.

use std::fmt::Write as _;
use std::process::Command;

use serde_json::{Value, json};

use super::row::{Budget, Row};
use super::server::{Client, Server};
use super::{cpu, instructions};
use crate::product::Product;
use crate::project::Project;

/// How often a command runs whose CPU time is told.
const RUNS: u32 = 10;

/// The same where the answer is a ratio of short times.
const MANY: u32 = 40;

/// How often a document changes.
const TIMES: u32 = 10_000;

pub(super) fn rows(product: &Product) -> Result<Vec<Row>, String> {
    let (small, large) = (tasks(product, 100)?, tasks(product, 10_000)?);
    let written =
        |project: &Project<'_>| instructions::count(project, &["hseos", "state", "write", "phase", "review"], "");
    let (beside_few, beside_many) = (written(&small)?, written(&large)?);
    let timed = |project: &Project<'_>, words: &str, runs: u32| {
        let mut shell = Command::new("bash");
        shell.current_dir(project.root());
        cpu::of_runs(&mut shell, &format!("'{}' --project . {words}", product.binary.display()), runs)
    };
    let write = "hseos state write phase p$i";
    let (time_of_few, time_of_many) = (timed(&small, write, MANY)?, timed(&large, write, MANY)?);
    let row = |name: &str, measured, unit, budget| Row { name: name.to_owned(), measured, unit, budget };
    let mut rows = vec![
        row("state write beside 100 tasks", beside_few, "instructions", Budget::None),
        row("state write beside 10,000 tasks", beside_many, "instructions", Budget::None),
        row("state write beside 100 tasks", time_of_few, "ms CPU", Budget::None),
        row("state write beside 10,000 tasks", time_of_many, "ms CPU", Budget::None),
        // By time: valgrind knows no instructions for SHA-256, so the digest of TASKS.md is most of what it counts.
        row("… against 100 tasks", time_of_many / time_of_few, "× CPU", Budget::Most(2.0)),
        row("tasks list of 10,000", timed(&large, "hseos tasks list", RUNS)?, "ms CPU", Budget::Most(20.0)),
        row(
            "tasks update of 10,000, TASKS.md with it",
            timed(&large, "hseos tasks update T$i --note \"$i\"", RUNS)?,
            "ms CPU",
            Budget::Most(30.0),
        ),
    ];
    rows.extend(journal(product)?);
    Ok(rows)
}

/// A project with so many tasks: the table is filled by hand and taken in, as a person would bring it.
pub(super) fn tasks(product: &Product, count: u32) -> Result<Project<'_>, String> {
    let project = Project::new(product)?;
    answered(&project, &["hseos", "tasks", "add", "T1", "GHOST", "a task"])?;
    let script = (2..=count).fold(String::from("BEGIN;\n"), |mut script, task| {
        writeln!(
            script,
            "INSERT INTO tasks (id, owner, description, status) VALUES ('T{task}', 'GHOST', 'a task', 'pending');"
        )
        .expect("a string takes everything");
        script
    });
    testkit::sql::execute(&project.root().join(".hseos/state/project.db"), &format!("{script}COMMIT;"))?;
    answered(&project, &["hseos", "state", "write", "phase", "execution"])?;
    Ok(project)
}

// A state and a document of 64 KiB, of which a few bytes change again and again.
fn journal(product: &Product) -> Result<Vec<Row>, String> {
    const LINE: &str = "a line of some length, as notes have them\n";
    let state = Project::new(product)?;
    answered(&state, &["skillstate", "init"])?;
    answered(&state, &["skillstate", "patch", &json!({ "notes": LINE.repeat(1460), "goal": "begun" }).to_string()])?;
    let document = Project::new(product)?;
    answered(&document, &["msd", "state", "init", "--milestone", "v1.0", "--name", "First Light"])?;
    let file = document.root().join(".planning/STATE.md");
    let appended = std::fs::read_to_string(&file).and_then(|text| std::fs::write(&file, text + &LINE.repeat(1560)));
    appended.map_err(|error| format!("{}: {error}", file.display()))?;
    let (patched, updated) = (
        grown(&state, "state_patch", |number| json!({ "patch": { "goal": format!("step {number:06}") } }))?,
        grown(
            &document,
            "msd_state_update",
            |number| json!({ "field": "Status", "value": format!("Step {number:06}") }),
        )?,
    );
    let row = |name: &str, grown: f64| Row {
        name: name.to_owned(),
        measured: grown / f64::from(TIMES),
        unit: "bytes an entry",
        budget: Budget::Most(1024.0),
    };
    Ok(vec![
        row("journal, 10,000 changes of a state of 64 KiB", patched),
        row("journal, 10,000 changes of a document of 64 KiB", updated),
    ])
}

// By how much the store grows while a server answers so many calls.
fn grown(project: &Project<'_>, tool: &str, arguments: fn(u32) -> Value) -> Result<f64, String> {
    let server = Server::start(project)?;
    let mut client = Client::connect(server.port)?;
    client.call(tool, &arguments(TIMES))?;
    let before = size(project)?;
    for number in 0..TIMES {
        client.call(tool, &arguments(number))?;
    }
    Ok(size(project)? - before)
}

fn size(project: &Project<'_>) -> Result<f64, String> {
    let folder = project.root().join(".mainstay");
    std::fs::metadata(folder.join("state.db"))
        .map(|metadata| super::stories::as_number(metadata.len()))
        .map_err(|error| error.to_string())
}

fn answered(project: &Project<'_>, words: &[&str]) -> Result<(), String> {
    let finished = project.run(words)?;
    if finished.status.success() {
        return Ok(());
    }
    Err(format!("`{}` ended with {}: {}", words.join(" "), finished.exit(), finished.stderr))
}
