//! P9: nothing that a host sends, or fails to send, breaks the host.

use std::process::{Child, Stdio};

use testkit::pool::{cores, in_parallel};
use testkit::process::{DEADLINE, Finished, Sandbox, finish};

/// Every event of a host, one that nobody knows, and the status line.
const EVENTS: &[&str] = &[
    "session-start",
    "user-prompt-submit",
    "pre-tool-use",
    "post-tool-use",
    "subagent-start",
    "subagent-stop",
    "stop",
    "pre-compact",
    "session-end",
    "no-such-event",
    "statusline",
];

/// Every event of every host, as its configuration calls it, and the events without a host.
fn events() -> Vec<Vec<&'static str>> {
    let of_hosts = hosts::ALL
        .into_iter()
        .flat_map(|host| host.events.iter().map(move |event| vec!["hook", event.ours, "--host", host.name]));
    let bare = EVENTS.iter().map(|event| if *event == "statusline" { vec!["statusline"] } else { vec!["hook", event] });
    of_hosts.chain(bare).collect()
}

/// A project in which every format has something to say.
pub(crate) fn project() -> Sandbox {
    let sandbox = Sandbox::new().unwrap();
    let names: Vec<String> = formats::ALL.iter().map(|format| format!("{:?}", format.name())).collect();
    std::fs::write(sandbox.root().join("mainstay.toml"), format!("formats = [{}]\n", names.join(", "))).unwrap();
    for words in [
        &["skillstate", "init"][..],
        &["skillstate", "patch", "{\"goal\":\"ship it\"}"],
        &["msd", "state", "init", "--milestone", "v1.0"],
        &["hseos", "state", "write", "phase", "execution"],
        &["eneo", "task-init", "a-b", "fast", "1", "none", "none"],
        &["eneo", "wave", "seed", "1", "2", "--agents", "scout"],
    ] {
        let finished = finish(sandbox.mainstay(binary()).args(words), "", DEADLINE).unwrap();
        assert!(finished.status.success(), "{words:?}: {}", finished.stderr);
    }
    sandbox
}

fn binary() -> &'static std::path::Path {
    std::path::Path::new(env!("CARGO_BIN_EXE_mainstay"))
}

fn told(sandbox: &Sandbox, event: &[&str], stdin: &str) -> Finished {
    let mut command = sandbox.mainstay(binary());
    finish(command.args(event), stdin, DEADLINE).unwrap_or_else(|error| panic!("{event:?}: {error}"))
}

fn is_quiet(event: &[&str], input: &str, finished: &Finished) {
    let shown = format!("{event:?} < {input:.60}: {finished:?}");
    assert_eq!(finished.exit(), "0", "{shown}");
    for word in ["panicked", "stack backtrace", "RUST_BACKTRACE"] {
        assert!(!finished.stderr.contains(word), "{shown}");
    }
    let line = finished.stdout.trim_end();
    let speaks_json = event.contains(&"--host") && !event.contains(&"claude");
    if speaks_json || (event != ["statusline"] && line.starts_with('{')) {
        assert!(serde_json::from_str::<serde_json::Value>(line).is_ok_and(|said| said.is_object()), "{shown}");
    }
}

/// A gate's no: exit code 2, or for hosts to which that is a hook that failed, what they read.
fn is_refused(finished: &Finished) -> bool {
    finished.exit() == "2" || (finished.exit() == "0" && finished.stdout.contains("\"deny\""))
}

#[test]
fn bad_input_is_survived() {
    let sandbox = project();
    let deep = format!("{{\"session_id\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let long = format!("{{\"session_id\":\"{}\",\"prompt\":\"x\"}}", "i".repeat(10_000));
    let inputs = [
        "",
        "not json",
        "[]",
        "null",
        "{}",
        "{}{}",
        "{\"session_id\":",
        "\u{feff}{}",
        "{\"session_id\":7,\"agent_id\":[],\"prompt\":{},\"last_assistant_message\":1,\"tool_input\":\"x\"}",
        "{\"session_id\":\"../../etc\",\"agent_id\":\"../x\",\"agent_type\":\"'\\\"\\n\",\"cwd\":\"/nowhere\"}",
        "{\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"\\u0000'\\\"$(\"},\"source\":null}",
        "{\"n\":1e999,\"last_assistant_message\":\"DONE|\\ud800\",\"model\":{\"display_name\":[]}}",
        "{\"agent_id\":\"\",\"agent_type\":\"scout\",\"last_assistant_message\":\"DONE|../../x\\n\",\"prompt\":\"p\"}",
        "{\"agent_id\":\"a\",\"last_assistant_message\":\"BLOCKED|\\u001b[2J\",\"stop_hook_active\":\"no\"}",
        &deep,
        &long,
    ];
    let events = events();
    let cases: Vec<(&[&str], &str)> =
        events.iter().flat_map(|event| inputs.iter().map(move |input| (event.as_slice(), *input))).collect();
    in_parallel(cores(), &cases, |(event, input)| is_quiet(event, input, &told(&sandbox, event, input)));
}

#[test]
fn fifty_mebibytes_are_not_read() {
    let sandbox = project();
    let input = format!("{{\"prompt\":\"{}\"}}", "x".repeat(50 << 20));
    let events = events();
    in_parallel(cores(), &events, |event| {
        let finished = told(&sandbox, event, &input);
        // A machine with a lot to do may not even deliver them in time.
        let is_told = ["larger than", "did not come within"].iter().any(|why| finished.stderr.contains(why));
        assert!(is_told || *event == ["statusline"], "{finished:?}");
        // What a gate cannot look at it does not allow.
        if event.contains(&"pre-tool-use") && finished.stderr.contains("larger than") {
            assert!(is_refused(&finished) && finished.stderr.contains("too_large"), "{event:?}: {finished:?}");
        } else {
            is_quiet(event, "50 MiB", &finished);
        }
    });
    // Where no format has a gate, nothing is held up.
    std::fs::write(sandbox.root().join("mainstay.toml"), "formats = [\"hseos\"]\n").unwrap();
    let event = ["hook", "pre-tool-use"];
    is_quiet(&event, "50 MiB", &told(&sandbox, &event, &input));
}

/// What a tool of each host may be told beside the file that it writes, or beside the command that it runs.
#[test]
fn nothing_beside_it_hides_from_a_gate_what_a_tool_writes() {
    let sandbox = project();
    let tools = [
        ("claude", "Write", "file_path"),
        ("codex", "apply_patch", "command"),
        ("gemini", "write_file", "file_path"),
        ("opencode", "write", "filePath"),
        ("copilot", "create_file", "filePath"),
        ("cursor", "Write", "path"),
        ("claude", "Bash", "command"),
        ("codex", "Bash", "command"),
        ("gemini", "run_shell_command", "command"),
        ("opencode", "bash", "command"),
        ("copilot", "run_in_terminal", "command"),
        ("cursor", "Shell", "command"),
    ];
    let wide = (0..20_000).map(|number| format!(",\"k{number}\":[{{}}]")).collect::<Vec<_>>().concat();
    let besides = [
        String::new(),
        ",\"content\":\"\\ud800\"".to_owned(),
        format!(",\"z\":{}{}", "[".repeat(200), "]".repeat(200)),
        ",\"replacements\":[],\"files\":[\"x\"],\"file_paths\":[],\"notebook_path\":\"x\",\"n\":1e999".to_owned(),
        wide,
    ];
    let cases: Vec<_> = tools.iter().flat_map(|tool| besides.iter().map(move |beside| (tool, beside))).collect();
    in_parallel(cores(), &cases, |((host, tool, name), beside)| {
        let value = |file: &str| match *name {
            "command" if *tool == "apply_patch" => format!("*** Update File: {file}\\n"),
            "command" => format!("echo x > {file}"),
            _ => file.to_owned(),
        };
        let event = ["hook", "pre-tool-use", "--host", host];
        let input = |file: &str| {
            let arguments = format!("{{\"{name}\":\"{}\"{beside}}}", value(file));
            // Copilot's other program sends arguments as a text.
            match *tool {
                "create_file" => format!("{{\"toolName\":\"create\",\"toolArgs\":{arguments:?}}}"),
                _ => format!("{{\"tool_name\":\"{tool}\",\"tool_input\":{arguments}}}"),
            }
        };
        let refused = told(&sandbox, &event, &input(".claude/state/phase"));
        assert!(is_refused(&refused), "{host} {tool} {beside:.60}: {refused:?}");
        is_quiet(&event, beside, &told(&sandbox, &event, &input("docs/a.md")));
    });
}

/// No shell of Linux takes a command that is longer, and to read one costs its length many times.
#[test]
fn a_command_that_no_shell_takes_is_refused() {
    let sandbox = project();
    for (length, code) in [(100 << 10, "0"), (200 << 10, "2")] {
        let input =
            format!("{{\"tool_name\":\"Bash\",\"tool_input\":{{\"command\":\"{}\"}}}}", "a;".repeat(length / 2));
        let finished = told(&sandbox, &["hook", "pre-tool-use"], &input);
        assert_eq!(finished.exit(), code, "{length}: {}", finished.stderr);
    }
}

/// A message that ends in half a letter counts as any other.
#[test]
fn half_a_letter_loses_no_event() {
    let sandbox = project();
    for (number, host) in hosts::ALL.iter().enumerate() {
        let name = if host.name == "gemini" { "prompt_response" } else { "last_assistant_message" };
        let block = format!("{{\"state_patch\":{{\"next_steps\":[\"step {number}\"]}},\"action\":\"on\"}}");
        let message = format!("done HALF\n```json\n{block}\n```\n");
        let input = serde_json::json!({name: message}).to_string().replace("HALF", "\\ud83d");
        let event = ["hook", "stop", "--host", host.name];
        is_quiet(&event, &input, &told(&sandbox, &event, &input));
        let state = told(&sandbox, &["skillstate", "get"], "").stdout;
        assert!(state.contains(&format!("step {number}")), "{}: {input} {state}", host.name);
    }
}

/// What a process has cost when it has ended, before anybody asks how. **Units**: hundredths of a second.
fn ticks(child: &Child) -> u64 {
    let path = format!("/proc/{}/stat", child.id());
    loop {
        let text = std::fs::read_to_string(&path).unwrap();
        // Behind the name, which may hold blanks: the state, and from there the 12th and 13th word are the times.
        let words: Vec<&str> = text.rsplit_once(") ").unwrap().1.split(' ').collect();
        if words[0] == "Z" {
            return words[11].parse::<u64>().unwrap() + words[12].parse::<u64>().unwrap();
        }
        std::thread::yield_now();
    }
}

#[test]
fn an_answer_costs_little_processor_time() {
    let sandbox = project();
    let usual =
        "{\"session_id\":\"s\",\"prompt\":\"go on\",\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"ls\"}}";
    let files: Vec<String> = (0..20_000).map(|number| format!("*** Add File: src/{number}.rs")).collect();
    let files = files.join("\\n");
    let patch = |tool: &str, name: &str| format!("{{\"tool_name\":{tool:?},\"tool_input\":{{{name:?}:\"{files}\"}}}}");
    let mut cases: Vec<(Vec<&str>, String)> = events().into_iter().map(|event| (event, usual.to_owned())).collect();
    for (host, name) in [("codex", "command"), ("opencode", "patchText"), ("copilot", "input")] {
        cases.push((vec!["hook", "pre-tool-use", "--host", host], patch("apply_patch", name)));
    }
    in_parallel(cores(), &cases, |(event, input)| {
        let mut command = sandbox.mainstay(binary());
        let pipes = command.args(event).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut host = pipes.spawn().unwrap();
        let mut stdin = host.stdin.take().unwrap();
        std::io::Write::write_all(&mut stdin, input.as_bytes()).unwrap();
        drop(stdin);
        let cost = ticks(&host);
        let code = host.wait().unwrap().code();
        let is_patch = input.len() > 1000;
        // Copilot reads the answer alone.
        let is_told_by_code = is_patch && !event.contains(&"copilot");
        assert_eq!(code, Some(if is_told_by_code { 2 } else { 0 }), "{event:?}: so many files are not looked at");
        // This build reads 20,000 lines a few times slower than a release does; in squared time it would take seconds.
        let most = if is_patch { 30 } else { 5 };
        assert!(cost <= most, "{event:?}: {cost} hundredths of a second");
    });
}

#[test]
fn an_end_that_never_comes_is_not_waited_for() {
    let sandbox = project();
    let events = events();
    let mut hosts: Vec<Child> = events
        .iter()
        .map(|event| {
            let mut command = sandbox.mainstay(binary());
            command.args(event).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
        })
        .collect();
    for (event, host) in events.iter().zip(&mut hosts) {
        // The other end stays open while the program is waited for.
        let open = host.stdin.take().unwrap();
        assert!(host.wait().unwrap().success(), "{event:?}");
        drop(open);
    }
}

#[test]
fn many_at_once_are_all_answered() {
    let sandbox = project();
    let events = events();
    let numbers: Vec<usize> = (0..200).collect();
    in_parallel(numbers.len(), &numbers, |number| {
        let event = &events[number % events.len()];
        let input = format!("{{\"session_id\":\"s{number}\",\"last_assistant_message\":\"nothing to note\"}}");
        is_quiet(event, &input, &told(&sandbox, event, &input));
    });
}

#[test]
fn two_hundred_stops_at_once_are_all_answered() {
    let sandbox = project();
    let numbers: Vec<usize> = (0..200).collect();
    in_parallel(numbers.len(), &numbers, |number| {
        let host = hosts::ALL[number % hosts::ALL.len()].name;
        let event = ["hook", "stop", "--host", host];
        let input = format!("{{\"session_id\":\"s{number}\",\"last_assistant_message\":\"nothing to note\"}}");
        is_quiet(&event, &input, &told(&sandbox, &event, &input));
    });
}

#[test]
fn a_host_that_nobody_knows_is_answered_all_the_same() {
    let sandbox = project();
    for event in
        [&["hook", "stop", "--host", "emacs"][..], &["hook", "stop", "--host=../x"], &["hook", "stop", "--host", ""]]
    {
        let finished = told(&sandbox, event, "{}");
        is_quiet(event, "{}", &finished);
        assert!(finished.stdout == "{}\n" && finished.stderr.contains("no host named"), "{finished:?}");
    }
}

#[test]
fn a_project_that_cannot_be_read_is_no_reason_to_fail() {
    let sandbox = project();
    let events = events();
    let settings = sandbox.root().join("mainstay.toml");
    std::fs::write(&settings, "formats = 7\n").unwrap();
    in_parallel(cores(), &events, |event| is_quiet(event, "{}", &told(&sandbox, event, "{}")));
    std::fs::write(&settings, "formats = [\"skillstate\"]\n").unwrap();
    std::fs::write(sandbox.root().join(".mainstay/state.db"), "no database at all, and long enough to be one").unwrap();
    in_parallel(cores(), &events, |event| is_quiet(event, "{}", &told(&sandbox, event, "{}")));
}

/// Settings that cannot be read neither open the gate, nor lose what a sub-agent brings, nor hide the status line.
#[test]
fn settings_that_cannot_be_read_free_nothing_and_lose_nothing() {
    let write = r#"{"tool_name":"Bash","tool_input":{"command":"rm .claude/state/phase"}}"#;
    let usual = {
        let sandbox = project();
        std::fs::remove_file(sandbox.root().join("mainstay.toml")).unwrap();
        told(&sandbox, &["statusline"], "{}").stdout
    };
    assert!(usual.contains("a-b"), "{usual}");
    for (settings, wait) in
        [(Some("[eneo"), ""), (Some("formats = [\"nope\"]"), ""), (Some("x = 1"), ""), (None, "abc"), (Some("["), "-1")]
    {
        let sandbox = project();
        let file = sandbox.root().join("mainstay.toml");
        std::fs::remove_file(&file).unwrap();
        if let Some(settings) = settings {
            std::fs::write(&file, settings).unwrap();
        }
        let told = |words: &[&str], stdin: &str| {
            let mut command = sandbox.mainstay(binary());
            finish(command.args(words).env("MAINSTAY_LOCK_WAIT_MS", wait), stdin, DEADLINE).unwrap()
        };
        let shown = format!("{settings:?} {wait:?}");
        let said = |finished: &Finished| {
            finished.stderr.lines().filter(|line| line.starts_with("mainstay: config_invalid")).count() == 1
        };
        let gate = told(&["hook", "pre-tool-use"], write);
        assert!(gate.exit() == "2" && said(&gate), "{shown}: {gate:?}");
        let line = told(&["statusline"], "{}");
        assert!(line.exit() == "0" && line.stdout == usual && said(&line), "{shown}: {line:?}");
        let stop = r#"{"agent_id":"one","agent_type":"scout","last_assistant_message":"DONE|x"}"#;
        let stopped = told(&["hook", "subagent-stop"], stop);
        assert!(said(&stopped), "{shown}: {stopped:?}");
        is_quiet(&["hook", "subagent-stop"], stop, &stopped);
        let spooled = std::fs::read_dir(sandbox.root().join(".mainstay/spool")).unwrap();
        let texts: Vec<String> = spooled.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap()).collect();
        assert_eq!(texts.iter().filter(|text| text.contains("\"eneo_wave_event\"")).count(), 1, "{shown}: {texts:?}");
        // A command is refused, and what waits is applied once as soon as the settings are mended.
        let refused = told(&["eneo", "wave", "status"], "");
        assert!(refused.exit() == "2" && refused.stdout.is_empty(), "{shown}: {refused:?}");
        std::fs::write(&file, "").unwrap();
        let mended = finish(sandbox.mainstay(binary()).args(["eneo", "wave", "status"]), "", DEADLINE).unwrap();
        assert_eq!(mended.stdout, "wave 1: 1/2 (in-progress)\n", "{shown}");
    }
}
