//! The verbs, as data: a new one is an entry here.

use super::in_flight::{INIT, SEEDED};
use super::{Beginning, Effect, Start, Verb};

/// Every verb, on every project that it can start from.
pub(super) const VERBS: &[Verb] = &[
    Verb {
        name: "state-write",
        words: &["hseos", "state", "write", "phase", "execution"],
        effect: Effect::Field("phase", "execution"),
        starts: &[Start::Empty, Start::Worked, Start::Edited, Start::Older],
    },
    Verb {
        name: "tasks-add",
        words: &["hseos", "tasks", "add", "T9", "GHOST", "Ninth", "T1"],
        effect: Effect::Task("T9"),
        starts: &[Start::Empty, Start::Worked, Start::Edited, Start::Older],
    },
    Verb {
        name: "tasks-done",
        words: &["hseos", "tasks", "done", "T1"],
        effect: Effect::Done("T1"),
        starts: &[Start::Worked, Start::Edited],
    },
    Verb {
        name: "skillstate-init",
        words: &["call", "skillstate_init", "{}"],
        effect: Effect::Shown { image: ".skillstate/skillstate.json", text: "next_steps" },
        starts: &[Start::Of(&NOTHING)],
    },
    Verb {
        name: "state-patch",
        words: &["call", "state_patch", "{\"patch\":{\"notes\":\"by the tried one\"}}"],
        effect: Effect::Shown { image: ".skillstate/skillstate.json", text: "by the tried one" },
        starts: &[Start::Of(&SKILLSTATE)],
    },
    Verb {
        name: "state-response",
        words: &[
            "call",
            "skillstate_respond",
            "{\"block\":\"{\\\"state_patch\\\":{\\\"notes\\\":\\\"by the tried one\\\"},\\\"action\\\":\\\"go\\\"}\",\"message\":\"m1\"}",
        ],
        effect: Effect::Shown { image: ".skillstate/skillstate.json", text: "by the tried one" },
        starts: &[Start::Of(&SKILLSTATE)],
    },
    Verb {
        name: "state-diff",
        words: &["call", "state_diff", "{\"reader\":\"by the tried one\"}"],
        effect: Effect::Noted,
        starts: &[Start::Of(&SKILLSTATE)],
    },
    Verb {
        name: "state-checkpoint",
        words: &["call", "state_checkpoint", "{\"label\":\"cp\"}"],
        effect: Effect::Shown { image: ".skillstate/checkpoints/1-cp.json", text: "\"goal\"" },
        starts: &[Start::Of(&SKILLSTATE)],
    },
    Verb {
        name: "state-rollback",
        words: &["call", "state_rollback", "{}"],
        effect: Effect::Shown { image: ".skillstate/skillstate.json", text: "the first goal" },
        starts: &[Start::Of(&CHECKPOINTED)],
    },
    Verb {
        name: "state-finalize",
        words: &["call", "state_finalize", "{\"status\":\"completed\"}"],
        effect: Effect::Shown { image: ".skillstate/.session-meta.json", text: "completed" },
        starts: &[Start::Of(&SKILLSTATE)],
    },
    Verb {
        name: "agent-patch",
        words: &["call", "state_patch", "{\"agent\":\"w1\",\"patch\":{\"notes\":\"by the tried one\"}}"],
        effect: Effect::Shown { image: ".skillstate/agents/w1/skillstate.json", text: "by the tried one" },
        starts: &[Start::Of(&SKILLSTATE)],
    },
    Verb {
        name: "agent-merge",
        words: &["call", "agent_merge", "{\"agent\":\"w1\"}"],
        effect: Effect::Shown { image: ".skillstate/skillstate.json", text: "by the copy" },
        starts: &[Start::Of(&FORKED)],
    },
    Verb {
        name: "start-task",
        words: &["call", "start_task", "{\"taskId\":\"01-one\"}"],
        effect: Effect::Shown { image: ".github/upgrades/net/tasks.md", text: "🔄 01-one" },
        starts: &[Start::Of(&PLANNED)],
    },
    Verb {
        name: "complete-task",
        words: &["call", "complete_task", "{\"taskId\":\"01-one\"}"],
        effect: Effect::Shown { image: ".github/upgrades/net/tasks.md", text: "✅ 01-one" },
        starts: &[Start::Of(&STARTED)],
    },
    Verb {
        name: "break-down-task",
        words: &[
            "call",
            "break_down_task",
            "{\"parentTaskId\":\"01-one\",\"subtasks\":[{\"description\":\"By the tried one\",\"content\":\"Do it.\"}]}",
        ],
        effect: Effect::Shown { image: ".github/upgrades/net/tasks.md", text: "By the tried one" },
        starts: &[Start::Of(&STARTED), Start::Of(&BROKEN_DOWN)],
    },
    Verb {
        name: "activity",
        words: &["call", "activity", "{\"text\":\"by the tried one\"}"],
        effect: Effect::Shown { image: ".github/upgrades/net/tasks.md", text: "by the tried one" },
        starts: &[Start::Of(&STARTED)],
    },
    Verb {
        name: "reconcile",
        words: &["call", "reconcile", "{\"renames\":{\"01-one\":\"06-one\"},\"confirmRemovals\":[\"02-two\"]}"],
        effect: Effect::Shown { image: ".github/upgrades/net/tasks.md", text: "06.01-by-the-tried-one" },
        starts: &[Start::Of(&TAKEN_OUT)],
    },
    Verb {
        name: "write-plan",
        words: &["call", "reconcile", "{\"writePlan\":true}"],
        effect: Effect::Shown { image: ".github/upgrades/net/plan.md", text: "### 01-one: First" },
        starts: &[Start::Of(&PLANLESS)],
    },
    Verb {
        name: "write-again",
        words: &["call", "activity", "{\"text\":\"by the tried one\"}"],
        effect: Effect::Shown { image: ".github/upgrades/net/tasks.md", text: "by the tried one" },
        starts: &[Start::Of(&GONE)],
    },
    Verb {
        name: "task-update",
        words: &["call", "eneo_task_update", "{\"expr\":\".next_hint = \\\"by the tried one\\\"\"}"],
        effect: Effect::Shown { image: ".claude/state/current-task.json", text: "by the tried one" },
        starts: &[Start::Of(&IN_FLIGHT)],
    },
    Verb {
        name: "wave-event",
        words: &[
            "call",
            "eneo_wave_event",
            "{\"agent_id\":\"a1\",\"agent_type\":\"scout\",\"last_assistant_message\":\"DONE|by the tried one\"}",
        ],
        effect: Effect::Shown { image: ".claude/state/wave.json", text: "by the tried one" },
        starts: &[Start::Of(&SEEDED)],
    },
    Verb {
        name: "phase-set",
        words: &["call", "eneo_phase_set", "{\"phase\":\"GREEN\"}"],
        effect: Effect::Shown { image: ".claude/state/phase", text: "GREEN" },
        starts: &[Start::Of(&IN_FLIGHT)],
    },
    Verb {
        name: "wave-seed",
        words: &["call", "eneo_wave_seed", "{\"wave\":1,\"expected\":2}"],
        effect: Effect::Shown { image: ".claude/state/wave.json", text: "\"expected\": 2" },
        starts: &[Start::Of(&IN_FLIGHT)],
    },
    Verb {
        name: "msd-prune",
        words: &["call", "msd_state_prune", "{\"keep_recent\":1}"],
        effect: Effect::Shown { image: ".planning/STATE-ARCHIVE.md", text: "An old decision" },
        starts: &[Start::Of(&PRUNABLE)],
    },
    Verb {
        name: "msd-patch",
        words: &["call", "msd_state_patch", "{\"fields\":{\"Status\":\"Tried\"}}"],
        effect: Effect::Shown { image: ".planning/STATE.md", text: "Status: Tried" },
        starts: &[Start::Of(&PLANNING)],
    },
];

static SKILLSTATE: Beginning = Beginning { files: &[], steps: &[&["skillstate", "init"]], taken_in: 0 };
static CHECKPOINTED: Beginning = Beginning {
    files: &[],
    steps: &[
        &["skillstate", "init"],
        &["skillstate", "patch", "{\"goal\":\"the first goal\"}"],
        &["skillstate", "checkpoint"],
        &["skillstate", "patch", "{\"goal\":\"another\"}"],
    ],
    taken_in: 0,
};
static NOTHING: Beginning = Beginning { files: &[], steps: &[], taken_in: 0 };
static FORKED: Beginning = Beginning {
    files: &[],
    steps: &[&["skillstate", "init"], &["skillstate", "patch", "--agent", "w1", "{\"notes\":\"by the copy\"}"]],
    taken_in: 0,
};
static BROKEN_DOWN: Beginning = Beginning {
    files: &[PLAN],
    steps: &[
        &["call", "start_task", "{\"taskId\":\"01-one\"}"],
        &[
            "call",
            "break_down_task",
            "{\"parentTaskId\":\"01-one\",\"subtasks\":[{\"description\":\"Wrong\",\"content\":\"Not this.\"}]}",
        ],
    ],
    taken_in: 1,
};
// A task with a subtask that has another id now, and a task that is to go to the trash.
static TAKEN_OUT: Beginning = Beginning {
    files: &[WIDE_PLAN],
    steps: &[
        &["call", "start_task", "{\"taskId\":\"01-one\"}"],
        &[
            "call",
            "break_down_task",
            "{\"parentTaskId\":\"01-one\",\"subtasks\":[{\"description\":\"By the tried one\",\"content\":\"Do it.\"}]}",
        ],
        &["call", "start_task", "{\"taskId\":\"02-two\",\"force\":true}"],
        &["edit", ".github/upgrades/net/plan.md", "### 01-one: First\n\nDo it.\n\n### 02-two: Second\n\n", ""],
        &["edit", ".github/upgrades/net/plan.md", "### 05-five: Fifth\n", "### 05-five: Fifth\n\n### 06-one: First\n"],
        &["call", "activity", "{\"text\":\"taken out\"}"],
    ],
    taken_in: 2,
};
static PLANLESS: Beginning = Beginning {
    files: &[(".github/upgrades/net/tasks.md", "## Tasks\n- ✅ 01-one: First\n- 🔲 02-two: Second\n")],
    steps: &[&["call", "activity", "{\"text\":\"no plan\"}"]],
    taken_in: 1,
};
static GONE: Beginning = Beginning {
    files: &[PLAN],
    steps: &[
        &["call", "start_task", "{\"taskId\":\"01-one\"}"],
        &[
            "remove",
            ".github/upgrades/net/plan.md",
            ".github/upgrades/net/tasks.md",
            ".github/upgrades/net/scenario.json",
        ],
    ],
    taken_in: 1,
};
static IN_FLIGHT: Beginning = Beginning { files: &[], steps: &[INIT], taken_in: 0 };
static PRUNABLE: Beginning = Beginning {
    files: &[(
        ".planning/STATE.md",
        "# Project State\n\n## Current Position\n\nPhase: 5 of 8 (Ledger)\nStatus: Planning\n\n\
         ### Decisions\n\n- [Phase 1]: An old decision\n- [Phase 5]: A new one\n\n\
         ## Session Continuity\n\nLast session: none\n",
    )],
    steps: &[],
    taken_in: 1,
};
static PLANNED: Beginning = Beginning { files: &[PLAN], steps: &[], taken_in: 1 };
static STARTED: Beginning =
    Beginning { files: &[PLAN], steps: &[&["call", "start_task", "{\"taskId\":\"01-one\"}"]], taken_in: 1 };
static PLANNING: Beginning = Beginning { files: &[POSITION], steps: &[], taken_in: 1 };

const PLAN: (&str, &str) =
    (".github/upgrades/net/plan.md", "# Plan\n\n## Tasks\n\n### 01-one: First\n\nDo it.\n\n### 02-two: Second\n");
const WIDE_PLAN: (&str, &str) = (
    ".github/upgrades/net/plan.md",
    "# Plan\n\n## Tasks\n\n### 01-one: First\n\nDo it.\n\n### 02-two: Second\n\n### 03-three: Third\n\n\
     ### 04-four: Fourth\n\n### 05-five: Fifth\n",
);
const POSITION: (&str, &str) = (
    ".planning/STATE.md",
    "---\nmilestone: v1.0\nstatus: planning\n---\n\n# Project State\n\n## Current Position\n\nPhase: 1 of 3\n\
     Status: Planning\n\n## Session Continuity\n\nLast session: none\n",
);
