//! `cargo xtask mutants`: a test that never caught a planted fault proves nothing.

use std::process::Stdio;

use testkit::random::SEED;

use crate::arguments::Arguments;
use crate::packages::{STRACE, ensure};
use crate::product::{Product, cargo, target_folder};
use crate::{crash, faults, load, power};

/// A run that must fail where a certain fault is planted.
#[derive(Clone, Copy, Debug)]
enum Catcher {
    /// Kills at system calls.
    Crash,
    /// Errors of system calls.
    Errors,
    /// Power failures during this verb.
    Power(&'static str),
    /// Many writers at once.
    Load,
    /// A part of `faults`.
    Faults(&'static str),
    /// Tests of this package whose names hold this word.
    Tests { package: &'static str, word: &'static str },
}

/// Every fault that the program can carry when it is built with the feature `mutants`, and who catches it.
const MUTANTS: &[(&str, Catcher)] = &[
    ("publish_before_commit", Catcher::Crash),
    ("base_advanced_in_commit", Catcher::Crash),
    ("request_id_not_unique", Catcher::Crash),
    ("reply_before_commit", Catcher::Crash),
    ("overwrite_in_place", Catcher::Crash),
    ("temp_elsewhere", Catcher::Crash),
    ("println_on_closed_stdout", Catcher::Errors),
    ("temp_not_synced", Catcher::Power("state-write")),
    ("folder_not_synced", Catcher::Power("tasks-add")),
    ("synchronous_normal", Catcher::Power("tasks-done")),
    ("synchronous_off", Catcher::Power("tasks-done")),
    ("images_outside_lock", Catcher::Faults("holders")),
    ("lock_deleted_on_release", Catcher::Load),
    // By readers who look on; by crash, above, too.
    ("overwrite_in_place", Catcher::Load),
    ("lock_stolen_by_age", Catcher::Faults("holders")),
    ("empty_origin_list", Catcher::Faults("doors")),
    ("string_prefix_path", Catcher::Faults("doors")),
    ("move_not_healed", Catcher::Tests { package: "mainstay-engine", word: "crash::" }),
    ("deferred_transaction", Catcher::Tests { package: "mainstay-store-sqlite", word: "tests::" }),
];

pub(crate) fn run(arguments: &mut Arguments) -> Result<(), String> {
    let only = arguments.values("--only")?;
    arguments.end()?;
    check(&only)
}

pub(crate) fn check(only: &[String]) -> Result<(), String> {
    if let Some(unknown) = only.iter().find(|name| MUTANTS.iter().all(|(mutant, _)| mutant != name)) {
        return Err(format!("there is no mutant `{unknown}`"));
    }
    ensure(&[STRACE])?;
    println!("-- a release build refuses planted faults");
    refused_in_release()?;
    let product = Product::with_mutants()?;
    let mut escaped = Vec::new();
    let mut caught = 0;
    for (name, catcher) in MUTANTS.iter().filter(|(name, _)| only.is_empty() || only.iter().any(|only| only == name)) {
        println!("-- {name}: {catcher:?} must fail");
        match catcher.run(&product.mutated(name)) {
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

impl Catcher {
    fn run(self, mutated: &Product) -> Result<(), String> {
        match self {
            Self::Crash => crash::check(mutated, &crash::Choice::quick().until_caught()),
            Self::Errors => crash::check(mutated, &crash::Choice::errors(true).until_caught()),
            Self::Power(verb) => power::check(mutated, &power::Choice::hunt(verb)),
            Self::Load => load::check(mutated, load::Size::Quick, &[]),
            Self::Faults(part) => faults::check(mutated, faults::Extent::Quick, &[part.to_owned()], SEED),
            Self::Tests { package, word } => tests(package, word, mutated.mutant.as_deref().unwrap_or_default()),
        }
    }
}

/// Builds the tests of a package with faults, which must pass without one, and runs them with it.
fn tests(package: &str, word: &str, mutant: &str) -> Result<(), String> {
    let target = target_folder()?.join("mutants");
    let run = |mutant: &str| -> Result<bool, String> {
        let mut command = cargo();
        command.args(["test", "--quiet", "--package", package, "--features", "mutants", "--target-dir"]).arg(&target);
        command.arg(word).env("MAINSTAY_MUTANT", mutant).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().map(|status| status.success()).map_err(|error| error.to_string())
    };
    if !run("")? {
        // Not caught: nobody can tell the fault from this.
        println!("the tests of {package} fail without any fault");
        return Ok(());
    }
    if run(mutant)? { Ok(()) } else { Err(format!("tests of {package} named {word}")) }
}

/// The crate of planted faults must not compile in a release build.
fn refused_in_release() -> Result<(), String> {
    let target = target_folder()?.join("mutants");
    let words = ["check", "--quiet", "--release", "--package", "mainstay-mutants", "--features", "planted"];
    let output = cargo().args(words).arg("--target-dir").arg(target).output().map_err(|error| error.to_string())?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() && stderr.contains("planted faults are for test builds alone") {
        Ok(())
    } else {
        Err(format!("a release build takes planted faults: {stderr}"))
    }
}
