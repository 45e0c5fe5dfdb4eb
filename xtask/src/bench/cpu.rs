//! CPU time of many runs of one command, measured by the shell that runs them.

use std::process::{Command, Stdio};

/// The CPU time of one run, as the mean of `runs`. **Units**: milliseconds.
///
/// `script` is a shell script of ours that runs the command once; `$i` counts the runs.
pub(super) fn of_runs(command: &mut Command, script: &str, runs: u32) -> Result<f64, String> {
    let looped = format!("for i in $(seq {runs}); do {script} || exit 1; done >/dev/null; times");
    let output =
        command.args(["-c", &looped]).stdin(Stdio::null()).output().map_err(|error| format!("bash: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        return Err(format!("`{script}` failed: {}", String::from_utf8_lossy(&output.stderr)));
    }
    let line = text.lines().nth(1).unwrap_or_default();
    let seconds: Option<f64> = line.split_whitespace().map(seconds).sum();
    seconds.map(|seconds| seconds * 1000.0 / f64::from(runs)).ok_or_else(|| format!("`times` said {text:?}"))
}

// **Shape**: `0m1.234s`, as the shell's `times` prints.
fn seconds(text: &str) -> Option<f64> {
    let (minutes, seconds) = text.strip_suffix('s')?.split_once('m')?;
    Some(minutes.parse::<f64>().ok()? * 60.0 + seconds.parse::<f64>().ok()?)
}

#[cfg(test)]
mod tests {
    use super::seconds;

    #[test]
    fn times_are_read() {
        assert_eq!(seconds("1m2.5s"), Some(62.5));
        assert_eq!(seconds("0m0,5s"), None);
    }
}
