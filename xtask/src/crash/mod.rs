//! `cargo xtask crash`: promises P1, P4, P5 and P7, point by point.
//!
//! Each write verb runs once under strace, which names every mutating system call. Then it runs once for each of
//! these calls, is killed on entering it (or the call is made to fail), and a [`story`] looks at what is left.

pub(crate) mod story;
pub(crate) mod trace;
pub(crate) mod verbs;
mod wiring;

use testkit::pool::{cores, in_parallel};

use crate::arguments::Arguments;
use crate::packages::{STRACE, ensure};
use crate::product::Product;
use crate::project::Project;

use story::Story;
use trace::Point;
use verbs::{Scenario, of_run};

/// Every so many points one is taken by a quick run; a prime, so that it falls in step with no loop.
const STRIDE: usize = 5;

/// A quick run takes one in so many of the generic commands; one of errors also of other formats, whose verbs are many.
const WIDE_STRIDE: usize = 11;

/// How a system call fails.
const ERRORS: [&str; 6] = ["ENOSPC", "EIO", "EACCES", "EROFS", "EMFILE", "EDQUOT"];

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
    /// One scenario with a violation is enough.
    stops: bool,
}

/// How the points of one scenario went.
#[derive(Default)]
pub(crate) struct Outcome {
    pub(crate) points: usize,
    pub(crate) violations: usize,
}

impl Choice {
    /// A sample of the kill points.
    pub(crate) fn quick() -> Self {
        Self { quick: true, errors: false, verb: None, stops: false }
    }

    /// Errors of system calls instead of kills: all, or a sample.
    pub(crate) fn errors(quick: bool) -> Self {
        Self { quick, errors: true, verb: None, stops: false }
    }

    /// The same, until a scenario broke a promise.
    pub(crate) fn until_caught(self) -> Self {
        Self { stops: true, ..self }
    }
}

pub(crate) fn run(arguments: &mut Arguments) -> Result<(), String> {
    let (quick, errors) = (arguments.flag("--quick"), arguments.flag("--errors"));
    let choice = Choice { quick, errors, verb: arguments.value("--verb")?, stops: false };
    let product = Product::chosen(arguments)?;
    arguments.end()?;
    ensure(&[STRACE])?;
    check(&product, &choice)
}

pub(crate) fn check(product: &Product, choice: &Choice) -> Result<(), String> {
    let Outcome { points, violations } = try_all(product, choice)?;
    println!("crash: {points} points, {violations} violations");
    if violations == 0 { Ok(()) } else { Err(format!("{violations} violations at {points} points")) }
}

/// Tries every scenario of the choice and says how each went.
pub(crate) fn try_all(product: &Product, choice: &Choice) -> Result<Outcome, String> {
    let is_chosen = |it: &Scenario| it.is_named(choice.verb.as_deref());
    let is_whole = !choice.quick || choice.verb.is_some();
    // What happens when a call of these fails, tests of the engine try: one in so many is no more here.
    let is_of_run = |it: &Scenario| is_whole || !choice.errors || !it.is_generic();
    let chosen: Vec<_> = of_run(is_whole).filter(is_of_run).filter(is_chosen).collect();
    let wires = choice.verb.as_deref().is_none_or(|name| name == wiring::NAME);
    if chosen.is_empty() && !wires {
        return Err("no verb has that name".into());
    }
    let mut all = if wires { wiring::try_both(product, choice)? } else { Outcome::default() };
    for scenario in chosen {
        let outcome = try_scenario(product, &scenario, choice).unwrap_or_else(|problem| {
            println!("{scenario}: {problem}");
            Outcome { points: 0, violations: 1 }
        });
        println!("{scenario}: {} points, {} violations", outcome.points, outcome.violations);
        all.points += outcome.points;
        all.violations += outcome.violations;
        if choice.stops && all.violations > 0 {
            break;
        }
    }
    Ok(all)
}

fn try_scenario(product: &Product, scenario: &Scenario, choice: &Choice) -> Result<Outcome, String> {
    let prepared = Project::new(product)?;
    scenario.prepare(&prepared, &mut |words| prepared.reply(words).map(drop))?;
    // Without any fault the story must be free of problems; it also tells which files there should be.
    let story = Story::undisturbed(scenario, &prepared)?;
    let traced = if choice.errors { trace::failing } else { trace::points }(scenario, &prepared.copy()?)?;
    let points = match choice {
        Choice { quick: false, .. } => traced,
        Choice { errors: true, verb: None, .. } if scenario.is_left_to_writes() => thinned(traced, WIDE_STRIDE),
        Choice { verb: None, .. } if scenario.is_generic() => thinned(traced, WIDE_STRIDE),
        _ => sample(traced),
    };
    let faults: Vec<(Point, Fault)> =
        points.iter().enumerate().flat_map(|(place, point)| faults(place, point, choice)).collect();
    let found = in_parallel(cores(), &faults, |(point, fault)| {
        let problems = story.disturbed(point, *fault).unwrap_or_else(|problem| vec![problem]);
        for problem in &problems {
            println!("{scenario}: {fault:?} at {} {} ({}): {problem}", point.call, point.nth, point.shown);
        }
        problems.len()
    });
    Ok(Outcome { points: faults.len(), violations: found.into_iter().filter(|problems| *problems > 0).count() })
}

/// What is done at a point: it is killed, or fails in each way; a quick run lets the ways take turns.
fn faults(place: usize, point: &Point, choice: &Choice) -> Vec<(Point, Fault)> {
    let errors: Vec<Fault> = ERRORS.iter().copied().map(Fault::Error).collect();
    let chosen = match (choice.errors, choice.quick) {
        (false, _) => vec![Fault::Kill],
        (true, true) => vec![errors[place % errors.len()]],
        (true, false) => errors,
    };
    chosen.into_iter().map(|fault| (point.clone(), fault)).collect()
}

/// One point in so many, from the middle of the first stretch on.
fn thinned(points: Vec<Point>, stride: usize) -> Vec<Point> {
    points.into_iter().skip(stride / 2).step_by(stride).collect()
}

/// Every fifth point, and the first and last of each system call.
pub(crate) fn sample(points: Vec<Point>) -> Vec<Point> {
    let is_last = |index: usize, call: &str| points[index + 1..].iter().all(|later| later.call != call);
    let is_first = |index: usize, call: &str| points[..index].iter().all(|earlier| earlier.call != call);
    let taken: Vec<bool> = points
        .iter()
        .enumerate()
        .map(|(index, it)| index % STRIDE == 0 || is_first(index, &it.call) || is_last(index, &it.call))
        .collect();
    points.into_iter().zip(taken).filter_map(|(point, taken)| taken.then_some(point)).collect()
}
