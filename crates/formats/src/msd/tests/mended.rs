//! Documents and texts that once lost lines, hid a field or took more than one look for each entry.

use format::Irregular;
use serde_json::{Value, json};

use super::{STATE_PATH, World, work_of};

const POSITION: &str = "# S\n\n## Current Position\n\nPhase: 5 of 8 (Ledger)\nPlan: 1 of 3 in current phase\nStatus: Executing Phase 5\n\
                        Last activity: 2026-01-01\n";

fn with(rest: &str) -> World {
    World::default().with_state(&format!("{POSITION}\n{rest}"))
}

fn archive(world: &World) -> &str {
    world.file(".planning/STATE-ARCHIVE.md").unwrap()
}

#[test]
fn entries_at_the_end_of_a_file_without_a_last_newline_move() {
    for keep in ["", "- [Phase 5]: keep\n"] {
        let mut world = with(&format!("## Decisions\n\n{keep}- [Phase 1]: a\n- [Phase 1]: b"));
        let reply = world.call("state_prune", json!({})).unwrap();
        assert_eq!(reply["total_archived"], 2);
        assert!(archive(&world).ends_with("### Decisions\n\n- [Phase 1]: a\n- [Phase 1]: b\n"));
        let left = if keep.is_empty() { "## Decisions\n" } else { "## Decisions\n\n- [Phase 5]: keep" };
        assert!(world.state().ends_with(left), "{:?}", world.state());
    }
}

#[test]
fn a_bullet_goes_with_the_whole_of_its_fence() {
    let fenced = "## Blockers\n\n- one [Phase 1] [RESOLVED]\n  ```\ncode\n\n## no heading\n  ```\n- two\n\n## Session\n\nStopped at: here\n";
    for (tool, arguments) in [("state_resolve_blocker", json!({"text": "one"})), ("state_prune", json!({}))] {
        let mut world = with(fenced);
        world.call(tool, arguments).unwrap();
        assert!(
            world.state().ends_with("## Blockers\n\n- two\n\n## Session\n\nStopped at: here\n"),
            "{}",
            world.state()
        );
        if tool == "state_prune" {
            assert!(archive(&world).ends_with("- one [Phase 1] [RESOLVED]\n  ```\ncode\n\n## no heading\n  ```\n"));
        }
    }
    // A fence that never closes takes in what follows, and stays.
    let mut world = with("## Blockers\n\n- one\n  more\n  ```\n- two\n");
    world.call("state_resolve_blocker", json!({"text": "one"})).unwrap();
    assert!(world.state().ends_with("## Blockers\n\n  ```\n- two\n"), "{}", world.state());
}

#[test]
fn a_row_in_two_sections_moves_once() {
    let table = "| Plan | Duration | Tasks | Files |\n|------|----------|-------|-------|\n";
    let sections = format!("## Performance Metrics\n### Performance Metrics\n{table}");
    let mut world = with(&format!(
        "{sections}| Phase 1 P1 | 1m | 1 tasks | 1 files |\n| Phase 5 P1 | 1m | 1 tasks | 1 files |\nend\n"
    ));
    let reply = world.call("state_prune", json!({})).unwrap();
    assert_eq!(reply["sections"], json!([{"section": "Performance Metrics", "entries_archived": 1}]));
    assert!(
        world.state().ends_with(&format!("{sections}| Phase 5 P1 | 1m | 1 tasks | 1 files |\nend\n")),
        "{}",
        world.state()
    );
    assert_eq!(archive(&world).matches("Phase 1 P1").count(), 1);
}

#[test]
fn only_what_stands_wholly_in_brackets_is_a_placeholder() {
    let text = "**Owners:** [@anna], [@bob]\n**Refs:** [a](u) and [b]\n**Core value:** [not [yet] set]\n";
    let mut world = with(text);
    assert_eq!(world.call("state_rebuild", json!({})).unwrap()["mutations"], 1);
    let expected = text.replace("[not [yet] set]", "(pending)");
    assert!(world.state().ends_with(&expected), "{}", world.state());
    let mut world = World::default().with_state(&POSITION.replace("Executing Phase 5", "[a] waits for [b]"));
    let reply = world.call("state_begin_phase", json!({"phase": "6"})).unwrap();
    assert_eq!(reply["kept"], json!(["Status"]));
}

#[test]
fn front_matter_that_opens_oddly_gets_none_above_it() {
    for text in ["\n---\nstatus: executing\n\n# S\nPlan: 1 of 3\n", " ---\nstatus: x\nPlan: 1 of 3\n"] {
        let mut world = World::default().with_state(text);
        assert_eq!(world.refused("state_update", json!({"field": "Plan", "value": "2 of 3"})), "state_corrupt");
        let warnings = world.call("state_validate", json!({})).unwrap()["warnings"].to_string();
        assert!(warnings.contains("unterminated_front_matter"), "{warnings}");
    }
    for opening in ["--- # state", " ---", "\n\n---"] {
        let mut world = World::default().with_state(&format!("{opening}\nstatus: x\n---\n\nPlan: 1 of 3\n"));
        world.call("state_update", json!({"field": "Plan", "value": "2 of 3"})).unwrap();
        let state = world.state();
        assert!(state.starts_with(&format!("{opening}\nstatus: x\n")) && state.matches("---").count() == 2, "{state}");
    }
    // A rule above a field is no front matter.
    let mut world = World::default().with_state("\n---\nStatus: Planning\n");
    world.call("state_update", json!({"field": "Status", "value": "Done"})).unwrap();
}

#[test]
fn keys_of_front_matter_that_never_closes_are_no_body() {
    let text = format!("---\nstatus: executing\ncurrent_phase: 9\nnext_phases:\n- 4\n\n{POSITION}");
    let mut world = World::default().with_state(&text);
    assert_eq!(world.call("state_json", json!({})).unwrap()["current_phase"], "5");
}

#[test]
fn a_name_that_the_position_cannot_give_back_is_never_another_phase_s() {
    let stored = format!("---\ncurrent_phase: \"5\"\ncurrent_phase_name: Ledger\n---\n\n{POSITION}");
    for name in ["Foo (bar", "[beta] Foo", "a) b"] {
        let mut world = World::default().with_state(&stored);
        let refusal = world.call("state_begin_phase", json!({"phase": "6", "name": name})).unwrap_err();
        assert_eq!(
            (&refusal["error"]["code"], &refusal["error"]["field"]),
            (&json!("invalid_argument"), &json!("name"))
        );
        assert_eq!(world.state(), stored);
    }
    let roadmap = "### Phase 5: Ledger\n### Phase 6: [beta] Quay\n";
    for (tool, arguments) in
        [("state_begin_phase", json!({"phase": "6"})), ("state_complete_phase", json!({"phase": "5"}))]
    {
        let mut world = World::default().with_state(&stored).with_file(".planning/ROADMAP.md", roadmap);
        world.call(tool, arguments).unwrap();
        assert!(world.state().contains("\nPhase: 6 of 8\n"), "{}", world.state());
        let reply = world.call("state_snapshot", json!({})).unwrap();
        assert_eq!(
            (&reply["current_phase"], &reply["current_phase_name"]),
            (&json!("6"), &json!("[beta] Quay")),
            "{tool}"
        );
    }
}

#[test]
fn a_plan_beyond_counting_is_unreadable() {
    let mut world = World::default().with_state(&POSITION.replace("1 of 3", "18446744073709551615 of ?"));
    assert_eq!(world.refused("state_advance_plan", json!({})), "plan_unreadable");
}

#[test]
fn what_does_not_fit_is_told_as_what_cannot_be_read() {
    let text = format!("{POSITION}\n{}\n", "x".repeat(1024 * 1024 - POSITION.len() - 2));
    let error = World::default().with_state(&text).call("state_add_decision", json!({"summary": "x"})).unwrap_err();
    assert_eq!((&error["added"], &error["error"]["code"]), (&json!(false), &json!("too_large")));
    assert_eq!(error["error"]["path"], STATE_PATH);
    assert!(error["error"]["hint"].as_str().unwrap().contains("prune"));
}

#[test]
fn a_text_about_a_field_does_not_become_the_field() {
    let said = "we renamed **Current Phase:** 9 to ten";
    for (tool, arguments, argument) in [
        ("state_add_decision", json!({"summary": said}), "summary"),
        ("state_add_decision", json!({"summary": "labels", "rationale": "use **Current focus:** often"}), "summary"),
        ("state_add_blocker", json!({"text": said}), "text"),
        ("state_add_roadmap_evolution", json!({"phase": "6", "note": said}), "note"),
        ("state_record_metric", json!({"phase": "5", "plan": said, "duration": "1m"}), "plan"),
        ("state_record_session", json!({"stopped_at": said}), "stopped_at"),
    ] {
        let mut world = World::default().with_state(POSITION);
        let refusal = world.call(tool, arguments).unwrap_err();
        let error = &refusal["error"];
        assert_eq!((&error["code"], &error["field"]), (&json!("invalid_argument"), &json!(argument)), "{tool}");
        assert_eq!(world.state(), POSITION);
    }
    // A sentence of someone's own hand does not stop a phase either.
    let mut world = with("## Decisions\n\n- use **Current focus:** often\n");
    world.call("state_begin_phase", json!({"phase": "6"})).unwrap();
    assert!(world.state().ends_with("- use **Current focus:** often\n"));
}

#[test]
fn a_refused_patch_lists_what_it_did_not_do() {
    let mut world = World::default().with_state("---\nstatus: x\n");
    let refusal = world.call("state_patch", json!({"fields": {"Plan": "x"}})).unwrap_err();
    assert_eq!((&refusal["updated"], &refusal["failed"]), (&json!([]), &json!([])));
    let mut world = World::default().with_state(POSITION);
    let refusal = world.call("state_patch", json!({"fields": {"Odd": "x"}})).unwrap_err();
    assert_eq!((&refusal["updated"], &refusal["failed"]), (&json!([]), &json!(["Odd"])));
}

#[test]
fn a_question_that_still_stands_is_not_resumed() {
    let mut world = World::default().with_state(POSITION).with_irregular(".planning/WAITING.json", Irregular::Link);
    assert_eq!(world.refused("state_signal_resume", json!({})), "path_outside_project");
}

#[test]
fn counts_in_braces_become_a_block() {
    let text = format!("---\nprogress: {{total_phases: 3, mine: \"4, 5\"}} # c\nowner: a\n---\n\n{POSITION}");
    let mut world = World::default().with_state(&text);
    world.call("state_milestone_switch", json!({"milestone": "v2.0"})).unwrap();
    let expected = "---\nprogress:  # c\n  mine: \"4, 5\"\n  total_phases: 0\n";
    assert!(world.state().starts_with(expected), "{}", world.state());
    let mut world = World::default().with_state(&text.replace(" # c", ""));
    world.call("state_milestone_switch", json!({"milestone": "v2.0"})).unwrap();
    assert!(world.state().starts_with(&expected.replace("  # c", "")), "{}", world.state());
}

#[test]
fn a_stray_field_is_told_where_nothing_changes() {
    let mut world = World::default().with_state("# S\n\nStatus: Done\n");
    for value in ["Done", "Planning"] {
        let reply = world.call("state_update", json!({"field": "Status", "value": value})).unwrap();
        let warnings: Vec<_> = reply["warnings"].as_array().unwrap().iter().map(|warning| &warning["code"]).collect();
        assert_eq!(warnings, ["section_missing"], "{value}");
    }
}

/// A document with so many of everything that verbs go through.
fn many(count: usize) -> World {
    let each = |line: &str| line.repeat(count);
    let numbered = |line: &dyn Fn(usize) -> String| (1..=count).map(line).collect::<Vec<_>>().concat();
    let rows = numbered(&|id| format!("| {id} | 1 | - | - |\n"));
    let phases = numbered(&|id| format!("### Phase {id}: x\n"));
    let text = [
        format!("---\n{}---\n\n{POSITION}\n{}", each("state_head: abcdef1\n"), each("**a:** [b]\n")),
        format!("\n## Blockers\n\n{}\n## Session\n\n{}", each("- port\n"), each("Paused at: x\n")),
        each("\n### Session — one\n\n1\n"),
        format!("\n## Table\n\n| Phase | Plans | Total | Avg/Plan |\n|---|---|---|---|\n{rows}"),
    ]
    .concat();
    let world = World::default().with_state(&text).with_file(".planning/ROADMAP.md", phases);
    (1..=count).fold(world, |world, id| world.with_file(&format!(".planning/phases/{id:04}-x/PLAN.md"), ""))
}

#[test]
fn work_grows_no_faster_than_the_document() {
    let verbs: [(&str, Value); 6] = [
        ("state_rebuild", json!({})),
        ("state_resolve_blocker", json!({"text": "port", "all": true})),
        ("state_record_session", json!({"resumed": true})),
        ("state_snapshot", json!({})),
        ("state_validate", json!({})),
        ("state_add_blocker", json!({"text": "x"})),
    ];
    for (tool, arguments) in verbs {
        let work = |count| {
            let mut world = many(count);
            work_of(|| drop(world.call(tool, arguments.clone()).unwrap()))
        };
        let (few, more) = (work(50), work(200));
        // Sorting phases takes a little more than four times the comparisons.
        assert!(more <= few * 6, "{tool}: {few} looks became {more}");
    }
}

#[test]
fn everything_that_is_many_is_mended_at_once() {
    let mut world = many(30);
    let mutations = world.call("state_rebuild", json!({})).unwrap()["mutations"].clone();
    assert_eq!(mutations, 30 + 27);
    let reply = world.call("state_resolve_blocker", json!({"text": "port", "all": true})).unwrap();
    assert_eq!(reply["removed"].as_array().unwrap().len(), 30);
    let reply = world.call("state_record_session", json!({"resumed": true})).unwrap();
    assert_eq!(reply["updated"], json!(["Last session", "Paused at"]));
    let state = world.state();
    assert!(state.contains("## Blockers\n\nNone yet.\n\n## Session\n\nLast session: "), "{state}");
    assert_eq!(state.matches("### Session").count(), 3);
    assert!(!state.contains("[b]") && !state.contains("state_head") && !state.contains("Paused at"), "{state}");
}
