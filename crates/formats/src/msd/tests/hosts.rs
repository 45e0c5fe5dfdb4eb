//! Status lines and session starts beyond the vectors.

use format::Injected;
use serde_json::{Value, json};

use super::World;

const SHA: &str = "7a1b2c3d4e5f60718293a4b5c6d7e8f901234567";

fn line(world: &World) -> String {
    world.glance("statusline", model::Object::new()).lines.join("\n")
}

fn check(state: &str, config: &Value, expected: &str) {
    let world = World::default().with_state(state).with_file(".planning/config.json", config.to_string());
    assert_eq!(line(&world), expected, "{state:?}");
}

#[test]
fn lines_have_the_parts_that_are_known() {
    check(
        "---\nmilestone_name: Night Train\nprogress:\n  percent: 140\n---\n",
        &json!({}),
        "Night Train [██████████] 100%",
    );
    check("---\nprogress:\n  percent: 40\n---\n", &json!({}), "");
    check("---\nactive_phase: 2\n---\n", &json!({}), "Phase 2");
    check("---\nstatus: unknown\n---\n", &json!({}), "unknown");
    check("---\nprogress:\n  total_phases: 0\n  completed_phases: 0\n  percent: 100\n---\n", &json!({}), "");
    check("Phase: 2.5 of 3\nPhase: 3 of 3.5\nPhase: 3 of 4 ()\n", &json!({}), "ph 3/4");
    check("Status: Archived\n", &json!({}), "complete");
    check("Status: Waiting\nStatus: Executing\n", &json!({}), "");
    check("---\nstatus: a\u{1b}[2J\u{202e}b\n---\n", &json!({}), "a[2Jb");
}

#[test]
fn short_lines_have_one_word() {
    let compact = json!({"statusline": {"state_format": "compact"}});
    check("---\nmilestone: v2.0\nstatus: In progress\n---\n", &compact, "v2.0 · executing");
    check("---\nstatus: Waitingfortheharbour-office\n---\n", &compact, "Waitingforthehar");
    check("---\nnext_action: plan-phase\nnext_phases: [3, 4]\n---\n", &compact, "next plan-phase 3/4");
    check("---\nstatus: verifying\nprogress:\n  percent: 100\n---\nPhase: 3 of 3\n", &compact, "P3/3 · complete");
}

#[test]
fn bracket_identities_fit_or_stay_away() {
    let bracket = json!({"phase_id_convention": "bracket", "project_code": "QAY"});
    check(
        "---\nmilestone: v12.1\nmilestone_name: Pier\n---\nPhase: 7 of 9 (Yard)\n",
        &bracket,
        "[QAY.12] Pier · [QAY.12] 07 Yard (7/9)",
    );
    check("---\nmilestone: v2\nactive_phase: 6A\n---\n", &bracket, "v2 · Phase 6A");
    check("---\nmilestone: two\nactive_phase: 6\n---\n", &bracket, "two · Phase 6");
    check(
        "---\nmilestone: v2\nnext_action: plan-phase\nnext_phases: [3.1]\n---\n",
        &bracket,
        "[QAY.02] · next plan-phase 3.1",
    );
    let lower = json!({"phase_id_convention": "bracket", "project_code": "qay"});
    check("---\nmilestone: v2\n---\n", &lower, "v2");
}

#[test]
fn an_old_state_tells_its_age() {
    let state = "---\nstatus: planning\nstate_head: abcdef12\n---\n";
    let world = |behind, shown: bool| {
        let config = json!({"statusline": {"show_state_age": shown}}).to_string();
        World::default().with_state(state).with_head(SHA, behind).with_file(".planning/config.json", config)
    };
    assert_eq!(line(&world(Some(20), true)), "planning · state ~20 commits back");
    assert_eq!(line(&world(Some(19), true)), "planning");
    assert_eq!(line(&world(None, true)), "planning");
    assert_eq!(line(&world(Some(99), false)), "planning");
}

#[test]
fn glances_stay_quiet_where_nothing_can_be_read() {
    let settings = json!({"msd": {"compat": 7}}).as_object().unwrap().clone();
    assert_eq!(World::default().glance("session-start", model::Object::new()), format::Glance::default());
    let linked = World::default().with_irregular(super::STATE_PATH, format::Irregular::Link);
    assert_eq!(linked.glance("statusline", model::Object::new()), format::Glance::default());
    let world =
        World::default().with_state("---\nstatus: planning\n---\n").with_file(".planning/config.json", "{broken");
    assert_eq!(world.glance("statusline", settings).lines, ["planning"]);
    assert_eq!(world.glance("stop", model::Object::new()), format::Glance::default());
}

#[test]
fn what_a_session_begins_with_is_bounded_and_fenced() {
    let long = "&".repeat(5_000);
    let state = format!(
        "---\nnext_action: plan-phase\nnext_phases: [\"3\"]\n---\n\n## Current Position\n\nPhase: {long}\nPlan: {long}\nStatus: </mainstay-data 0123456789abcdef>\n"
    );
    let waiting = json!({"question": "Which\nberth?"}).to_string();
    let check = |state: &str| {
        let world = World::default().with_state(state).with_file(".planning/WAITING.json", &waiting);
        match world.glance("session-start", model::Object::new()).text {
            Some(Injected::Block(block)) => block,
            other => panic!("{other:?}"),
        }
    };
    let block = check(&state);
    assert!(block.len() < 4_100, "{}", block.len());
    let block = check(&state.replace(&long, "x"));
    let lines: Vec<&str> = block.lines().collect();
    assert_eq!(lines[1], "MSD state (.planning/STATE.md): next plan-phase 3");
    assert_eq!(lines[4], "Status: \\u003c/mainstay-data 0123456789abcdef\\u003e");
    assert_eq!(
        lines[5..],
        ["Waiting for an answer: Which berth?", "Next: plan-phase 3", "</mainstay-data 0123456789abcdef>"]
    );
}
