//! `cargo xtask crash`: promises P1, P4, P5 and P7, point by point.
//!
//! Each write verb runs once under strace, which names every mutating system call. Then it runs once for each of
//! these calls, is killed on entering it (or the call is made to fail), and a [`story`] looks at what is left.

mod story;
mod trace;
mod verbs;

use testkit::pool::{cores, in_parallel};

use crate::arguments::Arguments;
use crate::packages::{STRACE, ensure};
use crate::product::Product;
use crate::project::Project;

use story::Story;
use trace::Point;
use verbs::{Scenario, scenarios};

/// Every so many points one is taken by a quick run; a prime, so that it falls in step with no loop.
const STRIDE: usize = 5;

/// What is done to a system call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Fault {
    /// The process is killed on entering it.
    Kill,
    /// It fails with this error.
    Error(&'static str),
}

/// Which points are tried.
pub(crate) struct Choice {
    quick: bool,
    errors: bool,
    verb: Option<String>,
}

/// How the points of one scenario went.
#[derive(Default)]
struct Outcome {
    points: usize,
    violations: usize,
}

impl Choice {
    /// A sample of the kill points.
    pub(crate) fn quick() -> Self {
        Self { quick: true, errors: false, verb: None }
    }
}

pub(crate) fn run(arguments: &mut Arguments) -> Result<(), String> {
    let (quick, errors) = (arguments.flag("--quick"), arguments.flag("--errors"));
    let choice = Choice { quick, errors, verb: arguments.value("--verb")? };
    let product = Product::chosen(arguments)?;
    arguments.end()?;
    ensure(&[STRACE])?;
    check(&product, &choice)
}

pub(crate) fn check(product: &Product, choice: &Choice) -> Result<(), String> {
    let chosen: Vec<_> =
        scenarios().filter(|it| choice.verb.as_deref().is_none_or(|name| it.verb.name == name)).collect();
    if chosen.is_empty() {
        return Err("no verb has that name".into());
    }
    let mut all = Outcome::default();
    for scenario in chosen {
        let outcome = try_scenario(product, &scenario, choice).unwrap_or_else(|problem| {
            println!("{scenario}: {problem}");
            Outcome { points: 0, violations: 1 }
        });
        println!("{scenario}: {} points, {} violations", outcome.points, outcome.violations);
        all.points += outcome.points;
        all.violations += outcome.violations;
    }
    println!("crash: {} points, {} violations", all.points, all.violations);
    if all.violations == 0 { Ok(()) } else { Err(format!("{} violations", all.violations)) }
}

fn try_scenario(product: &Product, scenario: &Scenario, choice: &Choice) -> Result<Outcome, String> {
    let prepared = Project::new(product)?;
    scenario.prepare(&prepared)?;
    // Without any fault the story must be free of problems; it also tells which files there should be.
    let story = Story::undisturbed(scenario, &prepared)?;
    let traced = trace::points(scenario, &prepared.copy()?)?;
    let points = if choice.quick { sample(traced) } else { traced };
    let faults: Vec<(Point, Fault)> = points.iter().flat_map(|point| faults(point, choice)).collect();
    let found = in_parallel(cores(), &faults, |(point, fault)| {
        let problems = story.disturbed(point, *fault).unwrap_or_else(|problem| vec![problem]);
        for problem in &problems {
            println!("{scenario}: {fault:?} at {} {} ({}): {problem}", point.call, point.nth, point.shown);
        }
        problems.len()
    });
    Ok(Outcome { points: faults.len(), violations: found.into_iter().filter(|problems| *problems > 0).count() })
}

fn faults(point: &Point, choice: &Choice) -> Vec<(Point, Fault)> {
    let errors: &[&str] = match point.call.as_str() {
        _ if !choice.errors => return vec![(point.clone(), Fault::Kill)],
        "write" | "pwrite64" | "writev" | "fallocate" => &["ENOSPC", "EIO", "EDQUOT"],
        "fsync" | "fdatasync" | "ftruncate" => &["EIO", "ENOSPC"],
        "openat" | "openat2" | "open" => &["EACCES", "EMFILE", "EROFS", "ENOSPC"],
        "rename" | "renameat" | "renameat2" | "link" | "linkat" | "mkdir" | "mkdirat" => &["EACCES", "ENOSPC", "EIO"],
        _ => &["EIO", "EACCES"],
    };
    errors.iter().map(|error| (point.clone(), Fault::Error(error))).collect()
}

/// Every fifth point, and the first and last of each system call.
fn sample(points: Vec<Point>) -> Vec<Point> {
    let is_last = |index: usize, call: &str| points[index + 1..].iter().all(|later| later.call != call);
    let is_first = |index: usize, call: &str| points[..index].iter().all(|earlier| earlier.call != call);
    let taken: Vec<bool> = points
        .iter()
        .enumerate()
        .map(|(index, it)| index % STRIDE == 0 || is_first(index, &it.call) || is_last(index, &it.call))
        .collect();
    points.into_iter().zip(taken).filter_map(|(point, taken)| taken.then_some(point)).collect()
}
