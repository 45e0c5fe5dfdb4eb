//! Properties: whatever stands in STATE.md and whatever verb is accepted, the rest of it stays as it was.

use format::front_matter::FrontMatter;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::body::{Body, FIELDS};
use super::{STATE_PATH, World, later};

const LABELS: [&str; 19] = [
    "Phase",
    "Plan",
    "Status",
    "Last activity",
    "Progress",
    "Current Phase",
    "Current Phase Name",
    "Current Plan",
    "Total Plans in Phase",
    "Last Activity Description",
    "Current focus",
    "Last session",
    "Last Date",
    "Stopped at",
    "Resume file",
    "Paused at",
    "Total Phases",
    "Odd",
    "Core value",
];

fn label() -> impl Strategy<Value = &'static str> {
    prop::sample::select(LABELS.to_vec())
}

fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("2 of 3 (Ledger)".to_owned()),
        Just("1 of 2 in current phase".to_owned()),
        Just("Executing Phase 2".to_owned()),
        Just("2026-01-01 — Phase 2 started".to_owned()),
        Just("[░░░░░░░░░░] 0%".to_owned()),
        Just("2".to_owned()),
        Just(String::new()),
        "[\\PC]{0,12}",
    ]
}

fn field() -> impl Strategy<Value = String> {
    (label(), value(), 0..5_u8).prop_map(|(label, value, form)| match form {
        0 => format!("**{label}:** {value}"),
        1 => format!("| {label} | {value} |"),
        2 => format!("- note **{label}:** {value}"),
        3 => format!("{label}:"),
        _ => format!("{label}: {value}"),
    })
}

fn body_line() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => field(),
        2 => prop::sample::select(vec![
            "## Current Position", "### Current Position", "## Session", "## Session Continuity", "## Decisions", "### Blockers",
            "## Blockers/Concerns", "## Performance Metrics", "## Accumulated Context", "### Roadmap Evolution", "# S",
        ]).prop_map(str::to_owned),
        2 => prop::sample::select(vec![
            "- [Phase 1]: moor early", "- port closed", "* None yet.", "None", "  indented", "```", "~~~~", "", "",
            "| Phase | Plans | Total | Avg/Plan |", "|---|---|---|---|", "| 1 | 2 | - | - |", "---", "\u{1}odd", "two blanks behind  ", "  - nested `x`", "### Session — a",
        ]).prop_map(str::to_owned),
        1 => "[\\PC]{0,16}",
    ]
}

fn front_line() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec![
            "msd_state_version: '1.0'",
            "status: planning # c",
            "milestone: v2.0",
            "progress:",
            "  percent: 3 # c",
            "  total_phases: 9",
            "current_phase: \"2\"",
            "next_phases: [\"1\",",
            "  2]",
            "next_phases:",
            "- 4.5",
            "# between",
            "list: [a, \"b\"] # kept",
            "active_phase: null",
            "# comment",
            "",
            "owner: 'it''s'",
            "last_updated: x",
            "paused_at: lunch",
            "state_head: abcdef1",
            "mine: { a: 1 }  # mine",
            "text: |",
            "  status: not a key",
        ])
        .prop_map(str::to_owned),
        "[a-z]{1,4}: [\\PC]{0,8}",
    ]
}

pub(super) fn document() -> impl Strategy<Value = String> {
    let front = prop::option::weighted(0.8, prop::collection::vec(front_line(), 0..8));
    let body = prop::collection::vec((body_line(), prop::bool::weighted(0.05)), 0..20);
    (front, body, any::<bool>(), prop::bool::weighted(0.1), any::<bool>()).prop_map(|(front, body, crlf, bom, ends)| {
        let ending = if crlf { "\r\n" } else { "\n" };
        let mut text = if bom { "\u{feff}".to_owned() } else { String::new() };
        if let Some(front) = front {
            let lines = std::iter::once("---").chain(front.iter().map(String::as_str)).chain(["---"]);
            text.extend(lines.flat_map(|line| [line, ending]));
        }
        for (line, other_ending) in body {
            text += &line;
            text += if other_ending && !crlf { "\r\n" } else { ending };
        }
        if !ends {
            text.truncate(text.trim_end_matches(['\r', '\n']).len());
        }
        text
    })
}

pub(super) fn verb() -> impl Strategy<Value = (&'static str, Value)> {
    prop_oneof![
        (label(), value()).prop_map(|(field, value)| ("state_update", json!({"field": field, "value": value}))),
        (label(), value()).prop_map(|(field, value)| ("state_patch", json!({"fields": {field: value, "owner": "b"}}))),
        prop::sample::select(vec![
            ("state_begin_phase", json!({"phase": "3", "plans": 2})),
            ("state_begin_phase", json!({"phase": "2", "stage": "planning", "name": "x: y"})),
            ("state_verify_phase", json!({"phase": "2"})),
            ("state_planned_phase", json!({"phase": "2", "plans": 4})),
            ("state_advance_plan", json!({})),
            ("state_complete_phase", json!({})),
            ("state_milestone_switch", json!({"milestone": "v3.0", "name": "Day # Boat"})),
            ("state_milestone_complete", json!({"milestone": "v2.0"})),
            ("state_lifecycle_set", json!({"next": "plan-phase", "phases": ["4.5", "5"]})),
            ("state_lifecycle_set", json!({"active": "2", "stage": "discussing"})),
            ("state_lifecycle_clear", json!({})),
            ("state_update_progress", json!({})),
            ("state_record_metric", json!({"phase": "2", "plan": "1", "duration": "1|2"})),
            ("state_add_decision", json!({"summary": "- **Status:** x", "rationale": "# y"})),
            ("state_add_decision", json!({"summary": "One writer"})),
            ("state_add_decision", json!({"summary": "One writer"})),
            ("state_add_blocker", json!({"text": "``` <<<<<<< x"})),
            ("state_resolve_blocker", json!({"text": "port", "all": true})),
            ("state_add_roadmap_evolution", json!({"phase": "2.1", "note": "Night"})),
            ("state_record_session", json!({"stopped_at": "$1 \\ &", "paused_at": "lunch"})),
            ("state_record_session", json!({"resumed": true})),
            ("state_sync", json!({})),
            ("state_prune", json!({"keep_recent": 1})),
            ("state_rebuild", json!({})),
        ]),
    ]
}

pub(super) fn world(text: &str) -> World {
    World::default()
        .with_file(STATE_PATH, text)
        .with_file(".planning/ROADMAP.md", "### Phase 1: Intake\n### Phase 2: Ledger\n### Phase 3: Replay\n")
        .with_file(".planning/phases/01-intake/01-PLAN.md", "")
        .with_file(".planning/phases/01-intake/01-SUMMARY.md", "")
        .with_file(".planning/phases/02-ledger/02-PLAN.md", "")
}

/// The lines of the body that are not blank, in an order of their own.
fn sorted_lines(text: &str) -> Vec<&str> {
    let body = &text[format::front_matter::body_start(text)..];
    let mut lines: Vec<&str> = body.lines().filter(|line| !line.trim().is_empty()).collect();
    lines.sort_unstable();
    lines
}

/// A document of sections with entries old and new, fences and nested sections among them.
fn entries() -> impl Strategy<Value = String> {
    let line = prop::sample::select(vec![
        "## Decisions",
        "### Decisions",
        "## Blockers",
        "### Concerns",
        "## Performance Metrics",
        "### Performance Metrics",
        "- [Phase 1]: moor early",
        "- [Phase 5]: moor late",
        "- ~~[Phase 1]: port~~",
        "* port of Phase 9",
        "| Phase 1 P1 | 1m | - | - |",
        "| Phase 5 P1 | 1m | - | - |",
        "  | 1 | 2 |",
        "  more",
        "  ```",
        "```",
        "  ~~~~",
        "code",
        "",
    ]);
    (prop::collection::vec(line, 0..24), any::<bool>()).prop_map(|(lines, ends)| {
        let text = format!("# S\n\n**Current Phase:** 5\n\n{}", lines.join("\n"));
        if ends { text + "\n" } else { text }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn what_is_pruned_stands_in_the_archive(text in entries()) {
        let mut world = World::default().with_state(&text);
        let reply = world.call("state_prune", json!({"keep_recent": 3})).unwrap();
        let archive = world.file(".planning/STATE-ARCHIVE.md").unwrap_or_default();
        let headings = ["# STATE Archive", "## Pruned 2026-01-02 (phases 1-2, kept recent 3)"].map(str::to_owned);
        let sections = reply["sections"].as_array().into_iter().flatten();
        let sections = sections.map(|section| format!("### {}", section["section"].as_str().unwrap()));
        let added: Vec<String> = headings.into_iter().filter(|_| !archive.is_empty()).chain(sections).collect();
        let mut before: Vec<&str> = sorted_lines(&text).into_iter().chain(added.iter().map(String::as_str)).collect();
        let mut after: Vec<&str> = sorted_lines(world.state()).into_iter().chain(sorted_lines(archive)).collect();
        before.sort_unstable();
        after.sort_unstable();
        prop_assert_eq!(before, after, "{:?} became {:?}", text, world.state());
        let again = world.call("state_prune", json!({})).unwrap();
        prop_assert_eq!(&again["reason"], "nothing_to_prune");
    }

    #[test]
    fn only_the_blockers_that_fit_are_resolved(text in entries()) {
        let mut world = World::default().with_state(&text);
        let blockers = |world: &mut World| world.call("state_snapshot", json!({})).unwrap()["blockers"].as_array().unwrap().clone();
        let before = blockers(&mut world);
        let Ok(reply) = world.call("state_resolve_blocker", json!({"text": "port", "all": true})) else { return Ok(()) };
        let removed = reply["removed"].as_array().unwrap();
        let left: Vec<Value> = before.into_iter().filter(|blocker| !removed.contains(blocker)).collect();
        prop_assert_eq!(left, blockers(&mut world), "{:?} became {:?}", text, world.state());
    }

    #[test]
    fn an_update_changes_one_line_of_the_body(text in document(), field in label(), value in value()) {
        let mut world = world(&text);
        if world.call("state_update", json!({"field": field, "value": value})).is_ok() {
            let body = |text: &str| text[format::front_matter::body_start(text)..].to_owned();
            // A front matter that was made is parted from the body by a blank line.
            let (old, new) = (body(&text), body(world.state()));
            let new = if FrontMatter::read(&text).is_none() { new.trim_start_matches(['\r', '\n']).to_owned() } else { new };
            let old = if FrontMatter::read(&text).is_none() { old.trim_start_matches(['\r', '\n']).to_owned() } else { old };
            let (old, new): (Vec<&str>, Vec<&str>) = (old.split('\n').collect(), new.split('\n').collect());
            prop_assert_eq!(old.len(), new.len());
            let changed: Vec<_> = old.iter().zip(&new).filter(|(old, new)| old != new).collect();
            prop_assert!(changed.len() <= 1, "{changed:?}");
            prop_assert!(changed.iter().all(|(old, new)| old.ends_with('\r') == new.ends_with('\r')), "{changed:?}");
        }
    }

    #[test]
    fn what_is_updated_is_read(text in document(), field in label(), value in value()) {
        let mut world = world(&text);
        let value = value.trim().to_owned();
        if world.call("state_update", json!({"field": field, "value": value})).is_ok() {
            let reply = world.call("state_get", json!({"name": field})).unwrap();
            prop_assert_eq!(reply[field].as_str(), Some(value.as_str()));
        }
    }

    #[test]
    fn a_text_moves_no_field_but_its_own(text in document(), field in label(), other in label(), said in "[a-z]{0,3}") {
        let verbs = [
            ("state_update", json!({"field": field, "value": format!("{said} **{other}:** 9")})),
            ("state_patch", json!({"fields": {field: format!("{said} **{other}:** 9")}})),
            ("state_add_decision", json!({"summary": format!("{said} **{other}:** 9")})),
            ("state_add_blocker", json!({"text": format!("{said} **{other}:** 9")})),
        ];
        let read = |text: &str| -> Vec<Option<String>> {
            let body = Body::read(text);
            FIELDS.iter().filter(|name| **name != field).map(|name| body.field(name).map(str::to_owned)).collect()
        };
        for (tool, arguments) in verbs {
            let mut world = world(&text);
            if world.call(tool, arguments).is_ok() {
                prop_assert_eq!(read(&text), read(world.state()), "{}: {:?} became {:?}", tool, text, world.state());
            }
        }
    }

    #[test]
    fn doing_it_again_writes_nothing(text in document(), (tool, arguments) in verb()) {
        let settled = ["state_update", "state_patch", "state_lifecycle_set", "state_lifecycle_clear", "state_update_progress", "state_record_metric",
            "state_add_roadmap_evolution", "state_sync", "state_prune", "state_rebuild", "state_milestone_switch", "state_verify_phase"];
        if !settled.contains(&tool) {
            return Ok(());
        }
        let mut world = world(&text);
        if world.call(tool, arguments.clone()).is_ok() {
            let once = world.state().to_owned();
            // A line that was archived may have been the one that named the current phase.
            prop_assert!(world.call_at(tool, arguments, &later()).is_ok() || tool == "state_prune");
            prop_assert_eq!(world.state(), once, "{}: {:?}", tool, text);
        }
    }

    #[test]
    fn what_we_wrote_is_nothing_to_take_in(text in document(), (tool, arguments) in verb()) {
        let mut world = world(&text);
        let _ = world.call(tool, arguments);
        prop_assert_eq!(world.take_in(&model::Space::known("msd")), 0);
    }

    #[test]
    fn reading_takes_any_text(text in prop_oneof![document(), "(---|\n|\r|\u{feff}|Phase: |Status: |## Decisions|- |\\||\\*\\*|:|\\[|é|```|<<<<<<< ){0,30}"]) {
        let mut world = world(&text);
        for tool in ["state_json", "state_snapshot", "state_load", "state_validate", "state_get", "statusline"] {
            let reply = world.call(tool, json!({}));
            prop_assert!(reply.is_ok(), "{tool}: {reply:?}");
        }
        prop_assert_eq!(world.state(), text.as_str());
        for event in ["statusline", "session-start"] {
            let _ = world.glance(event, model::Object::new());
        }
    }
}
