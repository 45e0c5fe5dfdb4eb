//! `agent.list` and `agent.read`: the copies of sub-agents.

use format::equality::equal_members;
use format::{Records, View};
use model::{Context, Object, Refusal, Reply, Timestamp, Value};

use super::admit::{self, Admitted};
use super::copies;
use super::meta::Meta;
use super::present::{Present, size};
use super::records::{self, Kind, members, seq_of};
use super::scope::{AgentId, Scope};
use super::spec::Spec;

/// The tool: nothing to every copy, by id.
pub(super) fn agent_list(admitted: &Admitted, view: &View<'_>, ctx: &Context) -> Reply {
    let spec = admitted.spec.as_ref().ok();
    let agents = admit::agents(view.records, view.files);
    let agents = agents.into_iter().map(|id| Value::Object(entry(&id, spec, view, ctx))).collect();
    Reply::new(members([("agents", agents)]), Vec::new())
}

fn entry(id: &AgentId, spec: Option<&Spec>, view: &View<'_>, ctx: &Context) -> Object {
    let scope = Scope::Agent(id.clone());
    let meta = Meta::get(view.records, &scope);
    let stored = records::state(view.records, &scope);
    let text = |value: Option<&str>| value.map_or(Value::Null, Value::from);
    let last_activity = meta.as_ref().and_then(Meta::last_activity);
    let readable = Present::load(view, &scope, spec);
    let mut entry = members([
        ("id", id.as_str().into()),
        ("statePath", scope.state_path().as_str().into()),
        ("exists", (stored.is_some() || readable.is_err()).into()),
        ("lastModified", modified(view, &scope)),
        ("status", text(meta.as_ref().and_then(Meta::status))),
        ("lastActivityAt", text(last_activity)),
        ("staleness", Meta::staleness(meta.as_ref(), ctx.now).into()),
        ("pending", stored.as_ref().is_some_and(|copy| is_pending(view.records, &scope, spec, copy)).into()),
    ]);
    if let Some(at) = last_activity.and_then(Timestamp::parse_rfc3339) {
        entry.insert("ageMs".into(), (ctx.now.as_millis() - at.as_millis()).into());
    }
    match (readable, stored) {
        (Err(refusal), _) => drop(entry.insert("error".into(), refusal.code.as_ref().into())),
        (Ok(_), Some(state)) => {
            let summary = members([("keys", state.len().into()), ("size_bytes", size(&state).into())]);
            entry.insert("summary".into(), Value::Object(summary));
        }
        (Ok(_), None) => {}
    }
    entry
}

// When the state last changed: by its file where an edit, or a copy of others, is not yet taken in.
fn modified(view: &View<'_>, scope: &Scope) -> Value {
    let key = Kind::Seq.only(scope);
    let Some(Value::Object(mut seq)) = view.records.get(&key) else { return Value::Null };
    let is_stored = view
        .records
        .earlier(&key, &mut |_| true)
        .is_some_and(|stored| seq_of(&stored) == records::seq(view.records, scope));
    if is_stored {
        return seq.shift_remove("at").unwrap_or_default();
    }
    view.files.modified(&scope.state_path()).map_or(Value::Null, |at| at.to_millis_text().into())
}

/// Whether a copy differs from what it was forked from or last merged as.
fn is_pending(records: &dyn Records, scope: &Scope, spec: Option<&Spec>, copy: &Object) -> bool {
    !equal_members(copy, &copies::base(records, scope, spec, copy))
}

/// The tool: `{agent}` to the state of a copy.
pub(super) fn agent_read(admitted: &Admitted, view: &View<'_>) -> Result<Reply, Refusal> {
    let scope = &admitted.scope;
    copies::check_known(view, scope)?;
    let present = Present::load(view, scope, admitted.spec.as_ref().ok())?;
    let body = members([
        ("agent", scope.agent().map_or("", AgentId::as_str).into()),
        ("statePath", scope.state_path().as_str().into()),
        ("state", Value::Object(present.state)),
    ]);
    Ok(Reply::new(body, Vec::new()))
}
