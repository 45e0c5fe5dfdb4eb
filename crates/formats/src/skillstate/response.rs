//! The block that closes a response: `state_patch` and `action` in a fence.
//!
//! **Source**: `spec/skillstate.md`, section 4.

use format::fenced_blocks::fenced_blocks;
use format::{Draft, Records, View};
use model::{Context, Object, Outcome, Refusal, Reply, Value};

use super::admit::Admitted;
use super::checkpoints::Checkpoint;
use super::patch;
use super::present::Present;
use super::reads::cut;
use super::records::{Kind, members};
use super::scope::{AgentId, Scope};
use super::validation::Wanted;
use super::{arguments, copies, meta};

/// The longest field of a rejection that is told. **Units**: characters.
pub(super) const FIELD_LIMIT: usize = 200;

/// The longest list of what is allowed that is told with it, as compact JSON. **Units**: bytes.
const ALLOWED_LIMIT: usize = 1_000;

/// The last block of a message that may be meant for us.
pub(super) fn candidate(message: &str) -> Option<&str> {
    let is_meant = |content: &str| match serde_json::from_str::<Value>(content) {
        Ok(value) => value.get("state_patch").is_some(),
        Err(_) => content.contains("\"state_patch\""),
    };
    let json = fenced_blocks(message).into_iter().rev().filter(|block| block.is_in("json"));
    json.map(|block| block.content).find(|content| is_meant(content))
}

/// The event: `{agent?, block?, message?, ends?}` to nothing, or to `{message}` for the person.
///
/// It is never refused: what is wrong with a block is noted down and told with the next prompt.
pub(super) fn respond(admitted: &Admitted, arguments: &Object, view: &View<'_>, ctx: &Context) -> Outcome {
    let scope = &admitted.scope;
    let mut draft = Draft::new(view.records);
    if let Err(refusal) = Present::load(view, scope, admitted.spec.as_ref().ok()) {
        return told(draft, Some(unreadable(&refusal)), false);
    }
    let mut said = None;
    let mut changed = false;
    if let Some(block) = arguments::text(arguments, "block")
        && is_new(&draft, scope, arguments, ctx)
    {
        let action = match apply(admitted, block, view, &mut draft, ctx) {
            Ok((action, is_changed)) => {
                changed = is_changed;
                Some(action)
            }
            Err(refusal) => {
                said = Some(reject(&mut draft, scope, &refusal));
                None
            }
        };
        remember(&mut draft, scope, arguments, action, ctx);
    }
    if let Some(id) = scope.agent().filter(|_| arguments::is_set(arguments, "ends")) {
        end(&mut draft, id, scope, ctx);
    }
    told(draft, said, changed)
}

// What the person reads about a state that cannot be read.
pub(super) fn unreadable(refusal: &Refusal) -> String {
    format!("skillstate: {}: {}", refusal.code, refusal.message)
}

fn told(draft: Draft<'_>, message: Option<String>, changed: bool) -> Outcome {
    let body = message.map(|message| members([("message", message.into())])).unwrap_or_default();
    let reply = Reply::new(body, Vec::new());
    Outcome { changes: draft.into_changes(), minor: !changed, reply, ..Outcome::default() }
}

// The action, and whether the state changed.
fn apply(
    admitted: &Admitted,
    block: &str,
    view: &View<'_>,
    draft: &mut Draft<'_>,
    ctx: &Context,
) -> Result<(String, bool), Refusal> {
    let spec = admitted.spec.as_ref().map_err(Clone::clone)?;
    let malformed = || Refusal::refused("malformed_json", "the block is no JSON object");
    let read: Value = serde_json::from_str(block).map_err(|_| malformed())?;
    if arguments::out_of_range(&read).is_some() {
        return Err(malformed());
    }
    let action = read.get("action").and_then(Value::as_str).filter(|action| !action.is_empty());
    let action =
        action.ok_or_else(|| Refusal::refused("missing_action", "the block names no action").field("action"))?;
    let patch = read.get("state_patch").cloned().unwrap_or_default();
    let wanted = members([("patch", patch)]);
    let present = Present::load(view, &admitted.scope, Some(spec))?;
    let planned = patch::plan(Wanted::of(&wanted)?, &present.state, spec)?;
    let seq = patch::apply(&planned, &admitted.scope, spec, view, draft, ctx)?;
    Ok((action.to_owned(), seq.is_some()))
}

// Notes a rejection down, in main also for a copy: its agent is about to end.
fn reject(draft: &mut Draft<'_>, scope: &Scope, refusal: &Refusal) -> String {
    let mut rejected = rejection(refusal);
    let field = rejected.get("field").and_then(Value::as_str).map(|field| format!(" {field}")).unwrap_or_default();
    rejected.extend(scope.agent().map(|id| ("agent".to_owned(), id.as_str().into())));
    let id = scope.agent().map_or("main", AgentId::as_str);
    draft.put(Kind::Rejected.one(Scope::Main.space(), id), Value::Object(rejected));
    format!("skillstate: response patch not applied: {}{field}", refusal.code)
}

// What is told of a refusal, masked; nothing in it is long enough to push the state aside.
fn rejection(refusal: &Refusal) -> Object {
    let refusal = format::redaction::masked_refusal(refusal.clone());
    let mut rejected = members([("code", refusal.code.as_ref().into())]);
    rejected.extend(refusal.field.map(|field| ("field".to_owned(), cut(&field, FIELD_LIMIT).into())));
    let allowed = refusal.allowed.filter(|allowed| allowed.to_string().len() <= ALLOWED_LIMIT);
    rejected.extend(allowed.map(|allowed| ("allowed".to_owned(), allowed)));
    rejected
}

fn response_key(scope: &Scope, ctx: &Context) -> model::RecordKey {
    Kind::Response.one(scope.space(), ctx.session.as_deref().unwrap_or("default"))
}

fn is_new(records: &dyn Records, scope: &Scope, arguments: &Object, ctx: &Context) -> bool {
    let last = records.get(&response_key(scope, ctx));
    let handled = last.as_ref().and_then(|last| last.get("message")).and_then(Value::as_str);
    handled.is_none() || handled != arguments::text(arguments, "message")
}

fn remember(draft: &mut Draft<'_>, scope: &Scope, arguments: &Object, action: Option<String>, ctx: &Context) {
    let mut response = Object::new();
    response.extend(action.map(|action| ("action".to_owned(), action.into())));
    response.insert("message".into(), arguments::text(arguments, "message").unwrap_or_default().into());
    draft.put(response_key(scope, ctx), Value::Object(response));
}

// An untouched copy goes; of another the session is complete. Merging is somebody's decision.
fn end(draft: &mut Draft<'_>, id: &AgentId, scope: &Scope, ctx: &Context) {
    let meta = meta::Meta::get(draft, scope);
    let is_running = meta.as_ref().is_some_and(|meta| meta.status() == Some("running"));
    let has_result = meta.is_some() && !is_running;
    let has_state = draft.get(&Kind::State.only(scope)).is_some();
    if !has_state && !has_result && Checkpoint::all(draft, scope).is_empty() {
        copies::forget(draft, id);
    } else if is_running {
        meta::finish(draft, scope, "completed", None, ctx);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_candidate_counts() {
        let block = |language: &str, text: &str| format!("```{language}\n{text}\n```\n");
        let (ours, other) = (r#"{"state_patch":{},"action":"x"}"#, r#"{"a":1}"#);
        let check = |message: &str, expected: Option<&str>| {
            assert_eq!(candidate(message).map(str::trim), expected, "{message}");
        };
        check(&(block("json", ours) + &block("json", other)), Some(ours));
        check(&(block("json", ours) + &block("JSON x", r#"{"state_patch":1}"#)), Some(r#"{"state_patch":1}"#));
        check(&block("json", r#"{"state_patch": oops"#), Some(r#"{"state_patch": oops"#));
        check(&block("jsonc", ours), None);
        check(&block("json5", ours), None);
        check(&block("", ours), None);
        check(&block("json", r#"["state_patch"]"#), None);
        check(&format!("~~~~md\n{}~~~~\n", block("json", ours)), None);
        check("{\"state_patch\":{}}", None);
        check(&format!("```json\r\n{ours}\r\n```"), Some(ours));
        check(&format!("```json\n{ours}"), Some(ours));
    }

    #[test]
    fn what_a_rejection_says_is_bounded() {
        let names: Vec<Value> = (0..200).map(|number| format!("field_{number}").into()).collect();
        let refusal = Refusal::refused("unknown_field", "no such field").field("é".repeat(60_000)).allowed(names);
        let rejected = rejection(&refusal);
        assert_eq!(rejected["field"], format!("{}…", "é".repeat(FIELD_LIMIT)));
        assert!(!rejected.contains_key("allowed"));
        let short = rejection(&Refusal::refused("wrong_type", "a list").field("a").allowed(vec![Value::from("array")]));
        assert_eq!(Value::Object(short).to_string(), r#"{"code":"wrong_type","field":"a","allowed":["array"]}"#);
    }
}
