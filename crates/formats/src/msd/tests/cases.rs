//! Cases of the verbs beyond the vectors.

use format::Irregular;
use serde_json::json;

use super::{STATE_PATH, World};
use crate::msd::documents;

const SMALL: &str = "# S\n\n## Current Position\n\nPhase: 2 of 3 (Ledger)\nPlan: 1 of 3 in current phase\nStatus: Ready to plan\nLast activity: 2026-01-01\n\n\
                     ## Session\n\nStopped at: here\n";

fn small() -> World {
    World::default().with_state(SMALL)
}

#[test]
fn bytes_of_any_kind_are_kept_as_a_record() {
    for bytes in [&b""[..], b"text\r\n", b"\xff\xfe\x00#", "\u{feff}é".as_bytes()] {
        assert_eq!(documents::bytes_of(&documents::value_of(bytes)), bytes);
    }
    let mut world = World::default().with_file(STATE_PATH, b"Status: \xff\n");
    assert_eq!(world.call("state_get", json!({"name": "Status"})).unwrap()["Status"], "\u{fffd}");
    let refusal = world.call("state_update", json!({"field": "Status", "value": "x"})).unwrap_err();
    assert_eq!((&refusal["updated"], &refusal["error"]["code"]), (&json!(false), &json!("state_corrupt")));
    assert_eq!(world.file_bytes(STATE_PATH), b"Status: \xff\n");
}

#[test]
fn nothing_is_settled_for_an_edit_that_changes_nothing() {
    let mut world = small();
    for (tool, arguments) in [
        ("state_update", json!({"field": "Status", "value": "Ready to plan"})),
        ("state_patch", json!({"fields": {"Plan": "1 of 3 in current phase", "stopped at": "here"}})),
        ("state_complete_phase", json!({"phase": "1"})),
        ("state_rebuild", json!({})),
    ] {
        world.call(tool, arguments).unwrap();
        assert_eq!(world.state(), SMALL, "{tool}");
    }
}

#[test]
fn a_merge_in_progress_is_not_written_over() {
    let decide = || json!({"summary": "x"});
    let mut world = small().with_state(&format!("{SMALL}\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n"));
    assert_eq!(world.refused("state_add_decision", decide()), "state_corrupt");
    assert_eq!(world.call("state_get", json!({"name": "Plan"})).unwrap()["Plan"], "1 of 3 in current phase");
    let mut world = small().with_state(&format!("{SMALL}\n```\n<<<<<<< HEAD\n```\n"));
    world.call("state_add_decision", decide()).unwrap();
}

#[test]
fn words_of_an_author_stay() {
    let mut world = small().with_state(&SMALL.replace("Ready to plan", "Waiting on the harbour office"));
    let reply = world.call("state_begin_phase", json!({"phase": "2"})).unwrap();
    assert_eq!(reply["kept"], json!(["Status"]));
    assert!(world.state().contains("\nStatus: Waiting on the harbour office\n"));
    assert!(world.state().contains("\nstatus: executing\n"));
    world.call("state_update", json!({"field": "Status", "value": "Done"})).unwrap();
    assert!(world.state().contains("\nStatus: Done\n"), "update is the author's own word");
}

#[test]
fn a_document_that_is_gone_has_no_record() {
    let mut world = small();
    world.call("state_signal_waiting", json!({"question": "Which berth?"})).unwrap();
    let mut world = world.without_file(STATE_PATH);
    assert_eq!(world.refused("state_get", json!({})), "state_not_found");
    assert_eq!(world.take_in(&model::Space::known("msd")), 0);
    assert!(world.file(".planning/WAITING.json").is_some());
}

#[test]
fn what_cannot_be_read_is_not_called_missing() {
    let check = |what, code: &str| {
        let mut world = World::default().with_irregular(STATE_PATH, what);
        assert_eq!(world.refused("state_json", json!({})), code);
        assert_eq!(world.refused("state_init", json!({})), code);
    };
    check(Irregular::TooLarge, "too_large");
    check(Irregular::Link, "path_outside_project");
    check(Irregular::Folder, "state_corrupt");
    let mut world = small()
        .with_irregular(".planning/STATE-ARCHIVE.md", Irregular::Folder)
        .with_state("# S\n\n**Current Phase:** 8\n\n## Decisions\n\n- [Phase 1]: moor early\n");
    assert_eq!(world.refused("state_prune", json!({})), "state_corrupt");
    assert!(world.state().contains("moor early"));
}

#[test]
fn a_document_does_not_grow_past_what_is_read() {
    let mut world = small().with_state(&format!("{SMALL}\n{}\n", "x".repeat(1024 * 1024 - SMALL.len() - 2)));
    let before = world.state().to_owned();
    assert_eq!(world.refused("state_add_decision", json!({"summary": "one more"})), "too_large");
    assert_eq!(world.state(), before);
}

#[test]
fn a_shadowed_field_stops_the_whole_verb() {
    let text = SMALL.replace("Plan: 1", "- see **Plan:** none\nPlan: 1");
    let mut world = small().with_state(&text);
    assert_eq!(world.refused("state_begin_phase", json!({"phase": "3"})), "field_shadowed");
    assert_eq!(world.state(), text);
    let reply = world.call("state_patch", json!({"fields": {"Status": "Done", "Plan": "2 of 3"}})).unwrap();
    assert_eq!((&reply["updated"], &reply["failed"]), (&json!(["Status"]), &json!(["Plan"])));
}

#[test]
fn keys_of_the_format_are_not_written_by_name() {
    let mut world = small().with_state(&format!("---\nstatus: planning\nowner: a # c\nlist: [1, 2]\n---\n\n{SMALL}"));
    for field in ["status_x", "state_head", "Active Phase", "progress", "gsd_state_version", "next_phases"] {
        let code = world.refused("state_update", json!({"field": field, "value": "1"}));
        assert_eq!(code, if field == "status_x" { "field_not_found" } else { "field_reserved" }, "{field}");
    }
    assert_eq!(world.refused("state_update", json!({"field": "list", "value": "1"})), "field_reserved");
    world.call("state_update", json!({"field": "owner", "value": "b: c"})).unwrap();
    assert!(world.state().contains("\nowner: \"b: c\" # c\nlist: [1, 2]\n"), "{}", world.state());
    world.call("state_update", json!({"field": "status", "value": "Done"})).unwrap();
    assert!(world.state().contains("\nStatus: Done\n") && world.state().contains("\nstatus: completed\n"));
}

#[test]
fn a_pause_begins_and_ends() {
    let mut world = small();
    let reply = world.call("state_record_session", json!({"paused_at": "lunch"})).unwrap();
    assert_eq!(reply["updated"], json!(["Last session", "Paused at"]));
    assert!(world.state().contains("\nstatus: paused\n") && world.state().contains("\npaused_at: lunch\n"));
    assert!(world.state().ends_with("Stopped at: here\nLast session: 2026-01-02T03:04:05.678Z\nPaused at: lunch\n"));
    world.call("state_record_session", json!({"resumed": true})).unwrap();
    assert!(world.state().contains("\nstatus: planning\n") && world.state().contains("\npaused_at: null\n"));
    assert!(!world.state().contains("Paused at"));
    let both = json!({"resumed": true, "paused_at": "x"});
    assert_eq!(world.refused("state_record_session", both), "conflicting_arguments");
}

#[test]
fn last_date_is_kept_where_it_is_used() {
    let mut world = small().with_state("## Session\n\n**Last Date:** 2025\n");
    world.call("state_record_session", json!({})).unwrap();
    assert!(world.state().ends_with("## Session\n\n**Last Date:** 2026-01-02T03:04:05.678Z\n"), "{}", world.state());
}

#[test]
fn settling_knows_what_a_later_date_and_a_later_phase_mean() {
    let front = "---\nlast_activity: \"2026-01-05\"\n---\n\n";
    let mut world = small().with_state(&format!("{front}{SMALL}"));
    world.call("state_update", json!({"field": "Plan", "value": "2 of 3"})).unwrap();
    assert!(world.state().contains("\nlast_activity: \"2026-01-05\"\n"));
    let mut world = small().with_state(&SMALL.replace("2026-01-01", "2026-01-01 — moved the crane"));
    let reply = world.call("state_begin_phase", json!({"phase": "3"})).unwrap();
    assert_eq!(reply["kept"], json!(["Last activity"]));
    assert!(world.state().contains("\nlast_activity_desc: moved the crane\n"));
    // A phase without a name does not keep the name of the one before it.
    assert!(!world.state().contains("current_phase_name"), "{}", world.state());
}

#[test]
fn the_last_phase_is_told_by_its_number_where_there_is_no_list() {
    let mut world = small().with_state(&SMALL.replace("2 of 3 (Ledger)", "3 of 3 (Replay)"));
    let reply = world.call("state_complete_phase", json!({})).unwrap();
    assert_eq!((&reply["is_last_phase"], &reply["next_phase"]), (&json!(true), &json!(null)));
    let mut world = small();
    let reply = world.call("state_complete_phase", json!({"phase": "02"})).unwrap();
    assert_eq!((&reply["is_last_phase"], &reply["next_phase"]), (&json!(false), &json!(null)));
    assert!(world.state().contains("\nPhase: 2 of 3 (Ledger)\n") && world.state().contains("\nnext_phases: null\n"));
    let mut world = World::default().with_state("# S\n");
    assert_eq!(world.refused("state_complete_phase", json!({})), "phase_unresolved");
}

#[test]
fn a_milestone_makes_its_section() {
    let mut world = World::default().with_state("# S\r\n\r\nprose");
    world.call("state_milestone_switch", json!({"milestone": "v2.0"})).unwrap();
    let end = "# S\r\n\r\nprose\r\n\r\n## Current Position\r\n\r\nPhase: Not started (defining requirements)\r\nPlan: —\r\n\
               Status: Defining requirements\r\nLast activity: 2026-01-02\r\n\r\nProgress: [░░░░░░░░░░] 0%";
    assert!(world.state().ends_with(end), "{}", world.state());
    assert_eq!(world.refused("state_milestone_switch", json!({"milestone": "two"})), "invalid_argument");
    let mut world = World::default().with_state("# S\n\n**Status:** Planning\n");
    assert_eq!(world.refused("state_milestone_complete", json!({})), "missing_argument");
    world.call("state_milestone_complete", json!({"milestone": "v1.0"})).unwrap();
    assert!(world.state().contains("\n**Status:** v1.0 milestone complete\n"));
}

#[test]
fn blockers_are_picked_over_all_their_sections() {
    let text = "# S\n\n## Blockers\n\n- a\n  more\n- None\n\n## Concerns\n\n* b | c\n+ a\n";
    let mut world = World::default().with_state(text);
    assert_eq!(world.refused("state_resolve_blocker", json!({})), "missing_argument");
    assert_eq!(world.refused("state_resolve_blocker", json!({"text": "a", "index": 1})), "conflicting_arguments");
    assert_eq!(world.refused("state_resolve_blocker", json!({"index": 0})), "blocker_not_found");
    assert_eq!(world.refused("state_resolve_blocker", json!({"index": 4})), "blocker_not_found");
    assert_eq!(world.refused("state_add_blocker", json!({"text": "None"})), "invalid_argument");
    let reply = world.call("state_resolve_blocker", json!({"text": "A", "all": true})).unwrap();
    assert_eq!(reply["removed"], json!(["a more", "a"]));
    assert!(world.state().ends_with("## Blockers\n\n- None\n\n## Concerns\n\n* b | c\n"), "{}", world.state());
}

#[test]
fn metrics_stand_in_their_own_table() {
    let mut world = World::default().with_state("# S\n\n## Performance Metrics\n\n### Trend\n\nStable\n\n## End\n");
    let metric = |plan: &str| json!({"phase": "2", "plan": plan, "duration": "1|2m"});
    world.call("state_record_metric", metric("1")).unwrap();
    world.call("state_record_metric", metric("2")).unwrap();
    let rows = "Stable\n\n| Plan | Duration | Tasks | Files |\n|------|----------|-------|-------|\n| Phase 2 P1 | 1\\|2m | - tasks | - files |\n\
                | Phase 2 P2 | 1\\|2m | - tasks | - files |\n\n## End\n";
    assert!(world.state().ends_with(rows), "{}", world.state());
    let mut world = World::default().with_state("# S");
    assert_eq!(world.call("state_record_metric", metric("1")).unwrap()["created"], true);
    assert!(world.state().ends_with("| - tasks | - files |"));
}

#[test]
fn prune_keeps_the_archive_in_its_own_line_endings() {
    let text = "# S\r\n\r\n**Current Phase:** 8\r\n\r\n## Recently Completed\r\n\r\n- Phase 2 done\r\n  in time\r\n";
    let mut world = World::default().with_state(text).with_file(".planning/STATE-ARCHIVE.md", "# Mine\n\nold");
    let reply = world.call("state_prune", json!({"keep_recent": "2"})).unwrap();
    assert_eq!(reply["cutoff_phase"], 6);
    let archive = "# Mine\n\nold\n\n## Pruned 2026-01-02 (phases 1-6, kept recent 2)\n\n### Recently Completed\n\n- Phase 2 done\n  in time\n";
    assert_eq!(world.file(".planning/STATE-ARCHIVE.md"), Some(archive));
    assert!(world.state().ends_with("## Recently Completed\r\n\r\n"), "{:?}", world.state());
}

#[test]
fn rebuild_touches_only_what_it_names() {
    let text = "# S\n\n**A:** [x]\n**B:** [ ]\n**C:** [░░░░░░░░░░]\n**D:** [a](b)\n**E:** [later]\n\n\
                ### Session — one\n1\n### Session — two\n2\n### Session — three\n3\n### Session — four\n4\n";
    let mut world = World::default().with_state(text);
    let reply = world.call("state_rebuild", json!({})).unwrap();
    assert_eq!(reply["mutations"], 2, "{reply}");
    assert_eq!(reply["changes"][1]["before"], "### Session — one\n1");
    let state = world.state();
    assert!(state.contains("**D:** [a](b)\n**E:** (pending)\n\n### Session — two\n2\n"), "{state}");
    assert!(state.contains("**A:** [x]\n**B:** [ ]\n**C:** [░░░░░░░░░░]\n"));
}

#[test]
fn sync_says_what_it_found() {
    let roadmap = "### Phase 2: Ledger\n";
    let text = "# S\n\n## Current Position\n\nPhase: 2\nStatus: Verifying\nTotal Plans in Phase: 9\n";
    let mut world = World::default().with_state(text).with_file(".planning/ROADMAP.md", roadmap);
    let mut world2 = world.clone().with_file(".planning/phases/02-ledger/PLAN.md", "");
    let reply = world2.call("state_sync", json!({})).unwrap();
    let changes = reply["changes"].as_array().unwrap();
    assert_eq!(changes[0], "Total Plans in Phase: 9 -> 1");
    assert!(changes.contains(&json!("progress.total_plans: none -> 1")), "{reply}");
    assert!(changes.contains(&json!("status: none -> verifying")), "{reply}");
    assert_eq!(world2.call("state_sync", json!({})).unwrap()["changes"], json!([]));
    // Without folders the body alone tells.
    world.call("state_sync", json!({})).unwrap();
    assert!(world.state().contains("\nTotal Plans in Phase: 9\n") && world.state().contains("\nstatus: verifying\n"));
}

#[test]
fn validate_names_every_fault() {
    let codes = |text: &[u8]| {
        let mut world = World::default().with_file(STATE_PATH, text);
        let reply = world.call("state_validate", json!({})).unwrap();
        let warnings = reply["warnings"].as_array().unwrap().clone();
        warnings.iter().map(|warning| warning["code"].as_str().unwrap().to_owned()).collect::<Vec<_>>().join(" ")
    };
    let sections = "## Current Position\n\n## Session\n";
    let keys = "msd_state_version: '1.0'\nstatus: planning\nlast_updated: x\n";
    let check = |front: &str, expected: &str| {
        assert_eq!(codes(format!("---\n{keys}{front}---\n\n{sections}").as_bytes()), expected, "{front:?}");
    };
    check("", "");
    check("a: 1\na: 2\n", "duplicate_key");
    check("milestone: v2 # c\n", "front_matter_subset");
    check("progress:\n  # c\n  percent: 4\n", "front_matter_subset");
    check("next_phases: [\"a, b\"]\n", "front_matter_subset");
    check("next_action: ship-it\n", "invalid_next_action");
    let twice = format!("---\n{keys}---\n\n{}", sections.replace("\n\n##", "\n\nPlan: 1\n- **Plan:** 2\n\n##"));
    assert_eq!(codes(twice.as_bytes()), "duplicate_field");
    assert_eq!(
        codes(b"---\na: b\n"),
        "unterminated_front_matter missing_key missing_key missing_key section_missing section_missing"
    );
    assert!(codes("\u{feff}x\0\n<<<<<<< a\n".as_bytes()).starts_with("bom nul_bytes merge_markers missing_key"));
    assert!(codes(format!("---\n{keys}---\n{sections}{}", "\n".repeat(100)).as_bytes()).ends_with("long_file"));
}

#[test]
fn a_phase_that_is_done_and_still_executing_is_told() {
    let text = "---\nmsd_state_version: '1.0'\nstatus: executing\nlast_updated: x\n---\n\n## Current Position\n\nPhase: 2\n\n## Session\n";
    let mut world = World::default()
        .with_state(text)
        .with_file(".planning/phases/02-x/02-01-PLAN.md", "")
        .with_file(".planning/phases/02-x/02-01-SUMMARY.md", "")
        .with_file(".planning/phases/02-x/02-VERIFICATION.md", "---\nstatus: passed\n---\n");
    let reply = world.call("state_validate", json!({"strict": true})).unwrap();
    let codes: Vec<_> = reply["warnings"].as_array().unwrap().iter().map(|warning| warning["code"].clone()).collect();
    assert_eq!((codes, &reply["strict"]), (vec![json!("all_plans_done"), json!("verification_drift")], &json!(true)));
}

#[test]
fn freshness_asks_git_only_where_it_must() {
    let stamped = |head: &str| format!("---\nstate_head: {head}\n---\n\n{SMALL}");
    let sha = "7a1b2c3d4e5f60718293a4b5c6d7e8f901234567";
    let fresh = |world: &mut World| world.call("state_json", json!({})).unwrap()["freshness"].clone();
    let mut world = small().with_state(&stamped("7a1b2c3")).with_head(sha, Some(9));
    assert_eq!(fresh(&mut world), json!({"state_head": "7a1b2c3", "commits_behind": 0, "commit_stale": false}));
    let mut world = small().with_state(&stamped("abcdef12")).with_head(sha, Some(9));
    assert_eq!(fresh(&mut world), json!({"state_head": "abcdef1", "commits_behind": 9, "commit_stale": true}));
    let mut world = small().with_state(&stamped("abcdef12")).with_head(sha, None);
    assert_eq!(fresh(&mut world)["commit_stale"], json!(null));
    let mut world = small().with_state(&stamped("xyz")).with_head(sha, Some(9));
    assert_eq!(fresh(&mut world)["state_head"], json!(null));
}

#[test]
fn texts_come_from_files_of_the_project() {
    let mut world =
        small().with_file("note.txt", "a\r\n b\n").with_file("big.txt", "x".repeat(70_000)).with_file("bin", b"\xff");
    let file = |path: &str| json!({"summary_file": path});
    let reply = world.call("state_add_decision", file("/project/./note.txt")).unwrap();
    assert_eq!(reply["decision"], "- [Phase ?]: a b");
    for (path, code) in [
        ("../x", "path_outside_project"),
        ("/etc/passwd", "path_outside_project"),
        ("gone", "file_unreadable"),
        ("big.txt", "file_unreadable"),
        ("bin", "file_unreadable"),
    ] {
        assert_eq!(world.refused("state_add_decision", file(path)), code, "{path}");
    }
    let both = json!({"summary": "x", "summary_file": "note.txt"});
    assert_eq!(world.refused("state_add_decision", both), "conflicting_arguments");
    assert_eq!(world.refused("state_add_decision", json!({"summery": "x"})), "invalid_argument");
}

#[test]
fn snapshots_read_tables_and_free_texts() {
    let text = "# S\n\n**Total Phases:** 7\n**Total Plans in Phase:** 4\n\n## Decisions Made\n\n- free text — not split\n- [Phase ?]: a — b\n\n\
                | Phase | Summary | Rationale |\n|---|---|---|\n| 2 | x \\| y | - |\n";
    let mut world = World::default().with_state(text);
    let reply = world.call("state_snapshot", json!({})).unwrap();
    assert_eq!(
        reply["decisions"],
        json!([
            {"phase": null, "summary": "free text — not split", "rationale": null},
            {"phase": null, "summary": "a", "rationale": "b"},
            {"phase": "2", "summary": "x | y", "rationale": null},
        ])
    );
    assert_eq!((&reply["total_phases"], &reply["total_plans_in_phase"]), (&json!(7), &json!(4)));
}

#[test]
fn workstreams_have_records_of_their_own() {
    let mut world = small().with_file(".planning/workstreams/night/STATE.md", SMALL);
    world.call("state_update", json!({"ws": "night", "field": "Status", "value": "Done"})).unwrap();
    assert_eq!(world.state(), SMALL);
    assert!(world.file(".planning/workstreams/night/STATE.md").unwrap().contains("\nStatus: Done\n"));
    for name in ["..", ".", "", "a/b", "é", &"x".repeat(65)] {
        assert_eq!(world.refused("state_json", json!({"ws": name})), "invalid_argument", "{name:?}");
    }
    assert_eq!(world.refused("state_json", json!({"ws": "new"})), "state_not_found");
    world.call("state_init", json!({"ws": "new"})).unwrap();
    assert!(world.file(".planning/workstreams/new/STATE.md").is_some());
}

#[test]
fn settings_are_checked_by_name() {
    let mut world = small();
    for (settings, field) in [
        (json!({"msd": 1}), "msd"),
        (json!({"msd": {"compat": "x"}}), "msd.compat"),
        (json!({"msd": {"prefix": "x"}}), "msd.prefix"),
        (json!({"msd": {"lock_timeout_ms": -1}}), "msd.lock_timeout_ms"),
        (json!({"msd": {"color": 1}}), "msd.color"),
    ] {
        let mut ctx = super::context();
        ctx.settings = settings.as_object().unwrap().clone();
        let refusal = world.call_at("state_json", json!({}), &ctx).unwrap_err();
        assert_eq!((&refusal["error"]["code"], &refusal["error"]["field"]), (&json!("config_invalid"), &json!(field)));
    }
}

#[test]
fn status_and_next_show_every_workstream() {
    let front =
        |keys: &str| format!("---\nmilestone: v2.0\nstatus: planning\n{keys}---\n\n{SMALL}\n## Blockers\n\n- fog\n");
    let mut world = small()
        .with_state(&front("next_action: plan-phase\nnext_phases: [\"3\", \"4\"]\n"))
        .with_file(".planning/ROADMAP.md", "### Phase 3: Replay\n")
        .with_file(".planning/workstreams/night/STATE.md", front("active_phase: \"2\"\n"))
        .with_file(".planning/workstreams/empty/notes.md", "");
    let (summary, work) = world.outlook();
    assert_eq!(summary, "v2.0 · next plan-phase 3/4 · 1 open blocker; night: v2.0 · Phase 2 planning · 1 open blocker");
    assert_eq!(work, ["3 Ready plan-phase 3: Replay", "4 Ready plan-phase 4", "2 InProgress Phase 2 planning"]);
    assert_eq!(World::default().outlook(), (String::new(), Vec::new()));
}
