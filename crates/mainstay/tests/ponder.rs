//! Programs that take long: nobody waits for them, and a server runs them in processes of their own.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use serde_json::{Value, json};
use testkit::process::Sandbox;

use crate::server::Server;

const TASK: &str = ".claude/state/current-task.json";

fn mainstay(sandbox: &Sandbox, arguments: &[&str]) -> Command {
    let mut command = sandbox.mainstay(Path::new(env!("CARGO_BIN_EXE_mainstay")));
    command.args(arguments).env("MAINSTAY_LOCK_WAIT_MS", "120000");
    command
}

fn begin() -> Sandbox {
    let sandbox = Sandbox::new().unwrap();
    let output = mainstay(&sandbox, &["eneo", "task-init", "think", "fast", "1", "none", "none"]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    sandbox
}

fn task(sandbox: &Sandbox) -> Value {
    serde_json::from_slice(&fs::read(sandbox.root().join(TASK)).unwrap()).unwrap()
}

// Programs that only limits end, each in its own way: work, time, memory, depth, chains that go without a stack.
const ENDLESS: [&str; 8] = [
    "def f: f; f",
    "null | path(until(false; .a))",
    "def f(g): f(g | .); f(.)",
    "reduce range(60) as $i (1; [., .]) | tojson | length",
    "[range(30) as $i | (null | .[1000000] = $i)] | length",
    "[range(100000)] as $a | [range(100000)] as $b | [range(100000) | $a == $b] | length",
    "(\"a\" * 200000) | [match(\".*?b|a\"; \"g\")] | length",
    "(\"x\" * 1000000) as $s | reduce range(400000) as $i (0; $s[0:1] | length)",
];

#[test]
fn a_program_that_takes_long_holds_nobody_up() {
    let sandbox = begin();
    assert!(mainstay(&sandbox, &["eneo", "task-update", ".n = 0"]).status().unwrap().success());
    let mut count = 0;
    // Of a few tries one at least meets the program at its work; behind a lock it would meet it each time.
    let has_met = (0..20).any(|_| {
        let mut long = mainstay(&sandbox, &["eneo", "task-update", "def f: f; f"]);
        let mut long = long.stderr(Stdio::null()).spawn().unwrap();
        assert!(mainstay(&sandbox, &["eneo", "task-update", ".n += 1"]).status().unwrap().success());
        count += 1;
        let meets = long.try_wait().unwrap().is_none();
        assert!(!long.wait().unwrap().success());
        meets
    });
    assert!(has_met);
    assert_eq!(task(&sandbox)["n"], count);
}

#[test]
fn no_update_is_lost_between_long_programs() {
    let sandbox = begin();
    assert!(mainstay(&sandbox, &["eneo", "task-update", ".n = 0"]).status().unwrap().success());
    // More than is done behind a lock, and each from what the others left.
    let program = "(reduce range(20000) as $i (0; . + 1)) as $sum | .n += $sum / 20000";
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let output = mainstay(&sandbox, &["eneo", "task-update", program]).output().unwrap();
                assert!(output.status.success(), "{output:?}");
            });
        }
    });
    assert_eq!(task(&sandbox)["n"], 4);
}

#[test]
fn a_server_outlives_every_program() {
    let sandbox = begin();
    let before = fs::read(sandbox.root().join(TASK)).unwrap();
    let mut server = Server::start(&sandbox);
    for program in ENDLESS {
        server.send_call("eneo_task_get", &json!({"expr": program}));
        let answer = server.read();
        assert_eq!(answer["result"]["structuredContent"]["values"], json!([]), "{program}: {answer}");
        server.send_call("eneo_task_update", &json!({"expr": format!(".x = ({program})")}));
        let answer = server.read();
        assert_eq!(answer["result"]["structuredContent"]["error"]["code"], "expression_limit", "{program}: {answer}");
        assert_eq!(fs::read(sandbox.root().join(TASK)).unwrap(), before, "{program}");
    }
    server.send_call("eneo_task_update", &json!({"expr": ".x = {\"b\": 1.50, \"a\": $v}", "json_args": {"v": [1]}}));
    let answer = server.read();
    let x = &answer["result"]["structuredContent"]["task"]["x"];
    assert_eq!(x.to_string(), r#"{"b":1.50,"a":[1]}"#, "{answer}");
    server.send_call("eneo_task_get", &json!({"expr": ".x.b, env"}));
    assert_eq!(server.read()["result"]["structuredContent"]["text"], "");
    server.send_call("eneo_task_get", &json!({"expr": ".x.b, .x.a[0]"}));
    assert_eq!(server.read()["result"]["structuredContent"]["text"], "1.50\n1\n");
    server.child.kill().unwrap();
    server.child.wait().unwrap();
}

fn helper() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mainstay"));
    command.arg("ponder").env_clear().stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

#[test]
fn a_helper_answers_one_question() {
    let ask = |question: &str| {
        let mut child = helper().spawn().unwrap();
        child.stdin.take().unwrap().write_all(question.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        (String::from_utf8(output.stdout).unwrap(), output.status.code())
    };
    let question = "eneo\n\".n, $v\"\n9\n0\n{\"n\":1.50}\n\"v\"\n[2]\n";
    assert_eq!(ask(question), ("eneo\nnull\nnull\n1.50\n[2]\n".to_owned(), Some(0)));
    for broken in ["", "eneo\n", "nobody\n1\n", &question[..question.len() - 1], "eneo\n{\n", "hseos\n1\n"] {
        assert_eq!(ask(broken), (String::new(), Some(1)), "{broken}");
    }
}

/// **Source**: proc(5), `/proc/PID/limits`.
#[cfg(target_os = "linux")]
#[test]
fn a_helper_takes_its_limits_before_it_reads() {
    let mut child = helper().spawn().unwrap();
    // It waits for a question now; its limits come before that.
    let place = format!("/proc/{}/limits", child.id());
    let limit = |name: &str| {
        let limits = fs::read_to_string(&place).unwrap();
        let line = limits.lines().find(|line| line.starts_with(name)).unwrap_or_default().to_owned();
        line[name.len()..].split_whitespace().take(2).collect::<Vec<_>>().join(" ")
    };
    // The last one that it takes.
    while limit("Max file size") != "0 0" {
        assert_eq!(child.try_wait().unwrap(), None);
        thread::yield_now();
    }
    let taken = ["Max cpu time", "Max address space", "Max core file size"].map(limit);
    assert_eq!(taken, ["3 3", "536870912 536870912", "0 0"]);
    drop(child.stdin.take());
    assert_eq!(child.wait().unwrap().code(), Some(1));
}
