//! The ways into a project that stay open for more than one request.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::project::Project;

/// A server over standard input and output, and we its only client; it ends when it is dropped.
pub(super) struct Session {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    sent: u64,
}

impl Session {
    pub(super) fn start(project: &Project<'_>) -> Result<Self, String> {
        let mut command = project.under(&[]);
        command.args(["serve", "--stdio"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|error| format!("a server: {error}"))?;
        let output = BufReader::new(child.stdout.take().expect("its standard output is a pipe"));
        let mut session = Self { input: child.stdin.take(), child, output, sent: 0 };
        let hello = json!({
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "load", "version": "1"},
        });
        session.ask("initialize", &hello)?;
        session.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(session)
    }

    /// Calls a tool and answers what it says, be it a refusal: then it has the member `error`.
    pub(super) fn call(&mut self, tool: &str, arguments: &Value) -> Result<Value, String> {
        let mut answer = self.ask("tools/call", &json!({"name": tool, "arguments": arguments}))?;
        Ok(answer["structuredContent"].take())
    }

    fn ask(&mut self, method: &str, params: &Value) -> Result<Value, String> {
        self.sent += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.sent, "method": method, "params": params}))?;
        loop {
            let mut line = String::new();
            match self.output.read_line(&mut line) {
                Ok(0) => return Err("a server ended".into()),
                Ok(_) => {}
                Err(error) => return Err(format!("a server: {error}")),
            }
            let mut message: Value = serde_json::from_str(&line).map_err(|error| format!("{line:?}: {error}"))?;
            if message["id"] != self.sent {
                // What it tells unasked.
                continue;
            }
            return match message.get("error") {
                Some(error) => Err(format!("{method}: {error}")),
                None => Ok(message["result"].take()),
            };
        }
    }

    fn send(&mut self, message: &Value) -> Result<(), String> {
        let input = self.input.as_mut().ok_or("a server's input is closed")?;
        writeln!(input, "{message}").and_then(|()| input.flush()).map_err(|error| format!("a server: {error}"))
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // At the end of its input it ends by itself, so that nothing of its writing is cut off.
        drop(self.input.take());
        drop(self.child.wait());
    }
}
