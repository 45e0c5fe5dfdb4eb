//! A server over standard input and output, as a host drives it.

use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

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
        let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = pipes.spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let mut server = Self { child, input, output: BufReader::new(output).lines() };
        let client = json!({"protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "driver", "version": "1"}});
        server.write(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": client}));
        server.read();
        server.write(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        server
    }

    /// Sends a message.
    pub(crate) fn write(&mut self, message: &Value) {
        writeln!(self.input, "{message}").unwrap();
    }

    /// Waits for the next message.
    pub(crate) fn read(&mut self) -> Value {
        serde_json::from_str(&self.output.next().unwrap().unwrap()).unwrap()
    }

    /// Calls a tool.
    pub(crate) fn send_call(&mut self, tool: &str, arguments: &Value) {
        let call = json!({"name": tool, "arguments": arguments});
        self.write(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}));
    }
}
