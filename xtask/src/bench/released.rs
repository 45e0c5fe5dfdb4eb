//! The counts of a release against their budgets: one that is over is not packed.

use super::row::{Budget, Row, table};
use super::stories;
use crate::packages::{STRACE, VALGRIND, ensure};
use crate::product::Product;

/// What is over its budget, as docs/performance.md tells, and what it may take until that is mended.
const TOLD: &[(&str, &str, f64)] = &[
    ("hseos state write, tables and STATE.md", "instructions", 2_560_000.0),
    ("upgrade start-task, three files and a folder", "instructions", 2_250_000.0),
    ("upgrade start-task, three files and a folder", "fsyncs", 10.0),
    ("upgrade complete-task, two files", "instructions", 2_140_000.0),
];

/// Counts, and fails where something is over.
pub(crate) fn check(product: &Product) -> Result<(), String> {
    ensure(&[STRACE, VALGRIND])?;
    let rows: Vec<Row> = stories::rows(product)?.into_iter().map(told).collect();
    print!("{}", table(&rows));
    let over: Vec<String> =
        rows.iter().filter(|row| row.is_over()).map(|row| format!("{} ({})", row.name, row.unit)).collect();
    if over.is_empty() { Ok(()) } else { Err(format!("over budget: {}", over.join("; "))) }
}

fn told(row: Row) -> Row {
    match TOLD.iter().find(|(name, unit, _)| row.unit == *unit && row.name == *name) {
        Some((.., most)) => Row { budget: Budget::Most(*most), ..row },
        None => row,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_may_not_grow_and_all_else_keeps_its_budget() {
        let is_over = |name: &str, unit, measured| {
            told(Row { name: name.to_owned(), measured, unit, budget: Budget::Most(8.0) }).is_over()
        };
        for (name, unit, most) in TOLD {
            assert!(stories::STORIES.iter().any(|story| story.name == *name), "{name} is no story");
            assert!(!is_over(name, unit, *most) && is_over(name, unit, most + 1.0), "{name}");
            assert!(is_over(name, "locks", *most), "only {unit} are told: {name}");
        }
        assert!(is_over("msd update", "instructions", 9.0) && !is_over("msd update", "instructions", 8.0));
    }
}
