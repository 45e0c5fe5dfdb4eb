//! `cargo xtask faults`: promises P7, P8 and P10, and the threats that show from outside alone.

mod damage;
mod doors;
mod full_disk;
mod holders;
mod rebuild;

use crate::arguments::Arguments;
use crate::crash;
use crate::packages::{STRACE, ensure};
use crate::product::Product;
use testkit::random::Random;

/// How much is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    Quick,
    Full,
}

/// One part of the run: its name, what it does, and how many things it tried.
struct Part {
    name: &'static str,
    run: fn(&Product, Extent, &mut Random) -> Result<Tried, String>,
}

/// What a part tried, and what broke a promise.
#[derive(Default)]
pub(super) struct Tried {
    count: usize,
    problems: Vec<String>,
}

const PARTS: &[Part] = &[
    Part { name: "doors", run: doors::check },
    Part { name: "holders", run: holders::check },
    Part { name: "damage", run: damage::check },
    Part { name: "rebuild", run: rebuild::check },
    Part { name: "full-disk", run: full_disk::check },
    Part { name: "errors", run: errors },
];

pub(crate) fn run(arguments: &mut Arguments) -> Result<(), String> {
    let extent = if arguments.flag("--quick") { Extent::Quick } else { Extent::Full };
    let only = arguments.values("--only")?;
    let seed = arguments.seed()?;
    let product = Product::chosen(arguments)?;
    arguments.end()?;
    if let Some(unknown) = only.iter().find(|name| PARTS.iter().all(|part| part.name != **name)) {
        let names: Vec<_> = PARTS.iter().map(|part| part.name).collect();
        return Err(format!("there is no part `{unknown}`; there are {}", names.join(", ")));
    }
    ensure(&[STRACE])?;
    check(&product, extent, &only, seed)
}

/// Runs the parts that are named, or all; `seed` decides which bytes are hit.
pub(crate) fn check(product: &Product, extent: Extent, only: &[String], seed: u64) -> Result<(), String> {
    let mut failed = 0;
    for part in PARTS.iter().filter(|part| only.is_empty() || only.iter().any(|name| name == part.name)) {
        let tried = (part.run)(product, extent, &mut Random::new(seed))
            .unwrap_or_else(|problem| Tried { count: 0, problems: vec![problem] });
        for problem in &tried.problems {
            println!("{}: {problem}", part.name);
        }
        println!("{}: {} tried, {} violations", part.name, tried.count, tried.problems.len());
        failed += tried.problems.len();
    }
    if failed == 0 { Ok(()) } else { Err(format!("{failed} violations among faults")) }
}

/// Every mutating system call, and every opening of a file of the project, fails in turn.
fn errors(product: &Product, extent: Extent, _random: &mut Random) -> Result<Tried, String> {
    let choice = crash::Choice::errors(extent == Extent::Quick);
    let outcome = crash::try_all(product, &choice)?;
    let problems =
        (outcome.violations > 0).then(|| format!("{} points broke a promise, see above", outcome.violations));
    Ok(Tried { count: outcome.points, problems: problems.into_iter().collect() })
}

impl Tried {
    /// Adds what one more trial found.
    pub(super) fn add(&mut self, what: &str, found: Result<Vec<String>, String>) {
        self.count += 1;
        let problems = found.unwrap_or_else(|problem| vec![problem]);
        self.problems.extend(problems.into_iter().map(|problem| format!("{what}: {problem}")));
    }
}
