//! The protocol's revisions, the lists, calls and what they answer.

use model::Value;
use rmcp::model::ProtocolVersion;

use super::fake::Fake;
use super::raw::{Running, loopback};
use crate::host::Host;
use crate::{ToolNames, tools};

const NEWEST: &str = "2026-07-28";

fn initialize(version: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{{"protocolVersion":"{version}","capabilities":{{}},"clientInfo":{{"name":"t","version":"1"}}}}}}"#
    )
}

/// A request of the revision without `initialize`.
fn inline(method: &str, params: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{"_meta":{{"io.modelcontextprotocol/protocolVersion":"{NEWEST}","io.modelcontextprotocol/clientCapabilities":{{}}}}{params}}}}}"#
    )
}

fn post_inline(server: &Running, method: &str, name: &str, params: &str) -> Value {
    let name = if name.is_empty() { String::new() } else { format!("Mcp-Name: {name}\r\n") };
    let lines = format!("MCP-Protocol-Version: {NEWEST}\r\nMcp-Method: {method}\r\n{name}");
    server.post_with(&lines, &inline(method, params)).json()
}

#[test]
fn every_revision_with_initialize_is_spoken() {
    let server = Running::plain();
    let spoken: Vec<&str> = ProtocolVersion::KNOWN_VERSIONS.iter().map(ProtocolVersion::as_str).collect();
    assert_eq!(spoken, ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", NEWEST]);
    for version in &spoken[..4] {
        let result = server.post(&initialize(version)).json()["result"].clone();
        assert_eq!(result["protocolVersion"], *version);
        assert_eq!(result["serverInfo"]["name"], "notes-server");
        assert_eq!(result["serverInfo"]["version"], "0.1.0");
        assert!(result["instructions"].as_str().unwrap().len() < 600);
        let capabilities: Vec<&String> = result["capabilities"].as_object().unwrap().keys().collect();
        assert_eq!(capabilities, ["logging", "completions", "prompts", "resources", "tools"]);

        let lines = format!("MCP-Protocol-Version: {version}\r\n");
        let ready = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        let accepted = server.post_with(&lines, ready);
        assert_eq!((accepted.status, accepted.body.as_str()), (202, ""));
        let call = super::raw::call(2, "note_say", r#"{"text":"x"}"#);
        assert_eq!(server.post_with(&lines, &call).json()["result"]["structuredContent"]["said"]["text"], "x");
    }
    for unknown in ["1999-01-01", "2031-01-01", NEWEST, ""] {
        assert_eq!(server.post(&initialize(unknown)).json()["result"]["protocolVersion"], "2025-11-25", "{unknown}");
    }
}

#[test]
fn the_newest_revision_needs_no_initialize() {
    let server = Running::plain();
    let found = post_inline(&server, "server/discover", "", "")["result"].clone();
    assert_eq!(found["supportedVersions"][4], NEWEST);
    assert_eq!(found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "notes-server");
    let listed = post_inline(&server, "tools/list", "", "");
    assert_eq!(listed["result"]["tools"].as_array().unwrap().len(), 4);
    let said = post_inline(&server, "tools/call", "note_say", r#","name":"note_say","arguments":{"text":"x"}"#);
    assert_eq!(said["result"]["structuredContent"]["said"]["text"], "x");
    assert_eq!(said["result"]["resultType"], "complete");
}

#[test]
fn calls_need_no_initialize_in_any_revision() {
    let server = Running::plain();
    assert_eq!(server.call("note.say", r#"{"text":"x"}"#)["result"]["structuredContent"]["said"]["text"], "x");
    assert_eq!(server.host.asked.lock().unwrap()[0].0.tool, "note_say");
}

#[test]
fn the_list_is_short_and_says_only_what_is_no_default() {
    let server = Running::plain();
    let listed = server.post(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#).json()["result"].to_string();
    assert_eq!(
        listed,
        concat!(
            r#"{"tools":[{"name":"note_say","description":"Says it again.","inputSchema":{"type":"object","properties":{"#,
            r#""text":{"type":"string"}},"required":["text"],"additionalProperties":false},"annotations":{"readOnlyHint":true}},"#,
            r#"{"name":"note_invalid","inputSchema":{"type":"object","properties":{},"additionalProperties":false}},"#,
            r#"{"name":"note_missing","inputSchema":{"type":"object","properties":{},"additionalProperties":false},"#,
            r#""annotations":{"idempotentHint":true}},"#,
            r#"{"name":"note_event","inputSchema":{"type":"object","properties":{},"additionalProperties":false},"#,
            r#""annotations":{"destructiveHint":false}}]}"#
        )
    );
}

#[test]
fn without_a_format_the_first_is_listed() {
    let names =
        |host: &dyn Host, names| tools::listed(host, names).into_iter().map(|tool| tool.name).collect::<Vec<_>>();
    let bare = Fake::bare();
    assert_eq!(names(bare.as_ref(), ToolNames::Underscore)[0], "note_say");
    assert_eq!(
        names(bare.as_ref(), ToolNames::Seed),
        ["note.say", "note.invalid", "note.missing", "note.event"],
        "only the seed of a format tells where its names have a dot"
    );
    let server = Running::start(bare, loopback());
    assert_eq!(server.post(&initialize(NEWEST)).json()["result"]["serverInfo"]["name"], "notes-server");
}

#[test]
fn an_answer_is_structured_and_text_alike() {
    let server = Running::plain();
    let result = server.call("note_say", r#"{"text":"x"}"#)["result"].clone();
    assert_eq!(result["structuredContent"].to_string(), r#"{"said":{"text":"x"},"warnings":[]}"#);
    assert_eq!(result["content"][0]["text"], result["structuredContent"].to_string());
    assert_ne!(result["isError"], true);
}

#[test]
fn refusals_go_where_the_table_says() {
    let server = Running::plain();
    let invalid = server.call("note_invalid", "{}")["error"].clone();
    assert_eq!(invalid["code"], -32602);
    assert_eq!(
        invalid["data"].to_string(),
        r#"{"code":"invalid_argument","message":"an id has digits","field":"id","allowed":"N1"}"#
    );
    let unknown = server.call("frob", "{}")["error"].clone();
    assert_eq!((unknown["code"].as_i64(), unknown["data"]["code"].as_str()), (Some(-32602), Some("unknown_tool")));
    let missing = server.call("note_missing", "{}")["result"].clone();
    assert_eq!(missing["isError"], true);
    assert_eq!(
        missing["structuredContent"].to_string(),
        r#"{"error":{"code":"note_not_found","message":"no such note","id":"N1"}}"#
    );
}

#[test]
fn identity_comes_with_the_call_and_from_nowhere_else() {
    let server = Running::plain();
    let call = |meta: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"_meta":{meta},"name":"note_say","arguments":{{}}}}}}"#
        )
    };
    server.post(&initialize("2025-06-18"));
    server.post(&call(r#"{"actor":"GHOST","session":"s1","requestId":"r1"}"#));
    server.post(&call("{}"));
    let refused = server.post(&call(r#"{"requestId":5}"#)).json()["error"].clone();
    assert_eq!((refused["code"].as_i64(), refused["data"]["field"].as_str()), (Some(-32602), Some("_meta.requestId")));

    let asked = server.host.asked.lock().unwrap();
    let told: Vec<_> = asked.iter().map(|(_, who)| (&who.actor, &who.session, &who.request_id)).collect();
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(told, [(&some("GHOST"), &some("s1"), &some("r1")), (&None, &None, &None)]);
}

#[test]
fn resources_are_listed_and_read() {
    let server = Running::plain();
    let ask = |method: &str, params: &str| {
        server.post(&format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#)).json()["result"]
            .to_string()
    };
    assert_eq!(
        ask("resources/list", "{}"),
        r#"{"resources":[{"uri":"mainstay://notes/NOTES.md","name":"NOTES.md","mimeType":"text/markdown"}]}"#
    );
    assert_eq!(
        ask("resources/read", r#"{"uri":"mainstay://notes/NOTES.md"}"#),
        r##"{"contents":[{"uri":"mainstay://notes/NOTES.md","mimeType":"text/markdown","text":"# Notes\n"}]}"##
    );
    let templates = ask("resources/templates/list", "{}");
    for uri in ["mainstay://history{?since,space}", "mainstay://records/{+space}"] {
        assert!(templates.contains(&format!(r#""uriTemplate":"{uri}""#)), "{templates}");
    }
    let missing =
        server.post(r#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///x"}}"#).json();
    assert_eq!(missing["error"]["code"], -32002);
}
