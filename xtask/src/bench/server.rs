//! The server under many clients: group commit.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::row::{Budget, Row};
use crate::product::Product;
use crate::project::Project;

/// How long each rate is measured.
const SPAN: Duration = Duration::from_secs(4);

/// How many clients write at once.
pub(super) const CLIENTS: usize = 32;

/// Durable writes in a second, by one client and by many.
pub(super) fn rows(product: &Product) -> Result<Vec<Row>, String> {
    let project = Project::new(product)?;
    let mut server = Server::start(&project)?;
    let alone = rate(server.port, 1)?;
    let together = rate(server.port, CLIENTS)?;
    server.stop();
    let row = |name: &str, measured, unit, budget| Row { name: name.to_owned(), measured, unit, budget };
    Ok(vec![
        row("server, one client", alone, "durable writes/s", Budget::None),
        row("server, 32 clients", together, "durable writes/s", Budget::None),
        row("server, 32 clients against one", together / alone, "×", Budget::Least(10.0)),
    ])
}

/// A server of the program, killed when it is dropped.
pub(crate) struct Server {
    child: Child,
    pub(crate) port: u16,
}

impl Server {
    pub(crate) fn start(project: &Project<'_>) -> Result<Self, String> {
        let mut command = project.under(&[]);
        command.args(["serve", "--http", "127.0.0.1:0"]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| format!("the server: {error}"))?;
        let mut line = String::new();
        let mut said = BufReader::new(child.stderr.take().expect("its standard error is a pipe"));
        said.read_line(&mut line).map_err(|error| format!("the server: {error}"))?;
        let port = line.trim().rsplit_once(':').and_then(|(_, rest)| rest.split('/').next()?.parse().ok());
        match port {
            Some(port) => Ok(Self { child, port }),
            None => Err(format!("the server said {line:?}")),
        }
    }

    /// The number of its process.
    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    fn stop(&mut self) {
        // It is gone either way.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}

// Writes in a second by so many clients, each waiting for its answer before it writes again.
fn rate(port: u16, clients: usize) -> Result<f64, String> {
    let begun = Instant::now();
    let counts: Vec<Result<u32, String>> = thread::scope(|scope| {
        let writers: Vec<_> = (0..clients).map(|client| scope.spawn(move || writes(port, client, begun))).collect();
        writers.into_iter().map(|writer| writer.join().expect("a client does not panic")).collect()
    });
    let total: u32 = counts.into_iter().sum::<Result<u32, String>>()?;
    Ok(f64::from(total) / begun.elapsed().as_secs_f64())
}

fn writes(port: u16, client: usize, begun: Instant) -> Result<u32, String> {
    let mut connection = Client::connect(port)?;
    let mut count = 0;
    while begun.elapsed() < SPAN {
        let fields = json!({ format!("key-{client}"): format!("value {count}") });
        connection.call("state_write", &json!({ "fields": fields }))?;
        count += 1;
    }
    Ok(count)
}

/// A client with one connection.
pub(crate) struct Client {
    stream: TcpStream,
    port: u16,
    sent: u32,
}

impl Client {
    pub(crate) fn connect(port: u16) -> Result<Self, String> {
        let stream = TcpStream::connect(("127.0.0.1", port)).map_err(|error| error.to_string())?;
        stream.set_read_timeout(Some(Duration::from_secs(30))).map_err(|error| error.to_string())?;
        stream.set_nodelay(true).map_err(|error| error.to_string())?;
        Ok(Self { stream, port, sent: 0 })
    }

    /// Calls a tool, which must not refuse.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Result<Value, String> {
        self.sent += 1;
        let params = json!({ "name": tool, "arguments": arguments });
        let message = json!({ "jsonrpc": "2.0", "id": self.sent, "method": "tools/call", "params": params });
        let answer = post(&mut self.stream, self.port, &message)?;
        if answer["result"]["isError"] == Value::Bool(true) || answer.get("error").is_some() {
            return Err(format!("{tool} was refused: {answer}"));
        }
        Ok(answer)
    }
}

// One request on a kept connection; the answer is JSON, or one event of a stream.
fn post(stream: &mut TcpStream, port: u16, message: &Value) -> Result<Value, String> {
    let body = message.to_string();
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2025-06-18\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).map_err(|error| error.to_string())?;
    let mut reader = BufReader::new(stream);
    let (mut length, mut chunked) = (0, false);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).map_err(|error| error.to_string())?;
        let line = line.trim_end().to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().map_err(|_| format!("a length of {value:?}"))?;
        }
        chunked |= line == "transfer-encoding: chunked";
    }
    let mut body = vec![0; length];
    if chunked {
        body = chunks(&mut reader)?;
    } else {
        reader.read_exact(&mut body).map_err(|error| error.to_string())?;
    }
    let text = String::from_utf8_lossy(&body);
    let json = text.lines().find_map(|line| line.strip_prefix("data: ")).unwrap_or(&text);
    serde_json::from_str(json).map_err(|error| format!("{text:?}: {error}"))
}

fn chunks(reader: &mut BufReader<&mut TcpStream>) -> Result<Vec<u8>, String> {
    let mut whole = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).map_err(|error| error.to_string())?;
        let size = usize::from_str_radix(line.trim(), 16).map_err(|_| format!("a chunk of {line:?}"))?;
        let mut chunk = vec![0; size + 2];
        reader.read_exact(&mut chunk).map_err(|error| error.to_string())?;
        if size == 0 {
            return Ok(whole);
        }
        whole.extend_from_slice(&chunk[..size]);
    }
}
