//! Asking git, as far as files do not tell: fixed arguments, a clean environment, little patience.

use std::io::Read as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use format::GitProbe;
use rustix::process::{Pid, Signal, kill_process_group};

use crate::locks::Deadline;

/// How long git may take. A slow one is dropped.
const PATIENCE: Duration = Duration::from_millis(300);

/// How often a running git is looked at.
const PAUSE: Duration = Duration::from_millis(2);

/// Most of an answer that is read. **Units**: bytes.
const LIMIT: u64 = 4 << 20;

/// How the working tree of a folder stands.
pub(crate) fn probe(folder: &Path) -> GitProbe {
    let arguments = ["status", "--porcelain=v2", "--branch", "--untracked-files=no", "--no-renames", "-z"];
    ask(folder, &arguments).map(|answer| read(&answer)).unwrap_or_default()
}

/// How many commits lead from `ancestor` to `head`.
pub(crate) fn commits_between(root: &Path, ancestor: &str, head: &str) -> Option<u64> {
    let is_commit = |text: &str| (4..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_commit(ancestor) || !is_commit(head) {
        return None;
    }
    let deadline = Deadline::within(PATIENCE);
    run(root, &["merge-base", "--is-ancestor", ancestor, head], deadline)?;
    let answer = run(root, &["rev-list", "--count", &format!("{ancestor}..{head}"), "--"], deadline)?;
    answer.trim().parse().ok()
}

fn ask(folder: &Path, arguments: &[&str]) -> Option<String> {
    run(folder, arguments, Deadline::within(PATIENCE))
}

// The standard output of a git that ended well in time.
fn run(folder: &Path, arguments: &[&str], deadline: Deadline) -> Option<String> {
    let mut git = Command::new("git");
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("GIT_")) {
        git.env_remove(name);
    }
    // A repository's own configuration is data of others: nothing it names is started.
    git.args(["--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"]);
    git.arg("-C").arg(folder).args(arguments);
    git.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    // A group of its own, so that what git starts can be ended with it.
    let mut child = git.process_group(0).spawn().ok()?;
    let out = child.stdout.take()?;
    let (answer, answered) = mpsc::channel();
    // The pipe is emptied beside the waiting, so that a long answer does not stop git. Nobody waits for the reader: a
    // child of git's may hold the pipe for long.
    std::thread::spawn(move || {
        let mut text = String::new();
        let read = out.take(LIMIT).read_to_string(&mut text).ok().map(|_| text);
        // Who asked may have gone.
        drop(answer.send(read));
    });
    let text = has_ended_well(&mut child, deadline).then(|| answered.recv_timeout(deadline.left()).ok().flatten());
    if text.as_ref().is_none_or(Option::is_none) {
        end(&mut child);
    }
    text.flatten()
}

fn has_ended_well(child: &mut Child, deadline: Deadline) -> bool {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) if !deadline.left().is_zero() => std::thread::sleep(PAUSE),
            _ => return false,
        }
    }
}

// Ends git and all that it started. Whoever has ended already needs no ending.
fn end(child: &mut Child) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(group, Signal::KILL);
    }
    drop(child.wait());
}

// **Source**: git-status(1), "Porcelain Format Version 2", with `-z`.
fn read(answer: &str) -> GitProbe {
    let mut probe = GitProbe::default();
    let mut commit = "";
    for line in answer.split('\0') {
        if let Some(name) = line.strip_prefix("# branch.head ") {
            probe.branch = Some(name.to_owned());
        } else if let Some(oid) = line.strip_prefix("# branch.oid ") {
            commit = oid;
        } else if line.starts_with("1 ") || line.starts_with("2 ") {
            let states = line.as_bytes().get(2..4).unwrap_or(b"..");
            probe.staged += u64::from(states[0] != b'.');
            probe.modified += u64::from(states[1] != b'.');
        } else if line.starts_with("u ") {
            probe.modified += 1;
        }
    }
    if probe.branch.as_deref() == Some("(detached)") {
        probe.branch = commit.get(..7).map(str::to_owned);
    }
    probe
}

#[cfg(test)]
mod tests {
    use super::{GitProbe, commits_between, read};

    #[test]
    fn porcelain_is_counted() {
        let answer = "# branch.oid 0123456789abcdef\0# branch.head main\0# branch.ab +1 -0\0\
                      1 M. N... 100644 100644 100644 a b staged\x001 .M N... 100644 100644 100644 a b changed\0\
                      1 MM N... 100644 100644 100644 a b both\0u UU N... 1 2 3 4 a b c conflict\0? new\0";
        let probe = GitProbe { branch: Some("main".to_owned()), staged: 2, modified: 3 };
        assert_eq!(read(answer), probe);
        assert_eq!(
            read("# branch.oid 0123456789abcdef\0# branch.head (detached)\0").branch.as_deref(),
            Some("0123456")
        );
        assert_eq!(read(""), GitProbe::default());
    }

    #[test]
    fn only_commits_are_asked_about() {
        let folder = tempfile::tempdir().unwrap();
        for (ancestor, head) in [("--all", "abcd"), ("abcd", "HEAD"), ("abc", "abcd"), ("abcd..", "abcd"), ("", "")] {
            assert_eq!(commits_between(folder.path(), ancestor, head), None);
        }
    }
}
