//! `cargo xtask vectors`: the behaviour vectors against the program.

use testkit::vectors::{Choice, load, run as run_vectors};

use crate::arguments::Arguments;
use crate::product::Product;

pub(crate) fn run(arguments: &mut Arguments) -> Result<(), String> {
    let choice = Choice { only: arguments.values("--only")?, later: arguments.flag("--later") };
    let product = Product::chosen(arguments)?;
    arguments.end()?;
    check(&product, &choice)
}

pub(crate) fn check(product: &Product, choice: &Choice) -> Result<(), String> {
    let reports = run_vectors(&product.binary, &load(&testkit::repository().join("tests/vectors"))?, choice);
    let failed: Vec<_> = reports.iter().filter(|report| !report.problems.is_empty()).collect();
    for report in &failed {
        println!("FAIL {}: {}\n    {}", report.id, report.rule, report.problems.join("\n    "));
    }
    println!("vectors: {} passed, {} failed", reports.len() - failed.len(), failed.len());
    if failed.is_empty() && !reports.is_empty() { Ok(()) } else { Err("vectors failed, or there were none".into()) }
}
