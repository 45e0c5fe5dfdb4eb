//! `cargo xtask mutants`: a test that never caught a planted fault proves nothing.

use crate::arguments::Arguments;
use crate::packages::{STRACE, ensure};
use crate::product::Product;
use crate::{crash, load};

/// The faults that the program can carry when it is built with the feature `mutants`.
///
/// Missing fsyncs are none of them: they show only when power is lost, not when a process is killed.
const MUTANTS: &[&str] = &[
    "publish_before_commit",
    "base_advanced_in_commit",
    "request_id_not_unique",
    "reply_before_commit",
    "images_outside_lock",
    "overwrite_in_place",
];

pub(crate) fn run(arguments: &mut Arguments) -> Result<(), String> {
    let only = arguments.values("--only")?;
    arguments.end()?;
    ensure(&[STRACE])?;
    let product = Product::with_mutants()?;
    println!("-- no fault: crash and load must pass");
    crash::check(&product, &crash::Choice::quick())?;
    load::check(&product, load::Size::Quick)?;
    let chosen = MUTANTS.iter().filter(|name| only.is_empty() || only.iter().any(|chosen| chosen == *name));
    let mut escaped = Vec::new();
    let mut caught = 0;
    for name in chosen {
        println!("-- {name}: crash or load must fail");
        let mutated = product.mutated(name);
        let by_crash = crash::check(&mutated, &crash::Choice::quick());
        let result = by_crash.and_then(|()| load::check(&mutated, load::Size::Quick));
        match result {
            Err(how) => {
                println!("{name}: caught ({how})");
                caught += 1;
            }
            Ok(()) => escaped.push(*name),
        }
    }
    println!("{caught} caught, {} escaped", escaped.len());
    if escaped.is_empty() { Ok(()) } else { Err(format!("escaped: {}", escaped.join(", "))) }
}
