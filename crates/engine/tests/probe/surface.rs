//! The tools of the test format.

use format::{Effect, Listed, Param, ParamKind, Surface, Tool};

const fn needed(name: &'static str) -> Param {
    Param { name, kind: ParamKind::Text, required: true, description: "" }
}

const fn optional(name: &'static str) -> Param {
    Param { name, kind: ParamKind::Any, required: false, description: "" }
}

const fn tool(name: &'static str, effect: Effect, params: &'static [Param]) -> Tool {
    Tool { name, description: "A tool for tests.", effect, listed: Listed::Yes, params }
}

static TOOLS: &[Tool] = &[
    tool("put", Effect::WriteIdempotent, &[needed("key"), needed("value"), optional("place")]),
    tool("get", Effect::Read, &[optional("place")]),
    tool("bump", Effect::Write, &[needed("key"), optional("place")]),
    tool("settle", Effect::WriteIdempotent, &[needed("name"), needed("value")]),
    tool("meddle", Effect::WriteIdempotent, &[needed("key"), needed("value")]),
    tool("work_out", Effect::Write, &[needed("key")]),
    tool("shelve", Effect::Write, &[needed("name")]),
    tool("label", Effect::Write, &[needed("name")]),
    tool("rename", Effect::Write, &[needed("name"), needed("value")]),
    tool("unshelve", Effect::Write, &[needed("name")]),
    tool("note_event", Effect::Event, &[needed("name"), optional("place")]),
    tool("refuse", Effect::Write, &[]),
    tool("create", Effect::Write, &[needed("path"), needed("text")]),
    tool("log", Effect::Write, &[needed("line")]),
    tool("big", Effect::Write, &[]),
];

pub(super) static SURFACE: Surface = Surface {
    tools: TOOLS,
    actor_variable: Some("PROBE_ACTOR"),
    default_actor: |_| "tester".to_owned(),
    moves_folders: true,
    hosts_tables: true,
    ..Surface::BARE
};
