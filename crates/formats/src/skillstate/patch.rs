//! `state.patch` and `state.validate`: a merge patch, items for lists, or both, all or nothing.

use format::equality::{equal, equal_members};
use format::{Draft, View, merge_patch, three_way};
use model::{Context, Object, Outcome, Refusal, Reply, Value, Warning};

use super::admit::Admitted;
use super::present::{Present, size};
use super::records::{members, put_state};
use super::scope::Scope;
use super::spec::Spec;
use super::validation::{Wanted, wrong_append};
use super::{arguments, copies, meta};

/// The largest state that a patch may grow to, as compact JSON. **Units**: bytes.
const STATE_LIMIT: usize = 262_144;

/// From what size a state is worth a warning. **Units**: bytes.
const STATE_LARGE: usize = 16_384;

/// What a change comes to. Nothing has happened yet.
pub(super) struct Planned {
    /// The state afterwards.
    pub(super) state: Object,
    /// Whether it differs from the one before.
    pub(super) changed: bool,
    /// What whoever asked should know.
    pub(super) warnings: Vec<Warning>,
}

/// The tool: `{patch?, append?, if_seq?, agent?}` to `{state, changes, seq}`.
pub(super) fn state_patch(
    admitted: &Admitted,
    arguments: &Object,
    view: &View<'_>,
    ctx: &Context,
) -> Result<Outcome, Refusal> {
    let spec = admitted.spec.as_ref().expect("it was asked for");
    let present = Present::load(view, &admitted.scope, Some(spec))?;
    arguments::check_seq(arguments, present.seq)?;
    let planned = plan(Wanted::of(arguments)?, &present.state, spec)?;
    let changes = changes(&present.state, &planned.state);
    let mut draft = Draft::new(view.records);
    let seq = apply(&planned, &admitted.scope, spec, view, &mut draft, ctx)?.unwrap_or(present.seq);
    let body = members([("state", Value::Object(planned.state)), ("changes", changes), ("seq", seq.into())]);
    let reply = Reply::new(body, planned.warnings);
    Ok(Outcome { changes: draft.into_changes(), reply, ..Outcome::default() })
}

/// The tool: `{patch?, append?, agent?}` to `{valid}`, and why not.
pub(super) fn state_validate(admitted: &Admitted, arguments: &Object, view: &View<'_>) -> Result<Reply, Refusal> {
    let spec = admitted.spec.as_ref().expect("it was asked for");
    let present = Present::load(view, &admitted.scope, Some(spec))?;
    let body = match plan(Wanted::of(arguments)?, &present.state, spec) {
        Ok(_) => members([("valid", true.into())]),
        Err(refusal) => {
            let mut body = members([
                ("valid", false.into()),
                ("code", refusal.code.as_ref().into()),
                ("error", refusal.message.into()),
            ]);
            body.extend(refusal.field.map(|field| ("field".to_owned(), field.into())));
            body.extend(refusal.allowed.map(|allowed| ("allowed".to_owned(), allowed)));
            body
        }
    };
    Ok(Reply::new(body, Vec::new()))
}

/// Checks a change and thinks it through.
pub(super) fn plan(wanted: Wanted<'_>, state: &Object, spec: &Spec) -> Result<Planned, Refusal> {
    wanted.check(state, spec)?;
    let mut next = state.clone();
    if let Some(patch) = wanted.patch {
        merge_patch::merge_members(&mut next, patch);
    }
    for (name, items) in wanted.append.into_iter().flatten() {
        let list = next.entry(name.as_str()).or_insert_with(|| Value::Array(Vec::new()));
        match (list, items) {
            (Value::Array(list), Value::Array(items)) => three_way::append(list, items),
            // What others stored in the field is not ours to throw away.
            _ => return Err(wrong_append(name)),
        }
    }
    if equal_members(state, &next) {
        return Ok(Planned { state: state.clone(), changed: false, warnings: large(state) });
    }
    let (before, after) = (size(state), size(&next));
    if after > STATE_LIMIT && after > before {
        let message = format!("the state would have {after} bytes; at most {STATE_LIMIT} are kept");
        return Err(Refusal::refused("state_too_large", message)
            .allowed(STATE_LIMIT)
            .hint("take finished items out of the lists"));
    }
    let mut warnings: Vec<Warning> =
        wanted.patch.into_iter().flat_map(Object::keys).filter_map(|name| notice(name, state, &next)).collect();
    warnings.extend(large(&next));
    Ok(Planned { state: next, changed: true, warnings })
}

/// Stores a change that was thought through, forking a copy that is not there yet. Answers the new seq, if any.
pub(super) fn apply(
    planned: &Planned,
    scope: &Scope,
    spec: &Spec,
    view: &View<'_>,
    draft: &mut Draft<'_>,
    ctx: &Context,
) -> Result<Option<u64>, Refusal> {
    if !planned.changed {
        return Ok(None);
    }
    if let Some(id) = scope.agent().filter(|_| !copies::is_known(view, scope)) {
        copies::fork(draft, id, &Present::load(view, &Scope::Main, Some(spec))?);
    }
    let seq = put_state(draft, scope, planned.state.clone(), &ctx.now.to_millis_text());
    meta::touch(draft, scope, ctx);
    Ok(Some(seq))
}

/// The keys that differ between two states.
///
/// **Shape**: `{"added","updated","deleted"}`. **Order**: of the new state, deleted ones of the old.
pub(super) fn changes(before: &Object, after: &Object) -> Value {
    let is_new = |name: &&String| !before.contains_key(*name);
    let is_updated = |(name, value): &(&String, &Value)| before.get(*name).is_some_and(|before| !equal(before, value));
    let is_gone = |name: &&String| !after.contains_key(*name);
    let list = |names: Vec<&String>| names.into_iter().map(String::as_str).collect::<Value>();
    Value::Object(members([
        ("added", list(after.keys().filter(is_new).collect())),
        ("updated", list(after.iter().filter(is_updated).map(|(name, _)| name).collect())),
        ("deleted", list(before.keys().filter(is_gone).collect())),
    ]))
}

/// The warning about a state that fills contexts.
pub(super) fn large(state: &Object) -> Vec<Warning> {
    let whole = size(state);
    if whole <= STATE_LARGE {
        return Vec::new();
    }
    let of = |(name, value): (&String, &Value)| (name.clone(), Value::from(value.to_string().len()));
    let fields: Object = state.iter().map(of).collect();
    let message = format!("the state has {whole} bytes; more than {STATE_LARGE} crowd a context");
    vec![Warning::new("state_large", message).with("fields", fields)]
}

fn notice(name: &str, before: &Object, after: &Object) -> Option<Warning> {
    match (before.get(name)?, after.get(name)?) {
        (old @ Value::Object(_), new @ Value::Object(_)) if !equal(old, new) => {
            let message = format!("the patch merged into {name}; members that it does not name stay");
            Some(Warning::new("nested_merge", message).with("field", name))
        }
        (Value::Array(old), Value::Array(new)) if new.len() < old.len() => {
            let message =
                format!("{name} had {} items and has {}; append adds without replacing", old.len(), new.len());
            let warning = Warning::new("list_shrunk", message).with("field", name);
            Some(warning.with("before", old.len()).with("after", new.len()))
        }
        _ => None,
    }
}
