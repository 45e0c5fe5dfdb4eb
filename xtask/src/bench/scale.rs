//! Large projects: what a write, a list and the journal cost there.

use std::fmt::Write as _;
use std::process::Command;

use serde_json::json;

use super::row::{Budget, Row};
use super::server::{Client, Server};
use super::{cpu, instructions};
use crate::product::Product;
use crate::project::Project;

/// How often a command runs whose CPU time is told.
const RUNS: u32 = 10;

pub(super) fn rows(product: &Product) -> Result<Vec<Row>, String> {
    let (small, large) = (tasks(product, 100)?, tasks(product, 10_000)?);
    let written =
        |project: &Project<'_>| instructions::count(project, &["hseos", "state", "write", "phase", "review"], "");
    let (beside_few, beside_many) = (written(&small)?, written(&large)?);
    let timed = |project: &Project<'_>, words: &str| {
        let mut shell = Command::new("bash");
        shell.current_dir(project.root());
        cpu::of_runs(&mut shell, &format!("'{}' --project . {words}", product.binary.display()), RUNS)
    };
    let row = |name: &str, measured, unit, budget| Row { name: name.to_owned(), measured, unit, budget };
    let mut rows = vec![
        row("state write beside 100 tasks", beside_few, "instructions", Budget::None),
        row("state write beside 10,000 tasks", beside_many, "instructions", Budget::None),
        row("… against 100 tasks", beside_many / beside_few, "×", Budget::Most(2.0)),
        row("tasks list of 10,000", timed(&large, "hseos tasks list")?, "ms CPU", Budget::Most(20.0)),
        row(
            "tasks update of 10,000, TASKS.md with it",
            timed(&large, "hseos tasks update T$i --note \"$i\"")?,
            "ms CPU",
            Budget::Most(30.0),
        ),
    ];
    rows.extend(journal(product)?);
    Ok(rows)
}

// A project with so many tasks: the image is written by hand and taken in, as a person would bring it.
fn tasks(product: &Product, count: u32) -> Result<Project<'_>, String> {
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

// A 64 KiB state of which a few bytes change again and again.
fn journal(product: &Product) -> Result<Vec<Row>, String> {
    const TIMES: u32 = 10_000;
    let project = Project::new(product)?;
    answered(&project, &["skillstate", "init"])?;
    let server = Server::start(&project)?;
    let mut client = Client::connect(server.port)?;
    let notes = "a line of some length, as notes have them\n".repeat(1460);
    client.call("state_patch", &json!({ "patch": { "notes": notes, "goal": "begun" } }))?;
    let before = size(&project)?;
    for number in 0..TIMES {
        client.call("state_patch", &json!({ "patch": { "goal": format!("step {number:06}") } }))?;
    }
    let grown = size(&project)? - before;
    let row =
        |name: &str, measured, unit, most| Row { name: name.to_owned(), measured, unit, budget: Budget::Most(most) };
    Ok(vec![
        row("journal, a few bytes of 64 KiB changed", grown / f64::from(TIMES), "bytes an entry", 1024.0),
        row("store after 10,000 patches of 64 KiB", grown, "bytes more", 10_000_000.0),
    ])
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
