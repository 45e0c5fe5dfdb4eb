//! Copies of sub-agents: whether there is one, forking it from main, dropping one that nobody touched.

use format::{Draft, FileState, Records, View};
use model::{Object, Refusal, Scan, Value};

use super::present::Present;
use super::records::{Kind, members, object};
use super::scope::{AgentId, Scope};
use super::spec::Spec;

/// Whether a scope has a state to work on: main always, a copy once it was forked or has a file.
pub(super) fn is_known(view: &View<'_>, scope: &Scope) -> bool {
    let Some(id) = scope.agent() else { return true };
    view.records.get(&index(id)).is_some()
        || view.records.get(&Kind::State.only(scope)).is_some()
        || view.files.read(&scope.state_path(), 0) != FileState::Absent
}

/// Refuses a copy that is not known. **Errors**: `agent_not_found`.
pub(super) fn check_known(view: &View<'_>, scope: &Scope) -> Result<(), Refusal> {
    if is_known(view, scope) {
        return Ok(());
    }
    let id = scope.agent().map(AgentId::as_str).unwrap_or_default();
    Err(Refusal::refused("agent_not_found", format!("there is no sub-agent {id:?}"))
        .field("agent")
        .hint("agent.list names those that there are"))
}

/// Makes a copy of what stands in main now.
pub(super) fn fork(draft: &mut Draft<'_>, id: &AgentId, main: &Present) {
    draft.put(index(id), Value::Object(Object::new()));
    let base = members([("seq", 0.into()), ("state", Value::Object(main.state.clone()))]);
    draft.put(Kind::Base.only(&Scope::Agent(id.clone())), Value::Object(base));
}

/// Forgets a copy whose state never changed; what it answered last is remembered.
pub(super) fn forget(draft: &mut Draft<'_>, id: &AgentId) {
    let scope = Scope::Agent(id.clone());
    draft.delete(index(id));
    for kind in [Kind::Base, Kind::Meta, Kind::Activity] {
        draft.delete(kind.only(&scope));
    }
    for kind in [Kind::Baseline, Kind::Reader] {
        for (reader, _) in draft.scan(&scope.space(), kind.word(), &Scan::all()) {
            draft.delete(kind.one(scope.space(), reader));
        }
    }
}

/// What a copy is compared with when it is merged.
///
/// A copy that another tool wrote has no base: then it is the defaults, and a field that the copy
/// lacks counts as unchanged.
pub(super) fn base(records: &dyn Records, scope: &Scope, spec: Option<&Spec>, copy: &Object) -> Object {
    let stored = object(records, &Kind::Base.only(scope)).and_then(|mut base| base.shift_remove("state"));
    if let Some(Value::Object(base)) = stored {
        return base;
    }
    let mut defaults = spec.map(|spec| spec.schema.defaults()).unwrap_or_default();
    defaults.retain(|name, _| copy.contains_key(name));
    defaults
}

/// The key of the record in main that says that a copy was forked here.
fn index(id: &AgentId) -> model::RecordKey {
    Kind::Agent.one(Scope::Main.space(), id.as_str())
}
