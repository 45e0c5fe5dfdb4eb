//! `state.diff`: what changed since a reader looked last, or since a version.

use format::{Draft, View};
use model::{Context, Object, Outcome, Refusal, Reply, Value};

use super::admit::Admitted;
use super::patch::changes;
use super::present::Present;
use super::records::{Kind, members, object, seq_of};
use super::scope::Scope;
use super::spec::Spec;
use super::{arguments, copies};

/// The reader of calls that name none and belong to no session.
const NOBODY: &str = "default";

/// The tool: `{full?, since?, reader?, agent?}` to `{changes, since, seq}`.
///
/// Without `since` the reader's baseline moves to the present.
pub(super) fn state_diff(
    admitted: &Admitted,
    arguments: &Object,
    view: &View<'_>,
    ctx: &Context,
) -> Result<Outcome, Refusal> {
    let Admitted { scope, spec, .. } = admitted;
    let spec = spec.as_ref().ok();
    let present = Present::load(view, scope, spec)?;
    let mut draft = Draft::new(view.records);
    let before = if let Some(since) = arguments.get("since").and_then(Value::as_u64) {
        version(since, &present, view, scope, spec)?
    } else {
        let reader = arguments::text(arguments, "reader").or(ctx.session.as_deref()).unwrap_or(NOBODY);
        let before = baseline(reader, &present, view, scope, spec);
        if copies::is_known(view, scope) {
            let state = Value::Object(present.state.clone());
            draft.put(Kind::Baseline.one(scope.space(), reader), state);
            let seq = Value::Object(members([("seq", present.seq.into())]));
            draft.put(Kind::Reader.one(scope.space(), reader), seq);
        }
        before
    };
    let mut body = members([
        ("changes", changes(&before.state, &present.state)),
        ("since", before.seq.into()),
        ("seq", present.seq.into()),
    ]);
    if arguments::is_set(arguments, "full") {
        body.insert("before".into(), Value::Object(before.state));
        body.insert("after".into(), Value::Object(present.state));
    }
    let reply = Reply::new(body, Vec::new());
    Ok(Outcome { changes: draft.into_changes(), minor: true, reply, ..Outcome::default() })
}

// What a reader saw last; where it starts from if it saw nothing yet.
fn baseline(reader: &str, present: &Present, view: &View<'_>, scope: &Scope, spec: Option<&Spec>) -> Present {
    let key = |kind: Kind| kind.one(scope.space(), reader);
    if let Some(state) = object(view.records, &key(Kind::Baseline)) {
        let seq = view.records.get(&key(Kind::Reader)).as_ref().map_or(0, seq_of);
        return Present { seq, state };
    }
    if let Some(state) = object(view.records, &Kind::Origin.only(scope)) {
        return Present { seq: 1, state };
    }
    let base = view.records.get(&Kind::Base.only(scope));
    base.as_ref().and_then(of_base).unwrap_or_else(|| beginning(present, scope, spec))
}

// The state of a version. **Errors**: `invalid_argument` for one that is not there, or not any more.
fn version(
    since: u64,
    present: &Present,
    view: &View<'_>,
    scope: &Scope,
    spec: Option<&Spec>,
) -> Result<Present, Refusal> {
    let Some(back) = present.seq.checked_sub(since) else {
        let message = format!("the state has seq {}; there is no later version", present.seq);
        return Err(Refusal::invalid("since", message).allowed(format!("0 to {}", present.seq)));
    };
    if back == 0 {
        return Ok(present.clone());
    }
    if since == 0 {
        let base = view.records.earlier(&Kind::Base.only(scope), &mut |base| seq_of(base) == 0);
        return Ok(base.as_ref().and_then(of_base).unwrap_or_else(|| beginning(present, scope, spec)));
    }
    // Each change of the record is one version; the present one is offered first.
    let mut offered = 0;
    let found = view.records.earlier(&Kind::State.only(scope), &mut |_| {
        offered += 1;
        offered > back
    });
    if let Some(Value::Object(state)) = found {
        return Ok(Present { seq: since, state });
    }
    let message = format!("version {since} is not kept any more");
    Err(Refusal::invalid("since", message).hint("compare with a later version, or with 0"))
}

fn of_base(base: &Value) -> Option<Present> {
    Some(Present { seq: seq_of(base), state: base.get("state")?.as_object()?.clone() })
}

// Version 0: the defaults, or, for a copy that is not there yet, what it would be forked as.
fn beginning(present: &Present, scope: &Scope, spec: Option<&Spec>) -> Present {
    if present.seq == 0 && *scope != Scope::Main {
        return present.clone();
    }
    Present { seq: 0, state: spec.map(|spec| spec.schema.defaults()).unwrap_or_default() }
}
