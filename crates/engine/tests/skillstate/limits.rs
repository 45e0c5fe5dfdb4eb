//! Limits, each with its code and its field; and secrets, never repeated.

use serde_json::{Value, json};

use super::{STATE, empty, patch, started, state};
use crate::desk::told;

const DEMO: &str = r#"{"id":"d","name":"Demo","version":"1","instructions":"x","schema":{
  "meta":{"type":"object","default":{}},"flags":{"type":"array","default":[]},"n":{"type":"number","default":0}}}"#;

#[test]
fn sizes_are_bytes_of_compact_json() {
    let desk = empty();
    let around = json!({"notes": ""}).to_string().len();
    let exactly = |size: usize| json!({"patch": {"notes": "x".repeat(size - around)}});
    let refusal = desk.call("state_patch", exactly(65_537)).unwrap_err();
    assert_eq!((refusal.code.as_ref(), refusal.field.as_deref()), ("patch_too_large", Some("patch")));
    assert!(!desk.stands(STATE));
    let reply = desk.done("state_patch", exactly(65_536));
    assert_eq!(told(&reply), ["state_large"]);
    assert_eq!(reply.warnings[0].details["fields"]["notes"], 65_538 - around);
    let list = json!({"append": {"progress": ["x".repeat(65_536)]}});
    assert_eq!(desk.refused("state_patch", list), "patch_too_large");
    assert_eq!(told(&desk.done("state_summary", json!({}))), ["state_large"]);
}

#[test]
fn a_state_may_shrink_whatever_its_size() {
    let large = json!({"version": 1, "state": {"goal": "g", "progress": ["p".repeat(300_000)]}});
    let desk = empty().write(STATE, &large.to_string());
    assert_eq!(desk.refused("state_patch", json!({"patch": {"goal": "longer"}})), "state_too_large");
    assert_eq!(desk.done("state_patch", json!({"patch": {"goal": ""}})).body["seq"], 2);
    assert_eq!(desk.done("state_patch", json!({"patch": {"progress": []}})).body["seq"], 3);
}

#[test]
fn a_result_stays_readable() {
    let desk = started();
    let refusal =
        desk.call("state_finalize", json!({"status": "completed", "result": "r".repeat(16_385)})).unwrap_err();
    assert_eq!((refusal.code.as_ref(), refusal.field.as_deref()), ("too_large", Some("result")));
    desk.done("state_finalize", json!({"status": "completed", "result": "\u{1}".repeat(16_384)}));
    patch(&desk, &json!({"goal": "two"}));
    assert_eq!(desk.done("state_summary", json!({})).body["session"]["status"], "completed");
}

#[test]
fn a_label_is_no_secret() {
    let desk = started();
    assert_eq!(desk.refused("state_checkpoint", json!({"label": "AKIAIOSFODNN7EXAMPLE"})), "secret_detected");
    assert!(!desk.stands(".skillstate/checkpoints"));
}

#[test]
fn every_refusal_names_its_field() {
    let desk = empty().write("skill-spec.json", DEMO);
    let deep = |levels: usize| (1..levels).fold(json!([]), |value, _| json!([value]));
    let keys = |count: usize| (0..count).map(|n| (n.to_string(), json!(0))).collect::<serde_json::Map<_, _>>();
    let cases: Vec<(Value, &str, &str)> = vec![
        (json!({"patch": {"flags": deep(9)}}), "too_deep", "flags[0][0][0][0][0][0][0][0]"),
        (json!({"append": {"flags": [{"a": deep(7)}]}}), "too_deep", "flags[0].a[0][0][0][0][0][0]"),
        (json!({"patch": {"meta": keys(99)}, "append": {"flags": []}}), "too_many_keys", ""),
        (json!({"patch": {"": 1}}), "unknown_field", ""),
        (json!({"append": {"flags": null}}), "wrong_type", "flags"),
        (json!({"append": {"meta": []}}), "wrong_type", "meta"),
        (json!({"patch": {"n": "1", "bogus": 1}}), "wrong_type", "n"),
        (json!({"patch": {"meta": {"k": ["AKIAIOSFODNN7EXAMPLE"]}}}), "secret_detected", "meta"),
        (json!({"patch": {"meta": {"AKIAIOSFODNN7EXAMPLE": 1}}}), "secret_detected", "meta"),
        (json!({"patch": {"meta": {"k": "[redacted:jwt] AKIAIOSFODNN7EXAMPLE"}}}), "redaction_marker", "meta"),
        (json!({"append": []}), "invalid_argument", "append"),
        (json!({"patch": {}, "if_seq": 1.5}), "invalid_argument", "if_seq"),
        (json!({"patch": {}, "agent": 1}), "invalid_argument", "agent"),
        (json!({"patch": {}, "agent": ""}), "invalid_agent_id", "agent"),
        (json!({"patch": {}, "agent": "../x"}), "invalid_agent_id", "agent"),
    ];
    for (arguments, code, field) in cases {
        let refusal = desk.call("state_patch", arguments.clone()).unwrap_err();
        assert_eq!((refusal.code.as_ref(), refusal.field.as_deref().unwrap_or_default()), (code, field), "{arguments}");
        assert!(!format!("{refusal:?}").contains("AKIAIOSFODNN7EXAMPLE"), "{refusal:?}");
        if !matches!(code, "invalid_argument" | "invalid_agent_id") {
            let verdict = desk.done("state_validate", arguments).body;
            assert_eq!((&verdict["valid"], &verdict["code"]), (&json!(false), &json!(code)));
        }
    }
    assert!(!desk.stands(STATE));
    let fits = json!({"patch": {"flags": deep(8), "meta": keys(96)}, "append": {"flags": [1]}});
    assert_eq!(desk.done("state_patch", fits).body["seq"], 1);
    let endless: Value = serde_json::from_str(r#"{"patch":{"n":1e400}}"#).unwrap();
    assert_eq!(desk.refused("state_patch", endless), "invalid_argument");
}

#[test]
fn numbers_stay_as_they_were_written() {
    let desk = empty().write("skill-spec.json", DEMO);
    for number in ["9007199254740993", "-9223372036854775808", "18446744073709551615", "1.50"] {
        let arguments: Value = serde_json::from_str(&format!("{{\"patch\":{{\"n\":{number}}}}}")).unwrap();
        desk.done("state_patch", arguments);
        assert!(desk.text(STATE).contains(&format!("\"n\": {number}")), "{}", desk.text(STATE));
    }
}

#[test]
fn what_others_stored_under_a_list_is_not_thrown_away() {
    let desk = empty().write(STATE, r#"{"version":1,"state":{"progress":"a text"}}"#);
    assert_eq!(desk.refused("state_patch", json!({"append": {"progress": ["x"]}})), "wrong_type");
    let both = json!({"patch": {"progress": []}, "append": {"progress": ["x"]}});
    assert_eq!(desk.done("state_patch", both).body["state"]["progress"], json!(["x"]));
}

#[test]
fn secrets_of_others_are_masked_in_every_reply_and_stay_in_the_file() {
    let text = r#"{"version":1,"state":{"goal":"AKIAIOSFODNN7EXAMPLE","progress":[],"next_steps":["DB_PASSWORD=hunter2hunter2"]}}"#;
    let desk = started().write(STATE, text);
    for (tool, arguments) in [
        ("state_get", json!({})),
        ("state_summary", json!({})),
        ("spec_next", json!({})),
        ("state_diff", json!({"full": true})),
        ("state_patch", json!({"append": {"progress": ["p"]}})),
        ("state_checkpoint", json!({})),
        ("state_rollback", json!({})),
    ] {
        let reply = serde_json::to_string(&desk.done(tool, arguments).to_object()).unwrap();
        assert!(!reply.contains("AKIAIOSFODNN7EXAMPLE") && !reply.contains("hunter2hunter2"), "{tool}: {reply}");
    }
    assert_eq!(state(&desk)["goal"], "[redacted:aws-key]");
    assert!(desk.text(STATE).contains("AKIAIOSFODNN7EXAMPLE"));
}
