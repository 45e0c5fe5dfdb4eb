//! The host events that the format listens to, and the calls that they become.
//!
//! An event without a well-formed scope, or without anything to do, becomes no call at all: then no
//! store is opened and no lock is taken.

use format::digest;
use format::{Glance, Hook, HookCall, HookEvent, Injected, Speech};
use model::{Context, Object, Refusal, RefusalClass, Value};

use super::records::members;
use super::response::{candidate, unreadable};
use super::scope::AgentId;

/// The events. Where one stands twice, its calls follow each other.
pub(super) static HOOKS: &[Hook] = &[
    hook("session-start", "skillstate_inject", session_start),
    hook("session-start", "skillstate_launch", launches),
    hook("user-prompt-submit", "skillstate_inject", scope),
    hook("subagent-start", "skillstate_inject", sub_agent),
    hook("subagent-start", "skillstate_fork", sub_agent),
    hook("stop", "skillstate_respond", stop),
    hook("subagent-stop", "skillstate_respond", subagent_stop),
    hook("session-end", "skillstate_end", scope),
    hook("serve-start", "skillstate_launch", serves),
    hook("serve-end", "skillstate_end", main),
];

type Arguments = fn(&HookEvent, &Context) -> Option<Object>;

const fn hook(event: &'static str, tool: &'static str, arguments: Arguments) -> Hook {
    Hook { event, speech: Speech::Json, call: Some(HookCall { tool, arguments, says, refused }) }
}

// The scope that an event names; nothing for an id that names none.
fn scope(event: &HookEvent, _ctx: &Context) -> Option<Object> {
    match event.input.get("agent_id") {
        None | Some(Value::Null) => Some(Object::new()),
        Some(id) => AgentId::new(id.as_str()?).map(|id| members([("agent", id.as_str().into())])),
    }
}

fn sub_agent(event: &HookEvent, ctx: &Context) -> Option<Object> {
    scope(event, ctx).filter(|arguments| arguments.contains_key("agent"))
}

#[allow(clippy::unnecessary_wraps, reason = "the signature is the contract's")]
fn main(_event: &HookEvent, _ctx: &Context) -> Option<Object> {
    Some(Object::new())
}

#[allow(clippy::unnecessary_wraps, reason = "the signature is the contract's")]
fn serves(_event: &HookEvent, _ctx: &Context) -> Option<Object> {
    Some(members([("serves", true.into())]))
}

fn is_launch(event: &HookEvent) -> bool {
    event.text("source") != Some("compact")
}

fn session_start(event: &HookEvent, ctx: &Context) -> Option<Object> {
    let mut arguments = scope(event, ctx)?;
    if is_launch(event) {
        arguments.insert("launch".into(), true.into());
    }
    Some(arguments)
}

fn launches(event: &HookEvent, ctx: &Context) -> Option<Object> {
    scope(event, ctx).filter(|_| is_launch(event))
}

// Only the last message counts: what a tool printed is never taken for a patch.
fn stop(event: &HookEvent, ctx: &Context) -> Option<Object> {
    let mut arguments = scope(event, ctx)?;
    let message = event.text("last_assistant_message")?;
    arguments.insert("block".into(), candidate(message)?.into());
    arguments.insert("message".into(), digest(message.as_bytes()).into());
    Some(arguments)
}

fn subagent_stop(event: &HookEvent, ctx: &Context) -> Option<Object> {
    let mut arguments = stop(event, ctx).or_else(|| scope(event, ctx)).filter(|all| all.contains_key("agent"))?;
    arguments.insert("ends".into(), true.into());
    Some(arguments)
}

fn says(reply: &Object) -> Glance {
    let text = |name: &str| reply.get(name).and_then(Value::as_str).map(str::to_owned);
    Glance { text: text("text").map(Injected::Block), message: text("message"), ..Glance::default() }
}

// A state that cannot be read is told; everything else passes quietly.
fn refused(refusal: &Refusal) -> Glance {
    let is_told = refusal.class == RefusalClass::Corrupt || refusal.code == "path_outside_project";
    Glance { message: is_told.then(|| unreadable(refusal)), ..Glance::default() }
}
