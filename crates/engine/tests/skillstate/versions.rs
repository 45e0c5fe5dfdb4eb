//! Versions: seq, diffs, baselines, retries, initialising.

use serde_json::json;

use super::{STATE, empty, patch, seq, started, state};
use crate::desk::Desk;

fn diff(desk: &Desk, arguments: serde_json::Value) -> (serde_json::Value, u64) {
    let body = desk.done("state_diff", arguments).body;
    (body["changes"].clone(), body["since"].as_u64().unwrap())
}

#[test]
fn every_version_can_be_compared_with() {
    let desk = empty();
    for n in 1..=5 {
        patch(&desk, &json!({"goal": n.to_string(), "notes": "x".repeat(n)}));
    }
    for since in 0..5 {
        let body = desk.done("state_diff", json!({"since": since, "full": true})).body;
        let goal = if since == 0 { String::new() } else { since.to_string() };
        assert_eq!(body["before"]["goal"], goal);
        assert_eq!(body["changes"]["updated"], json!(["goal", "notes"]));
    }
    assert_eq!(diff(&desk, json!({"since": 5})).0["updated"], json!([]));
    assert_eq!(desk.refused("state_diff", json!({"since": 6})), "invalid_argument");
    assert_eq!(desk.refused("state_diff", json!({"since": -1})), "invalid_argument");
}

#[test]
fn readers_do_not_eat_each_others_changes() {
    let desk = started();
    assert_eq!(diff(&desk, json!({"reader": "a"})), (json!({"added": [], "updated": ["goal"], "deleted": []}), 0));
    patch(&desk, &json!({"goal": null, "notes": "n"}));
    let both = json!({"added": [], "updated": ["notes"], "deleted": ["goal"]});
    assert_eq!(diff(&desk, json!({"reader": "a"})), (both.clone(), 1));
    assert_eq!(diff(&desk, json!({"reader": "b"})).1, 0);
    assert_eq!(diff(&desk, json!({"reader": "b"})).1, 2);
    for reader in ["", "a\nb", &"x".repeat(257)] {
        assert_eq!(desk.refused("state_diff", json!({ "reader": reader })), "invalid_argument");
    }
    let entries = desk.history();
    assert_eq!(entries.iter().filter(|entry| entry["call"] == "state_diff").count(), 3, "looking twice moves once");
}

#[test]
fn a_retry_is_applied_once() {
    let desk = empty();
    let ask = || desk.done("state_patch", json!({"append": {"progress": ["a"]}, "request_id": "r1"}));
    assert_eq!(ask().body["seq"], 1);
    patch(&desk, &json!({"progress": []}));
    let again = ask();
    assert_eq!((&again.body["seq"], &again.body["replayed"]), (&json!(1), &json!(true)));
    assert_eq!(state(&desk)["progress"], json!([]));
    let other = json!({"append": {"progress": ["b"]}, "request_id": "r1"});
    assert_eq!(desk.refused("state_patch", other), "request_id_reused");
}

#[test]
fn starting_over_keeps_a_checkpoint() {
    let desk = started();
    let reply = desk.done("skillstate_init", json!({"fresh": true}));
    assert_eq!((&reply.body["saved"], &reply.body["seq"]), (&json!("1-before-fresh"), &json!(2)));
    assert_eq!(state(&desk)["goal"], "");
    assert_eq!(desk.done("skillstate_init", json!({"fresh": true})).body["seq"], 2, "twice changes nothing");
    assert_eq!(desk.refused("state_rollback", json!({})), "no_checkpoints");
    let reply = desk.done("state_rollback", json!({"checkpointId": "1-before-fresh"}));
    assert_eq!(reply.body["state"]["goal"], "one");
}

#[test]
fn initialising_writes_only_what_is_missing() {
    let desk = Desk::new();
    let dry = desk.done("skillstate_init", json!({"dry_run": true}));
    assert_eq!(dry.body["created"].as_array().unwrap().len(), 4);
    assert!(!desk.stands(".skillstate") && !desk.stands(".mainstay"));
    desk.edit("mine.json", r#"{"id":"m","name":"Mine","version":"1","instructions":"Do.","schema":{}}"#);
    let desk = desk.write(".claude/skills/skillstate/SKILL.md", "mine");
    let reply = desk.done("skillstate_init", json!({"spec": "mine.json"}));
    assert_eq!(reply.body["kept"], json!([".claude/skills/skillstate/SKILL.md"]));
    assert_eq!(desk.text("skill-spec.json"), desk.text("mine.json"), "a copy, byte for byte");
    assert_eq!(desk.text(STATE), "{\n  \"version\": 1,\n  \"state\": {}\n}\n");
    assert_eq!(seq(&desk), 1);
    assert!(desk.done("skillstate_init", json!({"spec": "mine.json"})).body["created"].as_array().unwrap().is_empty());
    desk.edit("other.json", r#"{"id":"o","name":"Other","version":"1","instructions":"Do.","schema":{}}"#);
    assert_eq!(desk.refused("skillstate_init", json!({"spec": "other.json"})), "spec_exists");
    assert_eq!(desk.refused("skillstate_init", json!({"spec": "none.json"})), "spec_invalid");
}

#[test]
fn a_list_that_grows_item_by_item_costs_little() {
    let desk = empty();
    let mut sent = 0;
    for n in 0..90 {
        let arguments = json!({"append": {"progress": [format!("step {n}: done")]}});
        sent += arguments.to_string().len();
        desk.done("state_patch", arguments);
    }
    assert!(sent <= 4_096 + 90 * 2, "{sent} bytes");
    assert_eq!(state(&desk)["progress"].as_array().unwrap().len(), 90);
}
