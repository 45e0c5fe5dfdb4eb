//! A writer that is stopped, or killed, while it holds the locks (P8).

use std::fs::{self, File, TryLockError};
use std::io::Read;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use testkit::process::{DEADLINE, Finished, finish};

use super::{Extent, Tried};
use crate::crash::story::{Story, Told};
use crate::crash::trace::{Point, STOPPED, points, stopping};
use crate::crash::verbs::{Scenario, scenarios};
use crate::product::Product;
use crate::project::Project;
use testkit::random::Random;

/// Every so manieth point is tried by a quick run; a prime.
const STRIDE: usize = 11;

/// How long the next writer waits where it should wait in vain. **Units**: milliseconds.
const SHORT: &str = "150";

/// How long it waits where it should not. **Units**: milliseconds.
const LONG: &str = "15000";

/// The pause between two looks at a holder.
const LOOK: Duration = Duration::from_millis(2);

const NEXT_WRITE: &[&str] = &["--actor", "next", "--json", "hseos", "state", "write", "waited", "yes"];

/// What becomes of the writer that holds the locks.
#[derive(Clone, Copy, Debug)]
enum Fate {
    Killed,
    Continued,
}

/// So long the next writer may take after the kernel has taken a dead holder's locks back, beyond a write in peace.
const PROMISED: Duration = Duration::from_millis(100);

/// So many writes in peace tell what the machine can do at present.
const PEACEFUL: usize = 3;

pub(super) fn check(product: &Product, extent: Extent, _random: &mut Random) -> Result<Tried, String> {
    let mut tried = Tried::default();
    let (mut waits, mut peace) = (Vec::new(), Duration::ZERO);
    let stride = if extent == Extent::Quick { STRIDE } else { 1 };
    for scenario in scenarios().filter(Scenario::starts_worked) {
        let prepared = Project::new(product)?;
        scenario.prepare(&prepared, &mut |words| prepared.reply(words).map(drop))?;
        peace = peace.max(in_peace(&prepared.copy()?)?);
        let story = Story::undisturbed(&scenario, &prepared)?;
        let points = points(&scenario, &prepared.copy()?)?;
        for point in points.iter().filter(|point| !point.speaks()).step_by(stride) {
            for fate in [Fate::Killed, Fate::Continued] {
                let what = format!("{scenario}, stopped at {} {} and {fate:?}", point.call, point.nth);
                let found = meet(&story, &prepared, &scenario.words(), point, fate);
                let found = found.map(|(problems, wait)| {
                    waits.extend(wait);
                    problems
                });
                tried.add(&what, found);
            }
        }
    }
    waits.sort();
    let slowest = waits.last().copied().unwrap_or_default();
    let late = waits.iter().filter(|wait| **wait > PROMISED).count();
    println!(
        "holders: once a dead holder's locks were free, the next writer was done in {} ms (half of them), {} ms at most, \
         {late} of {} in more than {} ms; a write in peace took {} ms",
        waits.get(waits.len() / 2).copied().unwrap_or_default().as_millis(),
        slowest.as_millis(),
        waits.len(),
        PROMISED.as_millis(),
        peace.as_millis(),
    );
    if extent == Extent::Full && slowest > peace + PROMISED {
        tried.problems.push(format!("the next writer took {slowest:?} where a write in peace takes {peace:?} (P8)"));
    }
    Ok(tried)
}

/// How long a write takes that nobody holds up, the slowest of a few.
fn in_peace(project: &Project<'_>) -> Result<Duration, String> {
    let mut slowest = Duration::ZERO;
    for _ in 0..PEACEFUL {
        let begun = Instant::now();
        next(project, LONG)?;
        slowest = slowest.max(begun.elapsed());
    }
    Ok(slowest)
}

/// Waits until the kernel has taken back every lock of a process.
fn locks_are_free(process: u32) -> Result<(), String> {
    let holder = process.to_string();
    let deadline = Instant::now() + DEADLINE;
    // Looked at in the kernel's own list: trying the lock would be in the way of who waits for it.
    while fs::read_to_string("/proc/locks")
        .map_err(|error| format!("/proc/locks: {error}"))?
        .lines()
        .any(|line| line.split_whitespace().nth(4) == Some(holder.as_str()))
    {
        if Instant::now() > deadline {
            return Err("a dead process holds locks".into());
        }
        std::thread::yield_now();
    }
    Ok(())
}

/// One writer is stopped at the point, others come; answers what broke a promise.
///
/// Beside it, how long the next writer took once a dead holder's locks were free.
fn meet(
    story: &Story<'_>,
    prepared: &Project<'_>,
    words: &[&str],
    point: &Point,
    fate: Fate,
) -> Result<(Vec<String>, Option<Duration>), String> {
    let project = prepared.copy()?;
    let mut holder = Holder::start(&project, words, point)?;
    let mut problems = Vec::new();
    let holds = ["hseos", "queue"].iter().any(|name| is_locked(&project, name));
    let refused = next(&project, SHORT)?;
    let reply: Value = serde_json::from_str(&refused.stdout).unwrap_or_default();
    let named = format!("pid {}", holder.child.id());
    if holds && (reply["error"]["code"] != "store_busy" || reply["error"]["holder"] != named.as_str()) {
        problems.push(format!("the lock is held, the next writer should hear of {named}: {reply}"));
    }
    let waiting = std::thread::scope(|scope| {
        let next = scope.spawn(|| next(&project, LONG));
        // The next one may begin to wait before or after this; both must go well.
        holder.signal(match fate {
            Fate::Killed => Signal::KILL,
            Fate::Continued => Signal::CONT,
        })?;
        let is_dead = matches!(fate, Fate::Killed);
        let freed = is_dead.then(|| locks_are_free(holder.child.id()).map(|()| Instant::now())).transpose()?;
        let finished = next.join().map_err(|_| "the next writer's thread panicked")??;
        Ok::<_, String>((finished, freed.map(|freed| freed.elapsed())))
    });
    let (waited, wait) = waiting?;
    if !waited.status.success() {
        problems.push(format!("the next writer failed: {} {}{}", waited.exit(), waited.stdout, waited.stderr));
    }
    let told = match fate {
        Fate::Killed => Told::Nothing,
        Fate::Continued => {
            let reply = holder.reply()?;
            if !reply["error"].is_null() {
                problems.push(format!("a living holder was robbed: {reply}"));
            }
            Told::Done
        }
    };
    drop(holder);
    problems.extend(story.goes_on(&project, &told)?);
    Ok((problems, wait))
}

fn next(project: &Project<'_>, wait: &str) -> Result<Finished, String> {
    let mut command = project.under(&[]);
    command.args(NEXT_WRITE).env("MAINSTAY_LOCK_WAIT_MS", wait);
    finish(&mut command, "", DEADLINE).map_err(|error| format!("the next writer: {error}"))
}

fn is_locked(project: &Project<'_>, name: &str) -> bool {
    let path: PathBuf = project.root().join(format!(".mainstay/locks/{name}.lock"));
    File::open(path).is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
}

/// A writer that stops itself at a point; it is ended with the value.
struct Holder {
    child: Child,
}

impl Holder {
    /// Starts it and waits until it has stopped.
    fn start(project: &Project<'_>, words: &[&str], point: &Point) -> Result<Self, String> {
        let log = project.root().join("../holder.log");
        let mut command = project.under(&stopping(point, &log.display().to_string()));
        command.args(words).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut holder = Self { child: command.spawn().map_err(|error| error.to_string())? };
        let deadline = Instant::now() + DEADLINE;
        loop {
            if fs::read_to_string(&log).is_ok_and(|text| text.contains(STOPPED)) {
                return Ok(holder);
            }
            if holder.child.try_wait().map_err(|error| error.to_string())?.is_some() || Instant::now() > deadline {
                return Err("the holder did not stop".into());
            }
            // Looked at again and again, since a stop tells nobody but its tracer.
            std::thread::sleep(LOOK);
        }
    }

    fn signal(&self, signal: Signal) -> Result<(), String> {
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw).ok_or("the holder has a process id")?;
        kill_process(pid, signal).map_err(|error| format!("signalling the holder: {error}"))
    }

    /// What it answered in the end.
    fn reply(&mut self) -> Result<Value, String> {
        let mut text = String::new();
        let mut stdout = self.child.stdout.take().ok_or("the holder has an output")?;
        stdout.read_to_string(&mut text).map_err(|error| error.to_string())?;
        serde_json::from_str(&text).map_err(|error| format!("the continued holder answered no JSON ({error}): {text}"))
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
