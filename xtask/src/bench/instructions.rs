//! Instructions of one run, counted by valgrind's callgrind.

use std::process::Stdio;

use crate::project::Project;

/// How many instructions the program takes for these words.
///
/// A wrapper that dies of a system call that valgrind does not know is an error, not a small count.
pub(super) fn count(project: &Project<'_>, words: &[&str], stdin: &str) -> Result<f64, String> {
    let wrapper = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"].map(str::to_owned);
    let mut command = project.under(&wrapper);
    let finished = testkit::process::finish(command.args(words).stdout(Stdio::piped()), stdin, super::calls::PATIENCE)
        .map_err(|error| format!("valgrind: {error}"))?;
    let shown = words.join(" ");
    if !finished.status.success() {
        return Err(format!("`{shown}` under valgrind ended with {}: {}", finished.exit(), finished.stderr));
    }
    let line = finished.stderr.lines().find_map(|line| line.split_once("Collected : "));
    let digits = line.and_then(|(_, rest)| rest.split_whitespace().next());
    digits.and_then(|digits| digits.parse().ok()).ok_or_else(|| format!("valgrind counted nothing for `{shown}`"))
}
