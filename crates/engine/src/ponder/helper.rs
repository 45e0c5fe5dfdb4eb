//! A server's helpers: processes of our own program that each work out one question and end.
//!
//! A helper gets no environment, no shell and no file: the question comes through one pipe, the answer goes
//! through another. It limits itself ([`super::child`]) and is killed when its time is over. One that dies has
//! no answer, and that is all that anybody notices of it.

use std::io::{Read as _, Write as _};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use format::{Format, Sheet};
use model::{Refusal, RefusalClass, Value};

use super::PATIENCE;
use super::child::{ANSWER_LIMIT, COMMAND, read_sheet, write_sheet};
use crate::locks::WAIT;

/// How many helpers work at the same time.
const HELPERS: usize = 4;

/// What starting, reading and writing may take beside the work itself.
const GRACE: Duration = Duration::from_secs(1);

/// Where helpers come from, and how many are at work.
pub(crate) struct Helper {
    program: PathBuf,
    working: Mutex<usize>,
    done: Condvar,
}

/// A place among those that work.
struct Seat<'a>(&'a Helper);

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        *self.0.working.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.0.done.notify_one();
    }
}

impl Helper {
    /// Helpers that run `program`, which is our own.
    pub(crate) fn of(program: PathBuf) -> Self {
        Self { program, working: Mutex::new(0), done: Condvar::new() }
    }

    /// Has a question worked out; `None` where the helper died, or was killed because it took too long.
    ///
    /// **Errors**: `store_busy`. Where no process can be started, the work is done here: it is counted anyway.
    pub(crate) fn work_out(&self, format: &dyn Format, question: &[Value]) -> Result<Option<Sheet>, Refusal> {
        let _seat = self.seat()?;
        let mut command = Command::new(&self.program);
        command.arg(COMMAND).env_clear().stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        match command.spawn() {
            Ok(child) => Ok(hear(child, write_sheet(format.name(), question), PATIENCE + GRACE)),
            Err(_) => Ok(super::work_out(format, question, false)),
        }
    }

    fn seat(&self) -> Result<Seat<'_>, Refusal> {
        let working = self.working.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut working, waited) = self
            .done
            .wait_timeout_while(working, WAIT, |working| *working >= HELPERS)
            .unwrap_or_else(PoisonError::into_inner);
        if waited.timed_out() {
            let message = "the server is at work on as many programs as it may be";
            return Err(Refusal::new(RefusalClass::Unavailable, "store_busy", message)
                .with("holder", "programs of other requests")
                .hint("repeat the command"));
        }
        *working += 1;
        Ok(Seat(self))
    }
}

// Writes the question and reads the answer beside each other, so that neither pipe holds the other up.
fn hear(mut child: Child, question: Vec<u8>, patience: Duration) -> Option<Sheet> {
    let (mut input, output) = (child.stdin.take()?, child.stdout.take()?);
    let (said, heard) = channel();
    let named = || thread::Builder::new().name("ponder".into());
    let writer = named().spawn(move || input.write_all(&question));
    let reader = named().spawn(move || {
        let mut bytes = Vec::new();
        let read = output.take(ANSWER_LIMIT + 1).read_to_end(&mut bytes);
        // Nobody listens any more where the time was over.
        drop(said.send(read.is_ok().then_some(bytes)));
    });
    let bytes = heard.recv_timeout(patience).ok().flatten();
    if bytes.is_none() {
        // One that ended meanwhile needs no killing.
        drop(child.kill());
    }
    let ended_well = child.wait().is_ok_and(|status| status.success());
    // Where no thread was to be had, nothing was said or heard, and there is no answer.
    drop((writer.map(thread::JoinHandle::join), reader.map(thread::JoinHandle::join)));
    let bytes = bytes.filter(|bytes| ended_well && bytes.len() as u64 <= ANSWER_LIMIT)?;
    read_sheet(&bytes).map(|(_, answer)| answer)
}

#[cfg(test)]
mod tests {
    use super::hear;
    use std::process::{Command, Stdio};
    use std::time::Duration;

    #[test]
    fn a_helper_that_never_answers_is_killed() {
        let mut command = Command::new("sleep");
        let child = command.arg("600").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        // More than a pipe holds: the question is never read either.
        let answer = hear(child, vec![b'x'; 1 << 20], Duration::from_millis(50));
        assert_eq!(answer, None);
    }

    #[test]
    fn an_answer_counts_once_it_is_whole() {
        for (script, expected) in [
            ("cat > /dev/null; printf 'probe\\n1\\n[2]\\n'", Some("[1,[2]]")),
            ("cat > /dev/null; printf 'probe\\n1\\n[2]'", None),
            ("cat > /dev/null; printf 'probe\\n1\\n'; exit 1", None),
            ("kill -9 $$", None),
        ] {
            let mut command = Command::new("sh");
            let child = command.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
            let answer = hear(child, vec![b'x'; 1 << 20], Duration::from_mins(1));
            let text = answer.map(|answer| serde_json::Value::Array(answer).to_string());
            assert_eq!(text.as_deref(), expected, "{script}");
        }
    }
}
