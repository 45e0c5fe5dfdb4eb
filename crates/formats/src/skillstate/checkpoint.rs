//! `state.checkpoint` and `state.rollback`: a state that is kept, and the way back to it.

use format::equality::equal_members;
use format::{Draft, FileState, View, redaction};
use model::{Context, Object, Outcome, Refusal, RefusalClass, Reply, Value, Warning};

use super::admit::Admitted;
use super::checkpoints::{self, BEFORE_ROLLBACK, Checkpoint};
use super::patch::changes;
use super::present::Present;
use super::records::{members, put_state};
use super::scope::Scope;
use super::spec::Spec;
use super::{arguments, copies, meta};

/// The tool: `{label?, agent?}` to the checkpoint and all that there are.
pub(super) fn state_checkpoint(
    admitted: &Admitted,
    arguments: &Object,
    view: &View<'_>,
    ctx: &Context,
) -> Result<Outcome, Refusal> {
    let scope = &admitted.scope;
    copies::check_known(view, scope)?;
    let present = Present::load(view, scope, admitted.spec.as_ref().ok())?;
    let mut draft = Draft::new(view.records);
    let label = checkpoints::label(arguments::text(arguments, "label").unwrap_or_default());
    if let Some(kind) = redaction::refused_secret(&label) {
        let message = format!("the label holds what looks like a secret ({kind})");
        return Err(Refusal::refused("secret_detected", message)
            .field("label")
            .with("kind", kind)
            .hint("a label names a file; choose another"));
    }
    let made = checkpoints::add(&mut draft, scope, &label, false, &present.state, ctx)?;
    let all = Checkpoint::all(&draft, scope).iter().map(Checkpoint::to_value).collect();
    let body = members([
        ("checkpointId", made.id.into()),
        ("seq", made.number.into()),
        ("label", made.label.into()),
        ("stateSeq", present.seq.into()),
        ("checkpoints", all),
    ]);
    Ok(Outcome { changes: draft.into_changes(), reply: Reply::new(body, Vec::new()), ..Outcome::default() })
}

/// The tool: `{checkpointId?, if_seq?, agent?}` to the state as it was kept.
///
/// Without an id: the highest number that the program did not make by itself. What stands now is
/// kept first, as an automatic checkpoint.
pub(super) fn state_rollback(
    admitted: &Admitted,
    arguments: &Object,
    view: &View<'_>,
    ctx: &Context,
) -> Result<Outcome, Refusal> {
    let scope = &admitted.scope;
    copies::check_known(view, scope)?;
    let spec = admitted.spec.as_ref().expect("it was asked for");
    let present = Present::load(view, scope, Some(spec))?;
    arguments::check_seq(arguments, present.seq)?;
    let chosen = choose(view, scope, arguments::text(arguments, "checkpointId"))?;
    let state = state_of(&chosen, view, scope)?;
    let mut draft = Draft::new(view.records);
    let (mut seq, mut saved) = (present.seq, Value::Null);
    if !equal_members(&present.state, &state) {
        saved = checkpoints::add(&mut draft, scope, BEFORE_ROLLBACK, true, &present.state, ctx)?.id.into();
        seq = put_state(&mut draft, scope, state.clone(), &ctx.now.to_millis_text());
        meta::touch(&mut draft, scope, ctx);
    }
    let warnings = mismatches(&state, spec);
    let body = members([
        ("checkpointId", chosen.id.into()),
        ("changes", changes(&present.state, &state)),
        ("state", Value::Object(state)),
        ("seq", seq.into()),
        ("saved", saved),
    ]);
    Ok(Outcome { changes: draft.into_changes(), reply: Reply::new(body, warnings), ..Outcome::default() })
}

fn choose(view: &View<'_>, scope: &Scope, id: Option<&str>) -> Result<Checkpoint, Refusal> {
    let mut all = Checkpoint::all(view.records, scope);
    if let Some(id) = id {
        return all.into_iter().find(|checkpoint| checkpoint.id == id).ok_or_else(|| {
            let known: Vec<Value> =
                Checkpoint::all(view.records, scope).into_iter().map(|checkpoint| checkpoint.id.into()).collect();
            Refusal::refused("checkpoint_not_found", format!("there is no checkpoint {id:?}"))
                .field("checkpointId")
                .allowed(known)
        });
    }
    all.retain(|checkpoint| !checkpoint.is_automatic);
    all.pop().ok_or_else(|| {
        Refusal::refused("no_checkpoints", "there is no checkpoint to go back to")
            .hint("state.checkpoint makes one; an automatic one can be named by its id")
    })
}

// A file that could not be read when it was taken in may be back as it was.
fn state_of(chosen: &Checkpoint, view: &View<'_>, scope: &Scope) -> Result<Object, Refusal> {
    if let Some(state) = &chosen.state {
        return Ok(state.clone());
    }
    let path = checkpoints::path(scope, &chosen.id).expect("its id was read as one");
    let record = match view.files.read(&path, checkpoints::LIMIT) {
        FileState::Bytes(bytes) => checkpoints::from_file(&bytes),
        FileState::Absent | FileState::Irregular(_) => Value::Null,
    };
    record.get("state").and_then(Value::as_object).cloned().ok_or_else(|| {
        Refusal::new(RefusalClass::Corrupt, "checkpoint_corrupt", format!("{path} is no checkpoint"))
            .field("checkpointId")
            .with("path", path.as_str())
            .hint("repair the file, or remove it: then there is no such checkpoint")
    })
}

fn mismatches(state: &Object, spec: &Spec) -> Vec<Warning> {
    let fits = |(name, value): &(&String, &Value)| match spec.schema.field(name) {
        Some(field) => field.kind.fits(value),
        None => spec.additional_fields,
    };
    let warn = |(name, _): (&String, &Value)| {
        let message = format!("the field {name} does not fit the schema any more");
        Warning::new("schema_mismatch", message).with("field", name.as_str())
    };
    state.iter().filter(|member| !fits(member)).map(warn).collect()
}
