//! msd: what each of its verbs costs, and what it costs to read a project of many plans.

use std::fs;
use std::process::Command;

use super::row::{Budget, Row};
use super::stories::Kind;
use super::{cpu, instructions};
use crate::product::Product;
use crate::project::Project;

/// How often a command runs whose CPU time is told.
const RUNS: u32 = 20;

/// What a verb of the format's other tools takes. **Units**: milliseconds of CPU.
///
/// **Source**: budgets: 300 ms a verb.
const OTHERS: f64 = 300.0;

const WRITES: &[&str] = &[
    "update Status Tried",
    "patch --Status Tried --Plan 2",
    "begin-phase --phase 3",
    "verify-phase --phase 2",
    "planned-phase --phase 2 --plans 20",
    "advance-plan",
    "complete-phase",
    "milestone-switch --milestone v2.0",
    "milestone-complete",
    "lifecycle set --active 2",
    "lifecycle clear",
    "update-progress",
    "record-metric --phase 2 --plan 1 --duration 12m",
    "add-decision --summary x",
    "add-blocker --text x",
    "resolve-blocker --text port",
    "add-roadmap-evolution --phase 4 --note x",
    "record-session --stopped-at x",
    "signal-waiting --question x",
    "sync",
    "rebuild",
];

const READS: &[&str] = &["json", "snapshot", "get Status", "load", "validate"];

/// How many phases and plans the measured project has: a usual one, and a large one.
const USUAL: (u32, u32) = (3, 6);
const LARGE: (u32, u32) = (10, 200);

pub(super) fn rows(product: &Product) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    for (verbs, kind) in [(WRITES, Kind::Write { files: 1, tables: 0 }), (READS, Kind::Read)] {
        for verb in verbs {
            let words: Vec<&str> = ["msd", "state"].into_iter().chain(verb.split(' ')).collect();
            let measured = instructions::count(&project(product, USUAL)?, &words, "")?;
            let name = format!("msd {verb}");
            rows.push(Row { name, measured, unit: "instructions", budget: kind.instructions() });
        }
    }
    let timed = |project: &Project<'_>, words: &str| {
        let mut shell = Command::new("bash");
        shell.current_dir(project.root());
        cpu::of_runs(&mut shell, &format!("'{}' --project . msd state {words}", product.binary.display()), RUNS)
    };
    let update = timed(&project(product, USUAL)?, "update Status \"Tried $i\"")?;
    let json = timed(&project(product, LARGE)?, "json")?;
    let row = |name: &str, measured, unit, budget| Row { name: name.to_owned(), measured, unit, budget };
    rows.extend([
        row("msd update", update, "ms CPU", Budget::None),
        row("… against 300 ms of others", OTHERS / update, "×", Budget::Least(50.0)),
        row("msd json of 200 plans", json, "ms CPU", Budget::Most(10.0)),
    ]);
    Ok(rows)
}

/// A project at work, with so many phases and so many plans in all, every other one done.
fn project(product: &Product, (phases, plans): (u32, u32)) -> Result<Project<'_>, String> {
    let project = Project::new(product)?;
    let write = |path: &str, text: &str| {
        let path = project.root().join(".planning").join(path);
        let folder = path.parent().expect("a file stands in a folder");
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&path, text))
            .map_err(|error| format!("{}: {error}", path.display()))
    };
    let headings: Vec<String> = (1..=phases).map(|phase| format!("### Phase {phase}: Part {phase}\n")).collect();
    write("ROADMAP.md", &format!("# Roadmap\n\n{}", headings.join("\n")))?;
    for plan in 0..plans {
        let (phase, number) = (plan % phases + 1, plan / phases + 1);
        let stem = format!("phases/{phase:02}-part/{phase:02}-{number:02}");
        write(&format!("{stem}-PLAN.md"), "---\nstatus: planned\n---\n\n# Plan\n")?;
        if number.is_multiple_of(2) {
            write(&format!("{stem}-SUMMARY.md"), "# Summary\n")?;
        }
    }
    for words in [
        "init --milestone v1.0 --name Light",
        "begin-phase --phase 2 --plans 2",
        "add-decision --summary One",
        "add-blocker --text port",
    ] {
        let words: Vec<&str> = ["msd", "state"].into_iter().chain(words.split(' ')).collect();
        let finished = project.run(&words)?;
        if !finished.status.success() {
            return Err(format!("`{}` ended with {}: {}", words.join(" "), finished.exit(), finished.stderr));
        }
    }
    Ok(project)
}
