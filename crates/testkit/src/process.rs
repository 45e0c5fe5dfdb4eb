//! Processes in a clean environment, with an end to waiting.

use std::ffi::OsStr;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use tempfile::TempDir;

/// How long a process may take before it counts as stuck.
pub const DEADLINE: Duration = Duration::from_secs(20);

/// What a process keeps of the caller's variables: where programs and temporary files are.
///
/// Each variable more costs the program instructions, which are counted.
const KEPT: &[&str] = &["PATH", "TMPDIR"];

const HOME_LIKE: &[&str] = &["HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"];

/// An empty temporary project and a home folder beside it; both vanish with the value.
pub struct Sandbox {
    base: TempDir,
}

/// What a process left behind.
#[derive(Debug)]
pub struct Finished {
    /// Its exit status.
    pub status: ExitStatus,
    /// Its standard output; what is not UTF-8 is replaced.
    pub stdout: String,
    /// Its standard error; what is not UTF-8 is replaced.
    pub stderr: String,
}

impl Sandbox {
    /// Makes the two folders.
    pub fn new() -> io::Result<Self> {
        Self::within(&std::env::temp_dir())
    }

    /// Makes them in a folder of the caller's choice.
    pub fn within(folder: &Path) -> io::Result<Self> {
        let base = tempfile::Builder::new().prefix("mainstay-test-").tempdir_in(folder)?;
        let sandbox = Self { base };
        std::fs::create_dir(sandbox.root())?;
        std::fs::create_dir(sandbox.home())?;
        Ok(sandbox)
    }

    /// The project.
    pub fn root(&self) -> PathBuf {
        self.base.path().join("project")
    }

    /// The home folder.
    pub fn home(&self) -> PathBuf {
        self.base.path().join("home")
    }

    /// A command that starts in the project and sees nothing of the caller's own settings.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env_clear();
        command.envs(KEPT.iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
        for name in HOME_LIKE {
            command.env(name, self.home());
        }
        command.env("TZ", "UTC").env("LC_ALL", "C.UTF-8").current_dir(self.root());
        command
    }

    /// `BINARY --project ROOT`, to which the arguments are still to be added.
    pub fn mainstay(&self, binary: &Path) -> Command {
        let mut command = self.command(binary);
        command.arg("--project").arg(self.root());
        command
    }

    /// Leaves the folders in place and says where.
    pub fn keep(self) -> PathBuf {
        self.base.keep()
    }
}

impl Finished {
    /// The exit code as a word: `0`, or `signal: 9 (SIGKILL)`.
    pub fn exit(&self) -> String {
        self.status.code().map_or_else(|| self.status.to_string(), |code| code.to_string())
    }
}

/// Runs the command to its end; kills it and answers `TimedOut` where it takes longer than `deadline`.
pub fn finish(command: &mut Command, stdin: &str, deadline: Duration) -> io::Result<Finished> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let (done, wait) = mpsc::channel();
    let mut input = child.stdin.take().expect("standard input is piped");
    let text = stdin.to_owned();
    // A process that does not read its input closes it; that is no fault of ours.
    thread::spawn(move || drop(input.write_all(text.as_bytes())));
    let stdout = collect(child.stdout.take().expect("standard output is piped"), done.clone());
    let stderr = collect(child.stderr.take().expect("standard error is piped"), done);
    for _ in 0..2 {
        if wait.recv_timeout(deadline).is_err() {
            return Err(stop(&mut child, deadline));
        }
    }
    let status = child.wait()?;
    Ok(Finished { status, stdout: text_of(stdout), stderr: text_of(stderr) })
}

fn collect(mut pipe: impl Read + Send + 'static, done: mpsc::Sender<()>) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // What came before a broken pipe is all there is.
        drop(pipe.read_to_end(&mut bytes));
        let _ = done.send(());
        bytes
    })
}

fn text_of(reader: thread::JoinHandle<Vec<u8>>) -> String {
    String::from_utf8_lossy(&reader.join().expect("the reader does not panic")).into_owned()
}

fn stop(child: &mut Child, deadline: Duration) -> io::Error {
    drop(child.kill());
    drop(child.wait());
    io::Error::new(io::ErrorKind::TimedOut, format!("no answer in {} s", deadline.as_secs()))
}

#[cfg(test)]
mod tests {
    use super::{DEADLINE, Sandbox, finish};
    use std::time::Duration;

    #[test]
    fn a_process_sees_a_clean_environment() {
        let sandbox = Sandbox::new().unwrap();
        let finished =
            finish(sandbox.command("sh").args(["-c", "cat; echo $TZ; pwd >&2; exit 3"]), "in", DEADLINE).unwrap();
        assert_eq!((finished.stdout.as_str(), finished.status.code()), ("inUTC\n", Some(3)));
        assert!(finished.stderr.trim_end().ends_with("/project"), "{}", finished.stderr);
    }

    #[test]
    fn a_stuck_process_is_ended() {
        let sandbox = Sandbox::new().unwrap();
        let error = finish(sandbox.command("tail").args(["-f", "/dev/null"]), "", Duration::from_millis(50));
        assert_eq!(error.unwrap_err().to_string(), "no answer in 0 s");
    }
}
