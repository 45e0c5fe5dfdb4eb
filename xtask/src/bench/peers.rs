//! The same work by other means, in the same run.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::row::{Budget, Row, number as shown};
use super::{cpu, scale, stories};
use crate::packages::{JQ, SQLITE3, TASKWARRIOR, ensure};
use crate::product::Product;
use crate::project::Project;

/// How often each command runs.
const RUNS: u32 = 10;

/// The same where the answer lies close to its budget.
const MANY: u32 = 80;

/// What the bash and jq users run today: a lock, jq, a rename.
const LOCKED_JQ: &str = "flock tasks.lock bash -c 'jq --arg id \"T$1\" \
                         \".[\\$id] = {status: \\\"pending\\\", title: \\\"a task\\\"}\" tasks.json > tasks.new \
                         && mv tasks.new tasks.json' - $i";

/// A tool that keeps tasks: how one adds one, how one lists them, how many times our CPU it is to take at least.
struct Peer {
    name: &'static str,
    add: &'static str,
    list: &'static str,
    least: Option<f64>,
}

/// **Source**: budgets, peers on the same work.
const PEERS: &[Peer] = &[
    Peer {
        name: "sqlite3 shell",
        add: "sqlite3 peer.db \"PRAGMA synchronous=FULL; INSERT INTO task VALUES ('B$i', 'pending', 'a task')\"",
        list: "sqlite3 peer.db 'SELECT id, status, title FROM task'",
        least: None,
    },
    Peer {
        name: "flock + jq + rename",
        add: LOCKED_JQ,
        list: "flock tasks.lock jq -r 'to_entries[] | [.key, .value.status, .value.title] | @tsv' tasks.json",
        least: Some(20.0),
    },
    Peer {
        name: "taskwarrior",
        add: "task rc.confirmation=no rc.verbose=nothing add a task",
        list: "task rc.confirmation=no rc.verbose=nothing list",
        least: Some(2.0),
    },
];

/// CPU time of adding a task to many and of listing them, and of a program over a task: ours against others.
pub(super) fn rows(product: &Product) -> Result<Vec<Row>, String> {
    ensure(&[JQ, SQLITE3, TASKWARRIOR])?;
    let mut rows = Vec::new();
    for count in [100, 1_000, 10_000] {
        rows.extend(of_tasks(product, count)?);
    }
    let (update, locked_update) = eneo(product)?;
    rows.extend([
        row("eneo task-update, the barrier's program".to_owned(), update, "ms CPU", Budget::None),
        row("the same by mkdir + jq + a look + rename".to_owned(), locked_update, "ms CPU", Budget::None),
        row(
            "mkdir + jq + a look + rename against ours".to_owned(),
            locked_update / update,
            "× our CPU",
            Budget::Least(20.0),
        ),
    ]);
    Ok(rows)
}

fn of_tasks(product: &Product, count: u32) -> Result<Vec<Row>, String> {
    let project = scale::tasks(product, count)?;
    let root = project.root();
    seed_peers(&root, count)?;
    let run = |script: &str| {
        let mut shell = shell(&root);
        shell.env("TASKRC", root.join("taskrc")).env("TASKDATA", root.join("warrior"));
        cpu::of_runs(&mut shell, script, RUNS)
    };
    let ours = |words: &str| run(&format!("'{}' --project . hseos tasks {words}", product.binary.display()));
    let (added, listed) = (ours("add B$i GHOST 'a task'")?, ours("list")?);
    let size = shown(count.into());
    let mut rows = vec![
        row(format!("hseos tasks add, {size} tasks"), added, "ms CPU", Budget::None),
        row(format!("hseos tasks list, {size} tasks"), listed, "ms CPU", Budget::None),
    ];
    for Peer { name, add, list, least } in PEERS {
        for (verb, script, ours) in [("add", add, added), ("list", list, listed)] {
            let theirs = run(script)?;
            rows.push(row(format!("{name}, {verb}, {size} tasks"), theirs, "ms CPU", Budget::None));
            let budget = least.map_or(Budget::None, Budget::Least);
            rows.push(row(format!("{name}, {verb}, {size} tasks, against ours"), theirs / ours, "× our CPU", budget));
        }
    }
    Ok(rows)
}

fn row(name: String, measured: f64, unit: &'static str, budget: Budget) -> Row {
    Row { name, measured, unit, budget }
}

/// CPU time of one update of the task: ours, and that of a shell helper that follows the same lock protocol.
fn eneo(product: &Product) -> Result<(f64, f64), String> {
    let project = Project::new(product)?;
    let root = project.root();
    for words in stories::ENEO {
        project.reply(&[&["--json"], *words].concat())?;
    }
    let task = ".claude/state/current-task.json";
    std::fs::copy(root.join(task), root.join("theirs.json")).map_err(|error| error.to_string())?;
    std::fs::write(root.join("helper.sh"), HELPER).map_err(|error| error.to_string())?;
    let (binary, program) = (product.binary.display(), stories::BARRIER);
    let mut ours = shell(&root);
    ours.env("PROGRAM", program);
    let script = format!("'{binary}' --project . eneo task-update \"$PROGRAM\" wave 1 agent scout");
    let update = cpu::of_runs(&mut ours, &script, MANY)?;
    let mut theirs = shell(&root);
    theirs.env("PROGRAM", program);
    Ok((update, cpu::of_runs(&mut theirs, "bash helper.sh \"$PROGRAM\" wave 1 agent scout", MANY)?))
}

/// What a careful helper does: take the folder lock, run jq, see that one object came of it, rename, give the lock back.
///
/// Without that look a program with no output empties the file, and one with two writes two documents; ours looks too.
const HELPER: &str = r#"set -euo pipefail
program=$1 now=$(date -u +%Y-%m-%dT%H:%M:%SZ)
shift
arguments=()
while [ $# -gt 1 ]; do arguments+=(--arg "$1" "$2"); shift 2; done
mkdir -p locks
until mkdir locks/state.lock 2>/dev/null; do sleep 0.05; done
echo $$ > locks/state.lock/owner
new=$(mktemp -p .)
jq --arg __now "$now" "${arguments[@]}" ".last_update = \$__now | $program" theirs.json > "$new"
[ "$(jq -s 'length == 1 and (.[0] | type == "object")' "$new")" = true ]
mv "$new" theirs.json
rm locks/state.lock/owner
rmdir locks/state.lock
"#;

fn shell(folder: &Path) -> Command {
    let mut bash = Command::new("bash");
    bash.current_dir(folder);
    bash
}

fn seed_peers(root: &Path, count: u32) -> Result<(), String> {
    let mut sql =
        String::from("PRAGMA journal_mode=WAL; CREATE TABLE task (id TEXT PRIMARY KEY, status, title); BEGIN;\n");
    let (mut json, mut tasks) = (serde_json::Map::new(), Vec::new());
    for task in 0..count {
        writeln!(sql, "INSERT INTO task VALUES ('A{task}', 'pending', 'a task');").expect("a string takes everything");
        json.insert(format!("A{task}"), json!({ "status": "pending", "title": "a task" }));
        tasks.push(json!({ "description": format!("task {task}"), "status": "pending" }));
    }
    sql.push_str("COMMIT;\n");
    let wrong = |error: std::io::Error| error.to_string();
    std::fs::write(root.join("tasks.json"), Value::Object(json).to_string()).map_err(wrong)?;
    std::fs::write(root.join("taskrc"), "hooks=off\nnews.version=9.9.9\n").map_err(wrong)?;
    std::fs::create_dir_all(root.join("warrior")).map_err(wrong)?;
    let mut sqlite = Command::new("sqlite3");
    sqlite.arg(root.join("peer.db"));
    let mut warrior = Command::new("task");
    warrior.env("TASKRC", root.join("taskrc")).env("TASKDATA", root.join("warrior"));
    warrior.args(["rc.confirmation=no", "rc.verbose=nothing", "import", "-"]);
    for (mut command, input) in [(sqlite, sql), (warrior, Value::Array(tasks).to_string())] {
        command.current_dir(root);
        let done = testkit::process::finish(&mut command, &input, super::calls::PATIENCE).map_err(wrong)?;
        if !done.status.success() {
            return Err(format!("{command:?}: {}", done.stderr));
        }
    }
    Ok(())
}
