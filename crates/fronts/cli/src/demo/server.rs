//! An agent's MCP server over standard input and output, which is going to be killed.

use std::io::{BufRead, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use model::{Refusal, Value};
use serde_json::json;

use super::stage::failed;

/// The process and its pipes.
pub(super) struct Server {
    process: Child,
    requests: ChildStdin,
    replies: BufReader<ChildStdout>,
}

impl Server {
    /// Starts it and greets it.
    pub(super) fn start(mut command: Command) -> Result<Self, Refusal> {
        let started = command.stdin(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut process = started.map_err(|error| failed(&format!("the server cannot be started: {error}")))?;
        let (Some(requests), Some(replies)) = (process.stdin.take(), process.stdout.take()) else {
            return Err(failed("the server has no pipes"));
        };
        let mut server = Self { process, requests, replies: BufReader::new(replies) };
        let client = json!({"name": "demo", "version": env!("CARGO_PKG_VERSION")});
        let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
        server.send(&json!({"jsonrpc": "2.0", "id": "greeting", "method": "initialize", "params": params}))?;
        server.next_done()?;
        server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(server)
    }

    /// Asks for a call and does not wait.
    pub(super) fn call(&mut self, id: &str, tool: &str, arguments: &Value) -> Result<(), Refusal> {
        let params = json!({"name": tool, "arguments": arguments});
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}))
    }

    /// Waits for the next reply, which must be a success; answers its id.
    pub(super) fn next_done(&mut self) -> Result<String, Refusal> {
        self.reply().unwrap_or_else(|| Err(failed("the server ended too soon")))
    }

    /// Kills it, as `kill -9` does.
    pub(super) fn kill(&mut self) {
        // One that has ended by itself is as dead.
        drop(self.process.kill());
        drop(self.process.wait());
    }

    /// The replies that it had sent before it died.
    pub(super) fn rest(&mut self) -> Vec<String> {
        std::iter::from_fn(|| self.reply()).filter_map(Result::ok).collect()
    }

    fn send(&mut self, message: &Value) -> Result<(), Refusal> {
        writeln!(self.requests, "{message}").map_err(|error| failed(&format!("the server does not listen: {error}")))
    }

    // A line that was cut by the kill is none.
    fn reply(&mut self) -> Option<Result<String, Refusal>> {
        let mut line = String::new();
        self.replies.read_line(&mut line).ok().filter(|length| *length > 0)?;
        let reply: Value = serde_json::from_str(&line).ok()?;
        let id = reply["id"].as_str()?.to_owned();
        let went_well = reply["error"].is_null() && reply["result"]["isError"] != true;
        Some(if went_well { Ok(id) } else { Err(failed(&format!("a call was refused: {line}"))) })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}
