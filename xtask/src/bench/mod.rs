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
mod life;
mod peers;
mod planning;
mod released;
mod row;
mod scale;
pub(crate) mod server;
mod stories;
mod upgrade;

use std::fs;

use crate::arguments::Arguments;
use crate::packages::{STRACE, VALGRIND, ensure};
use crate::product::{Product, target_folder};
pub(crate) use held::check as check_held;
pub(crate) use released::check as check_released;
use row::Row;

/// How many calls a long life has.
const CALLS: u32 = 1_000_000;

/// One part of the table.
struct Part {
    name: &'static str,
    rows: fn(&Product, u32) -> Result<Vec<Row>, String>,
}

/// What is counted is the same everywhere and takes minutes at most; the others are ratios, rates and large projects.
const PARTS: &[Part] = &[
    Part { name: "counts", rows: |product, _| stories::rows(product) },
    Part { name: "scale", rows: |product, _| scale::rows(product) },
    Part { name: "planning", rows: |product, _| planning::rows(product) },
    Part { name: "upgrade", rows: |product, _| upgrade::rows(product) },
    Part { name: "server", rows: |product, _| server::rows(product) },
    Part { name: "crowd", rows: |product, _| crowd::rows(product) },
    Part { name: "peers", rows: |product, _| peers::rows(product) },
    Part { name: "life", rows: life::rows },
];

pub(crate) fn run(arguments: &mut Arguments) -> Result<(), String> {
    if arguments.flag("--held") {
        let renews = arguments.flag("--renew");
        let product = Product::chosen(arguments)?;
        arguments.end()?;
        return if renews { held::renew(&product) } else { held::check(&product) };
    }
    let mut only = arguments.values("--only")?;
    if arguments.flag("--counts") {
        only.push("counts".to_owned());
    }
    let calls = match arguments.value("--calls")? {
        Some(text) => text.parse().map_err(|error| format!("--calls {text}: {error}"))?,
        None => CALLS,
    };
    let product = match arguments.binary()? {
        Some(binary) => Product::at(binary),
        None => Product::released()?,
    };
    arguments.end()?;
    if let Some(unknown) = only.iter().find(|name| PARTS.iter().all(|part| part.name != **name)) {
        let names: Vec<_> = PARTS.iter().map(|part| part.name).collect();
        return Err(format!("there is no part `{unknown}`; there are {}", names.join(", ")));
    }
    check(&product, &only, calls)
}

// Measures the parts that are named, or all, prints the table, writes the JSON; fails where one is over its budget.
fn check(product: &Product, only: &[String], calls: u32) -> Result<(), String> {
    ensure(&[STRACE, VALGRIND])?;
    let mut rows = Vec::new();
    for part in PARTS.iter().filter(|part| only.is_empty() || only.iter().any(|name| name == part.name)) {
        rows.extend((part.rows)(product, calls).map_err(|problem| format!("{}: {problem}", part.name))?);
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
