//! The verbs of msd, each on a document that has something for it to do.

use super::{Beginning, Effect, Start, Verb};

const STATE: &str = ".planning/STATE.md";
const WAITING: &str = ".planning/WAITING.json";

/// A verb on the document; `text` is what STATE.md shows of it.
const fn verb(name: &'static str, words: &'static [&'static str], text: &'static str) -> Verb {
    Verb { name, words, effect: Effect::Shown { image: STATE, text }, starts: AT_SEA }
}

/// Every verb that writes and does not stand in the list of those that each run tries.
pub(super) const VERBS: &[Verb] = &[
    Verb { starts: &[Start::Of(&BARE)], ..verb("msd-init", &["call", "msd_state_init"], "# Project State") },
    verb("msd-update", &["call", "msd_state_update", "{\"field\":\"Status\",\"value\":\"Tried\"}"], "Status: Tried"),
    verb("msd-begin-phase", &["call", "msd_state_begin_phase", "{\"phase\":\"3\"}"], "Phase: 3 of 3 (Replay)"),
    verb("msd-verify-phase", &["call", "msd_state_verify_phase", "{\"phase\":\"2\"}"], "Verifying Phase 2"),
    verb(
        "msd-planned-phase",
        &["call", "msd_state_planned_phase", "{\"phase\":\"2\",\"plans\":2}"],
        "next_action: execute-phase",
    ),
    verb("msd-advance-plan", &["call", "msd_state_advance_plan"], "Plan: 2 of 2"),
    verb("msd-complete-phase", &["call", "msd_state_complete_phase"], "Phase: 3 of 3 (Replay)"),
    verb(
        "msd-milestone-switch",
        &["call", "msd_state_milestone_switch", "{\"milestone\":\"v2.0\"}"],
        "milestone: v2.0",
    ),
    verb("msd-milestone-complete", &["call", "msd_state_milestone_complete"], "Milestone v1.0 complete"),
    verb("msd-lifecycle-set", &["call", "msd_state_lifecycle_set", "{\"active\":\"2\"}"], "active_phase: \"2\""),
    verb("msd-lifecycle-clear", &["call", "msd_state_lifecycle_clear"], "active_phase: null"),
    verb("msd-update-progress", &["call", "msd_state_update_progress"], "] 33%"),
    verb(
        "msd-record-metric",
        &["call", "msd_state_record_metric", "{\"phase\":\"2\",\"plan\":\"1\",\"duration\":\"12m\"}"],
        "| Phase 2 P1 | 12m |",
    ),
    verb(
        "msd-add-decision",
        &["call", "msd_state_add_decision", "{\"summary\":\"by the tried one\"}"],
        "- [Phase ?]: by the tried one",
    ),
    verb(
        "msd-add-blocker",
        &["call", "msd_state_add_blocker", "{\"text\":\"by the tried one\"}"],
        "- by the tried one",
    ),
    verb("msd-resolve-blocker", &["call", "msd_state_resolve_blocker", "{\"text\":\"port\"}"], "None yet."),
    verb(
        "msd-add-roadmap-evolution",
        &["call", "msd_state_add_roadmap_evolution", "{\"phase\":\"4\",\"note\":\"by the tried one\"}"],
        "- Phase 4 added: by the tried one",
    ),
    verb(
        "msd-record-session",
        &["call", "msd_state_record_session", "{\"stopped_at\":\"by the tried one\"}"],
        "Stopped at: by the tried one",
    ),
    Verb {
        effect: Effect::Shown { image: WAITING, text: "by the tried one" },
        ..verb("msd-signal-waiting", &["call", "msd_state_signal_waiting", "{\"question\":\"by the tried one?\"}"], "")
    },
    Verb {
        effect: Effect::Gone { image: WAITING },
        starts: &[Start::Of(&WAITED)],
        ..verb("msd-signal-resume", &["call", "msd_state_signal_resume"], "")
    },
    verb("msd-sync", &["call", "msd_state_sync"], "] 33%"),
    verb("msd-rebuild", &["call", "msd_state_rebuild"], "**Owner:** (pending)"),
];

const AT_SEA: &[Start] = &[Start::Of(&SAILING)];

static BARE: Beginning = Beginning { files: &[], steps: &[], taken_in: 0 };
static SAILING: Beginning = Beginning { files: FILES, steps: &[], taken_in: 1 };
static WAITED: Beginning = Beginning {
    files: FILES,
    steps: &[&["call", "msd_state_signal_waiting", "{\"question\":\"Which berth?\"}"]],
    taken_in: 1,
};

const FILES: &[(&str, &str)] = &[
    (
        STATE,
        "---\nmsd_state_version: '1.0'\nmilestone: v1.0\nmilestone_name: First Light\nstatus: planning\n\
         last_updated: \"2026-01-01T00:00:00.000Z\"\n---\n\n# Project State\n\n**Owner:** [not yet]\n\n\
         ## Current Position\n\nPhase: 2 of 3 (Ledger)\nPlan: 1 of 2\nStatus: Planning\nLast activity: 2026-01-01\n\n\
         Progress: [░░░░░░░░░░] 0%\n\n## Performance Metrics\n\n### Decisions\n\n- [Phase 1]: An old decision\n\n\
         ### Blockers\n\n- port closed\n\n## Session Continuity\n\nLast session: none\nStopped at: nowhere\n",
    ),
    (".planning/ROADMAP.md", "# Roadmap\n\n### Phase 1: Intake\n\n### Phase 2: Ledger\n\n### Phase 3: Replay\n"),
    (".planning/phases/01-intake/01-01-PLAN.md", ""),
    (".planning/phases/01-intake/01-01-SUMMARY.md", ""),
    (".planning/phases/02-ledger/02-01-PLAN.md", ""),
    (".planning/phases/02-ledger/02-01-SUMMARY.md", ""),
    (".planning/phases/02-ledger/02-02-PLAN.md", ""),
];
