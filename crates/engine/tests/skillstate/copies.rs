//! Copies of sub-agents: forked, isolated, merged three ways, dropped.

use serde_json::{Value, json};

use super::{STATE, empty, patch, seq, started, state};
use crate::desk::{Desk, told};

fn sub(desk: &Desk, tool: &str, id: &str, mut arguments: Value) -> Value {
    arguments["agent"] = id.into();
    Value::Object(desk.done(tool, arguments).to_object())
}

fn listed(desk: &Desk, id: &str) -> Value {
    let agents = desk.done("agent_list", json!({})).body["agents"].clone();
    agents.as_array().unwrap().iter().find(|agent| agent["id"] == id).cloned().unwrap_or_default()
}

#[test]
fn only_what_a_merge_would_bring_is_told_as_left_out() {
    let desk = started();
    desk.edit(STATE, r#"{"version":1,"state":{"goal":"one","odd":1}}"#);
    sub(&desk, "state_patch", "w1", json!({"patch": {"goal": "two"}}));
    patch(&desk, &json!({"odd": null}));
    let reply = desk.done("agent_merge", json!({"agent": "w1"}));
    assert_eq!((told(&reply), &reply.body["state"]), (vec![], &json!({"goal": "two"})));
    desk.edit(".skillstate/agents/w1/skillstate.json", r#"{"version":1,"state":{"goal":"two","odd":2,"new":3}}"#);
    assert_eq!(desk.refused("agent_merge", json!({"agent": "w1", "keep": "fail"})), "merge_conflict");
    let reply = desk.done("agent_merge", json!({"agent": "w1", "keep": "sub"}));
    assert_eq!((told(&reply), &reply.body["state"]), (vec!["undeclared_field"; 2], &json!({"goal": "two"})));
}

#[test]
fn a_copy_of_others_was_changed_when_its_file_was() {
    let desk = empty().write(".skillstate/agents/w1/skillstate.json", r#"{"goal":"g"}"#);
    let file = std::fs::File::open(desk.at(".skillstate/agents/w1/skillstate.json")).unwrap();
    let then = std::time::UNIX_EPOCH + std::time::Duration::from_millis(1_577_934_245_678);
    file.set_modified(then).unwrap();
    assert_eq!(listed(&desk, "w1")["lastModified"], "2020-01-02T03:04:05.678Z");
    sub(&desk, "state_patch", "w1", json!({"patch": {"notes": "n"}}));
    assert_eq!(listed(&desk, "w1")["lastModified"], "2026-01-02T03:04:05.678Z");
}

#[test]
fn a_copy_starts_from_main_and_leaves_it_alone() {
    let desk = started();
    let forked = sub(&desk, "state_patch", "w1", json!({"append": {"progress": ["s"]}}));
    assert_eq!((&forked["seq"], &forked["state"]["goal"]), (&json!(1), &json!("one")));
    patch(&desk, &json!({"goal": "later"}));
    assert_eq!(sub(&desk, "state_get", "w1", json!({}))["goal"], "one");
    assert_eq!(sub(&desk, "state_diff", "w1", json!({}))["changes"]["updated"], json!(["progress"]));
    assert_eq!(sub(&desk, "state_diff", "w1", json!({"since": 0}))["changes"]["updated"], json!(["progress"]));
    assert_eq!(state(&desk)["progress"], json!([]));
    sub(&desk, "state_checkpoint", "w1", json!({}));
    assert!(desk.stands(".skillstate/agents/w1/checkpoints/1-checkpoint.json"));
    let desk = desk.with("SKILLSTATE_AGENT_ID", "w1");
    assert_eq!(state(&desk)["goal"], "one");
    assert_eq!(sub(&desk, "state_get", "main", json!({}))["goal"], "later");
    let desk = desk.with("SKILLSTATE_AGENT_ID", "../w1");
    assert_eq!(desk.refused("state_get", json!({})), "invalid_agent_id");
    assert_eq!(desk.done("agent_list", json!({})).body["agents"][0]["id"], "w1", "only what has a scope asks for it");
}

#[test]
fn an_unknown_copy_stores_nothing() {
    let desk = started();
    let before = desk.history().len();
    for (tool, arguments) in [
        ("state_get", json!({})),
        ("state_summary", json!({})),
        ("state_validate", json!({"patch": {"goal": "x"}})),
        ("state_diff", json!({})),
        ("spec_next", json!({})),
        ("state_patch", json!({"patch": {"goal": "one"}})),
    ] {
        sub(&desk, tool, "w9", arguments);
    }
    for (tool, arguments) in [
        ("state_checkpoint", json!({"agent": "w9"})),
        ("state_rollback", json!({"agent": "w9"})),
        ("state_finalize", json!({"agent": "w9", "status": "failed"})),
        ("agent_read", json!({"agent": "w9"})),
        ("agent_merge", json!({"agent": "w9"})),
    ] {
        assert_eq!(desk.refused(tool, arguments), "agent_not_found", "{tool}");
    }
    assert_eq!(desk.refused("agent_read", json!({"agent": "main"})), "invalid_agent_id");
    assert_eq!(desk.history().len(), before);
    assert!(!desk.stands(".skillstate/agents"));
    assert_eq!(listed(&desk, "w9"), Value::Null);
}

#[test]
fn merging_keeps_what_both_sides_did() {
    let desk = empty();
    patch(&desk, &json!({"progress": ["a", "b"], "notes": "n", "next_steps": ["x"]}));
    sub(&desk, "state_patch", "w1", json!({"patch": {"progress": ["a", "s"], "notes": null}}));
    patch(&desk, &json!({"progress": ["a", "b", "m"], "goal": "g"}));
    let merged = sub(&desk, "agent_merge", "w1", json!({"if_seq": 2}));
    assert_eq!(merged["state"]["progress"], json!(["a", "m", "s"]));
    assert_eq!(merged["changes"], json!({"added": [], "updated": ["progress"], "deleted": ["notes"]}));
    assert_eq!((&merged["seq"], &merged["conflicts"]), (&json!(3), &json!([])));
    assert_eq!(listed(&desk, "w1")["pending"], false);
    let again = sub(&desk, "agent_merge", "w1", json!({"keep": "sub"}));
    assert_eq!(again["changes"]["updated"], json!([]));
    let entries = desk.history().len();
    sub(&desk, "agent_merge", "w1", json!({}));
    assert_eq!(desk.history().len(), entries, "a second merge writes nothing");
    sub(&desk, "state_patch", "w1", json!({"patch": {"goal": "sub"}}));
    assert_eq!(listed(&desk, "w1")["pending"], true);
    assert_eq!(sub(&desk, "agent_merge", "w1", json!({}))["conflicts"][0]["kept"], "main");
    assert_eq!(desk.refused("agent_merge", json!({"agent": "w1", "if_seq": 99})), "conflict");
}

#[test]
fn conflicts_are_decided_as_asked() {
    let desk = started();
    sub(&desk, "state_patch", "w1", json!({"patch": {"goal": "sub", "notes": null}}));
    patch(&desk, &json!({"goal": "main", "notes": "kept"}));
    let refusal = desk.call("agent_merge", json!({"agent": "w1", "keep": "fail"})).unwrap_err();
    let conflicts = json!([
        {"path": "goal", "main": "main", "sub": "sub", "kept": "fail"},
        {"path": "notes", "main": "kept", "kept": "fail"},
    ]);
    assert_eq!((refusal.code.as_ref(), &refusal.details["conflicts"]), ("merge_conflict", &conflicts));
    let merged = sub(&desk, "agent_merge", "w1", json!({"keep": "sub"}));
    assert_eq!(merged["state"]["goal"], "sub");
    assert!(merged["state"].get("notes").is_none());
    assert_eq!(seq(&desk), 3);
}

#[test]
fn a_copy_of_another_tool_is_merged_without_a_base() {
    let desk = started();
    patch(&desk, &json!({"progress": ["m"]}));
    let file = r#"{"version":1,"state":{"progress":["s"],"mergedAt":"2026","other":1}}"#;
    let desk = desk.write(".skillstate/agents/old/skillstate.json", file);
    desk.edit(".skillstate/agents/not valid/skillstate.json", "{}");
    assert_eq!(listed(&desk, "old")["pending"], true);
    assert_eq!(desk.done("agent_list", json!({})).body["agents"].as_array().unwrap().len(), 1);
    let reply = desk.done("agent_merge", json!({"agent": "old"}));
    assert_eq!(told(&reply), ["undeclared_field"]);
    assert_eq!(reply.body["state"]["progress"], json!(["m", "s"]));
    assert_eq!(reply.body["state"]["goal"], "one", "a field that the copy lacks is unchanged");
    assert_eq!((&reply.body["state"]["artifacts"], &reply.body["conflicts"]), (&json!([]), &json!([])));
    assert!(reply.body["state"].get("mergedAt").is_none() && reply.body["state"].get("other").is_none());
    assert_eq!(desk.text(".skillstate/agents/old/skillstate.json"), file);
}

#[test]
fn one_scopes_trouble_is_nobody_elses() {
    let desk = started();
    sub(&desk, "state_patch", "w1", json!({"patch": {"goal": "s"}}));
    sub(&desk, "state_patch", "w2", json!({"patch": {"goal": "s"}}));
    desk.edit(".skillstate/agents/w1/skillstate.json", "oops");
    assert_eq!(desk.refused("state_get", json!({"agent": "w1"})), "state_corrupt");
    assert_eq!(desk.refused("agent_merge", json!({"agent": "w1"})), "state_corrupt");
    assert_eq!(listed(&desk, "w1")["error"], "state_corrupt");
    assert_eq!(listed(&desk, "w2")["summary"]["keys"], 6);
    assert_eq!(sub(&desk, "agent_merge", "w2", json!({}))["state"]["goal"], "s");
    desk.edit(STATE, "oops");
    assert_eq!(sub(&desk, "state_get", "w2", json!({}))["goal"], "s");
    assert_eq!(desk.refused("state_get", json!({"agent": "w3"})), "state_corrupt");
}
