//! The thirteen tools of the format, and those that hooks and commands call, as data.

use format::{BinaryName, Effect, Listed, Param, ParamKind, Surface, Tool};

use super::commands::COMMANDS;
use super::hooks::HOOKS;
use super::records::BOOKKEEPING;

/// Everything that the format offers.
pub(super) static SURFACE: Surface = Surface {
    tools: TOOLS,
    commands: COMMANDS,
    binary_names: &[BinaryName { name: "skillstate", words: &[] }],
    hooks: HOOKS,
    bookkeeping: BOOKKEEPING,
    seed_separator: '.',
    ..Surface::BARE
};

const fn needed(name: &'static str, kind: ParamKind, description: &'static str) -> Param {
    Param { name, kind, required: true, description }
}

const fn may(name: &'static str, kind: ParamKind, description: &'static str) -> Param {
    Param { name, kind, required: false, description }
}

/// What every JSON reader can hold exactly.
const SEQ: ParamKind = ParamKind::Integer { min: 0, max: (1 << 53) - 1 };
const AGENT: Param = may("agent", ParamKind::Text, "");
const PATCH: Param = may("patch", ParamKind::Any, "{field:value}");
const APPEND: Param = may("append", ParamKind::Object, "{list:[items]}");
const IF_SEQ: Param = may("if_seq", SEQ, "write only at this seq");
const REQUEST: Param = may("request_id", ParamKind::Text, "");
const NAMED: Param = needed("agent", ParamKind::Text, "");

const fn tool(name: &'static str, description: &'static str, effect: Effect, params: &'static [Param]) -> Tool {
    Tool { name, description, effect, listed: Listed::Yes, params }
}

const fn unlisted(name: &'static str, description: &'static str, effect: Effect, params: &'static [Param]) -> Tool {
    Tool { name, description, effect, listed: Listed::No, params }
}

static TOOLS: &[Tool] = &[
    tool(
        "state_get",
        "Notes kept across context resets: the whole state. agent (everywhere): a sub-agent's copy instead",
        Effect::Read,
        &[AGENT],
    ),
    tool("state_summary", "The state in short, with its seq (version) and session", Effect::Read, &[AGENT]),
    tool(
        "state_patch",
        "Merge a patch into the state: null deletes, objects merge, lists are replaced. append adds items to lists",
        Effect::Write,
        &[PATCH, APPEND, IF_SEQ, AGENT, REQUEST],
    ),
    tool("state_validate", "Check a patch; writes nothing", Effect::Read, &[PATCH, APPEND, AGENT]),
    tool(
        "state_diff",
        "Which keys changed since you last asked, or since a seq",
        Effect::Write,
        &[
            may("since", SEQ, ""),
            may("full", ParamKind::Boolean, "both states too"),
            may("reader", ParamKind::Text, "who asks; else the session"),
            AGENT,
            REQUEST,
        ],
    ),
    tool(
        "state_checkpoint",
        "Keep the state before a risky step",
        Effect::Write,
        &[may("label", ParamKind::Text, ""), AGENT, REQUEST],
    ),
    tool(
        "state_rollback",
        "Return to a checkpoint, else the latest; the present is kept as one",
        Effect::Write,
        &[may("checkpointId", ParamKind::Text, ""), IF_SEQ, AGENT, REQUEST],
    ),
    tool(
        "state_finalize",
        "Say how the work came out",
        Effect::Write,
        &[
            needed("status", ParamKind::Word(&["completed", "failed"]), ""),
            may("result", ParamKind::Text, ""),
            AGENT,
            REQUEST,
        ],
    ),
    tool("spec_get", "The fields of the state and what they mean", Effect::Read, &[]),
    tool("spec_next", "What to do next: goal, next steps, blockers", Effect::Read, &[AGENT]),
    tool("agent_list", "Sub-agents' copies; pending: not yet merged", Effect::Read, &[]),
    tool("agent_read", "A sub-agent's state", Effect::Read, &[NAMED]),
    tool(
        "agent_merge",
        "Merge a sub-agent's state into the project's, three ways; keep decides what both changed",
        Effect::Write,
        &[NAMED, may("keep", ParamKind::Word(&["main", "sub", "fail"]), ""), IF_SEQ, REQUEST],
    ),
    unlisted(
        "skillstate_init",
        "Write the files of the format where none stand",
        Effect::Write,
        &[
            may("spec", ParamKind::Text, "a spec to start from"),
            may("fresh", ParamKind::Boolean, "start over; a checkpoint is kept"),
            may("dry_run", ParamKind::Boolean, "write nothing"),
            REQUEST,
        ],
    ),
    unlisted(
        "skillstate_inject",
        "The block that a host shows to a model",
        Effect::Read,
        &[AGENT, may("launch", ParamKind::Boolean, "a session begins")],
    ),
    unlisted(
        "skillstate_launch",
        "A session begins",
        Effect::Event,
        &[AGENT, may("serves", ParamKind::Boolean, "our own server's")],
    ),
    unlisted("skillstate_fork", "A sub-agent begins", Effect::Event, &[NAMED]),
    unlisted(
        "skillstate_respond",
        "A response ends, with a block or without",
        Effect::Event,
        &[
            AGENT,
            may("block", ParamKind::Text, "the text of the block"),
            may("message", ParamKind::Text, "stands for the whole response"),
            may("ends", ParamKind::Boolean, "the sub-agent ends with it"),
        ],
    ),
    unlisted("skillstate_end", "A session ends", Effect::Event, &[AGENT]),
];
