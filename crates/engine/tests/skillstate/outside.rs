//! What others write is taken in; what cannot be read stays, byte for byte, until somebody mends it.

use mainstay_engine::HistoryQuery;
use serde_json::{Value, json};

use super::{STATE, empty, patch, seq, started, state};
use crate::back::{newest, undo};
use crate::desk::{Desk, told};

const CHECKPOINT: &str = ".skillstate/checkpoints/1-checkpoint.json";

#[test]
fn an_edit_counts_once_a_write_has_taken_it_in() {
    let desk = started();
    desk.edit(STATE, r#"{"version":1,"state":{"goal":"two"},"owner":"me"}"#);
    assert_eq!(state(&desk), json!({"goal": "two"}));
    assert_eq!(seq(&desk), 1, "a read shows the edit and not yet its version");
    assert_eq!(desk.refused("state_patch", json!({"patch": {"notes": "n"}, "if_seq": 1})), "conflict");
    assert_eq!(seq(&desk), 2);
    let reply = desk.done("state_patch", json!({"patch": {"notes": "n"}, "if_seq": 2}));
    assert_eq!(reply.body["seq"], 3);
    assert!(desk.text(STATE).ends_with("  \"owner\": \"me\"\n}\n"), "{}", desk.text(STATE));
}

#[test]
fn a_file_of_another_tool_is_version_one() {
    let desk = empty().write(STATE, r#"{"goal":"g","extra":[1e2]}"#);
    assert_eq!(seq(&desk), 1);
    let reply = desk.done("state_diff", json!({"reader": "r"}));
    assert_eq!((&reply.body["since"], &reply.body["seq"]), (&json!(1), &json!(1)));
    assert_eq!(desk.text(STATE), r#"{"goal":"g","extra":[1e2]}"#, "looking rewrites nothing");
    assert_eq!(desk.done("state_diff", json!({"since": 0})).body["changes"]["added"], json!(["extra"]));
}

#[test]
fn what_stays_equal_is_no_version() {
    let desk = started();
    let file = r#"{"state":{"notes":"","goal":"one","progress":[],"next_steps":[],"artifacts":[],"blockers":[]},"x":1,"version":0}"#;
    desk.edit(STATE, file);
    desk.done("state_diff", json!({}));
    assert_eq!((seq(&desk), desk.text(STATE).as_str()), (json!(1), file));
    patch(&desk, &json!({"goal": "two"}));
    assert!(desk.text(STATE).contains("\"x\": 1"), "members that we do not know survive");
}

#[test]
fn undo_passes_over_what_was_noted_of_a_broken_file() {
    let desk = started();
    patch(&desk, &json!({"goal": "two"}));
    let revision = desk.history()[0]["revision"].clone();
    let text = desk.text(STATE);
    desk.edit(STATE, "{\"goal\":");
    assert_eq!(desk.refused("state_patch", json!({"patch": {"goal": "x"}})), "state_corrupt");
    let told = desk.engine().history(&HistoryQuery { limit: 1, ..HistoryQuery::default() }).unwrap();
    assert_eq!(told["entries"][0]["revision"], revision, "nobody is told of the format's own books");
    assert_eq!(undo(&desk, newest()).unwrap_err().code, "state_corrupt");
    desk.edit(STATE, text);
    assert_eq!(undo(&desk, newest()).unwrap().body["undone"], json!([revision]));
    assert_eq!(state(&desk)["goal"], "one");
}

/// Every call of the scope is refused, the bytes stay; the file's return ends it.
fn stays_refused(desk: &Desk, bytes: &str, code: &str) {
    desk.edit(STATE, bytes);
    for _ in 0..2 {
        for (tool, arguments) in [
            ("state_get", json!({})),
            ("state_patch", json!({"patch": {"goal": "x"}})),
            ("state_checkpoint", json!({})),
            ("state_finalize", json!({"status": "completed"})),
            ("spec_next", json!({})),
        ] {
            assert_eq!(desk.refused(tool, arguments), code, "{tool} of {bytes:?}");
        }
        assert_eq!(desk.text(STATE), bytes);
    }
    assert_eq!(desk.done("agent_list", json!({})).body["agents"], json!([]), "other scopes work");
}

#[test]
fn a_file_that_cannot_be_read_is_kept() {
    for (bytes, code) in [
        ("", "state_corrupt"),
        ("{\"goal\":", "state_corrupt"),
        ("<<<<<<< a\n{}\n=======\n{}\n>>>>>>> b\n", "state_corrupt"),
        ("{\"version\":7,\"state\":{}}", "version_unsupported"),
    ] {
        let desk = started();
        let before = desk.text(STATE);
        stays_refused(&desk, bytes, code);
        desk.edit(STATE, &before);
        assert_eq!(state(&desk)["goal"], "one");
        assert_eq!(patch(&desk, &json!({"goal": "two"}))["seq"], 2);
        let desk = started();
        stays_refused(&desk, bytes, code);
        desk.remove(STATE);
        let reply = desk.done("state_get", json!({}));
        assert_eq!((told(&reply), &reply.body["goal"]), (vec!["file_restored"], &json!("one")));
        assert_eq!(desk.text(STATE), before, "the last stored state returns");
    }
}

#[test]
fn what_is_no_file_is_refused_and_stays() {
    let desk = started();
    let before = desk.text(STATE);
    desk.remove(STATE);
    std::fs::create_dir(desk.at(STATE)).unwrap();
    assert_eq!(desk.refused("state_patch", json!({"patch": {"goal": "x"}})), "state_corrupt");
    assert_eq!(desk.refused("state_get", json!({})), "state_corrupt");
    std::fs::remove_dir(desk.at(STATE)).unwrap();
    desk.edit(STATE, &before);
    assert_eq!(patch(&desk, &json!({"goal": "two"}))["seq"], 2, "the very bytes are back");
    assert!(desk.text(STATE).contains("\"two\""), "what is accepted is published");
    let before = desk.text(STATE);
    let elsewhere = tempfile::tempdir().unwrap();
    let target = elsewhere.path().join("target");
    std::fs::write(&target, &before).unwrap();
    desk.remove(STATE);
    std::os::unix::fs::symlink(&target, desk.at(STATE)).unwrap();
    for tool in ["state_get", "state_diff"] {
        assert_eq!(desk.refused(tool, json!({})), "path_outside_project");
    }
    assert_eq!(std::fs::read_to_string(&target).unwrap(), before);
    assert_eq!(desk.refused("state_patch", json!({"patch": {"goal": "x"}})), "path_outside_project");
    desk.remove(STATE);
    desk.edit(STATE, "x".repeat(9 * 1024 * 1024));
    assert_eq!(desk.refused("state_patch", json!({"patch": {"goal": "x"}})), "too_large");
    desk.edit(STATE, &before);
    assert_eq!(patch(&desk, &json!({"goal": "three"}))["warnings"], json!([]));
    assert!(desk.text(STATE).contains("\"three\""), "what is accepted is published");
}

#[test]
fn a_state_that_could_not_be_read_back_is_not_written() {
    let items = format!("[1{}]", ",1".repeat(1_000_000));
    let large = format!("{{\"version\":1,\"state\":{{\"goal\":\"x\",\"progress\":{items}}}}}");
    let desk = empty().write(STATE, &large);
    assert_eq!(desk.refused("state_patch", json!({"patch": {"goal": null}})), "too_large");
    assert_eq!(desk.refused("state_checkpoint", json!({})), "too_large");
    assert_eq!(desk.text(STATE), large, "nothing was changed");
    assert!(!desk.stands(".skillstate/checkpoints"));
    desk.done("state_diff", json!({}));
    assert_eq!(seq(&desk), 1);
    desk.remove(STATE);
    let reply = desk.done("spec_next", json!({}));
    assert_eq!((told(&reply), &reply.body["goal"]), (vec!["file_restored", "image_stale"], &json!("x")));
    assert_eq!(patch(&desk, &json!({"progress": []}))["seq"], 2, "it may shrink below the limit at once");
    assert!(desk.text(STATE).contains("\"progress\": []"));
}

#[test]
fn checkpoints_that_lead_out_of_the_project_are_refused() {
    let elsewhere = tempfile::tempdir().unwrap();
    let desk = started();
    std::os::unix::fs::symlink(elsewhere.path(), desk.at(".skillstate/checkpoints")).unwrap();
    for (tool, arguments) in
        [("state_checkpoint", json!({})), ("state_rollback", json!({})), ("skillstate_init", json!({"fresh": true}))]
    {
        assert_eq!(desk.refused(tool, arguments), "path_outside_project", "{tool}");
    }
    assert_eq!(std::fs::read_dir(elsewhere.path()).unwrap().count(), 0);
    patch(&desk, &json!({"goal": "two"}));
    desk.edit("skill-spec.json", "[]");
    assert_eq!(desk.refused("state_rollback", json!({})), "spec_invalid", "the spec comes first");
    assert_eq!(desk.refused("state_patch", json!({"patch": {}, "agent": "a b"})), "spec_invalid");
    assert_eq!(desk.refused("state_finalize", json!({"status": "failed", "agent": "a b"})), "invalid_agent_id");
}

#[test]
fn numbers_of_checkpoints_end_and_say_so() {
    let desk = started();
    desk.edit(".skillstate/checkpoints/999999999999999-x.json", r#"{"state":{"goal":"theirs"}}"#);
    let reply = desk.done("state_rollback", json!({}));
    assert_eq!(reply.body["saved"], "1000000000000000-before-rollback");
    let reply = desk.done("state_rollback", json!({"checkpointId": "1000000000000000-before-rollback"}));
    assert_eq!(reply.body["state"]["goal"], "one", "what was saved can be found");
    desk.edit(".skillstate/checkpoints/18446744073709551615-x.json", r#"{"state":{"goal":"last"}}"#);
    assert_eq!(desk.refused("state_checkpoint", json!({})), "too_large");
    assert_eq!(desk.refused("state_rollback", json!({})), "too_large", "nothing goes back without a safety copy");
    assert_eq!(state(&desk)["goal"], "one");
}

#[test]
fn a_folder_in_the_way_of_init_is_told() {
    let desk = Desk::new().write(".claude", "no folder");
    let reply = desk.done("skillstate_init", json!({}));
    assert_eq!(told(&reply), ["write_failed"]);
    let page = ".claude/skills/skillstate/SKILL.md";
    assert!(!reply.body["created"].as_array().unwrap().contains(&json!(page)));
    let elsewhere = tempfile::tempdir().unwrap();
    desk.remove(".claude");
    std::os::unix::fs::symlink(elsewhere.path(), desk.at(".claude")).unwrap();
    let reply = desk.done("skillstate_init", json!({}));
    assert_eq!(told(&reply), ["path_outside_project"]);
    assert!(!reply.body["kept"].as_array().unwrap().contains(&json!(page)));
    assert_eq!(std::fs::read_dir(elsewhere.path()).unwrap().count(), 0);
}

#[test]
fn a_folder_that_leads_out_of_the_project_is_refused() {
    let elsewhere = tempfile::tempdir().unwrap();
    let desk = Desk::new();
    std::os::unix::fs::symlink(elsewhere.path(), desk.at(".skillstate")).unwrap();
    for (tool, arguments) in [("state_get", json!({})), ("state_patch", json!({"patch": {"goal": "x"}}))] {
        assert_eq!(desk.refused(tool, arguments), "path_outside_project");
    }
    assert_eq!(std::fs::read_dir(elsewhere.path()).unwrap().count(), 0);
}

#[test]
fn session_meta_that_cannot_be_read_counts_as_absent_and_is_kept() {
    let meta = ".skillstate/.session-meta.json";
    let desk = started().write(meta, "not json");
    assert_eq!(desk.done("state_summary", json!({})).body["session"]["staleness"], "orphan");
    let reply = desk.done("state_finalize", json!({"status": "failed"}));
    assert!(told(&reply).contains(&"meta_unreadable"));
    assert!(desk.text(meta).contains("\"failed\""));
    let kept: Vec<String> = desk.names(".skillstate").into_iter().filter(|name| name.contains("conflict")).collect();
    assert_eq!(desk.text(&format!(".skillstate/{}", kept[0])), "not json");
    desk.edit(meta, r#"{"other":1,"status":"completed","lastActivityAt":"2026-01-02T03:00:00Z"}"#);
    assert_eq!(desk.done("state_summary", json!({})).body["session"]["status"], "completed");
    patch(&desk, &json!({"goal": "touch"}));
    let expected =
        "{\n  \"status\": \"completed\",\n  \"lastActivityAt\": \"2026-01-02T03:04:05.678Z\",\n  \"other\": 1\n}\n";
    assert_eq!(desk.text(meta), expected);
}

#[test]
fn checkpoints_are_their_files() {
    let desk = started();
    desk.done("state_checkpoint", json!({}));
    desk.edit(".skillstate/checkpoints/7-theirs.json", r#"{"state":{"goal":"seven"},"label":"x","n":1}"#);
    desk.edit(".skillstate/checkpoints/notes.txt", "no checkpoint");
    let reply = desk.done("state_checkpoint", json!({"label": "mine"}));
    assert_eq!(reply.body["checkpointId"], "8-mine");
    let ids: Vec<&Value> =
        reply.body["checkpoints"].as_array().unwrap().iter().map(|one| &one["checkpointId"]).collect();
    assert_eq!(ids, ["1-checkpoint", "7-theirs", "8-mine"]);
    let reply = desk.done("state_rollback", json!({"checkpointId": "7-theirs"}));
    assert_eq!((&reply.body["state"], &reply.body["saved"]), (&json!({"goal": "seven"}), &json!("9-before-rollback")));
    assert_eq!(desk.text(".skillstate/checkpoints/7-theirs.json"), r#"{"state":{"goal":"seven"},"label":"x","n":1}"#);
    for id in ["7-theirs", "8-mine", "9-before-rollback"] {
        desk.remove(&format!(".skillstate/checkpoints/{id}.json"));
    }
    assert_eq!(desk.refused("state_rollback", json!({"checkpointId": "8-mine"})), "checkpoint_not_found");
    let bytes = desk.text(CHECKPOINT);
    desk.edit(CHECKPOINT, "{}");
    assert_eq!(desk.refused("state_rollback", json!({})), "checkpoint_corrupt");
    assert_eq!(desk.text(CHECKPOINT), "{}");
    assert_eq!(desk.refused("state_rollback", json!({})), "checkpoint_corrupt");
    desk.edit(CHECKPOINT, bytes);
    assert_eq!(desk.done("state_rollback", json!({})).body["state"]["goal"], "one");
    desk.remove(CHECKPOINT);
    assert_eq!(desk.refused("state_rollback", json!({"if_seq": 0})), "conflict");
    assert_eq!(desk.done("state_checkpoint", json!({})).body["seq"], 3, "numbers of removed files are free");
}

#[test]
fn a_spec_is_never_passed_over() {
    let desk = empty().write("skill-spec.json", "[]");
    assert_eq!(desk.refused("state_patch", json!({"patch": {"goal": "x"}})), "spec_invalid");
    let reply = desk.done("state_get", json!({}));
    assert_eq!((told(&reply), reply.body.len()), (vec!["spec_invalid"], 0));
    let spec = r#"{"id":"i","name":"n","version":"1","instructions":"x","schema":{"a":{"type":"number","default":1}}}"#;
    let elsewhere = tempfile::tempdir().unwrap();
    let named = elsewhere.path().join("spec.json");
    std::fs::write(&named, spec).unwrap();
    let desk = desk.with("SKILLSTATE_SPEC_PATH", named.to_str().unwrap());
    assert_eq!(desk.done("spec_get", json!({})).body["source"], "env");
    assert_eq!(patch(&desk, &json!({"a": 2}))["state"], json!({"a": 2}));
    let desk = desk.with("SKILLSTATE_SPEC_PATH", "missing.json");
    assert_eq!(desk.refused("spec_get", json!({})), "spec_invalid");
}
