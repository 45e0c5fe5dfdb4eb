//! A server over standard input and output, as a host drives it.

use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};
use testkit::process::Sandbox;

/// A server over standard input and output.
pub(crate) struct Server {
    pub(crate) child: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

impl Server {
    /// Starts from what is on disk.
    pub(crate) fn start(sandbox: &Sandbox) -> Self {
        let mut command = sandbox.mainstay(Path::new(env!("CARGO_BIN_EXE_mainstay")));
        command.args(["serve", "--stdio"]).env("MAINSTAY_NOW", "2026-01-02T03:04:05.678Z");
        Self::by(command).0
    }

    /// Starts a command of one's own, and says what its greeting was answered with.
    pub(crate) fn by(mut command: Command) -> (Self, Value) {
        let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = pipes.spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let mut server = Self { child, input, output: BufReader::new(output).lines() };
        let client = json!({"protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "driver", "version": "1"}});
        server.write(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": client}));
        let greeting = server.read();
        server.write(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        (server, greeting)
    }

    /// Sends a message.
    pub(crate) fn write(&mut self, message: &Value) {
        writeln!(self.input, "{message}").unwrap();
    }

    /// Waits for the next message.
    pub(crate) fn read(&mut self) -> Value {
        serde_json::from_str(&self.output.next().unwrap().unwrap()).unwrap()
    }

    /// Ends it, and waits until it has ended.
    pub(crate) fn end(self) -> std::process::ExitStatus {
        let Self { mut child, input, output: _output } = self;
        drop(input);
        child.wait().unwrap()
    }

    /// Calls a tool.
    pub(crate) fn send_call(&mut self, tool: &str, arguments: &Value) {
        let call = json!({"name": tool, "arguments": arguments});
        self.write(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}));
    }
}

/// The names of the tools that a server lists.
fn listed(server: &mut Server) -> Vec<String> {
    server.write(&json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}));
    let tools = server.read()["result"]["tools"].clone();
    tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_server_in_the_home_makes_no_project_of_it() {
    let binary = Path::new(env!("CARGO_BIN_EXE_mainstay"));
    let sandbox = Sandbox::new().unwrap();
    let home = sandbox.home();
    // In the home, above it, and in a home that git keeps: hosts start a person's servers there.
    for (place, is_git) in [(home.clone(), false), (home.parent().unwrap().to_owned(), false), (home.clone(), true)] {
        if is_git {
            std::fs::create_dir(home.join(".git")).unwrap();
        }
        let count = |folder: &Path| std::fs::read_dir(folder).unwrap().count();
        let before = count(&place);
        let mut command = sandbox.command(binary);
        command.args(["serve", "--stdio"]).env("CLAUDE_PROJECT_DIR", &place).current_dir(&place);
        let (mut server, greeting) = Server::by(command);
        assert!(greeting["result"]["instructions"].as_str().unwrap().contains("which is no project"), "{greeting}");
        assert_eq!(listed(&mut server), [""; 0]);
        server.send_call("tasks_add", &json!({"id": "T1", "owner": "GHOST", "description": "lost at home"}));
        let answer = server.read();
        assert_eq!(answer["result"]["structuredContent"]["error"]["code"], "no_project", "{answer}");
        assert!(server.end().success());
        assert_eq!(count(&place), before, "{}", place.display());
    }
    // Whoever names it means it.
    let mut command = sandbox.command(binary);
    command.arg("--project").arg(&home).args(["serve", "--stdio"]);
    let (mut server, _) = Server::by(command);
    assert!(!listed(&mut server).is_empty());
    server.send_call("tasks_add", &json!({"id": "T1", "owner": "GHOST", "description": "kept at home"}));
    assert_ne!(server.read()["result"]["isError"], true);
    assert!(server.end().success());
    // And from then on it is one.
    let mut command = sandbox.command(binary);
    command.args(["serve", "--stdio"]).current_dir(&home);
    let (mut server, _) = Server::by(command);
    assert!(!listed(&mut server).is_empty());
}

#[test]
fn resume_leaves_no_format_out() {
    let sandbox = crate::hooks::project();
    let binary = Path::new(env!("CARGO_BIN_EXE_mainstay"));
    let notes = json!({"notes": "n".repeat(5_000)}).to_string();
    let patched = testkit::process::finish(
        sandbox.mainstay(binary).args(["skillstate", "patch", &notes]),
        "",
        testkit::process::DEADLINE,
    );
    assert!(patched.unwrap().status.success());
    let mut server = Server::start(&sandbox);
    server.write(&json!({"jsonrpc": "2.0", "id": 3, "method": "prompts/get", "params": {"name": "resume"}}));
    let answer = server.read();
    let text = answer["result"]["messages"][0]["content"]["text"].as_str().unwrap_or_else(|| panic!("{answer}"));
    for tool in ["state_read ", "eneo_task_get ", "state_get ", "msd_state_snapshot "] {
        assert!(text.lines().any(|line| line.starts_with(tool)), "{tool}: {text}");
    }
    assert!(text.contains("… (whole: mainstay://skillstate/state_get)"), "{text}");
}
