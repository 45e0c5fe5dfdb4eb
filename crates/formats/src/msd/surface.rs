//! The tools, as data.

use format::{BinaryName, Effect, Hook, Listed, Param, ParamKind, Speech, Surface, Tool};

use super::commands::COMMANDS;
use super::glance::{SESSION_START, STATUSLINE};
use super::milestones::ACTIONS;
use super::status::Stage;

/// Everything that the format offers.
pub(super) static SURFACE: Surface = Surface {
    tools: TOOLS,
    commands: COMMANDS,
    binary_names: &[BinaryName { name: "msd-tools", words: &[] }],
    speech: Speech::Json,
    dashed_values_need_equals: true,
    root_option: Some("cwd"),
    error_switch: Some("json-errors"),
    hooks: &[
        Hook { event: STATUSLINE, speech: Speech::Text, call: None },
        Hook { event: SESSION_START, speech: Speech::Json, call: None },
    ],
    ..Surface::BARE
};

const fn needed(name: &'static str, kind: ParamKind) -> Param {
    Param { name, kind, required: true, description: "" }
}

const fn may(name: &'static str, kind: ParamKind) -> Param {
    Param { name, kind, required: false, description: "" }
}

const TEXT: ParamKind = ParamKind::Text;
const ID: ParamKind = ParamKind::TextOrInteger;
const COUNT: ParamKind = ParamKind::TextOrInteger;
const WS: Param = may("ws", TEXT);

const fn listed(name: &'static str, description: &'static str, effect: Effect, params: &'static [Param]) -> Tool {
    Tool { name, description, effect, listed: Listed::Yes, params }
}

const fn tool(name: &'static str, description: &'static str, effect: Effect, params: &'static [Param]) -> Tool {
    Tool { name, description, effect, listed: Listed::No, params }
}

static TOOLS: &[Tool] = &[
    listed(
        "msd_state_snapshot",
        "STATE.md as data: phase, plan, status, decisions, blockers, session",
        Effect::Read,
        &[WS],
    ),
    listed(
        "msd_state_patch",
        "Set body fields of STATE.md by name",
        Effect::WriteIdempotent,
        &[needed("fields", ParamKind::Object), WS],
    ),
    listed(
        "msd_state_begin_phase",
        "Start a phase",
        Effect::WriteIdempotent,
        &[needed("phase", ID), may("name", TEXT), may("plans", COUNT), may("stage", ParamKind::Word(Stage::WORDS)), WS],
    ),
    listed("msd_state_advance_plan", "Go on to the next plan", Effect::Write, &[WS]),
    listed("msd_state_complete_phase", "Finish the current phase", Effect::WriteIdempotent, &[may("phase", ID), WS]),
    listed(
        "msd_state_add_decision",
        "Note a decision",
        Effect::Write,
        &[needed("summary", TEXT), may("phase", ID), may("rationale", TEXT), WS],
    ),
    listed("msd_state_add_blocker", "Note a blocker", Effect::Write, &[needed("text", TEXT), may("phase", ID), WS]),
    listed(
        "msd_state_record_session",
        "Note where the session stopped",
        Effect::WriteIdempotent,
        &[
            may("stopped_at", TEXT),
            may("resume_file", TEXT),
            may("paused_at", TEXT),
            may("resumed", ParamKind::Boolean),
            WS,
        ],
    ),
    tool("msd_state_init", "Make STATE.md", Effect::Write, &[may("milestone", TEXT), may("name", TEXT), WS]),
    tool("msd_state_load", "What documents there are", Effect::Read, &[WS]),
    tool("msd_state_json", "The front matter as it should be", Effect::Read, &[WS]),
    tool("msd_state_get", "One field, key or section", Effect::Read, &[may("name", TEXT), WS]),
    tool(
        "msd_state_update",
        "Set one field",
        Effect::WriteIdempotent,
        &[needed("field", TEXT), needed("value", TEXT), WS],
    ),
    tool(
        "msd_state_verify_phase",
        "Start the verification of a phase",
        Effect::WriteIdempotent,
        &[needed("phase", ID), may("name", TEXT), may("plans", COUNT), WS],
    ),
    tool(
        "msd_state_planned_phase",
        "A phase is planned",
        Effect::WriteIdempotent,
        &[needed("phase", ID), may("plans", COUNT), WS],
    ),
    tool(
        "msd_state_milestone_switch",
        "Begin a milestone",
        Effect::WriteIdempotent,
        &[needed("milestone", TEXT), may("name", TEXT), WS],
    ),
    tool("msd_state_milestone_complete", "Finish a milestone", Effect::WriteIdempotent, &[may("milestone", TEXT), WS]),
    tool(
        "msd_state_lifecycle_set",
        "Say what is under way, or what comes next",
        Effect::WriteIdempotent,
        &[
            may("active", ID),
            may("stage", ParamKind::Word(Stage::WORDS)),
            may("next", ParamKind::Word(ACTIONS)),
            may("phases", ParamKind::Any),
            WS,
        ],
    ),
    tool("msd_state_lifecycle_clear", "Nothing is under way, nothing recommended", Effect::WriteIdempotent, &[WS]),
    tool("msd_state_update_progress", "Count the progress", Effect::WriteIdempotent, &[WS]),
    tool(
        "msd_state_record_metric",
        "Note how long a plan took",
        Effect::WriteIdempotent,
        &[
            needed("phase", ID),
            needed("plan", ID),
            needed("duration", TEXT),
            may("tasks", COUNT),
            may("files", COUNT),
            WS,
        ],
    ),
    tool(
        "msd_state_resolve_blocker",
        "Remove a blocker",
        Effect::Write,
        &[may("text", TEXT), may("exact", TEXT), may("index", COUNT), may("all", ParamKind::Boolean), WS],
    ),
    tool(
        "msd_state_add_roadmap_evolution",
        "Note a change of the roadmap",
        Effect::WriteIdempotent,
        &[
            needed("phase", ID),
            needed("note", TEXT),
            may("action", TEXT),
            may("after", ID),
            may("urgent", ParamKind::Boolean),
            WS,
        ],
    ),
    tool(
        "msd_state_signal_waiting",
        "Ask a question and wait",
        Effect::WriteIdempotent,
        &[needed("question", TEXT), may("type", TEXT), may("options", ParamKind::Any), may("phase", ID), WS],
    ),
    tool("msd_state_signal_resume", "The question is answered", Effect::WriteIdempotent, &[WS]),
    tool("msd_state_validate", "What is wrong with STATE.md", Effect::Read, &[may("strict", ParamKind::Boolean), WS]),
    tool(
        "msd_state_sync",
        "Bring STATE.md in line with the disk",
        Effect::WriteIdempotent,
        &[may("verify", ParamKind::Boolean), WS],
    ),
    tool(
        "msd_state_prune",
        "Move what is long past to the archive",
        Effect::WriteIdempotent,
        &[may("keep_recent", COUNT), may("dry_run", ParamKind::Boolean), WS],
    ),
    tool(
        "msd_state_rebuild",
        "Put tables and placeholders right",
        Effect::WriteIdempotent,
        &[may("dry_run", ParamKind::Boolean), WS],
    ),
    tool("msd_statusline", "The status line in both forms", Effect::Read, &[WS]),
];
