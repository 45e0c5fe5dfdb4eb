//! Promise P12: what writers and readers saw, some of them killed, is one order of events: that of the revisions.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::picture::{FIELD_HISTORY, Picture};
use crate::product::Product;
use crate::project::Project;
use testkit::random::Random;

const WRITERS: usize = 6;
const READERS: usize = 3;

/// One in so many writes is killed, perhaps, and asked for once more under the same request id.
const KILLED: usize = 2;

/// So long after its start a write is killed at most. **Units**: microseconds.
const LATEST: usize = 30_000;

/// Something that happened between two moments, and the value that it wrote or saw.
struct Event {
    began: Instant,
    ended: Instant,
    value: Option<String>,
}

/// What everybody saw.
#[derive(Default)]
struct Seen {
    writes: Mutex<Vec<Event>>,
    reads: Mutex<Vec<Event>>,
    problems: Mutex<Vec<String>>,
    kills: Mutex<usize>,
}

/// Lets writers write a field and readers read it; answers what contradicts the order of revisions.
pub(crate) fn check(product: &Product, rounds: usize, seed: u64) -> Result<Vec<String>, String> {
    let project = Project::new(product)?;
    // Readers need a project to read; its first write is nobody's.
    project.reply(&["--json", "hseos", "state", "write", "other", "first"])?;
    let notes = Seen::default();
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let (project, notes) = (&project, &notes);
                scope.spawn(move || write(project, notes, writer, rounds, &mut Random::new(seed + writer as u64)))
            })
            .collect();
        for _ in 0..READERS {
            scope.spawn(|| read(&project, &notes, &is_over));
        }
        for writer in writers {
            if writer.join().is_err() {
                notes.problem("a writer's thread panicked".into());
            }
        }
        is_over.store(true, Ordering::Relaxed);
    });
    let (writes, reads) = (taken(notes.writes), taken(notes.reads));
    let mut problems = taken(notes.problems);
    println!("history: {} writes, {} killed, {} reads", writes.len(), taken(notes.kills), reads.len());
    let order = revisions(&project)?;
    problems.extend(contradictions(&order, &writes, &reads));
    problems.extend(Picture::take(&project)?.disagreements());
    Ok(problems)
}

impl Seen {
    fn problem(&self, problem: String) {
        self.problems.lock().expect("no thread panics while it notes a problem").push(problem);
    }
}

fn taken<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().expect("no thread panicked while it noted something")
}

fn write(project: &Project<'_>, seen: &Seen, writer: usize, rounds: usize, random: &mut Random) {
    for round in 0..rounds {
        let value = format!("w{writer}-{round}");
        let words = ["--request-id", &value, "--json", "hseos", "state", "write", FIELD_HISTORY, &value];
        let began = Instant::now();
        if random.below(KILLED) == 0 {
            match killed(project, &words, Duration::from_micros(random.below(LATEST) as u64)) {
                Ok(()) => *seen.kills.lock().expect("no thread panics while it counts") += 1,
                Err(problem) => seen.problem(problem),
            }
        }
        match project.reply(&words) {
            Ok(_) => {
                let event = Event { began, ended: Instant::now(), value: Some(value) };
                seen.writes.lock().expect("no thread panics while it notes a write").push(event);
            }
            Err(problem) => seen.problem(problem),
        }
    }
}

/// Starts a write and kills it after a while, be it done by then or not.
fn killed(project: &Project<'_>, words: &[&str], after: Duration) -> Result<(), String> {
    let mut command = project.under(&[]);
    let null = std::process::Stdio::null;
    let child = command.args(words).stdin(null()).stdout(null()).stderr(null()).spawn();
    let mut child = child.map_err(|error| error.to_string())?;
    // Not to wait for anything: the moment of the kill is meant to be any.
    thread::sleep(after);
    drop(child.kill());
    child.wait().map(drop).map_err(|error| error.to_string())
}

fn read(project: &Project<'_>, seen: &Seen, is_over: &AtomicBool) {
    while !is_over.load(Ordering::Relaxed) {
        let began = Instant::now();
        match project.reply(&["call", "state_read"]) {
            Ok(reply) => {
                let value = reply["state"][FIELD_HISTORY].as_str().map(str::to_owned);
                let event = Event { began, ended: Instant::now(), value };
                seen.reads.lock().expect("no thread panics while it notes a read").push(event);
            }
            Err(problem) => seen.problem(format!("a reader: {problem}")),
        }
    }
}

/// The values of the field in the order of their revisions.
fn revisions(project: &Project<'_>) -> Result<Vec<String>, String> {
    let reply = project.reply(&["--json", "history", "--all", "-n", "100000"])?;
    let entries = reply["entries"].as_array().ok_or("the history has entries")?;
    let values = entries.iter().rev().flat_map(|entry| entry["changes"].as_array().into_iter().flatten());
    let field = |change: &&Value| change["key"].as_str().is_some_and(|key| key.ends_with(FIELD_HISTORY));
    let text = |value: &Value| value.as_str().or_else(|| value["value"].as_str()).map(str::to_owned);
    Ok(values.filter(field).filter_map(|change| text(&change["after"])).collect())
}

/// What cannot be if everything happened in this order, each event at one moment between its two.
fn contradictions(order: &[String], writes: &[Event], reads: &[Event]) -> Vec<String> {
    let mut found = Vec::new();
    // The rank of a value; that of no value yet comes before all.
    let rank = |value: &Option<String>| match value {
        None => Some(0),
        Some(value) => order.iter().position(|other| other == value).map(|place| place + 1),
    };
    for write in writes {
        let times = order.iter().filter(|value| Some(*value) == write.value.as_ref()).count();
        if times != 1 {
            found.push(format!("{:?} was acknowledged and stands {times} times in the journal", write.value));
        }
    }
    if order.len() != writes.len() {
        found.push(format!("the journal holds {} values for {} acknowledged writes", order.len(), writes.len()));
    }
    for read in reads.iter().filter(|read| rank(&read.value).is_none()) {
        found.push(format!("{:?} was read and is not in the journal", read.value));
    }
    // A write is later than what ended before it began; a read sees at least that, and nothing that began later.
    let ordered = |earlier: &[Event], later: &[Event], is_strict: bool| {
        let pairs = earlier.iter().flat_map(|one| later.iter().map(move |other| (one, other)));
        let wrong = pairs.filter(|(one, other)| one.ended < other.began).filter(|(one, other)| {
            let (one, other) = (rank(&one.value), rank(&other.value));
            if is_strict { one >= other } else { one > other }
        });
        wrong
            .map(|(one, other)| format!("{:?} had ended before {:?} began", one.value, other.value))
            .collect::<Vec<_>>()
    };
    found.extend(ordered(writes, writes, true));
    found.extend(ordered(writes, reads, false));
    found.extend(ordered(reads, writes, true));
    found.extend(ordered(reads, reads, false));
    found
}

#[cfg(test)]
mod tests {
    use super::{Event, contradictions};
    use std::time::{Duration, Instant};

    /// Events as `(began, ended, value)`, in milliseconds.
    fn check(writes: &[(u64, u64, &str)], reads: &[(u64, u64, &str)], expected: usize) {
        let start = Instant::now();
        let events = |list: &[(u64, u64, &str)]| -> Vec<Event> {
            let at = |millis| start + Duration::from_millis(millis);
            let event = |(began, ended, value): &(u64, u64, &str)| Event {
                began: at(*began),
                ended: at(*ended),
                value: Some(*value).filter(|value| !value.is_empty()).map(str::to_owned),
            };
            list.iter().map(event).collect()
        };
        let order = ["a".to_owned(), "b".to_owned()];
        let found = contradictions(&order, &events(writes), &events(reads));
        assert_eq!(found.len(), expected, "{found:?}");
    }

    #[test]
    fn what_fits_the_order_contradicts_nothing() {
        check(&[(0, 10, "a"), (5, 20, "b")], &[(0, 3, ""), (6, 12, "b"), (13, 14, "b")], 0);
    }

    #[test]
    fn what_does_not_fit_is_found() {
        check(&[(0, 10, "b"), (11, 20, "a")], &[], 1);
        check(&[(0, 10, "a"), (5, 20, "b")], &[(21, 22, "a")], 1);
        check(&[(0, 10, "a"), (11, 20, "b")], &[(1, 2, "b"), (3, 4, "a")], 2);
        check(&[(0, 10, "a")], &[], 1);
        check(&[(0, 10, "a"), (1, 10, "b")], &[(2, 3, "c")], 1);
    }
}
