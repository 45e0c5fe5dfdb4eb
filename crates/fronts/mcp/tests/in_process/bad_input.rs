//! Whatever comes over HTTP, the server answers it and lives on.

use std::io::Write;
use std::net::Shutdown;

use model::Value;

use super::raw::{Running, call, read};
use crate::message::MAX_BYTES;

#[test]
fn what_is_no_message_gets_an_error_with_the_id_it_had() {
    let server = Running::plain();
    let deep =
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{}{}}}"#, "[".repeat(90_000), "]".repeat(90_000));
    for (body, code) in [
        ("", -32700),
        ("nope", -32700),
        ("{", -32700),
        ("\u{feff}{}", -32700),
        (deep.as_str(), -32700),
        ("null", -32600),
        ("7", -32600),
        ("[]", -32600),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600),
        ("{}", -32600),
        (r#"{"id":1}"#, -32600),
        (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":99999999999999999999,"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":[1],"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":true,"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":7}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, -32600),
    ] {
        let answer = server.post(body);
        let shown = &body[..body.len().min(60)];
        assert_eq!(answer.status, 400, "{shown} {answer:?}");
        assert_eq!(answer.json()["error"]["code"], code, "{shown}");
    }
    assert_eq!(server.post(r#"{"id":"a"}"#).json()["id"], "a");
    assert_eq!(server.host.count(), 0);
    assert!(server.is_well());
}

#[test]
fn odd_ids_come_back_as_they_were() {
    let server = Running::plain();
    for id in ["0", "-1", "9007199254740993", r#""""#, r#""a\nb""#, r#""__proto__""#] {
        let answer = server.post(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#)).json();
        assert_eq!(answer["id"], serde_json::from_str::<Value>(id).unwrap(), "{id}");
        assert_eq!(answer["result"], Value::Object(model::Object::new()), "{id}");
    }
}

#[test]
fn unknown_methods_and_wrong_params_are_told_apart() {
    let server = Running::plain();
    let ask = |method: &str, params: &str| {
        server.post(&format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}"{params}}}"#)).json()["error"].clone()
    };
    for method in ["tools/frob", "prompts/frob", "roots/list", "sampling/createMessage", "__proto__", ""] {
        assert_eq!(ask(method, r#","params":{"name":"x"}"#)["code"], -32601, "{method}");
    }
    for params in ["", r#","params":{}"#, r#","params":{"name":7}"#, r#","params":{"name":"note_say","arguments":[1]}"#]
    {
        let error = ask("tools/call", params);
        assert_eq!(
            (error["code"].as_i64(), error["data"]["code"].as_str()),
            (Some(-32602), Some("invalid_argument")),
            "{params}"
        );
    }
    let error = ask("resources/read", r#","params":{"uri":"mainstay://notes/../x"}"#);
    assert_eq!((error["code"].as_i64(), error["data"]["code"].as_str()), (Some(-32002), Some("resource_not_found")));
    assert_eq!(server.host.count(), 0);
}

#[test]
fn arguments_reach_the_engine_untouched() {
    let server = Running::plain();
    let odd = r#"{"__proto__":{"x":1},"":0,"a.b":1,"c/d":2,"e\nf":3,"constructor":null,"z":1e400,"big":12345678901234567890123,"half":1.50,"float":2.5,"minus":-0,"deep":[[[[{"k":[1.25]}]]]],"text":"'; DROP TABLE; $(x)\u0000"}"#;
    let answer = server.call("note_say", odd);
    let (sent, back) = (serde_json::from_str::<Value>(odd).unwrap(), &answer["result"]["structuredContent"]["said"]);
    assert_eq!(back.to_string(), sent.to_string());
    let (call, _) = server.host.asked.lock().unwrap()[0].clone();
    assert_eq!(Value::Object(call.arguments).to_string(), sent.to_string());
}

#[test]
fn a_body_ends_at_the_cap() {
    let server = Running::plain();
    let mut body = call(1, "note_say", r#"{"text":"x"}"#);
    body.push_str(&" ".repeat(MAX_BYTES - body.len()));
    assert_eq!(server.post(&body).status, 200);
    body.push(' ');
    let over = server.post(&body);
    assert_eq!((over.status, over.json()["error"]["code"].as_str()), (413, Some("too_large")));

    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n",
        server.address,
        body.len()
    );
    let chunked = [head.as_bytes(), body.as_bytes(), b"\r\n0\r\n\r\n"].concat();
    assert_eq!(server.send(&chunked).status, 413);

    let expecting = format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: {}\r\n\r\n",
        server.address,
        body.len()
    );
    let mut stream = server.connect();
    stream.write_all(expecting.as_bytes()).unwrap();
    assert_eq!(read(&mut stream).status, 413);
    assert_eq!(server.host.count(), 1);
}

#[test]
fn the_form_of_a_request_is_checked_before_its_body() {
    let server = Running::plain();
    let body = call(1, "note_say", r#"{"text":"x"}"#);
    let answer = |lines: &str| {
        let host = server.address;
        let head = format!("POST /mcp HTTP/1.1\r\nHost: {host}\r\nContent-Length: {}\r\n{lines}\r\n{body}", body.len());
        server.send(head.as_bytes())
    };
    let unknown = answer("Content-Type: application/json\r\nMCP-Protocol-Version: foo\r\n");
    assert_eq!((unknown.status, unknown.header("content-type")), (400, Some("application/json")));
    assert_eq!(unknown.json()["error"]["code"], "unsupported_protocol_version");
    let with = |lines: &str| answer(lines).status;
    assert_eq!(with(""), 415);
    assert_eq!(with("Content-Type: text/plain\r\n"), 415);
    assert_eq!(with("Content-Type: application/x-www-form-urlencoded\r\n"), 415);
    assert_eq!(with("Content-Type: application/json\r\nAccept: text/html\r\n"), 406);
    assert_eq!(with("Content-Type: application/json\r\nMCP-Protocol-Version: 1999-01-01\r\n"), 400);
    assert_eq!(server.host.count(), 0);
    assert_eq!(with("Content-Type: application/json; charset=utf-8\r\nAccept: */*\r\n"), 200);
    assert_eq!(with("Content-Type: application/json\r\nMcp-Session-Id: made-up\r\n"), 200);
}

#[test]
fn broken_http_ends_its_connection_and_nothing_else() {
    let server = Running::plain();
    let host = server.address;
    let many =
        (0..10_000).fold(format!("GET /health HTTP/1.1\r\nHost: {host}\r\n"), |head, n| head + &format!("x{n}: y\r\n"));
    let mut stream = server.connect();
    let _ = stream.write_all(format!("{many}\r\n").as_bytes());
    assert!(matches!(read(&mut stream).status, 431 | 400 | 0));
    assert_eq!(server.send(b"\x16\x03\x01\x02\x00\x01\x00").status, 400);
    assert_eq!(server.send(b"GET /health HTTP/9.9\r\n\r\n").status, 400);
    assert!(matches!(server.send(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").status, 400 | 0));

    let post = format!("POST /mcp HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n");
    assert_eq!(server.send(format!("{post}Content-Length: 5\r\nContent-Length: 6\r\n\r\n{{}}").as_bytes()).status, 400);
    assert_eq!(server.send(format!("{post}Content-Length: -1\r\n\r\n{{}}").as_bytes()).status, 400);
    let mut short = server.connect();
    short.write_all(format!("{post}Content-Length: 500\r\n\r\n{{").as_bytes()).unwrap();
    short.shutdown(Shutdown::Write).unwrap();
    assert!(matches!(read(&mut short).status, 400 | 0));
    let gone = server.connect();
    drop(gone);
    assert_eq!(server.host.count(), 0);
    assert!(server.is_well());
}

#[test]
fn a_call_that_breaks_is_answered_and_leaves_the_server_up() {
    let server = Running::plain();
    let error = server.call("note_panic", "{}")["error"].clone();
    assert_eq!((error["code"].as_i64(), error["data"]["code"].as_str()), (Some(-32603), Some("internal_error")));
    assert_eq!(server.call("note_say", r#"{"text":"x"}"#)["result"]["structuredContent"]["said"]["text"], "x");
}
