//! A large upgrade: 2,000 tasks, four deep, half of them done, and a folder with two files for each that is done.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::{fs, io};

use super::row::{Budget, Row};
use super::{cpu, instructions};
use crate::product::Product;
use crate::project::Project;

/// How often a command runs whose CPU time is told; as many leaves are completed.
const RUNS: u32 = 10;

/// The leaf that a run completes: they come one after the other, five to a parent.
const LEAF: &str = "09.01.0$(((i + 4) / 5)).0$(((i - 1) % 5 + 1))";

pub(super) fn rows(product: &Product) -> Result<Vec<Row>, String> {
    let project = large(product)?;
    let timed = |words: &str| {
        let mut shell = Command::new("bash");
        shell.current_dir(project.root());
        cpu::of_runs(&mut shell, &format!("'{}' --project . --json {words}", product.binary.display()), RUNS)
    };
    let row = |name: &str, measured, unit, budget| Row { name: name.to_owned(), measured, unit, budget };
    let read = timed("upgrade get-state")?;
    let counted = instructions::count(&project, &["--json", "upgrade", "get-state"], "")?;
    let written = timed(&format!("upgrade complete-task {LEAF}"))?;
    Ok(vec![
        row("upgrade get-state of 2,000 tasks", read, "ms CPU", Budget::Most(20.0)),
        row("upgrade get-state of 2,000 tasks", counted, "instructions", Budget::None),
        row("upgrade complete-task of 2,000, tasks.md with it", written, "ms CPU", Budget::Most(30.0)),
    ])
}

// 16 areas of 4 parts of 5 pieces of 5 steps; the steps of the first eight are done.
fn large(product: &Product) -> Result<Project<'_>, String> {
    let (mut plan, mut tasks) = ("# Plan\n\n## Tasks\n".to_owned(), "## Task Hierarchy\n".to_owned());
    let mut count = 0;
    let mut done = Vec::new();
    let mut row = |depth: usize, mark: &str, id: &str, title: &str| {
        count += 1;
        writeln!(tasks, "{:indent$}- {mark} {id}: {title}", "", indent = 2 * depth).expect("a string takes everything");
    };
    for area in 1..=16 {
        let mark = if area <= 8 { "✅" } else { "🔲" };
        let top = format!("{area:02}-area-{area}");
        write!(plan, "\n### {top}: Area number {area}\n\nMove all of it.\n\nProjects: P{area}A, P{area}B\n")
            .expect("a string takes everything");
        row(0, mark, &top, &format!("Area number {area}"));
        for part in 1..=4 {
            row(1, mark, &format!("{area:02}.{part:02}-part-{part}"), &format!("Part {part} of area {area}"));
            for piece in 1..=5 {
                let number = format!("{area:02}.{part:02}.{piece:02}");
                row(2, mark, &format!("{number}-piece-{piece}"), &format!("Piece {piece} of part {part}"));
                for step in 1..=5 {
                    let id = format!("{number}.{step:02}-step-{step}");
                    row(3, mark, &id, &format!("Step {step} of piece {piece}"));
                    if area <= 8 {
                        done.push(id);
                    }
                }
            }
        }
    }
    assert_eq!(count, 2_000, "the budget is about so many");
    let project = Project::new(product)?;
    let folder = project.root().join(".github/upgrades/net");
    fs::create_dir_all(&folder)
        .and_then(|()| fs::write(folder.join("plan.md"), plan))
        .and_then(|()| fs::write(folder.join("tasks.md"), tasks))
        .and_then(|()| done.iter().try_for_each(|id| work_on(&folder.join("tasks").join(id), id)))
        .map_err(|error| format!("{}: {error}", folder.display()))?;
    let finished = project.run(&["upgrade", "activity", "adopted"])?;
    if finished.status.success() { Ok(project) } else { Err(format!("activity: {}", finished.stderr)) }
}

// What an agent leaves behind of a task that it has done.
fn work_on(folder: &Path, id: &str) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    fs::write(folder.join("task.md"), format!("# {id}\n\nMove this piece.\n"))?;
    fs::write(folder.join("progress-details.md"), "Moved it; the tests pass.\n")
}
