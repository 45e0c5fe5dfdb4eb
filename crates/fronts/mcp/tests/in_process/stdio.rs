//! A server on two in-memory streams.

use std::sync::Arc;

use model::Value;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, duplex};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::fake::Fake;
use super::raw::call;
use crate::identity::IdentityDefaults;
use crate::message::MAX_BYTES;
use crate::server::Server;
use crate::stdio::serve_streams;
use crate::{ServeError, ToolNames};

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
const PING: &str = r#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#;

struct Client {
    host: Arc<Fake>,
    input: DuplexStream,
    output: Lines<BufReader<DuplexStream>>,
    stop: CancellationToken,
    server: JoinHandle<Result<(), ServeError>>,
}

impl Client {
    fn start(pipe: usize) -> Self {
        let host = Fake::new();
        let defaults = IdentityDefaults { actor: None, session: Some("mcp-1".into()) };
        let server = Server::new(host.clone(), ToolNames::Underscore, defaults);
        let (input, read) = duplex(pipe);
        let (output, write) = duplex(pipe);
        let stop = CancellationToken::new();
        let server = tokio::spawn(serve_streams(server, read, write, stop.clone()));
        Self { host, input, output: BufReader::new(output).lines(), stop, server }
    }

    async fn tell(&mut self, line: &str) {
        self.input.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }

    async fn hear(&mut self) -> Value {
        let line = self.output.next_line().await.unwrap().expect("an answer");
        serde_json::from_str(&line).unwrap()
    }

    async fn ask(&mut self, line: &str) -> Value {
        self.tell(line).await;
        self.hear().await
    }

    /// Closes the input; what else is said, and how serving ended.
    async fn end(mut self) -> (Vec<String>, Result<(), ServeError>) {
        self.input.shutdown().await.unwrap();
        let mut rest = Vec::new();
        while let Ok(Some(line)) = self.output.next_line().await {
            rest.push(line);
        }
        (rest, self.server.await.unwrap())
    }
}

#[tokio::test]
async fn a_session_from_start_to_end() {
    let mut client = Client::start(1 << 16);
    assert_eq!(client.ask(INITIALIZE).await["result"]["serverInfo"]["name"], "notes-server");
    client.tell(INITIALIZED).await;
    let listed = client.ask(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#).await;
    assert_eq!(listed["result"]["tools"][0]["name"], "note_say");
    let said = client.ask(&call(2, "note_say", r#"{"text":"x","half":1.5}"#)).await;
    assert_eq!(said["result"]["structuredContent"]["said"]["half"].to_string(), "1.5");
    assert_eq!(client.host.asked.lock().unwrap()[0].1.session.as_deref(), Some("mcp-1"));
    let again = client.ask(INITIALIZE).await;
    assert_eq!(again["result"]["protocolVersion"], "2025-06-18");
    assert_eq!(client.ask(&call(3, "note_panic", "{}")).await["error"]["code"], -32603);
    assert_eq!(client.ask(PING).await["id"], "p");
    let (rest, ended) = client.end().await;
    assert!(rest.is_empty() && ended.is_ok());
}

#[tokio::test]
async fn nothing_before_initialize_ends_the_server() {
    let mut client = Client::start(1 << 16);
    client.tell(INITIALIZED).await;
    client.tell(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#).await;
    client.tell(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#).await;
    client.tell("").await;
    assert_eq!(client.ask(PING).await["id"], "p");
    assert_eq!(client.ask(&call(1, "note_say", "{}")).await["error"]["code"], -32602);
    client.tell(INITIALIZED).await;
    let unknown = r#"{"jsonrpc":"2.0","id":4,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
    assert!(client.ask(unknown).await["error"]["code"].is_number());
    client.tell(INITIALIZED).await;
    let broken = r#"{"jsonrpc":"2.0","id":5,"method":"initialize","params":{}}"#;
    assert!(client.ask(broken).await["error"]["code"].is_number());
    assert_eq!(client.host.count(), 0);
    assert_eq!(client.ask(INITIALIZE).await["id"], 0);
    assert_eq!(client.ask(&call(6, "note_say", "{}")).await["id"], 6);
}

#[tokio::test]
async fn the_newest_revision_begins_with_any_request() {
    let mut client = Client::start(1 << 16);
    let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"actor":"GHOST"}"#;
    let discover = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{{{meta}}}}}"#);
    assert_eq!(client.ask(&discover).await["result"]["supportedVersions"][0], "2024-11-05");
    let said = format!(
        r#"{{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{{{meta},"name":"note_say","arguments":{{}}}}}}"#
    );
    assert_eq!(client.ask(&said).await["result"]["resultType"], "complete");
    assert_eq!(client.host.asked.lock().unwrap()[0].1.actor.as_deref(), Some("GHOST"));
    assert!(client.end().await.1.is_ok());
}

#[tokio::test]
async fn a_second_request_of_one_id_is_not_carried_out() {
    let mut client = Client::start(1 << 16);
    client.ask(INITIALIZE).await;
    client.tell(&call(7, "note_wait", "{}")).await;
    let host = client.host.clone();
    tokio::task::spawn_blocking(move || host.until_waiting(1)).await.unwrap();
    for again in [call(7, "note_say", "{}"), PING.replace("\"p\"", "7")] {
        let no = client.ask(&again).await;
        assert_eq!((no["error"]["code"].as_i64(), no.get("id")), (Some(-32600), None), "{no}");
    }
    assert_eq!(client.ask(&call(8, "note_say", "{}")).await["id"], 8);
    client.host.open_gate();
    assert_eq!(client.hear().await["id"], 7);
    // The id is free again.
    assert_eq!(client.ask(&call(7, "note_say", "{}")).await["id"], 7);
    assert_eq!(client.host.count(), 3);
    assert!(client.end().await.1.is_ok());
}

#[tokio::test]
async fn what_cannot_be_read_is_answered() {
    let mut client = Client::start(1 << 16);
    client.ask(INITIALIZE).await;
    for (line, code) in [
        ("nope", -32700),
        ("{\"jsonrpc\":", -32700),
        ("[]", -32600),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600),
        ("null", -32600),
        ("{}", -32600),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":"frob"}"#, -32601),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}"#, -32602),
    ] {
        assert_eq!(client.ask(line).await["error"]["code"], code, "{line}");
    }
    let mut long = call(7, "note_say", r#"{"text":"x"}"#);
    long.push_str(&" ".repeat(MAX_BYTES - long.len()));
    assert_eq!(client.ask(&long).await["id"], 7);
    long.push(' ');
    assert_eq!(client.ask(&long).await["error"]["code"], -32600);
    let bom = format!("\u{feff}{}\r", call(8, "note_say", "{}"));
    assert_eq!(client.ask(&bom).await["id"], 8);
    assert_eq!(client.host.count(), 2);
}

#[tokio::test]
async fn an_end_in_mid_message_is_a_clean_end() {
    for opening in ["", INITIALIZE] {
        let mut client = Client::start(1 << 16);
        if !opening.is_empty() {
            client.ask(opening).await;
        }
        let half = call(1, "note_say", "{}");
        client.input.write_all(half.as_bytes()).await.unwrap();
        let host = client.host.clone();
        let (rest, ended) = client.end().await;
        assert!(rest.is_empty() && ended.is_ok());
        assert_eq!(host.count(), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn calls_under_way_are_answered_after_the_end_of_the_input() {
    for asked_to_stop in [false, true] {
        let mut client = Client::start(1 << 16);
        client.ask(INITIALIZE).await;
        client.tell(&call(1, "note_wait", "{}")).await;
        let host = client.host.clone();
        let waiting = host.clone();
        tokio::task::spawn_blocking(move || waiting.until_waiting(1)).await.unwrap();
        if asked_to_stop {
            client.stop.cancel();
        } else {
            client.input.shutdown().await.unwrap();
        }
        // However long the call takes from here.
        for _ in 0..60 {
            tokio::time::advance(std::time::Duration::from_secs(1)).await;
        }
        host.open_gate();
        assert_eq!(client.hear().await["result"]["structuredContent"]["waited"], true);
        assert!(client.server.await.unwrap().is_ok());
    }
}

#[tokio::test]
async fn a_client_that_closes_its_ear_ends_the_server() {
    let mut client = Client::start(1 << 16);
    client.ask(INITIALIZE).await;
    drop(client.output);
    client.input.write_all(b"nope\n").await.unwrap();
    assert!(client.server.await.unwrap().is_ok());
}

#[tokio::test]
async fn a_client_that_stops_reading_holds_up_nobody_else() {
    let mut deaf = Client::start(1 << 10);
    deaf.ask(INITIALIZE).await;
    let mut input = deaf.input;
    let flood = tokio::spawn(async move {
        for id in 1.. {
            if input.write_all(format!("{}\n", call(id, "note_long", "{}")).as_bytes()).await.is_err() {
                break;
            }
        }
    });
    let mut other = Client::start(1 << 16);
    other.ask(INITIALIZE).await;
    for id in 1..=20 {
        assert_eq!(other.ask(&call(id, "note_say", "{}")).await["id"], id);
    }
    // It is given up as soon as it is gone.
    drop(deaf.output);
    flood.abort();
    let _ = flood.await;
    assert!(deaf.server.await.unwrap().is_ok());
    assert!(other.end().await.1.is_ok());
}

#[tokio::test]
async fn a_subscriber_is_told_between_answers() {
    let mut client = Client::start(1 << 16);
    let opened = client.ask(INITIALIZE).await;
    assert_eq!(opened["result"]["capabilities"]["resources"]["subscribe"], true);
    client.tell(INITIALIZED).await;
    let subscribe = r#"{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"mainstay://state"}}"#;
    assert_eq!(client.ask(subscribe).await["result"], serde_json::json!({}));
    client.host.stir(&["notes"], false);
    let heard = client.hear().await;
    assert_eq!(
        (&heard["method"], &heard["params"]["uri"]),
        (&"notifications/resources/updated".into(), &"mainstay://state".into())
    );
    client.host.stir(&[], true);
    assert_eq!(client.hear().await["method"], "notifications/tools/list_changed");
    assert_eq!(client.hear().await["method"], "notifications/resources/list_changed");
    assert_eq!(client.ask(&subscribe.replace("/subscribe", "/unsubscribe")).await["id"], 1);
    client.host.stir(&["notes"], false);
    let level = r#"{"jsonrpc":"2.0","id":2,"method":"logging/setLevel","params":{"level":"warning"}}"#;
    assert_eq!(client.ask(level).await["result"], serde_json::json!({}));
    assert_eq!(client.ask(&call(3, "note_warn", "{}")).await["params"]["data"]["code"], "w1");
    assert_eq!(client.hear().await["params"]["data"]["code"], "w2");
    assert_eq!(client.hear().await["id"], 3);
    let host = client.host.clone();
    let (rest, ended) = client.end().await;
    assert!(rest.is_empty() && ended.is_ok(), "{rest:?}");
    tokio::task::spawn_blocking(move || host.until_unfollowed()).await.unwrap();
}

#[tokio::test]
async fn listening_ends_with_the_input_or_when_it_is_cancelled() {
    let listen = |id: u32| {
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"subscriptions/listen","params":{{"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}}}},"notifications":{{"resourceSubscriptions":["mainstay://state"]}}}}}}"#
        )
    };
    let mut client = Client::start(1 << 16);
    let acknowledged = client.ask(&listen(1)).await;
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged");
    client.host.stir(&["notes"], false);
    let heard = client.hear().await;
    assert_eq!(heard["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], 1);
    client.tell(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#).await;
    assert_eq!(client.ask(&listen(2)).await["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], 2);
    client.host.stir(&["notes"], false);
    let mut heard = client.hear().await;
    while heard["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] != 2 {
        heard = client.hear().await;
    }
    let (rest, ended) = client.end().await;
    assert!(ended.is_ok());
    let last: Value = serde_json::from_str(rest.last().unwrap()).unwrap();
    assert_eq!((&last["id"], &last["result"]["resultType"]), (&2.into(), &"complete".into()));
}
