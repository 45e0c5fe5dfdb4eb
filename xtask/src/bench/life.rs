//! A long life: very many calls to one server, what it then holds, and what a write and `gc` cost afterwards.

use std::fs;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::instructions;
use super::row::{Budget, Row, number as shown};
use super::server::{CLIENTS, Client, Server};
use super::stories::as_number;
use crate::product::Product;
use crate::project::Project;

/// After so many calls a project is young, and a server has reached its size.
const YOUNG: u32 = 1_000;

/// How many writes are counted; how much of the store's log a command finds differs from one to the next.
const COUNTED: u32 = 6;

/// How often the memory of a process is looked at.
const LOOK: Duration = Duration::from_millis(5);

/// The work of one format.
struct Work {
    name: &'static str,
    begin: &'static [&'static [&'static str]],
    tool: &'static str,
    /// The arguments of the call of this number.
    arguments: fn(u32) -> Value,
    /// The command of this number.
    words: fn(u32) -> Vec<String>,
}

const PATCHES: Work = Work {
    name: "skillstate patch",
    begin: &[&["skillstate", "init"]],
    tool: "state_patch",
    arguments: |number| json!({ "patch": { "goal": format!("step {number:07}") } }),
    words: |number| ["skillstate", "patch", &format!("{{\"goal\":\"again {number}\"}}")].map(str::to_owned).to_vec(),
};

const FIELDS: Work = Work {
    name: "hseos state write",
    begin: &[&["hseos", "tasks", "add", "T1", "GHOST", "a task"]],
    tool: "state_write",
    arguments: |number| json!({ "fields": { "notes": format!("step {number:07}") } }),
    words: |number| ["hseos", "state", "write", "notes", &format!("again {number}")].map(str::to_owned).to_vec(),
};

/// So many calls by many clients at once; a tenth of them for the format that keeps a history of its own.
pub(super) fn rows(product: &Product, calls: u32) -> Result<Vec<Row>, String> {
    let mut rows = of_work(product, &PATCHES, calls)?;
    rows.extend(of_work(product, &FIELDS, (calls / 10).max(2 * YOUNG))?);
    Ok(rows)
}

fn of_work(product: &Product, work: &Work, calls: u32) -> Result<Vec<Row>, String> {
    // In memory: what is measured is no disk.
    let project = Project::in_memory(product)?;
    for words in work.begin {
        project.reply(&[&["--json"], *words].concat())?;
    }
    let server = Server::start(&project)?;
    many(&server, work, 0..YOUNG)?;
    drop(server);
    let young = written(&project, work)?;
    let server = Server::start(&project)?;
    let begun = Instant::now();
    many(&server, work, YOUNG..calls / 10)?;
    let early = memory(server.id(), "VmRSS")?;
    many(&server, work, calls / 10..calls)?;
    let late = memory(server.id(), "VmRSS")?;
    println!("{}: {calls} calls took {:.0} s", work.name, begun.elapsed().as_secs_f64());
    drop(server);
    let old = written(&project, work)?;
    let store = bytes(&project)?;
    let gc = collected(&project, work)?;
    let after = bytes(&project)?;
    let name = work.name;
    let row = |what: &str, measured, unit, budget| Row { name: format!("{name}{what}"), measured, unit, budget };
    Ok(vec![
        row(" after 1,000 entries", young, "instructions", Budget::None),
        row(&format!(" after {} entries", count_of(calls)), old, "instructions", Budget::None),
        row(&format!(", {} entries against 1,000", count_of(calls)), old / young, "×", Budget::Most(1.2)),
        row(&format!(", server after {} calls", count_of(calls / 10)), early, "MiB", Budget::None),
        row(&format!(", server after {} calls", count_of(calls)), late, "MiB", Budget::Most(64.0)),
        row(", server, all calls against a tenth", late / early, "×", Budget::Most(1.2)),
        row(
            &format!(", store of {} entries", count_of(calls)),
            store / f64::from(calls),
            "bytes an entry",
            Budget::None,
        ),
        row(", gc of all of them, memory at most", gc.memory, "MiB", Budget::Most(64.0)),
        row(", gc of all of them", gc.seconds, "s", Budget::None),
        row(", a write beside gc, at most", gc.longest, "ms", Budget::None),
        row(", store after gc", after / store, "of before", Budget::None),
    ])
}

// Every call is acknowledged.
fn many(server: &Server, work: &Work, numbers: std::ops::Range<u32>) -> Result<(), String> {
    let next = AtomicU32::new(numbers.start);
    let port = server.port;
    let writer = || -> Result<(), String> {
        let mut client = Client::connect(port)?;
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= numbers.end {
                return Ok(());
            }
            client.call(work.tool, &(work.arguments)(number))?;
        }
    };
    thread::scope(|scope| {
        let writers: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(writer)).collect();
        writers.into_iter().try_for_each(|writer| writer.join().expect("a client does not panic"))
    })
}

// The mean of some writes by the command.
fn written(project: &Project<'_>, work: &Work) -> Result<f64, String> {
    let mut sum = 0.0;
    for number in 0..COUNTED {
        let words = (work.words)(number);
        sum += instructions::count(project, &words.iter().map(String::as_str).collect::<Vec<_>>(), "")?;
    }
    Ok(sum / f64::from(COUNTED))
}

/// What `gc` of a whole journal took, and who had to wait for it.
struct Collected {
    /// **Units**: seconds.
    seconds: f64,
    /// **Units**: MiB.
    memory: f64,
    /// The longest write beside it. **Units**: milliseconds.
    longest: f64,
}

fn collected(project: &Project<'_>, work: &Work) -> Result<Collected, String> {
    let begun = Instant::now();
    let mut gc = project.under(&[]);
    gc.args(["--json", "gc", "--keep", "0d"]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::inherit());
    let mut gc = gc.spawn().map_err(|error| format!("gc: {error}"))?;
    let is_over = AtomicBool::new(false);
    let (status, memory, longest) = thread::scope(|scope| {
        let writer = scope.spawn(|| beside(project, work, &is_over));
        let mut most = 0.0_f64;
        let status = loop {
            // Between its end and being waited for, a process has no memory.
            most = most.max(memory(gc.id(), "VmHWM").unwrap_or_default());
            match gc.try_wait() {
                Ok(None) => thread::sleep(LOOK),
                ended => break ended,
            }
        };
        let seconds = begun.elapsed().as_secs_f64();
        is_over.store(true, Ordering::Relaxed);
        (status.map(|status| (status, seconds)), most, writer.join().expect("the writer does not panic"))
    });
    match status.map_err(|error| format!("gc: {error}"))? {
        (Some(status), seconds) if status.success() => Ok(Collected { seconds, memory, longest: longest? }),
        (status, _) => Err(format!("gc ended with {status:?}")),
    }
}

fn beside(project: &Project<'_>, work: &Work, is_over: &AtomicBool) -> Result<f64, String> {
    let (mut longest, mut number) = (0.0_f64, 0);
    while !is_over.load(Ordering::Relaxed) {
        let begun = Instant::now();
        let words = (work.words)(number);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let finished = project.run(&words)?;
        if !finished.status.success() {
            return Err(format!("a write beside gc ended with {}: {}", finished.exit(), finished.stderr));
        }
        longest = longest.max(begun.elapsed().as_secs_f64() * 1000.0);
        number += 1;
    }
    Ok(longest)
}

fn count_of(calls: u32) -> String {
    shown(calls.into())
}

// What `/proc` says about a process. **Units**: MiB.
fn memory(process: u32, field: &str) -> Result<f64, String> {
    let file = format!("/proc/{process}/status");
    let status = fs::read_to_string(&file).map_err(|error| format!("{file}: {error}"))?;
    let kib = status.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':')?.trim().strip_suffix(" kB"));
    let kib: Option<f64> = kib.and_then(|kib| kib.parse().ok());
    kib.map(|kib| kib / 1024.0).ok_or_else(|| format!("{file} has no {field}"))
}

// The store and its log.
fn bytes(project: &Project<'_>) -> Result<f64, String> {
    let of = |name: &str| fs::metadata(project.root().join(".mainstay").join(name)).map(|metadata| metadata.len());
    let store = of("state.db").map_err(|error| format!("state.db: {error}"))?;
    // A log that was emptied may be gone.
    Ok(as_number(store + of("state.db-wal").unwrap_or_default()))
}
