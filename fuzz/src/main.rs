//! Throws bytes at whatever reads bytes of others, one target in one process.
//!
//! `cargo xtask fuzz` runs this program once for each target. It ends with 0 when the time is over; when it dies, the
//! file `current` in its folder holds the input that killed it.

#[path = "../targets/mod.rs"]
mod targets;

mod inputs;
mod mutate;
mod run;
mod world;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use targets::TARGETS;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let result = match words[..] {
        ["list"] => {
            for target in TARGETS {
                // The list is this command's result.
                #[allow(clippy::print_stdout)]
                {
                    println!("{}", target.name);
                }
            }
            Ok(())
        }
        [name, folder, seconds, seed] => start(name, folder, seconds, seed),
        _ => Err("usage: mainstay-fuzz list | TARGET FOLDER SECONDS SEED".to_owned()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            #[allow(clippy::print_stderr)]
            {
                eprintln!("{problem}");
            }
            ExitCode::FAILURE
        }
    }
}

fn start(name: &str, folder: &str, seconds: &str, seed: &str) -> Result<(), String> {
    let target = TARGETS.iter().find(|target| target.name == name).ok_or("there is no such target")?;
    let number = |text: &str| text.parse::<u64>().map_err(|error| format!("{text}: {error}"));
    run::run(target, &PathBuf::from(folder), Duration::from_secs(number(seconds)?), number(seed)?)
}

#[cfg(test)]
mod tests {
    use super::{TARGETS, inputs};

    /// What once crashed a target, and what its fuzzing begins with, is read on every run of the tests.
    #[test]
    fn seeds_and_former_crashes_are_survived() {
        for target in TARGETS {
            let kept = inputs::of_folder("crashes", target.name).unwrap();
            let seeds = inputs::of_folder("seeds", target.name).unwrap();
            assert!(!seeds.is_empty(), "{} has no seeds", target.name);
            seeds.iter().chain(&kept).for_each(|bytes| (target.run)(bytes));
        }
    }
}
