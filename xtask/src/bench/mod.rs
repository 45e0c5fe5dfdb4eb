//! `cargo xtask bench`: what a command costs, against its budget.
//!
//! Instructions and system calls are counted, not timed: the same program and input give the same
//! count on any machine, so CI compares them with the budget. Ratios of CPU time and rates are
//! measured in one run, printed, and compared only on demand.

mod calls;
mod cpu;
mod crowd;
mod held;
mod instructions;
mod peers;
mod planning;
mod row;
mod scale;
mod server;
mod stories;
mod upgrade;

use std::fs;

use crate::arguments::Arguments;
use crate::packages::{STRACE, VALGRIND, ensure};
use crate::product::{Product, target_folder};

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// What is counted: the same everywhere, minutes at most.
    Counts,
    /// Ratios, rates and large projects too.
    All,
}

pub(crate) fn run(arguments: &mut Arguments) -> Result<(), String> {
    if arguments.flag("--held") {
        let renews = arguments.flag("--renew");
        let product = Product::chosen(arguments)?;
        arguments.end()?;
        return if renews { held::renew(&product) } else { held::check(&product) };
    }
    let extent = if arguments.flag("--counts") { Extent::Counts } else { Extent::All };
    let product = match arguments.binary()? {
        Some(binary) => Product { binary, mutant: None },
        None => Product::released()?,
    };
    arguments.end()?;
    check(&product, extent)
}

/// Measures, prints the table, writes the JSON; fails where a count is over its budget.
pub(crate) fn check(product: &Product, extent: Extent) -> Result<(), String> {
    ensure(&[STRACE, VALGRIND])?;
    let mut rows = stories::rows(product)?;
    if extent == Extent::All {
        rows.extend(scale::rows(product)?);
        rows.extend(planning::rows(product)?);
        rows.extend(upgrade::rows(product)?);
        rows.extend(server::rows(product)?);
        rows.extend(crowd::rows(product)?);
        rows.extend(peers::rows(product)?);
    }
    print!("{}", row::table(&rows));
    let file = target_folder()?.join("bench/bench.json");
    fs::create_dir_all(file.parent().expect("the file stands in a folder"))
        .and_then(|()| fs::write(&file, row::json(&rows)))
        .map_err(|error| format!("{}: {error}", file.display()))?;
    println!("\nalso in {}", file.display());
    let over: Vec<&str> = rows.iter().filter(|row| row.is_over()).map(|row| row.name.as_str()).collect();
    if over.is_empty() { Ok(()) } else { Err(format!("over budget: {}", over.join("; "))) }
}
