//! "Move an Eneo harness to Mainstay", walked word for word: what the page shows is run and compared.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use serde_json::Value;
use testkit::process::{DEADLINE, Finished, Sandbox, finish};

const PAGE: &str = include_str!("../../../docs/howto/eneo-harness.md");

/// What the page shows in a block of one kind.
fn block(kind: &str) -> &'static str {
    let (_, rest) = PAGE.split_once(&format!("```{kind}\n")).unwrap();
    rest.split_once("```").unwrap().0
}

/// A harness as the page finds it: a task under way, a folder of tests, the program on the path.
fn harness() -> Sandbox {
    let sandbox = Sandbox::new().unwrap();
    let state = sandbox.root().join(".claude/state");
    fs::create_dir_all(&state).unwrap();
    fs::write(state.join("current-task.json"), "{\"slug\":\"old-one\",\"status\":\"in_progress\",\"phase\":null}")
        .unwrap();
    fs::write(state.join("phase"), "GREEN\n").unwrap();
    fs::create_dir(sandbox.home().join("bin")).unwrap();
    symlink(env!("CARGO_BIN_EXE_mainstay"), sandbox.home().join("bin/mainstay")).unwrap();
    sandbox
}

fn shell(sandbox: &Sandbox, script: &str, stdin: &str) -> Finished {
    let mut bash: Command = sandbox.command("bash");
    let path = format!("{}:{}", sandbox.home().join("bin").display(), std::env::var("PATH").unwrap());
    finish(bash.args(["-c", script]).env("PATH", path), stdin, DEADLINE).unwrap()
}

#[test]
fn the_line_that_is_replaced_keeps_every_name() {
    let sandbox = harness();
    let calls = "eneo_task_update '.phase = 2'\neneo_phase_set RED\neneo_next_hint_consume\ncat \"$(eneo_phase_file)\"\n\
                 eneo_task_get .slug\nls \"$(eneo_task_file)\" >/dev/null\neneo_wave_file >/dev/null\neneo_task_clear\n\
                 eneo_task_init new-one fast 1 none none\n";
    let script = format!("set -euo pipefail\n{}{calls}", block("sh"));
    let finished = shell(&sandbox, &script, "");
    assert_eq!((finished.exit().as_str(), finished.stdout.as_str()), ("0", "\nRED\nold-one\n"), "{finished:?}");
    // A name of its own for the program.
    symlink(env!("CARGO_BIN_EXE_mainstay"), sandbox.home().join("bin/eneo-task-update")).unwrap();
    assert_eq!(shell(&sandbox, "eneo-task-update '.phase = 3' && mainstay eneo task-get .phase", "").stdout, "3\n");
}

#[test]
fn scripts_that_know_nothing_go_on_working() {
    let sandbox = harness();
    let script = "set -e\nlock=.claude/state/.locks/state.lock\nmkdir -p .claude/state/.locks\nmkdir $lock\n\
                  echo $$ > $lock/owner\nsed 's/old-one/by-hand/' .claude/state/current-task.json > x\n\
                  mv x .claude/state/current-task.json\nrm $lock/owner\nrmdir $lock\n\
                  echo '{\"wave\":1,\"expected\":2,\"done\":0,\"status\":\"in-progress\"}' > .claude/state/wave.json\n\
                  mainstay eneo task-update .k=1\nmainstay eneo task-get .slug\nmainstay eneo wave status\n\
                  cat .claude/state/phase\n";
    let finished = shell(&sandbox, script, "");
    assert_eq!(finished.stdout, "by-hand\nwave 1: 0/2 (in-progress)\nGREEN\n", "{finished:?}");
}

#[test]
fn every_hook_of_the_page_answers() {
    let sandbox = harness();
    let settings: Value = serde_json::from_str(block("json")).unwrap();
    let mut events = BTreeSet::new();
    for (event, hooks) in settings["hooks"].as_object().unwrap() {
        let command = hooks[0]["hooks"][0]["command"].as_str().unwrap();
        let finished = shell(&sandbox, command, "{}");
        assert_eq!(finished.exit(), "0", "{event}: {finished:?}");
        events.insert(command.rsplit(' ').next().unwrap().to_owned());
    }
    let listens: BTreeSet<String> = formats::ALL
        .iter()
        .find(|format| format.name() == "eneo")
        .unwrap()
        .surface()
        .hooks
        .iter()
        .map(|hook| hook.event.to_owned())
        .filter(|event| event != "statusline")
        .collect();
    assert_eq!(events, listens, "the page names every event that is listened to");
    let line = shell(&sandbox, settings["statusLine"]["command"].as_str().unwrap(), "{}").stdout;
    assert!(line.contains("old-one"), "{line}");

    // The globs of the page, in the phase GREEN of the harness.
    fs::write(sandbox.root().join("mainstay.toml"), block("toml")).unwrap();
    for (path, exit) in [("tests/a.go", "2"), ("x/a_test.go", "2"), ("src/a.go", "0")] {
        let input = serde_json::json!({"tool_name": "Edit", "tool_input": {"file_path": path}}).to_string();
        assert_eq!(shell(&sandbox, "mainstay hook pre-tool-use", &input).exit(), exit, "{path}");
    }
}

#[test]
fn what_is_told_to_be_different_is_different() {
    let sandbox = harness();
    let run = |script: &str| shell(&sandbox, script, "");
    assert!(run("mainstay eneo task-update '.status = \"paused\"'").stderr.contains("in_progress, blocked"));
    assert!(run("mainstay eneo task-update '.phase = \"4\"' && mainstay eneo task-get .phase").stdout.contains('4'));
    assert_eq!(run("ENEO_LENIENT=1 mainstay eneo task-update '.status = \"paused\"'").exit(), "0");
    assert_eq!(run("mainstay eneo task-init x-y fast 1 none none").exit(), "1");
    for program in ["empty", "., .", "1"] {
        let script = format!(
            "cp .claude/state/current-task.json before; mainstay eneo task-update '{program}'; \
                              cmp before .claude/state/current-task.json"
        );
        assert_eq!(run(&script).exit(), "0", "{program}");
    }
    let script = "echo '{' > .claude/state/current-task.json; ! mainstay eneo task-update .a=1 && \
                  mainstay eneo doctor --fix && mainstay eneo task-get .slug && cat .claude/state/*.conflict-*";
    let finished = run(script);
    assert!(finished.stdout.ends_with("old-one\n{\n"), "{finished:?}");
    let finished = run("mainstay history eneo && mainstay blame eneo && mainstay undo");
    assert_eq!(finished.exit(), "0", "{finished:?}");
}

#[test]
fn the_last_section_shows_what_is_shown() {
    let sandbox = harness();
    let mut lines = block("console").lines().peekable();
    let mut script = String::from("set -e\n");
    let mut expected = String::new();
    while let Some(line) = lines.next() {
        script.push_str(line.strip_prefix("$ ").unwrap());
        script.push('\n');
        while let Some(shown) = lines.next_if(|line| !line.starts_with("$ ")) {
            expected.push_str(shown);
            expected.push('\n');
        }
    }
    let finished = shell(&sandbox, &script, "");
    assert_eq!((finished.exit().as_str(), finished.stdout.as_str()), ("0", expected.as_str()), "{finished:?}");
}
