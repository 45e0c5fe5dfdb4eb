//! msd among other writers: nothing of theirs or ours is lost, and nothing of a lock stays.

mod files;
mod hosts;

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

const STATE: &str = "# Project State\n\n## Decisions\n\nNone yet.\n";

fn project() -> tempfile::TempDir {
    let project = tempfile::tempdir().unwrap();
    fs::create_dir(project.path().join(".planning")).unwrap();
    fs::write(project.path().join(".planning/STATE.md"), STATE).unwrap();
    project
}

fn start(project: &Path, arguments: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mainstay"));
    command.arg("--project").arg(project).args(arguments);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn run(project: &Path, arguments: &[&str]) -> Output {
    start(project, arguments).wait_with_output().unwrap()
}

fn state(project: &Path) -> String {
    fs::read_to_string(project.join(".planning/STATE.md")).unwrap()
}

fn leftovers(project: &Path) -> Vec<String> {
    let names = fs::read_dir(project.join(".planning")).unwrap();
    names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).filter(|name| name != "STATE.md").collect()
}

#[test]
fn twelve_decisions_at_once_are_twelve_decisions() {
    let project = project();
    let summaries: Vec<String> = (0..12).map(|number| format!("decision {number}")).collect();
    let add = |summary: &String| start(project.path(), &["msd", "state", "add-decision", "--summary", summary]);
    let children: Vec<Child> = summaries.iter().map(add).collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let text = state(project.path());
    for summary in &summaries {
        assert_eq!(text.matches(&format!("- [Phase ?]: {summary}\n")).count(), 1, "{summary} in {text}");
    }
    assert_eq!(text.matches("\n- [Phase ?]: ").count(), 12, "{text}");
    assert_eq!(leftovers(project.path()), [""; 0], "no lock and no temporary file stays");
}

#[test]
fn a_stopped_holder_of_the_lock_is_waited_for_and_named() {
    let project = project();
    fs::write(project.path().join("mainstay.toml"), "[msd]\nlock_timeout_ms = 100\n").unwrap();
    let mut holder = Command::new("sleep").arg("600").spawn().unwrap();
    let lock = project.path().join(".planning/STATE.md.lock");
    fs::write(&lock, holder.id().to_string()).unwrap();
    let decide = ["msd", "state", "add-decision", "--summary", "x"];
    let output = run(project.path(), &decide);
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert_eq!((&answer["error"]["code"], &answer["added"]), (&"lock_timeout".into(), &false.into()));
    assert_eq!(answer["error"]["holder_pid"], holder.id());
    assert_eq!(state(project.path()), STATE);
    holder.kill().unwrap();
    holder.wait().unwrap();
    // A dead holder is nobody's.
    assert!(run(project.path(), &decide).status.success());
    assert!(state(project.path()).contains("- [Phase ?]: x\n") && !lock.exists());
}

#[test]
fn a_lock_that_nobody_wrote_into_is_taken_over_while_one_waits() {
    let project = project();
    let lock = project.path().join(".planning/STATE.md.lock");
    // What a tool leaves that died before it wrote its pid: too young at first, old enough a second later.
    fs::write(&lock, "").unwrap();
    let output = run(project.path(), &["msd", "state", "add-decision", "--summary", "x"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(state(project.path()).contains("- [Phase ?]: x\n") && !lock.exists());
}

#[test]
fn init_makes_its_folder_and_a_refusal_makes_none() {
    let project = tempfile::tempdir().unwrap();
    let output = run(project.path(), &["msd", "state", "update", "Status", "Done"]);
    assert_eq!((output.status.code(), project.path().join(".planning").exists()), (Some(1), false));
    assert!(run(project.path(), &["msd", "state", "init"]).status.success());
    let output = run(project.path(), &["msd", "state", "get", "Status", "--raw"]);
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "Ready to plan\n");
    let strict = run(project.path(), &["msd", "state", "validate", "--strict"]);
    assert_eq!(strict.status.code(), Some(0), "{}", String::from_utf8_lossy(&strict.stdout));
    fs::write(project.path().join(".planning/STATE.md"), "# S\n").unwrap();
    assert_eq!(run(project.path(), &["msd", "state", "validate", "--strict"]).status.code(), Some(1));
    assert_eq!(run(project.path(), &["msd", "state", "validate"]).status.code(), Some(0));
}

#[test]
fn the_words_of_the_line_are_read_as_other_tools_of_the_format_read_them() {
    let project = project();
    let refused = |arguments: &[&str], code: &str, field: &str| {
        let output = run(project.path(), arguments);
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((answer["error"]["code"].as_str(), answer["error"]["field"].as_str()), (Some(code), Some(field)));
        assert_eq!(output.status.code(), Some(2));
    };
    refused(&["msd", "state", "add-decision", "--summary", "--phase", "2"], "invalid_argument", "summary");
    refused(&["msd", "state", "frobnicate"], "unknown_verb", "verb");
    refused(&["msd", "state", "begin-phase"], "missing_argument", "phase");
    refused(&["msd", "state", "patch"], "missing_argument", "fields");
    let output = run(project.path(), &["msd", "state", "--raw"]);
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        "config_exists=false\nroadmap_exists=false\nstate_exists=true\n"
    );
    refused(&["msd", "state", "get", "Status", "--cwd", "/no/such/folder"], "invalid_argument", "cwd");
    let elsewhere = tempfile::tempdir().unwrap();
    let cwd = project.path().to_str().unwrap();
    let output = run(elsewhere.path(), &["msd", "state", "get", "Decisions", "--cwd", cwd, "--pick", "Decisions"]);
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "None yet.\n");
}

#[test]
fn what_is_printed_is_what_was_asked_for() {
    let project = project();
    let printed = |arguments: &[&str]| {
        let output = run(project.path(), &[&["msd", "state"], arguments].concat());
        let [out, err] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        (output.status.code().unwrap(), out, err)
    };
    let (code, out, _) = printed(&["snapshot", "--pick", "zzz"]);
    let answer: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (code, &answer["error"]["code"], &answer["error"]["field"]),
        (2, &"invalid_argument".into(), &"pick".into())
    );
    assert!(answer["error"]["allowed"].as_array().unwrap().contains(&"status".into()), "{answer}");
    // What is only not known prints nothing; of a write that was carried out a warning tells.
    assert_eq!(printed(&["json", "--pick", "progress.percent"]), (0, String::new(), String::new()));
    let (code, out, err) = printed(&["add-decision", "--summary", "x", "--pick", "zzz"]);
    assert_eq!((code, out.as_str(), err.as_str()), (0, "", "warning: the reply has no part \"zzz\"\n"));
    assert!(state(project.path()).contains("- [Phase ?]: x\n"));
    let (code, out, err) = printed(&["get", "Nope", "--json-errors"]);
    let fault: serde_json::Value = serde_json::from_str(&err).unwrap();
    assert_eq!((code, &fault["ok"], &fault["reason"]), (1, &false.into(), &"field_not_found".into()));
    assert!(fault["message"].is_string() && out.contains("field_not_found"));
    for (flag, verb) in [("--plan-file", "record-metric"), ("--type-file", "signal-waiting")] {
        fs::write(project.path().join("text.txt"), "one\n two\n").unwrap();
        let more: &[&str] = match verb {
            "record-metric" => &["--phase", "1", "--duration", "1m"],
            _ => &["--question", "Which berth?"],
        };
        let (code, _, err) = printed(&[&[verb, flag, "text.txt"], more].concat());
        assert_eq!(code, 0, "{err}");
    }
    assert!(state(project.path()).contains("| Phase 1 Pone two | 1m |"));
    let waiting = fs::read_to_string(project.path().join(".planning/WAITING.json")).unwrap();
    assert!(waiting.contains("\"type\": \"one two\""), "{waiting}");
}
