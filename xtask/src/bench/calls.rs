//! System calls of one run, counted by strace.

use std::fs;
use std::time::Duration;

use crate::project::Project;

/// How long one measured run may take.
pub(super) const PATIENCE: Duration = Duration::from_mins(2);

/// The calls of one run that cost something or change something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Calls {
    /// `fsync` and `fdatasync`.
    pub(super) syncs: u32,
    /// `flock`, and locks on bytes that keep others out.
    pub(super) locks: u32,
    /// Files opened for writing, made, renamed or removed; standard output and error aside.
    pub(super) writes: u32,
    /// All of them.
    pub(super) all: u32,
}

/// Counts the calls of a run.
pub(super) fn count(project: &Project<'_>, words: &[&str], stdin: &str) -> Result<Calls, String> {
    let log = project.root().join("../bench.strace");
    let wrapper = ["strace", "-f", "-qq", "-y", "-o", &log.display().to_string()].map(str::to_owned);
    let mut command = project.under(&wrapper);
    let finished =
        testkit::process::finish(command.args(words), stdin, PATIENCE).map_err(|error| format!("strace: {error}"))?;
    if !finished.status.success() {
        return Err(format!("`{}` ended with {}: {}", words.join(" "), finished.exit(), finished.stderr));
    }
    let text = fs::read_to_string(&log).map_err(|error| format!("{}: {error}", log.display()))?;
    Ok(read(&text))
}

fn read(log: &str) -> Calls {
    let mut calls = Calls::default();
    for line in log.lines() {
        let Some((_, rest)) = line.split_once(' ') else { continue };
        let rest = rest.trim_start();
        let Some((name, arguments)) = rest.split_once('(') else { continue };
        // What a signal or an exit says is no call.
        if !name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_') {
            continue;
        }
        calls.all += 1;
        // The index of SQLite's log is memory that readers share: nothing of it reaches a disk. The log itself
        // is opened for writing by whoever reads; what is written into it counts.
        if rest.contains(".db-shm") || (name.starts_with("open") && rest.contains(".db-wal")) {
            continue;
        }
        let any = |words: &[&str]| words.iter().any(|word| arguments.contains(word));
        match name {
            "fsync" | "fdatasync" | "sync_file_range" => calls.syncs += 1,
            "flock" if any(&["LOCK_EX", "LOCK_SH"]) => calls.locks += 1,
            "fcntl" if any(&["F_WRLCK"]) => calls.locks += 1,
            "open" | "openat" | "openat2" if any(&["O_CREAT", "O_TRUNC", "O_APPEND"]) => calls.writes += 1,
            "rename" | "renameat" | "renameat2" | "unlink" | "unlinkat" | "mkdir" | "mkdirat" | "rmdir"
            | "pwrite64" | "ftruncate" | "truncate" | "fallocate" | "link" | "linkat" => calls.writes += 1,
            _ => {}
        }
    }
    calls
}

#[cfg(test)]
mod tests {
    use super::{Calls, read};

    #[test]
    fn calls_are_told_apart() {
        let log = "7 openat(AT_FDCWD, \"a\", O_RDONLY|O_CLOEXEC) = 3\n7 openat(3, \"b\", O_RDWR|O_CREAT, 0600) = 4\n\
                   7 flock(4, LOCK_EX|LOCK_NB) = 0\n7 flock(4, LOCK_UN) = 0\n7 fdatasync(4) = 0\n\
                   7 fcntl(6</p/state.db-shm>, F_SETLK, {l_type=F_WRLCK, l_start=1}) = 0\n7 fcntl(5, F_SETLK, {l_type=F_RDLCK, l_start=1}) = 0\n7 write(1, \"x\", 1) = 1\n\
                   7 --- SIGCHLD ---\n7 +++ exited with 0 +++\n";
        assert_eq!(read(log), Calls { syncs: 1, locks: 1, writes: 1, all: 8 });
    }
}
