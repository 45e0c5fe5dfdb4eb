//! A server on a free port, and requests as bytes.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::thread::JoinHandle;

use model::Value;
use tokio_util::sync::CancellationToken;

use super::fake::Fake;
use crate::guard::Guard;
use crate::http::Routes;
use crate::identity::IdentityDefaults;
use crate::server::Server;
use crate::{HttpOptions, ToolNames, listen};

/// How many connections these servers serve at a time.
pub(super) const MAX_CONNECTIONS: usize = 8;

/// A running server; it is stopped and waited for when dropped.
pub(super) struct Running {
    pub(super) address: SocketAddr,
    pub(super) host: Arc<Fake>,
    pub(super) stop: CancellationToken,
    thread: Option<JoinHandle<()>>,
}

/// An answer, its head as text.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) head: String,
    pub(super) body: String,
}

impl Answer {
    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("not JSON: {self:?}"))
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (given, value) = line.split_once(':')?;
            given.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

/// Options for a free port of 127.0.0.1.
pub(super) fn loopback() -> HttpOptions {
    HttpOptions { address: ([127, 0, 0, 1], 0).into(), token: None, allow_origins: Vec::new(), nonce: None }
}

impl Running {
    pub(super) fn start(host: Arc<Fake>, options: HttpOptions) -> Self {
        let (stop, stopped) = (CancellationToken::new(), CancellationToken::new());
        let (tell, bound) = std::sync::mpsc::channel();
        let (asked, serving) = (Arc::clone(&host), stop.clone());
        let thread = std::thread::spawn(move || {
            let _ended = stopped.drop_guard();
            let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
            runtime.block_on(async {
                let listener = tokio::net::TcpListener::bind(options.address).await.unwrap();
                let address = listener.local_addr().unwrap();
                let guard = Guard::new(address, &options).unwrap();
                tell.send(address).unwrap();
                let server = Server::new(asked, ToolNames::Underscore, IdentityDefaults::default());
                let routes = Routes::new(server.clone(), &server, guard, options.nonce, serving.clone());
                listen::serve_listener(listener, routes, MAX_CONNECTIONS, serving).await;
            });
        });
        Self { address: bound.recv().unwrap(), host, stop, thread: Some(thread) }
    }

    pub(super) fn plain() -> Self {
        Self::start(Fake::new(), loopback())
    }

    pub(super) fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).unwrap()
    }

    /// Sends bytes on a connection of its own and reads the one answer.
    pub(super) fn send(&self, bytes: &[u8]) -> Answer {
        let mut stream = self.connect();
        stream.write_all(bytes).unwrap();
        read(&mut stream)
    }

    /// Posts a body to `/mcp` with the usual headers and these more lines.
    pub(super) fn post_with(&self, lines: &str, body: &str) -> Answer {
        let (host, length) = (self.address, body.len());
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: {length}\r\n{lines}\r\n"
        );
        self.send(&[head.as_bytes(), body.as_bytes()].concat())
    }

    pub(super) fn post(&self, body: &str) -> Answer {
        self.post_with("", body)
    }

    /// Calls a tool; what JSON-RPC answers.
    pub(super) fn call(&self, tool: &str, arguments: &str) -> Value {
        self.post(&call(1, tool, arguments)).json()
    }

    /// Whether it still answers.
    pub(super) fn is_well(&self) -> bool {
        self.send(format!("GET /health HTTP/1.1\r\nHost: {}\r\n\r\n", self.address).as_bytes()).status == 200
    }

    /// Waits for the end of a server that has been asked to stop.
    pub(super) fn join(&mut self) {
        self.thread.take().unwrap().join().unwrap();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.host.open_gate();
        self.stop.cancel();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A `tools/call` message.
pub(super) fn call(id: u32, tool: &str, arguments: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}}}}}"#
    )
}

/// A stream of server-sent events, in chunks.
pub(super) struct Events {
    stream: std::io::BufReader<TcpStream>,
    text: String,
}

/// One event.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Event {
    pub(super) id: Option<String>,
    pub(super) data: String,
    pub(super) retry: bool,
}

impl Events {
    /// Sends a request on a connection of its own; its answer's head, and the events.
    pub(super) fn of(server: &Running, request: &str) -> (Answer, Self) {
        let mut stream = server.connect();
        stream.write_all(request.as_bytes()).unwrap();
        let answer = read(&mut stream);
        (answer, Self { stream: std::io::BufReader::new(stream), text: String::new() })
    }

    /// The next event; none once the stream has ended as it should.
    pub(super) fn next(&mut self) -> Option<Event> {
        loop {
            while let Some((text, rest)) = self.text.split_once("\n\n") {
                let (text, rest) = (text.to_owned(), rest.to_owned());
                self.text = rest;
                let mut event = Event::default();
                for line in text.lines().filter(|line| !line.starts_with(':')) {
                    match line.split_once(':').map_or((line, ""), |(name, value)| (name, value.trim_start())) {
                        ("id", value) => event.id = Some(value.to_owned()),
                        ("data", value) => event.data.push_str(value),
                        ("retry", _) => event.retry = true,
                        _ => {}
                    }
                }
                if event != Event::default() {
                    return Some(event);
                }
            }
            let mut length = String::new();
            std::io::BufRead::read_line(&mut self.stream, &mut length).unwrap();
            let length = usize::from_str_radix(length.trim(), 16).unwrap_or_else(|_| panic!("cut off: {length:?}"));
            let mut chunk = vec![0; length + 2];
            self.stream.read_exact(&mut chunk).unwrap();
            if length == 0 {
                return None;
            }
            self.text.push_str(std::str::from_utf8(&chunk[..length]).unwrap());
        }
    }

    /// The next message.
    pub(super) fn message(&mut self) -> Value {
        loop {
            let event = self.next().expect("a message");
            if !event.data.is_empty() {
                return serde_json::from_str(&event.data).unwrap();
            }
        }
    }
}

/// Reads one answer; a connection that ends without one has status 0.
pub(super) fn read(stream: &mut TcpStream) -> Answer {
    let mut bytes = Vec::new();
    let mut byte = [0];
    while !bytes.ends_with(b"\r\n\r\n") && matches!(stream.read(&mut byte), Ok(1)) {
        bytes.push(byte[0]);
    }
    let head = String::from_utf8(bytes).unwrap();
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    let mut answer = Answer { status, head, body: String::new() };
    let length = answer.header("content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).unwrap();
    answer.body = String::from_utf8(body).unwrap();
    answer
}
