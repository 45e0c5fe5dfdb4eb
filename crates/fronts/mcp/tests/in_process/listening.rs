//! Sessions over HTTP: subscriptions, streams, log messages, and how they end.

use model::Value;

use super::fake::Fake;
use super::raw::{Events, MAX_CONNECTIONS, Running, call};

const NOTES: &str = "mainstay://notes/NOTES.md";
const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;

/// A client with a session.
struct Client<'a> {
    server: &'a Running,
    session: String,
}

impl<'a> Client<'a> {
    fn of(server: &'a Running) -> Self {
        let answer = server.post(INITIALIZE);
        let session = answer.header("mcp-session-id").expect("a session").to_owned();
        assert!(session.len() == 32 && session.bytes().all(|byte| byte.is_ascii_hexdigit()), "{session}");
        assert_eq!(answer.json()["result"]["capabilities"]["resources"]["subscribe"], true);
        Self { server, session }
    }

    fn lines(&self) -> String {
        format!("Mcp-Session-Id: {}\r\nMCP-Protocol-Version: 2025-11-25\r\n", self.session)
    }

    fn ask(&self, method: &str, params: &str) -> Value {
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#);
        self.server.post_with(&self.lines(), &body).json()
    }

    fn subscribe(&self, uri: &str) {
        assert_eq!(self.ask("resources/subscribe", &format!(r#"{{"uri":"{uri}"}}"#))["result"], serde_json::json!({}));
    }

    fn request(&self, method: &str, lines: &str) -> String {
        let (host, session) = (self.server.address, self.lines());
        format!("{method} /mcp HTTP/1.1\r\nHost: {host}\r\nAccept: text/event-stream\r\n{session}{lines}\r\n")
    }

    /// Opens the stream; its first event is heard.
    fn stream(&self, lines: &str) -> Events {
        let (answer, mut events) = Events::of(self.server, &self.request("GET", lines));
        assert_eq!((answer.status, answer.header("content-type")), (200, Some("text/event-stream")));
        let first = events.next().unwrap();
        assert!(first.id.is_some() && first.retry && first.data.is_empty(), "{first:?}");
        events
    }

    fn get(&self) -> u16 {
        self.server.send(self.request("GET", "").as_bytes()).status
    }

    fn leave(&self) -> u16 {
        self.server.send(self.request("DELETE", "").as_bytes()).status
    }
}

fn updated(uri: &str) -> Value {
    serde_json::json!({"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": uri}})
}

#[test]
fn a_subscriber_hears_of_its_resources_and_of_no_others() {
    let server = Running::plain();
    let client = Client::of(&server);
    assert_eq!(server.host.followers(), 0, "nobody listens yet");
    client.subscribe(NOTES);
    assert_eq!(server.host.followers(), 1);
    let mut events = client.stream("");
    server.host.stir(&["other"], false);
    let revision = server.host.stir(&["notes"], false);
    let event = events.next().unwrap();
    assert_eq!(serde_json::from_str::<Value>(&event.data).unwrap(), updated(NOTES));
    assert_eq!(event.id, Some(revision.to_string()));

    client.ask("resources/unsubscribe", &format!(r#"{{"uri":"{NOTES}"}}"#));
    server.host.stir(&["notes"], false);
    server.host.stir(&[], true);
    assert_eq!(events.message()["method"], "notifications/tools/list_changed");
    assert_eq!(events.message()["method"], "notifications/resources/list_changed");
}

#[test]
fn who_comes_back_hears_what_was_missed() {
    let server = Running::plain();
    let client = Client::of(&server);
    client.subscribe(NOTES);
    client.subscribe("mainstay://state");
    let mut events = client.stream("");
    let heard = server.host.stir(&["other"], false);
    assert_eq!(events.message(), updated("mainstay://state"));
    server.host.stir(&["notes"], false);
    // Both are handed to a connection on which nobody reads any more.
    assert_eq!(events.message()["params"]["uri"], NOTES);
    drop(events);
    let mut events = client.stream(&format!("Last-Event-ID: {heard}\r\n"));
    assert_eq!(events.message(), updated(NOTES));
    assert_eq!(events.message(), updated("mainstay://state"));
}

#[test]
fn what_was_not_heard_waits_for_the_stream() {
    let server = Running::plain();
    let client = Client::of(&server);
    client.subscribe(NOTES);
    let mut last = 0;
    while last < 100 {
        last = server.host.stir(&["notes"], false);
    }
    let mut events = client.stream("");
    let mut heard = 0;
    while heard < last {
        let event = events.next().unwrap();
        assert_eq!(serde_json::from_str::<Value>(&event.data).unwrap(), updated(NOTES));
        heard = event.id.unwrap().parse().unwrap();
    }
}

#[test]
fn who_subscribed_while_the_store_was_busy_is_told_that_something_was_missed() {
    let server = Running::plain();
    server.host.be_busy(1);
    let client = Client::of(&server);
    client.subscribe(NOTES);
    assert_eq!(server.host.followers(), 0, "it cannot be followed yet");
    let mut events = client.stream("");
    assert_eq!(events.message(), updated(NOTES));
    assert_eq!(events.message()["method"], "notifications/tools/list_changed");
    assert_eq!(events.message()["method"], "notifications/resources/list_changed");
    server.host.stir(&["notes"], false);
    assert_eq!(events.message(), updated(NOTES));
}

#[test]
fn nobody_is_followed_for_when_nobody_listens() {
    let server = Running::plain();
    let client = Client::of(&server);
    client.subscribe(NOTES);
    assert_eq!(server.host.followers(), 1);
    assert_eq!(client.leave(), 204);
    server.host.until_unfollowed();
    let again = Client::of(&server);
    let mut events = again.stream("");
    server.host.stir(&[], true);
    assert_eq!(events.message()["method"], "notifications/tools/list_changed");
}

#[test]
fn sessions_end_and_unknown_ones_are_none() {
    let server = Running::plain();
    let client = Client::of(&server);
    client.subscribe(NOTES);
    let mut events = client.stream("");
    assert_eq!(client.leave(), 204);
    assert_eq!(events.next(), None, "the stream ends with its session");
    assert_eq!((client.get(), client.leave()), (404, 404));
    let ended = server.post_with(&client.lines(), &call(1, "note_say", "{}"));
    assert_eq!((ended.status, ended.json()["error"]["code"].as_str()), (404, Some("session_not_found")));

    // An earlier process may have known it: calls are answered, and nothing is promised.
    let stranger = Client { server: &server, session: "0123456789abcdef0123456789abcdef".into() };
    assert_eq!((stranger.get(), stranger.leave()), (404, 404));
    assert_eq!(stranger.ask("tools/call", r#"{"name":"note_say","arguments":{}}"#)["result"]["isError"], false);
    let refused = stranger.ask("resources/subscribe", &format!(r#"{{"uri":"{NOTES}"}}"#));
    assert_eq!(refused["error"]["data"]["code"], "session_required");
    server.host.until_unfollowed();
}

#[test]
fn only_what_can_be_read_is_subscribed_to() {
    let server = Running::plain();
    let client = Client::of(&server);
    for uri in ["mainstay://notes/other.md", "file:///etc/passwd", ""] {
        let refused = client.ask("resources/subscribe", &format!(r#"{{"uri":"{uri}"}}"#));
        assert_eq!(refused["error"]["code"], -32002, "{uri}");
    }
    assert_eq!(client.ask("resources/subscribe", "{}")["error"]["code"], -32602);
    assert_eq!(server.host.followers(), 0);
}

#[test]
fn a_client_that_takes_no_events_has_no_session() {
    let server = Running::plain();
    let head = format!("POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n", server.address);
    for accept in ["", "Accept: application/json\r\n"] {
        let request = format!("{head}{accept}Content-Length: {}\r\n\r\n{INITIALIZE}", INITIALIZE.len());
        let answer = server.send(request.as_bytes());
        assert_eq!(answer.header("mcp-session-id"), None, "{accept:?}");
        let capabilities = answer.json()["result"]["capabilities"].clone();
        assert_eq!(capabilities.to_string(), r#"{"completions":{},"prompts":{},"resources":{},"tools":{}}"#);
    }
    let client = Client::of(&server);
    let wrong = client.request("GET", "").replace("text/event-stream", "application/json");
    assert_eq!(server.send(wrong.as_bytes()).status, 406);
}

#[test]
fn the_warnings_of_a_call_come_before_its_answer_where_they_are_asked_for() {
    let server = Running::plain();
    let client = Client::of(&server);
    let warned = call(5, "note_warn", "{}");
    let plain = server.post_with(&client.lines(), &warned);
    assert_eq!(plain.header("content-type"), Some("application/json"));
    client.ask("logging/setLevel", r#"{"level":"error"}"#);
    assert_eq!(server.post_with(&client.lines(), &warned).header("content-type"), Some("application/json"));
    assert_eq!(client.ask("logging/setLevel", r#"{"level":"shout"}"#)["error"]["code"], -32602);
    assert_eq!(client.ask("logging/setLevel", r#"{"level":"info"}"#)["result"], serde_json::json!({}));

    let lines = format!("Content-Type: application/json\r\nContent-Length: {}\r\n", warned.len());
    let request = client.request("POST", &lines).replace("Accept: ", "Accept: application/json, ") + &warned;
    let (answer, mut events) = Events::of(&server, &request);
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("text/event-stream")));
    let first = events.next().unwrap();
    assert!(first.retry && first.data.is_empty(), "{first:?}");
    for (code, message) in [("w1", "first"), ("w2", "second")] {
        let expected = serde_json::json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {
            "level": "warning", "logger": "mainstay", "data": {"code": code, "message": message, "tool": "note_warn"},
        }});
        assert_eq!(events.message(), expected);
    }
    let answer = events.message();
    assert_eq!(
        (&answer["id"], &answer["result"]["structuredContent"]["warnings"][1]["code"]),
        (&5.into(), &"w2".into())
    );
    assert_eq!(events.next(), None);

    // Who takes one JSON answer gets one.
    let single = request.replace("application/json, text/event-stream", "application/json");
    assert_eq!(server.send(single.as_bytes()).json()["id"], 5);

    // Its connection broke after the first event: the rest is heard again.
    let mut again = Events::of(&server, &client.request("GET", &format!("Last-Event-ID: {}\r\n", first.id.unwrap()))).1;
    assert_eq!(again.message()["params"]["data"]["code"], "w1");
    assert_eq!(again.message()["params"]["data"]["code"], "w2");
    assert_eq!(again.message()["id"], 5);
    assert_eq!(again.next(), None);
}

#[test]
fn streams_make_room_for_newcomers_and_end_as_they_should() {
    let server = Running::plain();
    let client = Client::of(&server);
    let mut first = client.stream("");
    let others: Vec<Client<'_>> = (1..MAX_CONNECTIONS).map(|_| Client::of(&server)).collect();
    let _streams: Vec<Events> = others[..MAX_CONNECTIONS - 1].iter().map(|other| other.stream("")).collect();
    assert!(server.is_well());
    assert_eq!(first.next(), None, "it ended, and was not cut off");
    client.stream("");
}

#[test]
fn a_server_that_stops_ends_its_streams() {
    let mut server = Running::plain();
    let mut events = Client::of(&server).stream("");
    server.stop.cancel();
    assert_eq!(events.next(), None);
    server.join();
}

#[test]
fn the_newest_revision_listens_without_a_session() {
    let server = Running::start(Fake::new(), super::raw::loopback());
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":"l1","method":"subscriptions/listen","params":{{"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}}}},"notifications":{{"resourcesListChanged":true,"resourceSubscriptions":["{NOTES}"]}}}}}}"#
    );
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
         MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: subscriptions/listen\r\nContent-Length: {}\r\n\r\n{body}",
        server.address,
        body.len()
    );
    let (answer, mut events) = Events::of(&server, &request);
    assert_eq!((answer.status, answer.header("mcp-session-id")), (200, None));
    let acknowledged = events.message();
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged");
    assert_eq!(acknowledged["params"]["notifications"]["resourceSubscriptions"][0], NOTES);
    assert_eq!(server.host.followers(), 1, "it is followed before it is acknowledged");
    server.host.stir(&["other"], false);
    server.host.stir(&["notes"], false);
    let heard = events.message();
    assert_eq!((&heard["method"], &heard["params"]["uri"]), (&"notifications/resources/updated".into(), &NOTES.into()));
    assert_eq!(heard["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], "l1");
    server.host.stir(&[], true);
    assert_eq!(events.message()["method"], "notifications/resources/list_changed");
    drop(events);
    server.host.stir(&["notes"], false);
    server.host.until_unfollowed();
}
