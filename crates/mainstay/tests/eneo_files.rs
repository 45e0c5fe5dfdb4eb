//! eneo and files that are not what they should be: too large, of another kind, left behind, or not there.

use std::fs::{self, File};
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};
use testkit::process::{DEADLINE, Finished, Sandbox, finish};

const STATE: &str = ".claude/state";
const TASK: &str = ".claude/state/current-task.json";
const WAVE: &str = ".claude/state/wave.json";
const MIRROR: &str = ".claude/state/phase";
const LOCK: &str = ".claude/state/.locks/state.lock";

fn told(sandbox: &Sandbox, words: &[&str], stdin: &str) -> Finished {
    let mut command = sandbox.mainstay(Path::new(env!("CARGO_BIN_EXE_mainstay")));
    finish(command.args(words), stdin, DEADLINE).unwrap()
}

fn done(sandbox: &Sandbox, words: &[&str]) -> String {
    let finished = told(sandbox, words, "");
    assert!(finished.status.success(), "{words:?}: {}{}", finished.stdout, finished.stderr);
    finished.stdout
}

fn begun() -> Sandbox {
    let sandbox = Sandbox::new().unwrap();
    done(&sandbox, &["eneo", "task-init", "a-b", "fast", "1", "none", "none"]);
    sandbox
}

fn json_of(sandbox: &Sandbox, path: &str) -> Value {
    serde_json::from_slice(&fs::read(sandbox.root().join(path)).unwrap()).unwrap()
}

fn copies(sandbox: &Sandbox) -> Vec<PathBuf> {
    let names = fs::read_dir(sandbox.root().join(STATE)).unwrap().map(|entry| entry.unwrap().path());
    names.filter(|path| path.to_string_lossy().contains(".conflict-")).collect()
}

fn stop(sandbox: &Sandbox, id: &str, message: &str) -> Finished {
    let event = json!({"agent_id": id, "agent_type": "scout", "last_assistant_message": message});
    told(sandbox, &["hook", "subagent-stop"], &event.to_string())
}

/// Everything beneath a folder with its bytes.
fn tree(root: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(root).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(tree(&path));
        } else {
            all.push((path.clone(), fs::read(&path).unwrap()));
        }
        all.push((path, Vec::new()));
    }
    all.sort();
    all
}

/// Ways to stand in a file's place without being one that can be read.
const KINDS: [&str; 4] = ["folder", "link", "pipe", "large"];

fn stand(kind: &str, path: &Path) {
    drop(fs::remove_file(path));
    match kind {
        "folder" => fs::create_dir(path).and_then(|()| fs::write(path.join("inner"), "theirs")).unwrap(),
        "link" => symlink("/nowhere/at/all", path).unwrap(),
        "pipe" => assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success()),
        _ => fs::write(path, "x".repeat(2 << 20)).unwrap(),
    }
}

fn is_whole(kind: &str, path: &Path) {
    let metadata = fs::symlink_metadata(path).unwrap();
    assert!(match kind {
        "folder" => fs::read_to_string(path.join("inner")).unwrap() == "theirs",
        "link" => fs::read_link(path).unwrap() == Path::new("/nowhere/at/all"),
        "pipe" => metadata.file_type().is_fifo(),
        _ => metadata.len() == 2 << 20,
    });
}

#[test]
fn what_stands_in_the_way_is_set_aside_whole() {
    for kind in KINDS {
        for (place, words) in [
            (TASK, &["eneo", "task-init", "--force", "c-d", "fast", "1", "none", "none"][..]),
            (TASK, &["eneo", "task-clear"]),
            (TASK, &["eneo", "doctor", "--fix", "--strict"]),
            (WAVE, &["eneo", "wave", "seed", "2", "2"]),
            (MIRROR, &["eneo", "phase-set", "RED"]),
        ] {
            let sandbox = begun();
            let file = sandbox.root().join(place);
            stand(kind, &file);
            if place == TASK {
                let refused = told(&sandbox, &["eneo", "task-update", ".a = 1"], "");
                assert_eq!(refused.exit(), "4", "{kind} {words:?}: {refused:?}");
                is_whole(kind, &file);
            }
            let shown = done(&sandbox, &[&["--json"], words].concat());
            let kept = copies(&sandbox);
            assert_eq!(kept.len(), 1, "{kind} {words:?}: {shown}");
            is_whole(kind, &kept[0]);
            match words[1] {
                "task-clear" => assert!(!file.exists()),
                "phase-set" => assert_eq!(fs::read_to_string(&file).unwrap(), "RED\n"),
                _ => assert!(json_of(&sandbox, place).is_object(), "{kind} {words:?}"),
            }
            // Store and file are one again.
            done(&sandbox, &["eneo", "task-update", ".a = 1"]);
            done(&sandbox, &["undo"]);
        }
    }
}

#[test]
fn no_message_is_too_large_for_a_wave() {
    let sandbox = begun();
    done(&sandbox, &["eneo", "wave", "seed", "1", "9"]);
    stop(&sandbox, "a", &format!("DONE|{}", "é".repeat(2_500_000)));
    assert_eq!(done(&sandbox, &["eneo", "wave", "status"]), "wave 1: 1/9 (in-progress)\n");
    // Scripts filled the file up to the limit of what is read.
    let mut wave = json_of(&sandbox, WAVE);
    wave["completed_artifacts"] = json!([""]);
    wave["seen_agents"] = json!([]);
    let room = (1 << 20) - serde_json::to_string_pretty(&wave).unwrap().len();
    wave["completed_artifacts"] = json!(["x".repeat(room - 8)]);
    fs::write(sandbox.root().join(WAVE), serde_json::to_string_pretty(&wave).unwrap()).unwrap();
    for id in ["b", "c"] {
        let finished = stop(&sandbox, id, &format!("DONE|{}", "y".repeat(20_000)));
        assert!(finished.stderr.contains("[wave-barrier] wave 1: "), "{finished:?}");
    }
    // Each counts once, though the lists have no room for who returned.
    let start = json!({"agent_id": "b", "agent_type": "scout"}).to_string();
    assert_eq!(told(&sandbox, &["hook", "subagent-start"], &start).exit(), "0");
    for (id, message) in [("b", "DONE|again"), ("c", "BLOCKED|x")] {
        let finished = stop(&sandbox, id, message);
        assert!(finished.stderr.contains(&format!("duplicate SubagentStop for {id}")), "{finished:?}");
    }
    assert_eq!(json_of(&sandbox, WAVE)["seen_agents"], json!([]));
    assert_eq!(done(&sandbox, &["eneo", "wave", "status"]), "wave 1: 3/9 (in-progress)\n");
    let status: Value = serde_json::from_str(&done(&sandbox, &["--json", "eneo", "wave", "status"])).unwrap();
    assert_eq!(status["spooled"], 0);
}

#[test]
fn what_our_own_reader_would_refuse_is_not_written() {
    let sandbox = begun();
    done(&sandbox, &["eneo", "wave", "seed", "1", "2", "--agents", "scout"]);
    let mut task = json_of(&sandbox, TASK);
    task["last_update"] = json!("2020-01-01T00:00:00Z");
    task["next_hint"] = json!("go");
    task["x"] = Value::Array(vec![json!(1); 200_000]);
    let text = task.to_string();
    assert!(text.len() < 1 << 20 && serde_json::to_string_pretty(&task).unwrap().len() > 1 << 20);
    fs::write(sandbox.root().join(TASK), &text).unwrap();
    let is_left = |what: &str| assert_eq!(fs::read_to_string(sandbox.root().join(TASK)).unwrap(), text, "{what}");

    assert_eq!(told(&sandbox, &["hook", "user-prompt-submit"], "{\"prompt\":\"x\"}").exit(), "0");
    is_left("prompt");
    let log = fs::read_to_string(sandbox.root().join(".claude/stats/prompts.jsonl")).unwrap();
    assert_eq!(log.lines().count(), 1);
    let finished = stop(&sandbox, "a", "DONE|x");
    assert!(finished.stderr.contains("wave 1: 1/2"), "{finished:?}");
    is_left("event");
    for words in
        [&["phase-set", "RED"][..], &["next-hint-consume"], &["wave", "seed", "2", "2"], &["task-update", ".a = 1"]]
    {
        let finished = told(&sandbox, &[&["eneo"], words].concat(), "");
        assert_eq!(finished.exit(), "1", "{words:?}: {finished:?}");
        is_left(words[0]);
    }
    assert_eq!(fs::read_dir(sandbox.root().join(".mainstay/spool")).unwrap().count(), 0, "every event was applied");
    assert_eq!(done(&sandbox, &["eneo", "task-get", ".slug"]), "a-b\n");
    done(&sandbox, &["eneo", "task-update", "del(.x)"]);
}

#[test]
fn a_repair_is_told_only_where_it_happened() {
    let sandbox = begun();
    done(&sandbox, &["eneo", "wave", "seed", "1", "2"]);
    fs::write(sandbox.root().join(WAVE), "w{{{").unwrap();
    stop(&sandbox, "a", "DONE|x");
    let old = |name: &str| {
        let path = sandbox.root().join(STATE).join(name);
        let file = File::create(&path).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_mins(2)).unwrap();
        path
    };
    let left = [old(".mainstay-abcd"), old(".mainstay-current-task.json.conflict.tmp"), old(".mainstay-0123.tmp")];
    let theirs = sandbox.root().join(STATE).join(".mainstay-folder");
    fs::create_dir(&theirs).unwrap();
    File::open(&theirs).unwrap().set_modified(SystemTime::now() - Duration::from_mins(2)).unwrap();
    let fixed = |words: &[&str]| {
        let finished = told(&sandbox, words, "");
        let reply: Value = serde_json::from_str(&finished.stdout).unwrap();
        let findings = reply["findings"].as_array().unwrap().iter();
        let of = |finding: &Value| (finding["code"].as_str().unwrap().to_owned(), finding["fixed"] == true);
        (finished.exit(), findings.map(of).collect::<Vec<_>>())
    };
    let (exit, found) = fixed(&["--json", "eneo", "doctor", "--fix", "--strict"]);
    assert_eq!(exit, "1");
    let expected = [("wave_corrupt", 0, 1), ("temp_left", 3, 1), ("spool_pending", 0, 1)];
    for (code, mended, left) in expected {
        let count = |is_fixed| found.iter().filter(|(own, fixed)| own == code && *fixed == is_fixed).count();
        assert_eq!((count(true), count(false)), (mended, left), "{code}: {found:?}");
    }
    assert!(left.iter().all(|path| !path.exists()));
    // What is told to be left is what is left.
    fs::remove_dir(&theirs).unwrap();
    done(&sandbox, &["eneo", "wave", "seed", "1", "2"]);
    for copy in copies(&sandbox) {
        fs::remove_file(copy).unwrap();
    }
    let strict = ["--json", "eneo", "doctor", "--fix", "--strict"];
    assert_eq!(fixed(&strict), ("0".to_owned(), vec![("spool_pending".to_owned(), true)]));
    assert_eq!(fixed(&strict), ("0".to_owned(), Vec::new()));
}

#[test]
fn an_event_without_a_wave_waits_for_nobody() {
    let sandbox = Sandbox::new().unwrap();
    fs::create_dir_all(sandbox.root().join(LOCK)).unwrap();
    fs::write(sandbox.root().join(LOCK).join("owner"), "4242\n").unwrap();
    let before = tree(&sandbox.root());
    for event in ["subagent-stop", "subagent-start"] {
        let input = json!({"agent_id": "a", "last_assistant_message": "DONE|x"}).to_string();
        let finished = told(&sandbox, &["hook", event], &input);
        assert_eq!((finished.exit().as_str(), finished.stderr.as_str()), ("0", ""), "{event}");
    }
    assert_eq!(tree(&sandbox.root()), before, "nothing is spooled for a wave that is not there");
}

#[test]
fn what_only_looks_takes_no_lock_and_leaves_no_trace() {
    let sandbox = begun();
    // Somebody holds the scripts' lock, and nothing of ours stands yet.
    fs::create_dir_all(sandbox.root().join(LOCK)).unwrap();
    fs::write(sandbox.root().join(LOCK).join("owner"), "4242\n").unwrap();
    fs::remove_dir_all(sandbox.root().join(".mainstay")).unwrap();
    let before = tree(&sandbox.root());
    let gated = json!({"tool_name": "Bash", "tool_input": {"command": "rm -rf tests"}}).to_string();
    for (words, input, exit) in [
        (&["hook", "session-start"][..], "{}", "0"),
        (&["hook", "pre-tool-use"], gated.as_str(), "2"),
        (&["statusline"], "{}", "0"),
        (&["eneo", "task-get", ".slug"], "", "0"),
        (&["eneo", "wave", "status"], "", "0"),
        (&["eneo", "doctor"], "", "0"),
    ] {
        let finished = told(&sandbox, words, input);
        assert_eq!(finished.exit(), exit, "{words:?}: {finished:?}");
        assert_eq!(tree(&sandbox.root()), before, "{words:?}");
    }
}

#[test]
fn an_event_counts_for_the_wave_that_it_was_sent_in() {
    let sandbox = begun();
    done(&sandbox, &["eneo", "wave", "seed", "1", "3"]);
    let lock = sandbox.root().join(LOCK);
    fs::create_dir_all(&lock).unwrap();
    fs::write(lock.join("owner"), "4242\n").unwrap();
    let event = json!({"agent_id": "late", "last_assistant_message": "DONE|z"}).to_string();
    let words = ["--request-id", "r1", "call", "eneo_wave_event", &event];
    let mut command = sandbox.mainstay(Path::new(env!("CARGO_BIN_EXE_mainstay")));
    let finished = finish(command.args(words).env("MAINSTAY_LOCK_WAIT_MS", "50"), "", DEADLINE).unwrap();
    assert!(finished.stdout.contains("\"spooled\""), "{finished:?}");
    fs::write(sandbox.root().join(WAVE), "{\"wave\":2,\"expected\":3,\"done\":0,\"status\":\"in-progress\"}").unwrap();
    fs::remove_dir_all(&lock).unwrap();
    assert_eq!(done(&sandbox, &["eneo", "wave", "status"]), "wave 2: 0/3 (in-progress)\n");
    // The same id with the same arguments is the same event, whatever wave runs now.
    let again: Value = serde_json::from_str(&done(&sandbox, &words)).unwrap();
    assert_eq!((&again["outcome"], &again["replayed"]), (&json!("stale"), &json!(true)));
}

#[test]
fn a_git_whose_child_holds_the_pipe_holds_nobody() {
    let sandbox = begun();
    let (bin, pid) = (sandbox.root().join("bin"), sandbox.root().join("pid"));
    fs::create_dir(&bin).unwrap();
    let script = format!("#!/bin/sh\nsleep 600 &\necho $! > '{}'\nprintf '# branch.head x\\0'\n", pid.display());
    fs::write(bin.join("git"), script).unwrap();
    fs::set_permissions(bin.join("git"), fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    // On a busy machine git may be dropped before it has started anything.
    let started = std::iter::repeat_with(|| {
        let mut command = sandbox.mainstay(Path::new(env!("CARGO_BIN_EXE_mainstay")));
        // The deadline of the test is far below what the child sleeps.
        let finished = finish(command.arg("statusline").env("PATH", &path), "{}", DEADLINE).unwrap();
        assert!(finished.status.success() && finished.stdout.contains("[Claude]"), "{finished:?}");
        fs::read_to_string(&pid).ok().filter(|pid| pid.ends_with('\n'))
    });
    let pid = started.take(20).flatten().next().expect("git starts its child in one of twenty tries");
    let lives = || {
        let state = fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
        // Its parent may not have looked yet.
        state.is_ok_and(|state| !state.contains(") Z "))
    };
    let begun = Instant::now();
    while lives() {
        assert!(begun.elapsed() < DEADLINE, "what git started is ended with it");
        thread::yield_now();
    }
}

#[test]
fn a_scratchpad_may_lie_outside() {
    let sandbox = begun();
    let outside = sandbox.home().join("pad");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("notes.md"), "from outside\n").unwrap();
    symlink("/etc/hostname", outside.join("link.md")).unwrap();
    // A folder in the project whose name is the rest of another's.
    let evil = sandbox.root().join("evil/pad");
    fs::create_dir_all(&evil).unwrap();
    fs::write(evil.join("other.md"), "from elsewhere\n").unwrap();
    let own = sandbox.root().join(".claude/phases/a-b/scratchpad");
    fs::create_dir_all(&own).unwrap();
    fs::write(own.join("own.md"), "of the phase\n").unwrap();
    let copied = |said: &str, now: &str| {
        let mut command = sandbox.mainstay(Path::new(env!("CARGO_BIN_EXE_mainstay")));
        command.args(["hook", "pre-compact"]).env("CLAUDE_SCRATCHPAD_DIR", said).env("MAINSTAY_NOW", now);
        assert_eq!(finish(&mut command, "{}", DEADLINE).unwrap().exit(), "0");
        let stamp: String = now.chars().filter(|letter| !"-:".contains(*letter)).collect();
        fs::read_to_string(sandbox.root().join(format!(".claude/context/a-b-{stamp}.md"))).unwrap()
    };
    let text = copied(outside.to_str().unwrap(), "2026-01-02T03:04:05Z");
    assert!(text.contains("from outside") && !text.contains("link.md"), "{text}");
    let root = sandbox.root().canonicalize().unwrap();
    let text = copied(&format!("{}evil/pad", root.display()), "2026-01-02T03:04:06Z");
    assert!(text.contains("of the phase") && !text.contains("from elsewhere"), "{text}");
    let text = copied(&format!("{}/evil/pad", root.display()), "2026-01-02T03:04:07Z");
    assert!(text.contains("from elsewhere"), "{text}");
}

#[test]
fn what_a_host_calls_itself_is_no_path() {
    let sandbox = begun();
    done(&sandbox, &["eneo", "wave", "seed", "1", "2"]);
    let above = tree(&sandbox.home());
    for id in ["../../evil", "/tmp/evil", "evil/../../evil", "evil\n", &"evil".repeat(3_000)] {
        let input = json!({
            "session_id": id, "agent_id": id, "agent_type": id, "session_name": id, "prompt": "x",
            "last_assistant_message": "DONE|x", "workspace": {"current_dir": id, "git_worktree": id},
        })
        .to_string();
        for words in [
            &["hook", "session-start"][..],
            &["hook", "user-prompt-submit"],
            &["hook", "subagent-start"],
            &["hook", "subagent-stop"],
            &["hook", "pre-compact"],
            &["statusline"],
        ] {
            assert_eq!(told(&sandbox, words, &input).exit(), "0", "{words:?} {id:.20}");
        }
    }
    let names = tree(&sandbox.root()).into_iter().chain(tree(&sandbox.home())).map(|(path, _)| path);
    assert_eq!(names.filter(|path| path.to_string_lossy().contains("evil")).count(), 0);
    assert_eq!(tree(&sandbox.home()), above);
    assert!(!sandbox.root().join("../evil").exists() && !Path::new("/tmp/evil").exists());
}
