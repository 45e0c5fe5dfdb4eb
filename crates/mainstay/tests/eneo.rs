//! eneo beside shell scripts: one lock, no lost update, no lost event.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use serde_json::Value;
use testkit::process::Sandbox;

const TASK: &str = ".claude/state/current-task.json";

fn mainstay(sandbox: &Sandbox, arguments: &[&str]) -> Command {
    let mut command = sandbox.mainstay(Path::new(env!("CARGO_BIN_EXE_mainstay")));
    // Machines that test may be slow; what is tested is that nothing is lost.
    command.args(arguments).env("MAINSTAY_LOCK_WAIT_MS", "120000");
    command
}

fn run(mut command: Command) -> (bool, String, String) {
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.success(), text(&output.stdout), text(&output.stderr))
}

fn task(sandbox: &Sandbox) -> Value {
    serde_json::from_slice(&fs::read(sandbox.root().join(TASK)).unwrap()).unwrap()
}

fn begin(sandbox: &Sandbox) {
    let (ok, _, told) = run(mainstay(sandbox, &["eneo", "task-init", "count-it", "fast", "1", "none", "none"]));
    assert!(ok, "{told}");
}

// A script that takes the lock as the helper's protocol says, and adds one to `n` a few times.
const WRITER: &str = r#"
set -eu
lock=.claude/state/.locks/state.lock
file=.claude/state/current-task.json
for turn in 1 2 3; do
  while ! mkdir "$lock" 2>/dev/null; do sleep 0.05; done
  echo "$$" > "$lock/owner"
  n=$(sed -n 's/.*"n": *\([0-9][0-9]*\).*/\1/p' "$file")
  sed "s/\"n\": *$n/\"n\": $((n + 1))/" "$file" > ".claude/state/tmp.$$"
  mv ".claude/state/tmp.$$" "$file"
  rm "$lock/owner"
  rmdir "$lock"
done
"#;

const DYING: &str = "set -eu; mkdir -p .claude/state/.locks; mkdir .claude/state/.locks/state.lock
echo $$ > .claude/state/.locks/state.lock/owner; kill -9 $$";

#[test]
fn no_update_is_lost_beside_shell_writers_and_one_that_died() {
    let sandbox = Sandbox::new().unwrap();
    begin(&sandbox);
    assert!(run(mainstay(&sandbox, &["eneo", "task-update", ".n = 0"])).0);
    // A script takes the lock and dies with it; that was a minute ago.
    let lock = sandbox.root().join(".claude/state/.locks/state.lock");
    let died = sandbox.command("bash").args(["-c", DYING]).status().unwrap();
    assert!(!died.success() && lock.join("owner").exists());
    let owner = File::options().append(true).open(lock.join("owner")).unwrap();
    owner.set_modified(SystemTime::now() - Duration::from_mins(1)).unwrap();
    drop(owner);

    let mut children: Vec<Child> = Vec::new();
    for _ in 0..4 {
        let mut script = sandbox.command("bash");
        children.push(script.args(["-c", WRITER]).spawn().unwrap());
    }
    for _ in 0..16 {
        children.push(mainstay(&sandbox, &["eneo", "task-update", ".n += 1"]).spawn().unwrap());
    }
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(task(&sandbox)["n"], 4 * 3 + 16);
    assert!(!lock.exists(), "the lock was given back");
    // What scripts wrote last counts as ours too.
    let (_, shown, _) = run(mainstay(&sandbox, &["eneo", "task-get", ".n"]));
    assert_eq!(shown, "28\n");
}

#[test]
fn thirty_two_returns_at_once_count_exactly_thirty_two() {
    let sandbox = Sandbox::new().unwrap();
    begin(&sandbox);
    assert!(run(mainstay(&sandbox, &["eneo", "wave", "seed", "1", "32"])).0);
    let children: Vec<Child> = (0..32)
        .map(|agent| {
            let mut command = mainstay(&sandbox, &["hook", "subagent-stop"]);
            command.env("MAINSTAY_LOCK_WAIT_MS", "300").stdin(Stdio::piped()).stderr(Stdio::null());
            let mut child = command.spawn().unwrap();
            let event = serde_json::json!({
                "agent_id": format!("a{agent}"), "agent_type": "scout", "last_assistant_message": "DONE|x.md",
            });
            child.stdin.take().unwrap().write_all(event.to_string().as_bytes()).unwrap();
            child
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success(), "a hook never breaks its host");
    }
    // Those that met a held lock wait in the spool.
    let (_, shown, _) = run(mainstay(&sandbox, &["eneo", "wave", "status"]));
    assert_eq!(shown, "wave 1: 32/32 (ready-for-next-wave)\n");
    let wave: Value =
        serde_json::from_slice(&fs::read(sandbox.root().join(".claude/state/wave.json")).unwrap()).unwrap();
    assert_eq!(wave["seen_agents"].as_array().unwrap().len(), 32);
    assert_eq!(task(&sandbox)["wave_status"]["1"], "done");
}

const CALLER: &str = r#"
set -euo pipefail
eval "$("$MAINSTAY" --project "$ROOT" eneo shellenv)"
eval "$("$MAINSTAY" --project "$ROOT" eneo shellenv)"
eneo_task_init old-names fast 1 none none
eneo_task_update '.phase_name = $n' n 'two words; $(id)'
[ "$(eneo_task_get .phase_name)" = 'two words; $(id)' ]
eneo_phase_set RED
[ "$(cat "$(eneo_phase_file)")" = RED ]
[ -f "$(eneo_task_file)" ]
eneo_task_update '.next_hint = "go"'
[ "$(eneo_next_hint_consume)" = go ]
[ "$(eneo_next_hint_consume)" = '' ]
if eneo_phase_set red 2>/dev/null; then exit 9; fi
eneo_task_clear
[ ! -e "$(eneo_task_file)" ]
eneo_task_update '.phase = 1'
case $- in *e*u*) ;; *) exit 8 ;; esac
echo kept
"#;

#[test]
fn a_held_lock_is_waited_for_once() {
    const WAIT: Duration = Duration::from_secs(2);
    let sandbox = Sandbox::new().unwrap();
    begin(&sandbox);
    assert!(run(mainstay(&sandbox, &["eneo", "wave", "seed", "1", "2"])).0);
    let lock = sandbox.root().join(".claude/state/.locks/state.lock");
    fs::create_dir_all(&lock).unwrap();
    fs::write(lock.join("owner"), "4242\n").unwrap();
    let asked = |arguments: &[&str], input: &str| {
        let begun = Instant::now();
        let mut command = mainstay(&sandbox, arguments);
        command.env("MAINSTAY_LOCK_WAIT_MS", WAIT.as_millis().to_string());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        child.wait().unwrap();
        let took = begun.elapsed();
        assert!(took >= WAIT && took < 2 * WAIT, "{arguments:?} {took:?}");
    };
    asked(&["hook", "subagent-stop"], r#"{"agent_id":"a","last_assistant_message":"DONE|x"}"#);
    asked(&["hook", "user-prompt-submit"], r#"{"prompt":"x"}"#);
    // Two events are in the spool now, and a command comes on top.
    asked(&["eneo", "task-update", ".n = 1"], "");
    fs::remove_dir_all(&lock).unwrap();
    let (_, shown, told) = run(mainstay(&sandbox, &["eneo", "wave", "status"]));
    assert_eq!(shown, "wave 1: 1/2 (in-progress)\n", "{told}");
}

#[test]
fn old_names_work_in_a_strict_shell() {
    let sandbox = Sandbox::new().unwrap();
    let mut script = sandbox.command("bash");
    script.args(["-c", CALLER]).env("MAINSTAY", env!("CARGO_BIN_EXE_mainstay")).env("ROOT", sandbox.root());
    let (ok, shown, told) = run(script);
    assert!(ok && shown == "kept\n", "{shown}{told}");
}

#[test]
fn a_broken_document_is_kept_and_the_last_good_one_comes_back() {
    let sandbox = Sandbox::new().unwrap();
    begin(&sandbox);
    assert!(run(mainstay(&sandbox, &["eneo", "task-update", ".phase = 2"])).0);
    fs::write(sandbox.root().join(TASK), "{\"slug\": ").unwrap();
    let (ok, _, _) = run(mainstay(&sandbox, &["eneo", "task-update", ".phase = 3"]));
    assert!(!ok, "a broken file is never overwritten by a write");
    assert_eq!(fs::read_to_string(sandbox.root().join(TASK)).unwrap(), "{\"slug\": ");
    let (ok, shown, told) = run(mainstay(&sandbox, &["eneo", "doctor", "--fix", "--strict"]));
    assert!(shown.contains("✓\ttask_corrupt"), "{ok} {shown}{told}");
    assert_eq!(task(&sandbox)["phase"], 2);
    let names = fs::read_dir(sandbox.root().join(".claude/state")).unwrap();
    let copies = names.filter(|name| name.as_ref().unwrap().file_name().to_string_lossy().contains(".conflict-"));
    assert_eq!(copies.count(), 1);
}

#[test]
fn what_takes_back_leaves_files_that_cannot_be_used() {
    for (path, broken) in [(TASK, "{\"slug\": half an edit"), (".claude/state/wave.json", "w{{{")] {
        let sandbox = Sandbox::new().unwrap();
        begin(&sandbox);
        for arguments in [&["eneo", "wave", "seed", "1", "2"], &["eneo", "wave", "seed", "2", "2"]] {
            assert!(run(mainstay(&sandbox, arguments)).0);
        }
        let file = sandbox.root().join(path);
        let good = fs::read(&file).unwrap();
        let refuses = |arguments: &[&str]| {
            fs::write(&file, broken).unwrap();
            let (ok, _, told) = run(mainstay(&sandbox, arguments));
            assert!(!ok && told.contains("cannot be used"), "{path} {arguments:?} {told}");
            assert_eq!(fs::read_to_string(&file).unwrap(), broken, "{path} {arguments:?}");
            fs::write(&file, &good).unwrap();
        };
        refuses(&["undo"]);
        refuses(&["rollback", "1"]);
        let (ok, _, told) = run(mainstay(&sandbox, &["undo"]));
        assert!(ok, "{told}");
        fs::write(&file, broken).unwrap();
        let (ok, _, told) = run(mainstay(&sandbox, &["redo"]));
        assert!(!ok && told.contains("cannot be used"), "{path} {told}");
        assert_eq!(fs::read_to_string(&file).unwrap(), broken, "{path}");
    }
}

#[test]
fn programs_that_are_refused_leave_every_byte() {
    let sandbox = Sandbox::new().unwrap();
    begin(&sandbox);
    let before = fs::read(sandbox.root().join(TASK)).unwrap();
    for program in ["def f: f; f", "., .", "1", "empty", ".x = nan", "reduce range(1e9) as $i (.; .)", "input"] {
        let (ok, _, _) = run(mainstay(&sandbox, &["eneo", "task-update", program]));
        assert!(!ok, "{program}");
        assert_eq!(fs::read(sandbox.root().join(TASK)).unwrap(), before, "{program}");
    }
    assert!(!sandbox.root().join(".claude/state/.locks/state.lock").exists());
}
