//! Which mutating system calls a verb makes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use crate::project::{Project, end};

use super::Fault;
use super::verbs::Scenario;

/// A question mark lets strace pass over a call that this kind of machine does not have.
const MUTATING: &str = "?write,?pwrite64,?writev,?pwritev,?pwritev2,?rename,?renameat,?renameat2,?unlink,?unlinkat,\
?fsync,?fdatasync,?sync_file_range,?ftruncate,?truncate,?fallocate,?mkdir,?mkdirat,?rmdir,?open,?openat,?openat2,\
?creat,?link,?linkat,?symlink,?symlinkat,?chmod,?fchmod,?fchmodat,?copy_file_range,?sendfile";

const IMAGES: [&str; 2] = ["\"STATE.md\"", "\"TASKS.md\""];

const OPENING: &[&str] = &["open", "openat", "openat2"];

/// What strace writes when the program it watches has stopped.
pub(crate) const STOPPED: &str = "stopped by SIGSTOP";

/// One mutating system call of a run.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    /// Its name.
    pub(crate) call: String,
    /// The how manieth call of that name it is.
    ///
    /// **Units**: 1-based, as strace counts.
    pub(crate) nth: usize,
    /// The call as strace shows it, shortened.
    pub(crate) shown: String,
}

impl Point {
    /// Whether the call writes to standard output or standard error.
    pub(crate) fn speaks(&self) -> bool {
        ["write(1,", "write(2,", "writev(1,", "writev(2,"].iter().any(|start| self.shown.starts_with(start))
    }
}

/// Runs the verb once and lists its points: the calls that change something.
pub(crate) fn points(scenario: &Scenario, project: &Project<'_>) -> Result<Vec<Point>, String> {
    points_of(&scenario.words(), project)
}

/// The same, and the openings of files of the project, which may fail too.
pub(crate) fn failing(scenario: &Scenario, project: &Project<'_>) -> Result<Vec<Point>, String> {
    let root = project.root().display().to_string();
    // An image that cannot be looked at while an older database is adopted is published with the next change, not by
    // the next request: the one exception, told in docs/durability.md.
    let is_late = |arguments: &str| scenario.starts_older() && IMAGES.iter().any(|image| arguments.contains(image));
    // Files of the project are opened by their whole path, or beneath a handle on its root.
    let is_ours = |call: &str, arguments: &str| {
        (call == "openat2" || arguments.contains(&root)) && (arguments.contains("O_CREAT") || !is_late(arguments))
    };
    parse(&record(&scenario.words(), project)?, |call, arguments| !OPENING.contains(&call) || is_ours(call, arguments))
}

/// The points of any command; one that ends with findings has done its work as well.
pub(crate) fn points_of(words: &[&str], project: &Project<'_>) -> Result<Vec<Point>, String> {
    parse(&record(words, project)?, |call, arguments| !OPENING.contains(&call) || arguments.contains("O_CREAT"))
}

fn record(verb: &[&str], project: &Project<'_>) -> Result<String, String> {
    let log = project.root().join("../strace.log");
    let words =
        ["strace", "-f", "-o", &log.display().to_string(), "-e", &format!("trace={MUTATING}")].map(String::from);
    let finished = end(project.under(&words).args(verb))?;
    if finished.status.code().is_none_or(|code| code > 1) || finished.stdout.contains("\"error\":{") {
        return Err(format!("the traced run ended with {}: {}", finished.exit(), finished.stderr));
    }
    fs::read_to_string(&log).map_err(|error| format!("{}: {error}", log.display()))
}

/// The words that put strace beside a program, which is stopped after the point; the log then says [`STOPPED`].
pub(crate) fn stopping(point: &Point, log: &str) -> Vec<String> {
    let mut words = inject(point, "signal=STOP", log);
    // The program stays the child of who started it.
    words.insert(1, "-D".to_owned());
    words
}

/// The words that put strace before a program and do `fault` at `point`.
pub(crate) fn injecting(point: &Point, fault: Fault) -> Vec<String> {
    let what = match fault {
        Fault::Kill => "signal=KILL".to_owned(),
        Fault::Error(name) => format!("error={name}"),
    };
    inject(point, &what, "/dev/null")
}

fn inject(point: &Point, what: &str, log: &str) -> Vec<String> {
    let trace = format!("trace={}", point.call);
    let inject = format!("inject={}:{what}:when={}", point.call, point.nth);
    ["strace", "-f", "-o", log, "-e", &trace, "-e", &inject].map(String::from).to_vec()
}

/// The calls of a log that are wanted, each with its number among those of its name.
fn parse(log: &str, wanted: impl Fn(&str, &str) -> bool) -> Result<Vec<Point>, String> {
    let mut threads = BTreeSet::new();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut points = Vec::new();
    for line in log.lines() {
        let Some((thread, rest)) = line.split_once(' ') else {
            continue;
        };
        let Some((call, arguments)) = rest.trim_start().split_once('(') else {
            continue;
        };
        if !call.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_') {
            continue;
        }
        threads.insert(thread);
        let count = counts.entry(call).or_default();
        *count += 1;
        if wanted(call, arguments) {
            let shown = rest.trim_start().chars().take(120).collect();
            points.push(Point { call: call.to_owned(), nth: *count, shown });
        }
    }
    match threads.len() {
        // `when=N` counts for each thread by itself: with more than one, points would be missed.
        0 | 1 => Ok(points),
        many => Err(format!("{many} threads make mutating system calls; the tested path must have one")),
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn points_are_counted_by_name() {
        let log = "\
7 openat(AT_FDCWD, \"lib.so\", O_RDONLY|O_CLOEXEC) = 3
7 openat(AT_FDCWD, \"a\", O_WRONLY|O_CREAT, 0600) = 3
7 write(3, \"x\", 1) = 1
7 write(1, \"y\", 1) = 1
7 --- SIGPIPE {si_signo=SIGPIPE} ---
7 +++ exited with 0 +++
";
        let changes = |call: &str, arguments: &str| call != "openat" || arguments.contains("O_CREAT");
        let points = parse(log, changes).unwrap();
        let short: Vec<_> = points.iter().map(|it| (it.call.as_str(), it.nth, it.speaks())).collect();
        assert_eq!(short, [("openat", 2, false), ("write", 1, false), ("write", 2, true)]);
        assert!(parse("7 write(1, \"\", 0) = 0\n8 write(1, \"\", 0) = 0\n", changes).is_err());
    }
}
