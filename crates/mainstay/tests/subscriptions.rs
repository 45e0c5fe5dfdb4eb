//! What a client of the built program is told of what other programs do, and what a fresh session hears of all formats.

use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

/// A client on standard input and output.
struct Client {
    server: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
    asked: u64,
    /// What came between answers.
    told: Vec<Value>,
}

fn mainstay(project: &TempDir) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mainstay"));
    command.args(["--project", project.path().to_str().unwrap()]).stderr(Stdio::null());
    command
}

impl Client {
    fn of(project: &TempDir) -> Self {
        let mut server =
            mainstay(project).args(["serve", "--stdio"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let input = server.stdin.take().unwrap();
        let output = BufReader::new(server.stdout.take().unwrap()).lines();
        let mut client = Self { server, input, output, asked: 0, told: Vec::new() };
        let begun = client.ask(
            "initialize",
            &json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}),
        );
        assert_eq!(begun["capabilities"]["resources"], json!({"subscribe": true, "listChanged": true}));
        writeln!(client.input, r#"{{"jsonrpc":"2.0","method":"notifications/initialized"}}"#).unwrap();
        client
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.asked += 1;
        let request = json!({"jsonrpc": "2.0", "id": self.asked, "method": method, "params": params});
        writeln!(self.input, "{request}").unwrap();
        loop {
            let message = self.hear();
            if message["id"] == self.asked {
                return message["result"].clone();
            }
            self.told.push(message);
        }
    }

    fn hear(&mut self) -> Value {
        serde_json::from_str(&self.output.next().expect("the server answers").unwrap()).unwrap()
    }

    /// The next notification of that method.
    fn told(&mut self, method: &str) -> Value {
        loop {
            if let Some(at) = self.told.iter().position(|message| message["method"] == method) {
                return self.told.remove(at);
            }
            let message = self.hear();
            self.told.push(message);
        }
    }

    fn end(mut self) {
        drop(self.input);
        assert!(self.server.wait().unwrap().success());
    }
}

#[test]
fn a_client_hears_of_what_other_programs_do() {
    let project = tempfile::tempdir().unwrap();
    let run = |words: &[&str]| {
        let status = mainstay(&project).args(words).stdout(Stdio::null()).status().unwrap();
        assert!(status.success(), "{words:?}");
    };
    run(&["init", "--format", "hseos"]);
    let mut client = Client::of(&project);
    for uri in ["mainstay://tasks", "mainstay://hseos/tasks_list"] {
        assert_eq!(client.ask("resources/subscribe", &json!({"uri": uri})), json!({}));
    }
    run(&["call", "tasks_add", r#"{"id":"T1","owner":"GHOST","description":"from elsewhere"}"#]);
    let mut uris: Vec<Value> =
        (0..2).map(|_| client.told("notifications/resources/updated")["params"]["uri"].clone()).collect();
    uris.sort_by_key(Value::to_string);
    assert_eq!(uris, ["mainstay://hseos/tasks_list", "mainstay://tasks"]);
    let tasks = client.ask("resources/read", &json!({"uri": "mainstay://tasks"}));
    assert!(tasks["contents"][0]["text"].as_str().unwrap().contains("from elsewhere"), "{tasks}");
    let read = client.ask("resources/read", &json!({"uri": "mainstay://hseos/TASKS.md"}));
    assert!(read["contents"][0]["text"].as_str().unwrap().contains("from elsewhere"), "{read}");
    client.end();
}

#[test]
fn a_client_hears_of_a_format_that_is_turned_on() {
    let project = tempfile::tempdir().unwrap();
    std::fs::create_dir(project.path().join(".hseos")).unwrap();
    let mut client = Client::of(&project);
    assert_eq!(client.ask("tools/list", &json!({}))["tools"].as_array().unwrap().len(), 6);
    // A marker is enough, whoever makes it.
    std::fs::create_dir(project.path().join(".skillstate")).unwrap();
    client.told("notifications/tools/list_changed");
    client.told("notifications/resources/list_changed");
    assert!(client.ask("tools/list", &json!({}))["tools"].as_array().unwrap().len() > 6);
    client.end();
}

#[test]
fn resume_covers_every_format_and_stays_small() {
    let project = tempfile::tempdir().unwrap();
    let names: Vec<&str> = formats::ALL.iter().map(|format| format.name()).collect();
    std::fs::write(project.path().join("mainstay.toml"), format!("formats = {names:?}\n")).unwrap();
    let mut client = Client::of(&project);
    client.ask("tools/call", &json!({"name": "state_write", "arguments": {"fields": {"branch": "main"}}}));
    for prompt in ["resume", "handoff", "plan-next"] {
        let told = client.ask("prompts/get", &json!({"name": prompt, "arguments": {}}));
        let text = told["messages"][0]["content"]["text"].as_str().unwrap();
        assert!(text.len() < 7000, "{prompt}: {}", text.len());
        for name in &names {
            assert!(text.contains(&format!("\n{name}: ")) && text.contains(&format!("\n- {name}: ")), "{name}: {text}");
        }
    }
    client.end();
}
