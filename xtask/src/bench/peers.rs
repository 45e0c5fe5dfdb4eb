//! The same work by other means, in the same run.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use super::cpu;
use super::row::{Budget, Row};
use super::stories;
use crate::packages::{JQ, SQLITE3, TASKWARRIOR, ensure};
use crate::product::Product;
use crate::project::Project;

/// How often each command runs.
const RUNS: u32 = 20;

/// The same where the answer lies close to its budget.
const MANY: u32 = 80;

/// What the bash and jq users run today: a lock, jq, a rename.
const LOCKED_JQ: &str = "flock tasks.lock bash -c 'jq --arg id \"T$1\" \
                         \".[\\$id] = {status: \\\"pending\\\", title: \\\"a task\\\"}\" tasks.json > tasks.new \
                         && mv tasks.new tasks.json' - $i";

/// CPU time of adding a task to a hundred, ours against others.
pub(super) fn rows(product: &Product) -> Result<Vec<Row>, String> {
    ensure(&[JQ, SQLITE3, TASKWARRIOR])?;
    let project = Project::new(product)?;
    let root = project.root();
    for task in 0..100 {
        project.run(&["hseos", "tasks", "add", &format!("A{task}"), "GHOST", "a task"])?;
    }
    let binary = product.binary.display();
    let ours =
        cpu::of_runs(&mut shell(&root), &format!("'{binary}' --project . hseos tasks add B$i GHOST 'a task'"), RUNS)?;
    let read = cpu::of_runs(&mut shell(&root), &format!("'{binary}' --project . hseos state read"), RUNS)?;
    seed_peers(&root)?;
    let sqlite = cpu::of_runs(
        &mut shell(&root),
        "sqlite3 peer.db \"PRAGMA synchronous=FULL; INSERT INTO task VALUES ('B$i', 'pending', 'a task')\"",
        RUNS,
    )?;
    let jq = cpu::of_runs(&mut shell(&root), LOCKED_JQ, RUNS)?;
    let (update, locked_update) = eneo(product)?;
    let mut warrior = shell(&root);
    warrior.env("TASKRC", root.join("taskrc")).env("TASKDATA", root.join("warrior"));
    let taskwarrior = cpu::of_runs(&mut warrior, "task rc.confirmation=no rc.verbose=nothing add a task", RUNS)?;
    let row = |name: &str, measured, unit, budget| Row { name: name.to_owned(), measured, unit, budget };
    Ok(vec![
        row("hseos tasks add, 100 tasks", ours, "ms CPU", Budget::None),
        row("hseos state read", read, "ms CPU", Budget::None),
        row("sqlite3 shell, one insert", sqlite, "ms CPU", Budget::None),
        row("flock + jq + rename", jq, "ms CPU", Budget::None),
        row("taskwarrior add", taskwarrior, "ms CPU", Budget::None),
        row("flock + jq + rename against ours", jq / ours, "× our CPU", Budget::Least(20.0)),
        row("taskwarrior against ours", taskwarrior / ours, "× our CPU", Budget::Least(2.0)),
        row("eneo task-update, the barrier's program", update, "ms CPU", Budget::None),
        row("the same by mkdir + jq + a look + rename", locked_update, "ms CPU", Budget::None),
        row("mkdir + jq + a look + rename against ours", locked_update / update, "× our CPU", Budget::Least(20.0)),
    ])
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
new=$(mktemp theirs.XXXXXX)
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

fn seed_peers(root: &Path) -> Result<(), String> {
    let mut sql = String::from("PRAGMA journal_mode=WAL; CREATE TABLE task (id TEXT PRIMARY KEY, status, title);\n");
    let mut json = String::from("{");
    for task in 0..100 {
        writeln!(sql, "INSERT INTO task VALUES ('A{task}', 'pending', 'a task');").expect("a string takes everything");
        let comma = if task == 0 { "" } else { "," };
        write!(json, "{comma}\"A{task}\":{{\"status\":\"pending\",\"title\":\"a task\"}}").expect("as before");
    }
    json.push('}');
    let wrong = |error: std::io::Error| error.to_string();
    std::fs::write(root.join("tasks.json"), json).map_err(wrong)?;
    std::fs::write(root.join("taskrc"), "hooks=off\nnews.version=9.9.9\n").map_err(wrong)?;
    std::fs::create_dir_all(root.join("warrior")).map_err(wrong)?;
    let done = testkit::process::finish(
        Command::new("sqlite3").arg(root.join("peer.db")).current_dir(root),
        &sql,
        super::calls::PATIENCE,
    )
    .map_err(wrong)?;
    if !done.status.success() {
        return Err(format!("sqlite3: {}", done.stderr));
    }
    for task in 0..100 {
        let mut warrior = Command::new("task");
        warrior.env("TASKRC", root.join("taskrc")).env("TASKDATA", root.join("warrior"));
        let words = ["rc.confirmation=no", "rc.verbose=nothing", "add", &format!("task {task}")];
        testkit::process::finish(warrior.args(words), "", super::calls::PATIENCE).map_err(wrong)?;
    }
    Ok(())
}
