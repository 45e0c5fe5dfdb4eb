//! The end of a server, and of clients that do not keep up.

use std::io::{ErrorKind, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};
use tokio_util::sync::CancellationToken;

use super::fake::Fake;
use super::raw::{MAX_CONNECTIONS, Running, call, loopback, read};
use crate::guard::Guard;
use crate::http::Routes;
use crate::identity::IdentityDefaults;
use crate::idle::Idle;
use crate::message::MAX_BYTES;
use crate::server::Server;
use crate::{ToolNames, listen};

#[test]
fn requests_under_way_are_finished_and_nothing_new_is_answered() {
    let mut server = Running::plain();
    let idle = server.connect();
    let body = call(1, "note_wait", "{}");
    let head = format!("POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n", server.address);
    let mut asking = server.connect();
    asking.write_all(format!("{head}Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes()).unwrap();
    server.host.until_waiting(1);
    server.stop.cancel();
    let mut late = TcpStream::connect(server.address).ok();
    if let Some(late) = &mut late {
        let _ = late.write_all(format!("GET /health HTTP/1.1\r\nHost: {}\r\n\r\n", server.address).as_bytes());
    }
    server.host.open_gate();
    let answer = read(&mut asking);
    assert_eq!(answer.json()["result"]["structuredContent"]["waited"], true);
    server.join();
    assert!(late.is_none_or(|mut late| read(&mut late).status != 200));
    drop(idle);
    assert!(TcpStream::connect(server.address).is_err());
}

#[tokio::test(start_paused = true)]
async fn a_call_may_take_longer_than_the_last_answers() {
    let (stop, host) = (CancellationToken::new(), Fake::new());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = Server::new(host.clone(), ToolNames::Underscore, IdentityDefaults::default());
    let routes = Routes::new(server.clone(), &server, Guard::new(address, &loopback()).unwrap(), None, stop.clone());
    let serving = tokio::spawn(listen::serve_listener(listener, routes, MAX_CONNECTIONS, stop.clone()));

    let mut asking = tokio::net::TcpStream::connect(address).await.unwrap();
    let body = call(1, "note_wait", "{}");
    let head = format!("POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n");
    let request = format!("{head}Content-Length: {}\r\n\r\n{body}", body.len());
    asking.write_all(request.as_bytes()).await.unwrap();
    let waiting = host.clone();
    tokio::task::spawn_blocking(move || waiting.until_waiting(1)).await.unwrap();
    stop.cancel();
    for _ in 0..5 {
        tokio::time::advance(Duration::from_secs(1)).await;
    }
    tokio::time::resume();
    host.open_gate();
    let mut answer = String::new();
    asking.read_to_string(&mut answer).await.unwrap();
    assert!(answer.contains(r#""waited":true"#), "{answer}");
    serving.await.unwrap();
}

#[test]
fn a_client_that_leaves_does_not_take_its_call_along() {
    let server = Running::plain();
    let body = call(1, "note_wait", "{}");
    let head = format!("POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n", server.address);
    let mut leaving = server.connect();
    leaving.write_all(format!("{head}Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes()).unwrap();
    server.host.until_waiting(1);
    drop(leaving);
    assert!(server.is_well());
    server.host.open_gate();
    assert_eq!(server.call("note_say", "{}")["id"], 1);
    assert_eq!(server.host.count(), 2);
}

#[test]
fn a_connection_too_many_takes_the_place_of_the_longest_idle() {
    let server = Running::plain();
    let health = format!("GET /health HTTP/1.1\r\nHost: {}\r\n\r\n", server.address);
    let ask = || {
        let mut stream = server.connect();
        stream.write_all(health.as_bytes()).unwrap();
        assert_eq!(read(&mut stream).status, 200);
        stream
    };
    let mut first: Vec<TcpStream> = (0..MAX_CONNECTIONS).map(|_| ask()).collect();
    // Half a head holds no place either.
    first[0].write_all(b"GET /hea").unwrap();
    let mut newcomer = ask();
    assert_eq!(read(&mut first[0]).status, 0);
    for stream in first[1..].iter_mut().chain([&mut newcomer]) {
        stream.write_all(health.as_bytes()).unwrap();
        assert_eq!(read(stream).status, 200);
    }
}

#[test]
fn a_connection_that_answers_keeps_its_place() {
    let server = Running::plain();
    let body = call(1, "note_wait", "{}");
    let head = format!("POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n", server.address);
    let ask = || {
        let mut stream = server.connect();
        stream.write_all(format!("{head}Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes()).unwrap();
        stream
    };
    let mut first: Vec<TcpStream> = (0..MAX_CONNECTIONS).map(|_| ask()).collect();
    server.host.until_waiting(MAX_CONNECTIONS);
    let mut waiting = ask();
    waiting.set_nonblocking(true).unwrap();
    assert_eq!(waiting.peek(&mut [0]).unwrap_err().kind(), ErrorKind::WouldBlock);
    waiting.set_nonblocking(false).unwrap();
    server.host.open_gate();
    for stream in first.iter_mut().chain([&mut waiting]) {
        assert_eq!(read(stream).json()["result"]["structuredContent"]["waited"], true);
    }
}

#[tokio::test]
async fn great_messages_are_read_a_few_at_a_time() {
    let (stop, host) = (CancellationToken::new(), Fake::new());
    let server = Server::new(host.clone(), ToolNames::Underscore, IdentityDefaults::default());
    let guard = Guard::new(([127, 0, 0, 1], 3100).into(), &loopback()).unwrap();
    let routes = Arc::new(Routes::new(server.clone(), &server, guard, None, stop));
    let ask = |size: usize| {
        let mut body = call(1, "note_wait", "{}");
        body.push_str(&" ".repeat(size.saturating_sub(body.len())));
        let request = http::Request::post("/mcp").header("host", "localhost:3100");
        let request = request.header("content-type", "application/json");
        let (routes, body) = (Arc::clone(&routes), http_body_util::Full::new(Bytes::from(body)));
        tokio::spawn(async move { routes.answer(request.body(body).unwrap()).await.status() })
    };
    let waiting = |number: usize| {
        let host = host.clone();
        tokio::task::spawn_blocking(move || host.until_waiting(number))
    };
    // Messages of the usual size do not get into each other's way.
    let mut asked: Vec<_> = (0..20).map(|_| ask(0)).collect();
    waiting(20).await.unwrap();
    asked.extend((0..7).map(|_| ask(MAX_BYTES)));
    waiting(27).await.unwrap();
    asked.extend((0..2).map(|_| ask(MAX_BYTES)));
    for _ in 0..50 {
        // As long a way as the one that a call takes to the host.
        tokio::task::spawn_blocking(|| ()).await.unwrap();
    }
    let begun = host.count();
    host.open_gate();
    for answer in asked {
        assert_eq!(answer.await.unwrap(), 200);
    }
    assert_eq!((begun, host.count()), (27, 29));
}

fn routes(stop: &CancellationToken) -> Arc<Routes> {
    let server = Server::new(Fake::new(), ToolNames::Underscore, IdentityDefaults::default());
    let guard = Guard::new(([127, 0, 0, 1], 3100).into(), &loopback()).unwrap();
    Arc::new(Routes::new(server.clone(), &server, guard, None, stop.clone()))
}

#[tokio::test(start_paused = true)]
async fn a_head_or_a_body_that_never_ends_is_given_up() {
    let post =
        "POST /mcp HTTP/1.1\r\nHost: localhost:3100\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{";
    for (sent, status) in [("", ""), ("GET /health HTTP/1.1\r\nHost: local", ""), (post, "HTTP/1.1 408 ")] {
        let (mut ours, theirs) = duplex(1 << 16);
        let stop = CancellationToken::new();
        let served =
            tokio::spawn(listen::serve_connection(theirs, routes(&stop), Arc::new(Idle::default()).seat(), stop));
        ours.write_all(sent.as_bytes()).await.unwrap();
        let mut answer = String::new();
        ours.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with(status), "{sent:?}: {answer}");
        served.await.unwrap();
    }
}
