//! The counts that CI holds: what a command cost when the file was last renewed is what it may cost.
//!
//! The program is the one that tests use, so nothing has to be built for it; its counts are several times
//! those of a release, and grow where those grow. System calls may not grow at all, instructions by little:
//! the order of hashed names differs from run to run.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use super::row::{Budget, Row, table};
use super::stories;
use crate::packages::{STRACE, VALGRIND, ensure};
use crate::product::Product;

/// How far instructions may be from what is held.
const TOLERANCE: f64 = 1.04;

/// What is held, by story and unit.
type Held = BTreeMap<String, f64>;

/// Counts, and fails where something has grown, or was never held.
pub(crate) fn check(product: &Product) -> Result<(), String> {
    let text = fs::read_to_string(file()).map_err(|error| format!("{}: {error}", file().display()))?;
    let held: Held = serde_json::from_str(&text).map_err(|error| format!("{}: {error}", file().display()))?;
    let rows: Vec<Row> = counted(product)?.into_iter().map(|row| against(row, &held)).collect();
    print!("{}", table(&rows));
    let shown = |row: &&Row| format!("{} ({})", row.name, row.unit);
    let over: Vec<String> = rows.iter().filter(|row| row.is_over()).map(|row| shown(&row)).collect();
    if over.is_empty() {
        return Ok(());
    }
    Err(format!("more than is held: {}; `cargo xtask bench --held --renew`, if it is meant", over.join("; ")))
}

/// Writes down what is counted now.
pub(crate) fn renew(product: &Product) -> Result<(), String> {
    let held: Held = counted(product)?.into_iter().map(|row| (key(&row), row.measured)).collect();
    let text = serde_json::to_string_pretty(&held).expect("numbers and texts can be written") + "\n";
    fs::write(file(), text).map_err(|error| format!("{}: {error}", file().display()))
}

fn counted(product: &Product) -> Result<Vec<Row>, String> {
    ensure(&[STRACE, VALGRIND])?;
    let is_held = |row: &Row| ["instructions", "fsyncs", "locks", "writes"].contains(&row.unit);
    Ok(stories::rows(product)?.into_iter().filter(is_held).collect())
}

// What is not held may cost nothing, so that it is noticed.
fn against(row: Row, held: &Held) -> Row {
    let most = held.get(&key(&row)).copied().unwrap_or_default();
    let most = if row.unit == "instructions" { (most * TOLERANCE).floor() } else { most };
    Row { budget: Budget::Most(most), ..row }
}

fn key(row: &Row) -> String {
    format!("{}: {}", row.name, row.unit)
}

fn file() -> PathBuf {
    testkit::repository().join("xtask/src/bench/held.json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_is_over_and_noise_is_not() {
        let row = |measured, unit| Row { name: "x".to_owned(), measured, unit, budget: Budget::None };
        let held = Held::from([("x: instructions".to_owned(), 1000.0), ("x: fsyncs".to_owned(), 5.0)]);
        let is_over = |measured, unit| against(row(measured, unit), &held).is_over();
        assert!(!is_over(1040.0, "instructions") && is_over(1041.0, "instructions"));
        assert!(!is_over(5.0, "fsyncs") && is_over(6.0, "fsyncs"));
        assert!(is_over(1.0, "locks"), "what is not held is noticed");
    }
}
