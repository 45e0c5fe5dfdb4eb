//! Routes, sources, tokens and forms, over real connections.

use std::io::Write;

use super::fake::Fake;
use super::raw::{Running, call, loopback, read};
use crate::HttpOptions;

#[test]
fn health_says_who_and_where() {
    let server = Running::plain();
    let get = |path: &str| server.send(format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", server.address).as_bytes());
    let health = get("/health");
    assert_eq!((health.status, health.header("content-type")), (200, Some("application/json")));
    let expected = r#"{"status":"ok","server":"notes-server","project":"/projects/fake","version":"0.1.0","pid":PID}"#;
    assert_eq!(health.body, expected.replace("PID", &std::process::id().to_string()));

    let named = Running::start(Fake::bare(), HttpOptions { nonce: Some("n1".into()), ..loopback() });
    let health = named.send(format!("GET /health HTTP/1.1\r\nHost: {}\r\n\r\n", named.address).as_bytes()).json();
    // Whoever started it knows it by the name that it keeps after the first write.
    assert_eq!((&health["server"], &health["nonce"]), (&"notes-server".into(), &"n1".into()));

    for path in ["/", "/mcp/", "/mcp/x", "/health/", "/sse", "/%6dcp", "//mcp"] {
        let answer = get(path);
        assert_eq!((answer.status, answer.json()["error"]["code"].as_str()), (404, Some("not_found")), "{path}");
    }
}

#[test]
fn other_methods_are_refused_by_name() {
    let server = Running::plain();
    for method in ["GET", "PUT", "DELETE", "PATCH", "TRACE", "HEAD", "OPTIONS", "BREW"] {
        let request = format!("{method} /mcp HTTP/1.1\r\nHost: {}\r\nContent-Length: 0\r\n\r\n", server.address);
        let mut stream = server.connect();
        stream.write_all(request.as_bytes()).unwrap();
        if method == "HEAD" {
            continue;
        }
        let answer = read(&mut stream);
        assert_eq!((answer.status, answer.header("allow")), (405, Some("POST")), "{method}");
    }
    let posted = format!("POST /health HTTP/1.1\r\nHost: {}\r\nContent-Length: 0\r\n\r\n", server.address);
    assert_eq!(server.send(posted.as_bytes()).status, 405);
    assert_eq!(server.host.count(), 0);
}

#[test]
fn a_foreign_source_is_refused_and_nothing_runs() {
    let server = Running::plain();
    let port = server.address.port();
    let body = call(1, "note_say", r#"{"text":"x"}"#);
    let rest = format!("Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    let ours = format!("Host: localhost:{port}");
    for source in [
        String::new(),
        "Host: \r\n".into(),
        "Host: evil.example\r\n".into(),
        format!("Host: evil.example:{port}\r\n"),
        format!("Host: evil@127.0.0.1:{port}\r\n"),
        format!("Host: localhost.:{port}\r\n"),
        format!("Host: 2130706433:{port}\r\n"),
        format!("{ours}\r\nHost: evil.example\r\n"),
        format!("{ours}\r\nOrigin: http://evil.example\r\n"),
        format!("{ours}\r\nOrigin: null\r\n"),
        format!("{ours}\r\nOrigin: http://localhost:1\r\n"),
    ] {
        let answer = server.send(format!("POST /mcp HTTP/1.1\r\n{source}{rest}").as_bytes());
        assert_eq!(answer.status, 403, "{source:?}");
        assert_eq!(answer.header("access-control-allow-origin"), None, "{source:?}");
    }
    let absolute = format!("POST http://evil.example/mcp HTTP/1.1\r\n{ours}\r\n{rest}");
    assert_eq!(server.send(absolute.as_bytes()).status, 403);
    assert_eq!(server.send(format!("POST /mcp HTTP/1.0\r\n{rest}").as_bytes()).status, 403);
    let health = "GET /health HTTP/1.1\r\nHost: evil.example\r\n\r\n";
    assert_eq!(server.send(health.as_bytes()).status, 403);
    assert_eq!(server.host.count(), 0);
    assert_eq!(server.send(format!("POST /mcp HTTP/1.1\r\n{ours}\r\n{rest}").as_bytes()).status, 200);
    assert_eq!(server.host.count(), 1);
}

#[test]
fn a_page_of_an_allowed_origin_is_told_so_by_name() {
    let options = HttpOptions { allow_origins: vec!["https://app.example".into()], ..loopback() };
    let server = Running::start(Fake::new(), options);
    let body = call(1, "note_say", r#"{"text":"x"}"#);
    let answer = server.post_with("Origin: https://app.example\r\n", &body);
    assert_eq!((answer.status, answer.header("access-control-allow-origin")), (200, Some("https://app.example")));
    let asked = format!(
        "OPTIONS /mcp HTTP/1.1\r\nHost: {}\r\nOrigin: https://app.example\r\nAccess-Control-Request-Method: POST\r\n\r\n",
        server.address
    );
    let answer = server.send(asked.as_bytes());
    assert_eq!((answer.status, answer.header("access-control-allow-origin")), (204, Some("https://app.example")));
    assert!(!answer.head.contains('*'));
    let foreign = asked.replace("https://app.example", "https://evil.example");
    assert_eq!(server.send(foreign.as_bytes()).status, 403);
}

#[test]
fn a_token_guards_mcp_and_shows_nowhere() {
    let server = Running::start(Fake::new(), HttpOptions { token: Some("s3cret".into()), ..loopback() });
    let body = call(1, "note_say", r#"{"text":"x"}"#);
    for lines in [
        "",
        "Authorization: Bearer wrong\r\n",
        "Authorization: s3cret\r\n",
        "Authorization: Bearer s3cret\r\nAuthorization: Bearer s3cret\r\n",
        "Authorization: Bearer s3cret\r\nAuthorization: Bearer wrong\r\n",
    ] {
        let answer = server.post_with(lines, &body);
        assert_eq!((answer.status, answer.header("www-authenticate")), (401, Some("Bearer")), "{lines}");
        assert!(!answer.body.contains("s3cret"));
    }
    let listening = format!("GET /mcp HTTP/1.1\r\nHost: {}\r\n\r\n", server.address);
    assert_eq!(server.send(listening.as_bytes()).status, 401);
    assert_eq!(server.host.count(), 0);
    assert!(server.is_well());
    assert_eq!(server.post_with("Authorization: Bearer s3cret\r\n", &body).status, 200);
    assert_eq!(server.host.count(), 1);
}

#[test]
fn a_connection_carries_many_requests() {
    let server = Running::plain();
    let mut stream = server.connect();
    for number in 1..=3 {
        let body = call(number, "note_say", r#"{"text":"x"}"#);
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            server.address,
            body.len()
        );
        stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
        assert_eq!(read(&mut stream).json()["id"], number);
    }
}
