//! What hosts send and what they get, host by host.

use serde_json::{Value, json};

use super::*;
use crate::spoken::tests::{block, denied as no, message, spoken};

fn read(host: &str, event: &str, input: Value) -> Object {
    let Value::Object(input) = input else { panic!("hosts send objects") };
    (Wire::of(Some(host)).unwrap().reads)(event, input)
}

/// The members that formats look at, of the event that the host's becomes.
fn seen(host: &str, event: &str, input: Value) -> Value {
    let names = ["session_id", "agent_id", "agent_type", "last_assistant_message", "tool_name", "tool_input"];
    let input = read(host, event, input);
    let pairs = names.iter().filter_map(|name| Some(((*name).to_owned(), input.get(*name)?.clone())));
    Value::Object(pairs.collect())
}

#[test]
fn every_host_has_one_wire_form() {
    let names: Vec<_> = WIRES.iter().map(|wire| wire.host).collect();
    assert_eq!(names, hosts::ALL.map(|host| host.name));
    assert_eq!(Wire::of(None).unwrap().host, "claude");
    let refusal = Wire::of(Some("emacs")).err().unwrap();
    assert_eq!((refusal.code.as_ref(), refusal.field.as_deref()), ("invalid_argument", Some("host")));
}

#[test]
fn what_hosts_send_is_read_in_our_words() {
    let patch = "*** Begin Patch\n*** Update File: a.rs\n*** Add File: b.rs\n*** End Patch";
    let edits = json!({"session_id": "s", "tool_name": "Edit", "tool_input": {"file_paths": ["a.rs", "b.rs"]}});
    let cases = [
        (
            "claude",
            "stop",
            json!({"session_id": "s", "last_assistant_message": "m"}),
            json!({"session_id": "s", "last_assistant_message": "m"}),
        ),
        (
            "codex",
            "pre-tool-use",
            json!({"session_id": "s", "tool_name": "apply_patch", "tool_input": {"command": patch}}),
            edits.clone(),
        ),
        (
            "codex",
            "pre-tool-use",
            json!({"session_id": "s", "tool_name": "Bash", "tool_input": {"command": "ls"}}),
            json!({"session_id": "s", "tool_name": "Bash", "tool_input": {"command": "ls"}}),
        ),
        (
            "codex",
            "pre-tool-use",
            json!({"tool_name": "apply_patch", "tool_input": 7}),
            json!({"tool_name": "Edit", "tool_input": {"file_paths": []}}),
        ),
        (
            "gemini",
            "stop",
            json!({"session_id": "s", "prompt_response": "m"}),
            json!({"session_id": "s", "last_assistant_message": "m"}),
        ),
        (
            "gemini",
            "pre-tool-use",
            json!({"tool_name": "replace", "tool_input": {"file_path": "a"}}),
            json!({"tool_name": "Edit", "tool_input": {"file_path": "a"}}),
        ),
        (
            "opencode",
            "pre-tool-use",
            json!({"session_id": "s", "tool_name": "apply_patch", "tool_input": {"patchText": patch}}),
            edits.clone(),
        ),
        (
            "opencode",
            "pre-tool-use",
            json!({"tool_name": "write", "tool_input": {"filePath": "a"}}),
            json!({"tool_name": "Write", "tool_input": {"filePath": "a", "file_path": "a"}}),
        ),
        (
            "copilot",
            "subagent-stop",
            json!({"sessionId": "s", "agentId": "a", "agentType": "t", "response": "m"}),
            json!({"session_id": "s", "agent_id": "a", "agent_type": "t", "last_assistant_message": "m"}),
        ),
        (
            "copilot",
            "pre-tool-use",
            json!({"sessionId": "s", "toolName": "bash", "toolArgs": "{\"command\":\"ls\"}"}),
            json!({"session_id": "s", "tool_name": "Bash", "tool_input": {"command": "ls"}}),
        ),
        (
            "copilot",
            "pre-tool-use",
            json!({"session_id": "s", "tool_name": "editFiles", "tool_input": {"files": ["a.rs", "b.rs"]}}),
            edits.clone(),
        ),
        (
            "copilot",
            "pre-tool-use",
            json!({"session_id": "s", "tool_name": "multi_replace_string_in_file",
                   "tool_input": {"replacements": [{"filePath": "a.rs"}, {"filePath": "b.rs"}]}}),
            edits,
        ),
        (
            "copilot",
            "pre-tool-use",
            json!({"tool_name": "read_files", "tool_input": {"files": ["a"]}}),
            json!({"tool_name": "read_files", "tool_input": {"files": ["a"]}}),
        ),
        (
            "cursor",
            "stop",
            json!({"conversation_id": "s", "text": "m"}),
            json!({"session_id": "s", "last_assistant_message": "m"}),
        ),
        (
            "cursor",
            "pre-tool-use",
            json!({"conversation_id": "c", "session_id": "s", "tool_name": "Delete", "tool_input": {"path": "a"}}),
            json!({"session_id": "s", "tool_name": "Write", "tool_input": {"path": "a"}}),
        ),
    ];
    for (host, event, input, expected) in cases {
        assert_eq!(seen(host, event, input.clone()), expected, "{host} {event} {input}");
    }
}

#[test]
fn a_patch_of_endless_files_is_bounded() {
    let files: Vec<String> = (0..10_000).map(|number| format!("*** Add File: f{number}")).collect();
    let patch = files.join("\n");
    let input = json!({"tool_name": "apply_patch", "tool_input": {"command": patch}});
    let about = read("codex", "pre-tool-use", input)["tool_input"].clone();
    assert_eq!((about["file_paths"].as_array().unwrap().len(), &about["is_cut"]), (MOST, &Value::Bool(true)));
}

#[test]
fn what_we_say_has_the_shape_of_the_host() {
    let context = |name: &str| json!({"hookSpecificOutput": {"hookEventName": name, "additionalContext": "B"}});
    let both = json!({"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "B"}, "additionalContext": "B"});
    let cases = [
        ("claude", "session-start", context("SessionStart")),
        ("codex", "session-start", context("SessionStart")),
        ("codex", "stop", json!({})),
        ("gemini", "session-start", context("SessionStart")),
        ("gemini", "user-prompt-submit", context("BeforeAgent")),
        ("opencode", "user-prompt-submit", json!({"context": "B"})),
        ("copilot", "session-start", both),
        ("cursor", "session-start", json!({"additional_context": "B"})),
        ("cursor", "subagent-start", json!({})),
    ];
    for (host, event, expected) in cases {
        let said = (Wire::of(Some(host)).unwrap().says)(event, &spoken(vec![block("B")]), Speech::Json);
        assert_eq!(said.out.lines().count(), 1, "{host} {event}");
        assert_eq!(serde_json::from_str::<Value>(&said.out).unwrap(), expected, "{host} {event}");
        assert_eq!(said.code, 0);
    }
}

#[test]
fn a_message_reaches_the_person() {
    for wire in WIRES {
        let said = (wire.says)("stop", &spoken(vec![message("look here")]), Speech::Json);
        assert!(
            said.out.contains("look here") || said.notes.join("\n").contains("look here"),
            "{}: {said:?}",
            wire.host
        );
        assert_eq!(said.code, 0);
    }
}

#[test]
fn a_gate_tells_its_reason_everywhere_and_ends_with_two_where_that_is_no_failure() {
    for wire in WIRES {
        let said = (wire.says)("pre-tool-use", &spoken(no()), Speech::Json);
        let code = if ["gemini", "copilot"].contains(&wire.host) { 0 } else { DENIED };
        assert_eq!((said.code, said.notes.join(",").as_str()), (code, "first,no,rule"), "{}", wire.host);
        assert!(code == DENIED || said.out.contains("deny"), "{}", wire.host);
        assert!(!said.out.contains("\"B\""), "{}", wire.host);
        if !said.out.is_empty() {
            let out: Value = serde_json::from_str(&said.out).unwrap();
            let denied = ["permission", "permissionDecision", "decision", "denied"].map(|name| out.get(name));
            assert!(denied.into_iter().flatten().any(|value| value == "deny" || value == "no\nrule"), "{out}");
        }
    }
}
