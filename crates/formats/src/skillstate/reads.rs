//! Tools that only look: `state.get`, `state.summary`, `spec.get`, `spec.next`.

use format::View;
use format::field_schema::{FieldType, type_word};
use model::{Context, Object, Refusal, Reply, Value};

use super::admit::Admitted;
use super::meta;
use super::patch::large;
use super::present::{Present, size};
use super::records::members;
use super::spec::Spec;

/// The longest text in a summary. **Units**: characters.
const TEXT_LIMIT: usize = 200;

/// The fields that `state.summary` and `spec.next` know.
const KNOWN: [(&str, FieldType); 6] = [
    ("goal", FieldType::String),
    ("progress", FieldType::Array),
    ("next_steps", FieldType::Array),
    ("artifacts", FieldType::Array),
    ("blockers", FieldType::Array),
    ("notes", FieldType::String),
];

/// The tool: `{agent?}` to the bare state.
pub(super) fn state_get(admitted: &Admitted, view: &View<'_>) -> Result<Reply, Refusal> {
    let present = Present::load(view, &admitted.scope, admitted.spec.as_ref().ok())?;
    Ok(Reply::new(present.state, Vec::new()).bare())
}

/// The tool: `{agent?}` to the known fields, cut short, and how the session stands.
pub(super) fn state_summary(admitted: &Admitted, view: &View<'_>, ctx: &Context) -> Result<Reply, Refusal> {
    let spec = admitted.spec.as_ref().ok();
    let Present { seq, state } = Present::load(view, &admitted.scope, spec)?;
    let mut body = Object::new();
    for (name, kind) in KNOWN {
        let shown = match state.get(name) {
            Some(value) => kind.fits(value).then(|| brief(name, value)),
            None => spec.and_then(|spec| spec.schema.field(name)).map(|_| Value::Null),
        };
        body.extend(shown.map(|shown| (name.to_owned(), shown)));
    }
    let is_shown = |name: &String| body.contains_key(name);
    let others = state.iter().filter(|(name, _)| !is_shown(name));
    let others: Object = others.map(|(name, value)| (name.clone(), type_word(value).into())).collect();
    if !others.is_empty() {
        let name = if body.is_empty() { "keys" } else { "other" };
        body.insert(name.to_owned(), Value::Object(others));
    }
    body.insert("size_bytes".into(), size(&state).into());
    body.insert("session".into(), meta::session(view.records, &admitted.scope, seq, ctx));
    Ok(Reply::new(body, large(&state)))
}

fn brief(name: &str, value: &Value) -> Value {
    match value {
        Value::String(text) => cut(text, TEXT_LIMIT).into(),
        Value::Array(items) => {
            let mut brief = members([("count", items.len().into())]);
            if name == "next_steps" {
                brief.insert("first".into(), items.iter().take(3).map(cut_item).collect());
            }
            Value::Object(brief)
        }
        other => other.clone(),
    }
}

fn cut_item(item: &Value) -> Value {
    item.as_str().map_or_else(|| item.clone(), |text| cut(text, TEXT_LIMIT).into())
}

/// The first `limit` characters of a text, and `…` where there are more.
pub(super) fn cut(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The tool: nothing to the spec in force.
pub(super) fn spec_get(spec: &Spec) -> Reply {
    let mut body = spec.to_object();
    body.insert("additional_fields".into(), spec.additional_fields.into());
    body.insert("example_state_patch".into(), Value::Object(example(spec)));
    body.insert("source".into(), spec.source_word().into());
    Reply::new(body, Vec::new())
}

/// A patch of the first two fields.
pub(super) fn example(spec: &Spec) -> Object {
    let sample = |kind| match kind {
        FieldType::String => "text".into(),
        FieldType::Number => 1.into(),
        FieldType::Boolean => true.into(),
        FieldType::Array => Value::Array(vec!["item".into()]),
        FieldType::Object => Value::Object(members([("key", "value".into())])),
    };
    spec.schema.fields.iter().take(2).map(|field| (field.name.clone(), sample(field.kind))).collect()
}

/// The tool: `{agent?}` to what is to be done next.
pub(super) fn spec_next(admitted: &Admitted, view: &View<'_>) -> Result<Reply, Refusal> {
    let Present { state, .. } = Present::load(view, &admitted.scope, admitted.spec.as_ref().ok())?;
    let list = |name: &str| state.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let goal = state.get("goal").filter(|goal| goal.is_string());
    let steps = list("next_steps");
    let body = members([
        ("goal", goal.cloned().unwrap_or_default()),
        ("completed", list("progress").len().into()),
        ("next", steps.iter().take(3).cloned().collect()),
        ("blockers", Value::Array(list("blockers").to_vec())),
        ("suggestion", steps.first().cloned().unwrap_or_default()),
    ]);
    Ok(Reply::new(body, Vec::new()))
}
