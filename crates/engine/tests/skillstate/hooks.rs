//! Host events, with everything that a host sends.

use format::{HookEvent, Injected};
use mainstay_engine::Identity;
use model::Origin;
use serde_json::{Value, json};

use super::{STATE, empty, patch, seq, started, state};
use crate::desk::Desk;

/// What one format says: the injected text, and the message for the person.
fn hook(desk: &Desk, event: &str, input: Value) -> (Option<String>, Option<String>) {
    let Value::Object(input) = input else { panic!("a host sends an object") };
    let session = input.get("session_id").and_then(Value::as_str).map(str::to_owned);
    let identity = Identity { actor: None, session, request_id: None, origin: Origin::Hook(event.to_owned()) };
    let hearing = desk.engine().hook(&HookEvent { name: event.to_owned(), input }, &identity).unwrap();
    let mut glances = hearing.heard.into_iter().map(|heard| heard.glance);
    let glance = glances.next().unwrap_or_default();
    assert!(glances.next().is_none() && glance.denied.is_none() && glance.lines.is_empty());
    let text = glance.text.map(|text| match text {
        Injected::Block(text) => text,
        Injected::Plain(text) => panic!("not fenced: {text}"),
    });
    (text, glance.message)
}

fn quiet() -> (Option<String>, Option<String>) {
    (None, None)
}

/// What stands inside the fence.
fn payload(text: &str) -> Value {
    let lines: Vec<&str> = text.split('\n').collect();
    assert_eq!(lines.len(), 5, "{text}");
    let tag = lines[1].strip_prefix("<mainstay-data ").unwrap().strip_suffix('>').unwrap();
    assert_eq!(lines[3], format!("</mainstay-data {tag}>"));
    serde_json::from_str(lines[2]).unwrap()
}

fn block(patch: &Value) -> String {
    format!("Done.\n\n```json\n{}\n```\n", json!({"state_patch": patch, "action": "continue"}))
}

fn stop(message: &str) -> Value {
    let mut input = fixture("stop");
    input["last_assistant_message"] = message.into();
    input
}

/// The host's JSON for an event, as `fixtures/claude-code-hooks.json` has it.
fn fixture(event: &str) -> Value {
    let all: Value = serde_json::from_str(include_str!("fixtures/claude-code-hooks.json")).unwrap();
    all[event].clone()
}

#[test]
fn every_event_of_a_host_is_survived() {
    let all: Value = serde_json::from_str(include_str!("fixtures/claude-code-hooks.json")).unwrap();
    let desk = started();
    for (event, input) in all.as_object().unwrap() {
        let (text, message) = hook(&desk, event, input.clone());
        let injects = matches!(event.as_str(), "session-start" | "user-prompt-submit" | "subagent-start");
        assert_eq!((text.is_some(), message), (injects, None), "{event}");
    }
    assert_eq!(state(&desk)["notes"], "from the response", "the block of stop's last message counts");
    assert_eq!(state(&desk)["goal"], "one", "what tools printed does not");
    assert_eq!(desk.done("state_summary", json!({})).body["session"]["status"], "interrupted");
    let uninitialised = Desk::new();
    let before = uninitialised.snapshot();
    for (event, input) in all.as_object().unwrap() {
        assert_eq!(hook(&uninitialised, event, input.clone()), quiet(), "{event}");
    }
    assert_eq!(uninitialised.snapshot(), before, "nothing is made where nothing is kept");
}

#[test]
fn odd_input_is_survived() {
    let desk = started();
    let before = desk.history().len();
    let odd = [json!(null), json!(7), json!([]), json!({}), json!("../x"), json!("a\nb"), json!("x".repeat(10_000))];
    for event in ["session-start", "user-prompt-submit", "subagent-start", "stop", "subagent-stop", "session-end"] {
        for value in odd.iter().skip(1) {
            assert_eq!(hook(&desk, event, json!({ "agent_id": value })), quiet(), "{event} {value:.40}");
        }
    }
    hook(&desk, "session-start", json!({"agent_id": "unknown"}));
    hook(&desk, "session-end", json!({"agent_id": "unknown"}));
    assert_eq!(desk.done("agent_list", json!({})).body["agents"], json!([]));
    for value in &odd {
        assert_eq!(hook(&desk, "stop", json!({ "last_assistant_message": value })), quiet());
    }
    assert_eq!(desk.history().len(), before);
}

#[test]
fn only_a_prompt_with_news_writes() {
    let desk = started();
    let before = desk.besides_locks();
    assert!(hook(&desk, "user-prompt-submit", fixture("user-prompt-submit")).0.is_some());
    let mut compact = fixture("session-start");
    compact["source"] = "compact".into();
    assert!(hook(&desk, "session-start", compact).0.is_some());
    assert_eq!(hook(&desk, "stop", stop("no block")), quiet());
    assert_eq!(desk.besides_locks(), before, "no store, no meta, no lock");
}

#[test]
fn a_rejection_is_told_once() {
    let desk = empty();
    let cases = [
        ("```json\n{\"state_patch\": {\"goal\": 1\n```", "malformed_json", ""),
        ("```json\n{\"state_patch\": {\"goal\": 1e999}, \"action\": \"x\"}\n```", "malformed_json", ""),
        ("```json\n{\"state_patch\": {\"goal\": \"x\"}}\n```", "missing_action", " action"),
        ("```json\n{\"state_patch\": [], \"action\": \"x\"}\n```", "patch_not_object", " patch"),
        ("```json\n{\"state_patch\": {\"goal\": 1}, \"action\": \"x\"}\n```", "wrong_type", " goal"),
    ];
    for (message, code, field) in cases {
        let said = hook(&desk, "stop", stop(message)).1.unwrap();
        assert_eq!(said, format!("skillstate: response patch not applied: {code}{field}"));
        assert_eq!(hook(&desk, "stop", stop(message)), quiet(), "the same message is handled once");
        let text = hook(&desk, "user-prompt-submit", fixture("user-prompt-submit")).0.unwrap();
        assert_eq!(payload(&text)["rejected"]["code"], code);
        assert_eq!(hook(&desk, "user-prompt-submit", fixture("user-prompt-submit")), quiet());
    }
    assert_eq!(hook(&desk, "stop", stop(&block(&json!({"notes": "key AKIAIOSFODNN7EXAMPLE"})))).0, None);
    let text = hook(&desk, "session-start", fixture("session-start")).0.unwrap();
    assert_eq!(payload(&text)["rejected"], json!({"code": "secret_detected", "field": "notes"}));
    assert!(!desk.stands(STATE));
}

#[test]
fn a_sub_agent_is_forked_completed_or_dropped() {
    let desk = started();
    let (start, end) = (fixture("subagent-start"), fixture("subagent-stop"));
    let text = hook(&desk, "subagent-start", start.clone()).0.unwrap();
    assert!(text.contains("\"agent\":\"a17c\"") && payload(&text)["state"]["goal"] == "one");
    let listed = |desk: &Desk| desk.done("agent_list", json!({})).body["agents"].clone();
    assert_eq!(listed(&desk)[0]["status"], "running");
    assert!(!desk.stands(".skillstate/agents"), "its files appear with its first change");
    assert_eq!(hook(&desk, "subagent-stop", end.clone()), quiet());
    assert_eq!(listed(&desk), json!([]), "an untouched copy goes");
    hook(&desk, "subagent-start", start);
    desk.done("state_patch", json!({"agent": "a17c", "patch": {"notes": "found"}}));
    assert!(desk.text(".skillstate/agents/a17c/.session-meta.json").contains("\"agentId\": \"a17c\""));
    let mut rejected = end;
    rejected["last_assistant_message"] = block(&json!({"todo": 1})).into();
    let said = hook(&desk, "subagent-stop", rejected).1.unwrap();
    assert_eq!(said, "skillstate: response patch not applied: unknown_field todo");
    assert_eq!(listed(&desk)[0]["status"], "completed");
    let text = hook(&desk, "user-prompt-submit", fixture("user-prompt-submit")).0.unwrap();
    assert_eq!(payload(&text)["rejected"]["agent"], "a17c", "main hears of it");
    assert_eq!(state(&desk)["notes"], "", "nothing is merged by itself");
}

#[test]
fn a_copy_that_came_out_or_kept_something_is_not_dropped() {
    let desk = started();
    let end = |id: &str| hook(&desk, "subagent-stop", json!({"agent_id": id}));
    for id in ["w1", "w2", "w3"] {
        hook(&desk, "subagent-start", json!({"agent_id": id}));
    }
    desk.done("state_finalize", json!({"agent": "w1", "status": "failed", "result": "no database"}));
    desk.done("state_checkpoint", json!({"agent": "w2", "label": "cp"}));
    for id in ["w1", "w2", "w3"] {
        assert_eq!(end(id), quiet());
    }
    let agents = desk.done("agent_list", json!({})).body["agents"].clone();
    let shown: Vec<(&Value, &Value)> =
        agents.as_array().unwrap().iter().map(|agent| (&agent["id"], &agent["status"])).collect();
    assert_eq!(shown, [(&json!("w1"), &json!("failed")), (&json!("w2"), &json!("completed"))]);
    assert!(desk.text(".skillstate/agents/w1/.session-meta.json").contains("no database"));
    assert_eq!(desk.done("state_rollback", json!({"agent": "w2"})).body["checkpointId"], "1-cp");
}

#[test]
fn the_next_session_hears_how_the_last_one_ended() {
    let desk = started();
    let previous = |desk: &Desk| payload(&hook(desk, "session-start", fixture("session-start")).0.unwrap());
    assert!(previous(&desk).get("previous_session").is_none());
    hook(&desk, "session-end", fixture("session-end"));
    assert_eq!(previous(&desk)["previous_session"], "interrupted");
    desk.done("state_finalize", json!({"status": "completed", "result": "ok"}));
    assert!(previous(&desk).get("previous_session").is_none());
    assert!(!desk.text(".skillstate/.session-meta.json").contains("result"), "a launch forgets the last result");
    hook(&desk, "session-end", fixture("session-end"));
    desk.engine().serving("serve-start", None);
    assert_eq!(previous(&desk)["previous_session"], "interrupted", "a server that starts first hides nothing");
    assert!(previous(&desk).get("previous_session").is_none(), "and it is told once");
    let later = desk.with("MAINSTAY_NOW", "2026-01-02T03:09:06Z");
    assert_eq!(previous(&later)["previous_session"], "stale");
}

#[test]
fn a_file_that_cannot_be_read_is_told_and_left_alone() {
    for (bytes, code) in [("oops", "state_corrupt"), ("{\"version\":3}", "version_unsupported")] {
        let desk = started().write(STATE, bytes);
        for event in ["session-start", "user-prompt-submit", "stop"] {
            let (text, message) = hook(&desk, event, fixture(event));
            assert_eq!(text, None, "{event}");
            assert!(message.unwrap().starts_with(&format!("skillstate: {code}: ")), "{event}");
        }
        hook(&desk, "session-end", fixture("session-end"));
        assert_eq!(desk.text(STATE), bytes);
        assert!(!desk.stands(".skillstate/.session-meta.json"));
        assert!(desk.names(".mainstay/spool").is_empty(), "no event waits for a file to be mended");
    }
}

#[test]
fn responses_are_entries_with_their_action() {
    let desk = empty();
    assert_eq!(hook(&desk, "stop", stop(&block(&json!({"goal": "g"})))), quiet());
    patch(&desk, &json!({"goal": "h"}));
    assert_eq!(hook(&desk, "stop", stop(&block(&json!({"goal": "g"})))), quiet());
    assert_eq!((state(&desk)["goal"].as_str(), seq(&desk)), (Some("h"), json!(2)));
    let entry = desk.history().into_iter().find(|entry| entry["call"] == "skillstate_respond").unwrap();
    let changes = entry["changes"].as_array().unwrap();
    let response = changes.iter().find(|change| change["key"].as_str().unwrap().starts_with("response/")).unwrap();
    assert_eq!(response["after"]["action"], "continue");
    let mut other = stop(&block(&json!({"goal": "g"})));
    other["session_id"] = "another".into();
    assert_eq!(hook(&desk, "stop", other), quiet());
    assert_eq!(state(&desk)["goal"], "g", "another session's response is another");
}
