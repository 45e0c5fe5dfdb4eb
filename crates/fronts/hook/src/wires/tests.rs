//! What hosts send and what they get, host by host.

use serde_json::{Value, json};

use super::*;
use crate::kept::MOST;
use crate::spoken::tests::{block, denied as no, message, spoken};

/// The event that the host's becomes.
fn read(host: &str, input: &Value) -> Object {
    let input = crate::kept::object(input.to_string().as_bytes(), kept).expect("hosts send objects");
    Wire::of(Some(host)).unwrap().reads(input)
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
            json!({"session_id": "s", "last_assistant_message": "m"}),
            json!({"session_id": "s", "last_assistant_message": "m"}),
        ),
        (
            "codex",
            json!({"session_id": "s", "tool_name": "apply_patch", "tool_input": {"command": patch}}),
            edits.clone(),
        ),
        (
            "codex",
            json!({"session_id": "s", "tool_name": "Bash", "tool_input": {"command": "ls"}}),
            json!({"session_id": "s", "tool_name": "Bash", "tool_input": {"command": "ls"}}),
        ),
        (
            "codex",
            json!({"tool_name": "apply_patch", "tool_input": 7}),
            json!({"tool_name": "Edit", "tool_input": {"file_paths": []}}),
        ),
        (
            "gemini",
            json!({"session_id": "s", "prompt_response": "m"}),
            json!({"session_id": "s", "last_assistant_message": "m"}),
        ),
        (
            "gemini",
            json!({"tool_name": "replace", "tool_input": {"file_path": "a"}}),
            json!({"tool_name": "Edit", "tool_input": {"file_paths": ["a"], "is_sought": true}}),
        ),
        (
            "opencode",
            json!({"session_id": "s", "tool_name": "apply_patch", "tool_input": {"patchText": patch}}),
            edits.clone(),
        ),
        (
            "opencode",
            json!({"tool_name": "write", "tool_input": {"filePath": "a"}}),
            json!({"tool_name": "Write", "tool_input": {"file_paths": ["a"]}}),
        ),
        (
            "copilot",
            json!({"sessionId": "s", "agentId": "a", "agentType": "t", "response": "m"}),
            json!({"session_id": "s", "agent_id": "a", "agent_type": "t", "last_assistant_message": "m"}),
        ),
        (
            "copilot",
            json!({"sessionId": "s", "toolName": "bash", "toolArgs": "{\"command\":\"ls\"}"}),
            json!({"session_id": "s", "tool_name": "Bash", "tool_input": {"command": "ls"}}),
        ),
        (
            "copilot",
            json!({"session_id": "s", "tool_name": "editFiles", "tool_input": {"files": ["a.rs", "b.rs"]}}),
            edits.clone(),
        ),
        (
            "copilot",
            json!({"session_id": "s", "tool_name": "multi_replace_string_in_file",
                   "tool_input": {"replacements": [{"filePath": "a.rs"}, {"filePath": "b.rs"}]}}),
            edits,
        ),
        (
            "copilot",
            json!({"toolName": "applyPatch", "toolArgs": patch}),
            json!({"tool_name": "Edit", "tool_input": {"file_paths": ["a.rs", "b.rs"]}}),
        ),
        (
            "copilot",
            json!({"tool_name": "read_files", "tool_input": {"files": ["a"]}}),
            json!({"tool_name": "read_files", "tool_input": {"file_paths": ["a"]}}),
        ),
        (
            "cursor",
            json!({"conversation_id": "s", "text": "m"}),
            json!({"session_id": "s", "last_assistant_message": "m"}),
        ),
        (
            "cursor",
            json!({"conversation_id": "c", "session_id": "s", "tool_name": "Delete", "tool_input": {"path": "a"}}),
            json!({"session_id": "s", "tool_name": "Write", "tool_input": {"file_paths": ["a"]}}),
        ),
    ];
    for (host, input, expected) in cases {
        assert_eq!(Value::Object(read(host, &input)), expected, "{host} {input}");
    }
}

#[test]
fn words_and_addresses_are_read_as_what_they_stand_for() {
    let patch = "*** Begin Patch\n*** Update File: a.rs\n*** Add File: b.rs\n*** End Patch";
    let cases = [
        (
            "codex",
            json!({"tool_name": "Bash", "tool_input": {"command": ["bash", "-c", "rm 'a'"]}}),
            json!({"tool_name": "Bash", "tool_input": {"command": r"'bash' '-c' 'rm '\''a'\'''"}}),
        ),
        (
            "codex",
            json!({"tool_name": "apply_patch", "tool_input": {"command": ["apply_patch", patch]}}),
            json!({"tool_name": "Edit", "tool_input": {"file_paths": ["a.rs", "b.rs"]}}),
        ),
        (
            "copilot",
            json!({"tool_name": "create_file", "tool_input": {"filePath": "file:///p/%2eclaude/x%zz%"}}),
            json!({"tool_name": "Write", "tool_input": {"file_paths": ["/p/.claude/x%zz%"]}}),
        ),
    ];
    for (host, input, expected) in cases {
        assert_eq!(Value::Object(read(host, &input)), expected, "{host} {input}");
    }
}

#[test]
fn no_argument_hides_another() {
    // What each host's own tool is told, and a decoy in the words of all.
    let tools = [
        ("claude", "Write", "file_path"),
        ("claude", "NotebookEdit", "notebook_path"),
        ("codex", "apply_patch", "command"),
        ("gemini", "write_file", "file_path"),
        ("gemini", "replace", "absolute_path"),
        ("opencode", "edit", "filePath"),
        ("opencode", "apply_patch", "patchText"),
        ("copilot", "create", "path"),
        ("copilot", "create_file", "filePath"),
        ("copilot", "edit_notebook_file", "notebookPath"),
        ("copilot", "apply_patch", "input"),
        ("copilot", "editFiles", "files"),
        ("cursor", "StrReplace", "path"),
        ("cursor", "Write", "target_file"),
    ];
    let decoys = files::PATHS.iter().chain(files::TEXTS).chain(files::LISTS).chain(&["file_paths", "is_cut"]);
    for ((host, tool, own), decoy) in tools.iter().flat_map(|tool| decoys.clone().map(move |decoy| (tool, decoy))) {
        let patch = json!("*** Update File: real");
        let real = match *own {
            own if files::TEXTS.contains(&own) => patch,
            own if files::LISTS.contains(&own) => json!(["real"]),
            _ => json!("real"),
        };
        for (is_first, harmless) in [(true, json!("x")), (false, json!([])), (true, json!(null)), (false, json!(false))]
        {
            let mut arguments = vec![((*own).to_owned(), real.clone())];
            if decoy != own {
                arguments.insert(usize::from(is_first), ((*decoy).to_owned(), harmless));
            }
            let arguments = Value::Object(arguments.into_iter().collect());
            let about = read(host, &json!({"tool_name": tool, "tool_input": arguments}))["tool_input"].clone();
            let paths = about["file_paths"].as_array().unwrap();
            assert!(paths.contains(&json!("real")), "{host} {tool} {arguments}: {about}");
            assert!(about.get("is_cut").is_none(), "{host} {tool} {arguments}: {about}");
        }
    }
}

#[test]
fn every_reading_of_a_name_counts_and_none_that_no_system_opens() {
    for (wire, argument) in WIRES.iter().flat_map(|wire| files::PATHS.iter().map(move |argument| (wire, argument))) {
        let ask = |named: &str| {
            let input = json!({"tool_name": "Write", "tool_input": {*argument: named}});
            read(wire.host, &input)["tool_input"].clone()
        };
        for named in ["a/b", "@a/b", "@/a/b", "a\u{0}/b", "\u{0}@a/\u{1}b", " a/b\n", "file:a%00/b", "@@a/b"] {
            let expected = json!(if named == "@@a/b" { "@a/b" } else { "a/b" });
            let about = ask(named);
            assert!(about["file_paths"].as_array().unwrap().contains(&expected), "{} {named:?}: {about}", wire.host);
            assert!(about.get("is_cut").is_none());
        }
        assert_eq!(ask("a/b")["file_paths"], json!(["a/b"]));
        let about = ask(&"a".repeat(files::LONGEST));
        assert_eq!((about["file_paths"].as_array().unwrap().len(), about.get("is_cut")), (1, None));
        assert_eq!(ask(&"a".repeat(files::LONGEST + 1)), json!({"file_paths": [], "is_cut": true}));
    }
    let names = |count: usize| (0..count).map(|number| format!("{number:04096}")).collect::<Vec<_>>();
    for count in [files::MOST_BYTES / files::LONGEST, files::MOST_BYTES / files::LONGEST + 1] {
        let about = read("copilot", &json!({"tool_name": "editFiles", "tool_input": {"files": names(count)}}));
        assert_eq!(about["tool_input"].get("is_cut").is_some(), count * files::LONGEST > files::MOST_BYTES);
    }
}

#[test]
fn what_nobody_looks_at_is_not_kept() {
    let wide: Object = (0..10_000).map(|number| (format!("k{number}"), json!([number, {}]))).collect();
    let mut deep = json!("x");
    for _ in 0..100 {
        deep = json!([deep]);
    }
    for wire in WIRES {
        let mut input = wide.clone();
        let arguments = json!({"command": "ls", "content": deep, "wide": wide, "files": wide, "path": [1, {"a": 2}]});
        input.extend([("tool_name".to_owned(), json!("Bash")), ("tool_input".to_owned(), arguments)]);
        input.extend(["session_id", "model", "prompt"].map(|name| (name.to_owned(), deep.clone())));
        let expected = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}});
        assert_eq!(Value::Object(read(wire.host, &Value::Object(input))), expected, "{}", wire.host);
    }
    let status = json!({"model": {"display_name": "M", "id": "m"}, "cost": {"total_cost_usd": 1.50}, "version": "1",
        "rate_limits": {"five_hour": {"used_percentage": 80, "resets_at": 7}}, "workspace": {"current_dir": "/d"}});
    let expected = json!({"model": {"display_name": "M"}, "cost": {"total_cost_usd": 1.50},
        "rate_limits": {"five_hour": {"used_percentage": 80}}, "workspace": {"current_dir": "/d"}});
    assert_eq!(Value::Object(read("claude", &status)), expected);
}

#[test]
fn many_files_are_bounded_and_told() {
    let names: Vec<String> = (0..=MOST).map(|number| format!("f{number}")).collect();
    let objects: Vec<Value> = names.iter().map(|name| json!({"filePath": name})).collect();
    let patch = names.iter().fold(String::new(), |patch, name| patch + "*** Add File: " + name + "\n");
    for (host, tool, arguments) in [
        ("codex", "apply_patch", json!({"command": patch})),
        ("opencode", "patch", json!({"patchText": patch})),
        ("copilot", "editFiles", json!({"files": names})),
        ("copilot", "multi_replace_string_in_file", json!({"replacements": objects})),
    ] {
        let about = read(host, &json!({"tool_name": tool, "tool_input": arguments}))["tool_input"].clone();
        let count = about["file_paths"].as_array().unwrap().len();
        assert_eq!((count, about.get("is_cut")), (MOST, Some(&json!(true))), "{host} {tool}");
    }
    let again = patch.replace(&format!("f{MOST}"), "f0");
    let about =
        read("codex", &json!({"tool_name": "apply_patch", "tool_input": {"command": again}}))["tool_input"].clone();
    assert_eq!((about["file_paths"].as_array().unwrap().len(), about.get("is_cut")), (MOST, None));
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
