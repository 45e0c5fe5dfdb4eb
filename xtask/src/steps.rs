//! Steps that a person can follow, and their tally.

use std::process::Command;
use std::time::Instant;

/// How many steps went well, and which did not.
#[derive(Default)]
pub(crate) struct Tally {
    passed: usize,
    failed: Vec<String>,
}

impl Tally {
    /// Says what begins, does it, and says how it went.
    pub(crate) fn step(&mut self, name: &str, work: impl FnOnce() -> Result<(), String>) {
        println!("== {name}");
        let begun = Instant::now();
        let result = work();
        let seconds = begun.elapsed().as_secs_f32();
        match result {
            Ok(()) => {
                println!("== {name}: ok ({seconds:.1} s)");
                self.passed += 1;
            }
            Err(problem) => {
                println!("{problem}\n== {name}: FAILED ({seconds:.1} s)");
                self.failed.push(name.to_owned());
            }
        }
    }

    /// The closing line.
    pub(crate) fn close(self) -> Result<(), String> {
        for name in &self.failed {
            println!("failed: {name}");
        }
        println!("{} passed, {} failed", self.passed, self.failed.len());
        if self.failed.is_empty() { Ok(()) } else { Err(format!("{} steps failed", self.failed.len())) }
    }
}

/// Runs a command that prints for itself.
pub(crate) fn shown(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|error| format!("{command:?}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?}: {status}")) }
}
