//! The verbs of eneo that write as others do, each on a task that has something for it to do.

use super::{Beginning, Effect, Start, Verb};

/// Every verb that writes records and does not stand in the list of those that each run tries.
pub(super) const VERBS: &[Verb] = &[
    Verb {
        name: "task-init",
        words: &[
            "call",
            "eneo_task_init",
            "{\"slug\":\"by-the-tried-one\",\"lane\":\"fast\",\"bracket\":1,\"tenancy_impact\":\"none\",\"audit_impact\":\"none\"}",
        ],
        effect: Effect::Shown { image: ".claude/state/current-task.json", text: "by-the-tried-one" },
        starts: &[Start::Of(&CLEARED)],
    },
    Verb {
        name: "task-clear",
        words: &["call", "eneo_task_clear", "{}"],
        effect: Effect::Shown { image: ".claude/state/phase", text: "FREE" },
        starts: &[Start::Of(&RED)],
    },
    Verb {
        name: "next-hint-consume",
        words: &["call", "eneo_next_hint_consume", "{}"],
        effect: Effect::Shown { image: ".claude/state/current-task.json", text: "\"next_hint\": null" },
        starts: &[Start::Of(&HINTED)],
    },
    Verb {
        name: "agent-start",
        words: &["call", "eneo_agent_start", "{\"agent_id\":\"a1\",\"agent_type\":\"scout\"}"],
        effect: Effect::Noted,
        starts: &[Start::Of(&SEEDED)],
    },
    Verb {
        name: "eneo-doctor-fix",
        words: &["call", "eneo_doctor", "{\"fix\":true}"],
        effect: Effect::Shown { image: ".claude/state/current-task.json", text: "\"bracket\": 1" },
        starts: &[Start::Of(&COERCIBLE)],
    },
    Verb {
        name: "eneo-prompt",
        words: &["call", "eneo_prompt", "{\"hash\":\"0123456789abcdef\",\"len\":9}"],
        effect: Effect::Logged { log: ".claude/stats/prompts.jsonl", text: "\"hash\":\"0123456789abcdef\",\"len\":9}" },
        starts: &[Start::Of(&RESTED)],
    },
    Verb {
        name: "eneo-pre-compact",
        words: &["call", "eneo_pre_compact", "{}"],
        effect: Effect::Copied { folder: ".claude/context", text: "by the tried one" },
        starts: &[Start::Of(&PADDED)],
    },
];

/// A task is begun.
pub(super) const INIT: &[&str] = &["eneo", "task-init", "login", "fast", "1", "none", "none"];

/// Agents of a wave are out.
pub(super) static SEEDED: Beginning = Beginning {
    files: &[],
    steps: &[INIT, &["eneo", "wave", "seed", "1", "2", "--agents", "scout,builder"]],
    taken_in: 0,
};

static CLEARED: Beginning = Beginning { files: &[], steps: &[INIT, &["eneo", "task-clear"]], taken_in: 0 };
static RED: Beginning = Beginning { files: &[], steps: &[INIT, &["eneo", "phase-set", "RED"]], taken_in: 0 };
static HINTED: Beginning =
    Beginning { files: &[], steps: &[INIT, &["eneo", "task-update", ".next_hint = \"go\""]], taken_in: 0 };
static PADDED: Beginning = Beginning {
    files: &[(".claude/phases/login/scratchpad/notes.md", "by the tried one\n")],
    steps: &[INIT],
    taken_in: 0,
};
static COERCIBLE: Beginning = Beginning { files: &[TYPED_BY_HAND], steps: &[], taken_in: 1 };

// A touch of it is seen: it was last written long ago.
static RESTED: Beginning = Beginning { files: &[LAST_YEAR], steps: &[], taken_in: 1 };
const LAST_YEAR: (&str, &str) = (
    ".claude/state/current-task.json",
    "{\"slug\":\"a\",\"lane\":\"fast\",\"bracket\":1,\"tenancy_impact\":\"none\",\"audit_impact\":\"none\",\
     \"tdd_phase\":\"FREE\",\"wave_status\":{},\"active_agents\":[],\"status\":\"in_progress\",\
     \"started_at\":\"2025-01-02T03:04:05Z\",\"last_update\":\"2025-01-02T03:04:05Z\"}",
);

/// A task whose bracket is a text that is a number, and nothing else wrong.
const TYPED_BY_HAND: (&str, &str) = (
    ".claude/state/current-task.json",
    "{\"slug\":\"a\",\"lane\":\"fast\",\"bracket\":\"1\",\"tenancy_impact\":\"none\",\"audit_impact\":\"none\",\
     \"tdd_phase\":\"FREE\",\"wave_status\":{},\"active_agents\":[],\"status\":\"in_progress\",\
     \"started_at\":\"2026-01-02T03:04:05Z\",\"last_update\":\"2026-01-02T03:04:05Z\"}",
);
