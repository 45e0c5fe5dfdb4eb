//! What a patch and an append may hold.
//!
//! **Source**: `spec/skillstate.md`, section 2.4.

use format::field_schema::FieldType;
use format::redaction;
use model::{Object, Refusal, Value};

use super::spec::Spec;

/// The largest patch, and the largest append, as compact JSON. **Units**: bytes.
const PATCH_LIMIT: usize = 65_536;

/// How deep containers may stand within each other in one field, its own value the first.
const DEPTH_LIMIT: usize = 8;

/// How many keys patch and append may hold together, at all levels.
const KEY_LIMIT: usize = 100;

/// A change that somebody asks for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Wanted<'a> {
    /// What merges into the state.
    pub(super) patch: Option<&'a Object>,
    /// What is added to lists afterwards.
    pub(super) append: Option<&'a Object>,
}

impl<'a> Wanted<'a> {
    /// Reads the arguments of a call. **Errors**: `patch_not_object`.
    pub(super) fn of(arguments: &'a Object) -> Result<Self, Refusal> {
        let append = arguments.get("append").and_then(Value::as_object);
        match arguments.get("patch") {
            None if append.is_some() => Ok(Self { patch: None, append }),
            Some(Value::Object(patch)) => Ok(Self { patch: Some(patch), append }),
            _ => Err(Refusal::refused("patch_not_object", "patch is an object of fields and their values")
                .field("patch")
                .hint(
                    "{\"patch\":{\"goal\":\"…\"}} changes fields, {\"append\":{\"progress\":[\"…\"]}} adds to lists",
                )),
        }
    }

    fn sides(self) -> [(Side, &'a Object); 2] {
        static NONE: std::sync::LazyLock<Object> = std::sync::LazyLock::new(Object::new);
        [(Side::Patch, self.patch.unwrap_or(&NONE)), (Side::Append, self.append.unwrap_or(&NONE))]
    }

    /// Checks every member, in order; the first that is wrong decides.
    pub(super) fn check(self, state: &Object, spec: &Spec) -> Result<(), Refusal> {
        for (side, members) in self.sides() {
            let size = serde_json::to_string(members).map_or(0, |text| text.len());
            if size > PATCH_LIMIT {
                let message = format!("{} has {size} bytes; at most {PATCH_LIMIT} are taken", side.word());
                return Err(Refusal::refused("patch_too_large", message).field(side.word()).allowed(PATCH_LIMIT));
            }
        }
        for (side, members) in self.sides() {
            for (name, value) in members {
                check_member(side, name, value, state, spec)?;
            }
        }
        let keys: usize = self.sides().iter().map(|(_, members)| count_members(members)).sum();
        if keys > KEY_LIMIT {
            let message = format!("{keys} keys are too many; at most {KEY_LIMIT} are taken at once");
            return Err(Refusal::refused("too_many_keys", message).allowed(KEY_LIMIT));
        }
        for (_, members) in self.sides() {
            for (name, value) in members {
                check_text(name, name).and_then(|()| check_texts(name, value))?;
            }
        }
        Ok(())
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Patch,
    Append,
}

impl Side {
    fn word(self) -> &'static str {
        match self {
            Self::Patch => "patch",
            Self::Append => "append",
        }
    }
}

fn check_member(side: Side, name: &str, value: &Value, state: &Object, spec: &Spec) -> Result<(), Refusal> {
    let declared = spec.schema.field(name);
    let repairs = side == Side::Patch && value.is_null() && state.contains_key(name);
    if name.is_empty() || declared.is_none() && !spec.additional_fields && !repairs {
        let message = format!("the state has no field {name:?}");
        return Err(Refusal::refused("unknown_field", message).field(name).allowed(spec.schema.names()));
    }
    let expected = match side {
        Side::Patch if value.is_null() => None,
        Side::Patch => declared.map(|field| field.kind).filter(|kind| !kind.fits(value)),
        Side::Append => {
            let takes_items = match declared {
                Some(field) => field.kind == FieldType::Array,
                None => state.get(name).is_none_or(Value::is_array),
            };
            (!takes_items || !value.is_array()).then_some(FieldType::Array)
        }
    };
    if let Some(expected) = expected {
        return Err(wrong_type(name, expected, side));
    }
    match too_deep(value, 1, name) {
        None => Ok(()),
        Some(path) => {
            let message = format!("{path} stands deeper than {DEPTH_LIMIT} containers");
            Err(Refusal::refused("too_deep", message).field(path).allowed(DEPTH_LIMIT))
        }
    }
}

/// The refusal of a value, or of an append to a field, of another type.
pub(super) fn wrong_append(name: &str) -> Refusal {
    wrong_type(name, FieldType::Array, Side::Append)
}

fn wrong_type(name: &str, expected: FieldType, side: Side) -> Refusal {
    let message = match side {
        Side::Patch => format!("the field {name:?} takes a value of type {}", expected.word()),
        Side::Append => format!("{name:?} cannot be appended to: field and value must both be lists"),
    };
    Refusal::refused("wrong_type", message).field(name).allowed(vec![Value::from(expected.word())])
}

// The path of the first container that stands too deep.
fn too_deep(value: &Value, depth: usize, path: &str) -> Option<String> {
    let (is_too_deep, deeper) = (depth > DEPTH_LIMIT, depth + 1);
    match value {
        Value::Array(_) | Value::Object(_) if is_too_deep => Some(path.to_owned()),
        Value::Array(items) => {
            items.iter().enumerate().find_map(|(at, item)| too_deep(item, deeper, &format!("{path}[{at}]")))
        }
        Value::Object(members) => {
            members.iter().find_map(|(name, value)| too_deep(value, deeper, &format!("{path}.{name}")))
        }
        _ => None,
    }
}

fn count_members(members: &Object) -> usize {
    members.len() + members.values().map(count_keys).sum::<usize>()
}

fn count_keys(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.iter().map(count_keys).sum(),
        Value::Object(members) => count_members(members),
        _ => 0,
    }
}

fn check_texts(field: &str, value: &Value) -> Result<(), Refusal> {
    match value {
        Value::String(text) => check_text(field, text),
        Value::Array(items) => items.iter().try_for_each(|item| check_texts(field, item)),
        Value::Object(members) => members
            .iter()
            .try_for_each(|(name, value)| check_text(field, name).and_then(|()| check_texts(field, value))),
        _ => Ok(()),
    }
}

// Names the field, never the text.
fn check_text(field: &str, text: &str) -> Result<(), Refusal> {
    let field = redaction::masked(field);
    if redaction::holds_marker(text) {
        let message =
            format!("the field {field:?} holds a marker in place of a secret; what it stands for would be lost");
        return Err(Refusal::refused("redaction_marker", message)
            .field(field)
            .hint("leave the field out, or write it without the marker"));
    }
    if let Some(kind) = redaction::refused_secret(text) {
        let message = format!("the field {field:?} holds what looks like a secret ({kind})");
        return Err(Refusal::refused("secret_detected", message)
            .field(field)
            .with("kind", kind)
            .hint("write where the secret is kept, not the secret"));
    }
    Ok(())
}
