//! Writers through every door at once, and readers who look on: promises P3 and P6.

use std::fs;
use std::time::Duration;

use serde_json::{Value, json};
use testkit::process::{DEADLINE, finish};

use super::doors::Session;
use super::{Done, Size, WRITERS, expect, onlookers, report, sound, writers};
use crate::bench::server::{Client, Server};
use crate::product::Product;
use crate::project::Project;

/// Of 99 in a hundred writes none waits longer, and of all.
const BOUNDS: (Duration, Duration) = (Duration::from_secs(2), Duration::from_secs(5));

/// What a writer is; they take turns.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// A process for each request, which adds a task.
    Command,
    /// A process for each event of a host, which counts in one file.
    Hook,
    /// A server of its own, by which it adds to one list.
    Session,
    /// A server for all of its kind, by which it adds to the same list.
    Shared,
    /// A process for each attempt to add one to a number that it read.
    Swap,
    /// The same over a server of its own.
    SwapOverSession,
}

/// One in eight adds to the number: each of their attempts fails that another came before.
const KINDS: [Kind; 16] = {
    use Kind::{Command, Hook, Session, Shared, Swap, SwapOverSession};
    [
        Command,
        Hook,
        Session,
        Command,
        Hook,
        Shared,
        Command,
        Hook,
        Session,
        Command,
        Hook,
        Shared,
        Swap,
        Hook,
        SwapOverSession,
        Session,
    ]
};

/// Every writer counts `rounds` times, and each count is there; in a full run waits are bounded too.
pub(super) fn check(product: &Product, rounds: usize, size: Size) -> Result<Vec<String>, String> {
    let project = Project::new(product)?;
    onlookers::prepare(&project)?;
    let written = |kinds: &[Kind]| (0..WRITERS).filter(|writer| kinds.contains(&kind_of(*writer))).count() * rounds;
    project.reply(&["--json", "eneo", "task-init", "count-it", "fast", "1", "none", "none"])?;
    project.reply(&["--json", "eneo", "wave", "seed", "1", &written(&[Kind::Hook]).to_string()])?;
    let shared = Server::start(&project)?;
    let (mut all, looks) = onlookers::during(&project, || {
        writers(WRITERS, |writer, done| {
            if let Err(problem) = done.count(&project, shared.port, writer, rounds) {
                done.problems.push(problem);
            }
        })
    });
    drop(shared);
    report("every door", &all);
    looks.report("every door");
    let mut problems = looks.problems;
    problems.append(&mut all.problems);
    if size == Size::Full {
        problems.extend(too_long(all.waits));
    }
    let swapped = written(&[Kind::Swap, Kind::SwapOverSession]);
    expect(&mut problems, &project, "select value from state where key = 'phase'", &json!(swapped.to_string()))?;
    let history = "select count(*) from state_history where key = 'phase'";
    expect(&mut problems, &project, history, &json!(swapped + 1))?;
    expect(&mut problems, &project, "select count(*) from tasks", &json!(written(&[Kind::Command]) + 1))?;
    let mut count = |what: &str, found: usize, wanted: usize| {
        if found != wanted {
            problems.push(format!("{what}: {found} of {wanted} are there (P6)"));
        }
    };
    let items = project.reply(&["--json", "skillstate", "get"])?["progress"].as_array().map_or(0, Vec::len);
    count("items of the list", items, written(&[Kind::Session, Kind::Shared]));
    // An event that came while all was busy is kept, and counted by the next request.
    project.reply(&["--json", "eneo", "task-update", ".n = 0"])?;
    let wave = fs::read_to_string(project.root().join(".claude/state/wave.json")).unwrap_or_default();
    let wave: Value = serde_json::from_str(&wave).unwrap_or_default();
    let done = wave["done"].as_u64().and_then(|done| usize::try_from(done).ok()).unwrap_or(0);
    count("events of hooks", done, written(&[Kind::Hook]));
    problems.extend(sound(&project)?);
    Ok(problems)
}

/// What is wrong with how long writers waited.
fn too_long(mut waits: Vec<Duration>) -> Option<String> {
    waits.sort();
    let (most, last) = (waits.get(waits.len() * 99 / 100)?, waits.last()?);
    (*most > BOUNDS.0 || *last > BOUNDS.1)
        .then(|| format!("99 of 100 waited {most:?} at most, one {last:?}; promised are {BOUNDS:?} (P6)"))
}

fn kind_of(writer: usize) -> Kind {
    KINDS[writer % KINDS.len()]
}

impl Done {
    /// Counts `rounds` times as a writer of its kind does.
    fn count(&mut self, project: &Project<'_>, port: u16, writer: usize, rounds: usize) -> Result<(), String> {
        let ids = (0..rounds).map(|round| format!("W{writer}-{round}"));
        match kind_of(writer) {
            Kind::Command => {
                ids.for_each(|id| self.write(project, &["hseos", "tasks", "add", &id, "GHOST", "By a command"]));
            }
            Kind::Hook => ids.into_iter().try_for_each(|id| self.tell(project, &id))?,
            Kind::Session => {
                let mut session = Session::start(project)?;
                for id in ids {
                    let reply = self.timed(|| session.call("state_patch", &patch(&id)))?;
                    refused(&reply).map_or(Ok(()), Err)?;
                }
            }
            Kind::Shared => {
                let mut client = Client::connect(port)?;
                for id in ids {
                    self.timed(|| client.call("state_patch", &patch(&id)))?;
                }
            }
            Kind::Swap => {
                for _ in 0..rounds {
                    self.increment(project, "phase", onlookers::fields)?;
                }
            }
            Kind::SwapOverSession => {
                let mut session = Session::start(project)?;
                for _ in 0..rounds {
                    self.increment_by("phase", onlookers::fields, &mut |tool, arguments| {
                        session.call(tool, arguments)
                    })?;
                }
            }
        }
        Ok(())
    }

    /// A host tells that a sub-agent has ended.
    fn tell(&mut self, project: &Project<'_>, id: &str) -> Result<(), String> {
        let event = json!({"agent_id": id, "agent_type": "scout", "last_assistant_message": "DONE|x.md"}).to_string();
        let mut command = project.under(&[]);
        command.args(["hook", "subagent-stop"]);
        let finished =
            self.timed(|| finish(&mut command, &event, DEADLINE).map_err(|error| format!("a hook: {error}")))?;
        if finished.status.success() {
            return Ok(());
        }
        Err(format!("a hook ended with {}: {}", finished.exit(), finished.stderr))
    }
}

fn patch(id: &str) -> Value {
    json!({"patch": onlookers::notes(id), "append": {"progress": [id]}})
}

/// The refusal in a reply.
fn refused(reply: &Value) -> Option<String> {
    reply.get("error").map(|error| format!("refused: {error}"))
}

#[cfg(test)]
mod tests {
    use super::too_long;
    use std::time::Duration;

    #[test]
    fn waits_are_judged_by_both_bounds() {
        let with = |count: usize, last: u64| {
            let mut waits = vec![Duration::from_millis(20); 200];
            waits[200 - count..].fill(Duration::from_millis(last));
            too_long(waits)
        };
        assert_eq!((with(1, 4_900), with(100, 1_900)), (None, None));
        assert!(with(1, 5_100).is_some());
        assert!(with(3, 2_100).is_some());
        assert_eq!(too_long(Vec::new()), None);
    }
}
