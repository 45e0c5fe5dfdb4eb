//! What was written reads back as given, and nothing else reads otherwise for it.

use format::Irregular;
use serde_json::{Value, json};

use super::{STATE_PATH, World};

const DOCUMENT: &str = "---\nmsd_state_version: '1.0'\nmilestone: v1.0\nstatus: executing\n---\n\n# S\n\n## Current Position\n\n\
    Phase: 5 of 8 (Ledger)\nPlan: 1 of 3 in current phase\nStatus: Executing Phase 5\nLast activity: 2026-01-01\n\n\
    ## Notes\n\nOwner: Anna\nCurrent Phase Name: Ledger\nCurrent focus: Phase 5\n\n## Session Continuity\n\nStopped at: there\n";

fn world() -> World {
    World::default().with_state(DOCUMENT)
}

#[test]
fn a_text_that_would_be_read_as_another_field_is_refused_by_every_verb() {
    let check = |tool: &str, arguments: Value, argument: &str| {
        let mut world = world();
        let refusal = world.call(tool, arguments).unwrap_err();
        let error = &refusal["error"];
        assert_eq!(
            (&error["code"], &error["field"]),
            (&json!("invalid_argument"), &json!(argument)),
            "{tool}: {error}"
        );
        assert_eq!(world.state(), DOCUMENT, "{tool}");
    };
    check("state_update", json!({"field": "Status", "value": "**Phase:** 3 of 9"}), "value");
    check("state_update", json!({"field": "Owner", "value": "say **Current_phase:** 9"}), "value");
    check("state_patch", json!({"fields": {"Status": "**Plan:** 9 of 9"}}), "Status");
    let session = json!({"stopped_at": "x", "resume_file": "**Stopped at:** y"});
    check("state_record_session", session, "resume_file");
    for name in ["x **Status:** paused", "x **Current Plan:** 7", "x **Total Phases:** 99"] {
        for stage in ["executing", "planning"] {
            check("state_begin_phase", json!({"phase": "6", "stage": stage, "name": name}), "name");
        }
    }
    // What is in bold and no field's label takes nothing over.
    let mut world = world();
    world.call("state_update", json!({"field": "Status", "value": "**soon** Phase: 3"})).unwrap();
    assert!(world.state().contains("\nStatus: **soon** Phase: 3\n"));
}

#[test]
fn a_patch_writes_the_fields_that_it_can_give_back() {
    for fields in [
        json!({"Stopped at": "x", "Resume file": "**Stopped at:** y", "Owner": "Bert"}),
        json!({"Owner": "Bert", "Status": "**Stopped at:** y **Plan:** z", "Stopped at": "x"}),
    ] {
        let mut world = World::default().with_state(&format!("{DOCUMENT}Resume file: r\n"));
        let reply = world.call("state_patch", json!({"fields": fields})).unwrap();
        assert_eq!((reply["updated"].as_array().unwrap().len(), reply["failed"].as_array().unwrap().len()), (2, 1));
        for (name, value) in
            [("Stopped at", "x"), ("Owner", "Bert"), ("Resume file", "r"), ("Plan", "1 of 3 in current phase")]
        {
            assert_eq!(world.call("state_get", json!({"name": name})).unwrap()[name], value);
        }
    }
}

#[test]
fn a_name_of_the_roadmap_that_names_a_field_stands_in_the_front_matter_alone() {
    let roadmap = "### Phase 5: Ledger\n### Phase 6: Use **Status:** Done\n";
    for (tool, arguments, status) in [
        ("state_complete_phase", json!({}), "Ready to plan"),
        ("state_begin_phase", json!({"phase": "6"}), "Executing Phase 6"),
    ] {
        let mut world = world().with_file(".planning/ROADMAP.md", roadmap);
        let reply = world.call(tool, arguments).unwrap();
        assert_eq!(reply["kept"], json!([]), "{tool}");
        let get = |world: &mut World, name: &str| world.call("state_get", json!({"name": name})).unwrap()[name].clone();
        assert_eq!(get(&mut world, "Status"), status);
        assert_eq!(get(&mut world, "Current Phase Name"), "");
        let shown = world.call("state_json", json!({})).unwrap();
        assert_eq!(shown["current_phase_name"], "Use **Status:** Done", "{}", world.state());
        assert!(!world.state()[format::front_matter::body_start(world.state())..].contains("**Status:**"));
    }
}

#[test]
fn a_field_is_patched_once() {
    for fields in [json!({"Stopped at": "a", "stopped_at": "b"}), json!({"Status": "a", "status": "b"})] {
        let mut world = world();
        assert_eq!(world.refused("state_patch", json!({"fields": fields})), "invalid_argument");
        assert_eq!(world.state(), DOCUMENT);
    }
}

#[test]
fn a_fence_in_the_front_matter_hides_no_merge() {
    let conflict = "<<<<<<< HEAD\nStatus: a\n=======\nStatus: b\n>>>>>>> x\n";
    for text in [
        format!("---\nstatus: planning\nnotes: |\n  ```\n  code\n---\n\n# S\n\n{conflict}"),
        format!("---\n{conflict}---\n\n# S\n\nStatus: c\n"),
    ] {
        let mut world = World::default().with_state(&text);
        assert_eq!(world.refused("state_update", json!({"field": "Status", "value": "z"})), "state_corrupt");
        assert_eq!(world.state(), text);
        let warnings = world.call("state_validate", json!({})).unwrap()["warnings"].to_string();
        assert!(warnings.contains("merge_markers"), "{warnings}");
    }
    let mut world = World::default().with_state(&format!("# S\n\nStatus: c\n\n```\n{conflict}```\n"));
    world.call("state_update", json!({"field": "Status", "value": "z"})).unwrap();
}

#[test]
fn what_cannot_be_read_any_more_is_not_valid() {
    let valid = |world: &mut World| world.call("state_validate", json!({"strict": true})).unwrap()["valid"].clone();
    let mut world = World::default();
    world.call("state_init", json!({"milestone": "v1.0"})).unwrap();
    assert_eq!(valid(&mut world), true);
    for what in [Irregular::TooLarge, Irregular::Folder, Irregular::Link] {
        assert_eq!(valid(&mut world.clone().with_irregular(STATE_PATH, what)), false, "{what}");
    }
}

#[test]
fn no_verb_writes_beside_a_document_that_is_broken() {
    let mut world = World::default().with_state("---\nstatus: x\n");
    assert_eq!(world.refused("state_signal_waiting", json!({"question": "x"})), "state_corrupt");
    assert_eq!(world.file(".planning/WAITING.json"), None);
    assert_eq!(world.refused("state_signal_resume", json!({})), "state_corrupt");
}

#[test]
fn a_milestone_is_a_version_whoever_writes_it() {
    let mut world = world();
    assert_eq!(world.refused("state_update", json!({"field": "milestone", "value": "two"})), "invalid_argument");
    assert_eq!(world.refused("state_patch", json!({"fields": {"Milestone": "two"}})), "invalid_argument");
    world.call("state_update", json!({"field": "milestone", "value": "v2.1"})).unwrap();
}

#[test]
fn a_fenced_line_is_no_entry_of_the_roadmap() {
    let entry = "- Phase 6 added: Night";
    let text = format!("{DOCUMENT}\n### Roadmap Evolution\n\n```\n{entry}\n```\n");
    let mut world = World::default().with_state(&text);
    for added in [true, false] {
        let reply = world.call("state_add_roadmap_evolution", json!({"phase": "6", "note": "Night"})).unwrap();
        assert_eq!(reply["added"], added);
        assert_eq!(world.state().matches(entry).count(), 2);
    }
}

#[test]
fn an_archive_that_is_full_is_told_so() {
    let text = format!("{DOCUMENT}\n## Decisions\n\n- [Phase 1]: a\n");
    let mut world = World::default().with_state(&text).with_file(".planning/STATE-ARCHIVE.md", "x".repeat(16 << 20));
    let refusal = world.call("state_prune", json!({})).unwrap_err();
    assert_eq!(refusal["error"]["code"], "too_large");
    assert!(refusal["error"]["hint"].as_str().unwrap().contains("STATE-ARCHIVE.md"), "{refusal}");
    assert_eq!(world.state(), text);
}
