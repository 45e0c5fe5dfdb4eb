//! What calls may say: keys, ids, names and texts, checked before anything is decided.

use format::Records;
use model::{Context, Object, Refusal, RefusalClass, Value};

use super::records::Kind;

/// The largest value, note or description. **Units**: bytes.
pub(super) const TEXT_LIMIT: usize = 65_536;

/// Whether a text is a key that calls may create.
pub(super) fn is_key(text: &str) -> bool {
    let first = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
    fits(text, 128, first, |byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte))
}

/// Whether a text is a task id that calls may create.
pub(super) fn is_task_id(text: &str) -> bool {
    fits(text, 64, |byte| byte.is_ascii_alphabetic(), is_name_byte)
}

/// Whether a text names an owner or an agent.
pub(super) fn is_name(text: &str) -> bool {
    fits(text, 64, is_name_byte, is_name_byte)
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_.-".contains(&byte)
}

fn fits(text: &str, longest: usize, first: fn(u8) -> bool, rest: fn(u8) -> bool) -> bool {
    let bytes = text.as_bytes();
    (1..=longest).contains(&bytes.len()) && first(bytes[0]) && bytes[1..].iter().all(|byte| rest(*byte))
}

/// The id that a text means: an existing one verbatim, else digits only become `T<digits>`.
pub(super) fn canonical_id(text: &str, records: &dyn Records) -> String {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if digits && records.get(&Kind::Task.key(text)).is_none() { format!("T{text}") } else { text.to_owned() }
}

/// The refusal of a tool that no one has.
pub(super) fn unknown_tool(name: &str) -> Refusal {
    Refusal::new(RefusalClass::Usage, "unknown_tool", format!("there is no tool named {name:?}"))
}

/// Who calls, where the tool writes.
pub(super) fn agent<'a>(arguments: &Object, ctx: &'a Context) -> Result<&'a str, Refusal> {
    let given = arguments.get("agent");
    if given.is_some_and(|agent| !agent.is_string()) {
        return Err(Refusal::invalid("agent", "agent is a text"));
    }
    let agent = ctx.actor.as_str();
    if given.is_some_and(|given| given.as_str() == Some("external")) || agent == "external" {
        return Err(Refusal::invalid("agent", "the agent name \"external\" is reserved for outside edits"));
    }
    let named = given.and_then(Value::as_str).unwrap_or(agent);
    if is_name(named) && is_name(agent) {
        return Ok(agent);
    }
    Err(Refusal::invalid("agent", format!("{named:?} names no agent")).allowed("[A-Za-z0-9_.-]{1,64}"))
}

/// The ids that an argument may mean: text, or a whole number.
pub(super) fn id_text(value: &Value, field: &str) -> Result<String, Refusal> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(number) if number.to_string().bytes().all(|byte| byte.is_ascii_digit()) => Ok(number.to_string()),
        _ => Err(Refusal::invalid(field, "a task id is a text or a whole number")),
    }
}

/// The id of a task that is to exist afterwards: an existing one, or one that fits the pattern.
pub(super) fn new_id(value: &Value, field: &str, records: &dyn Records) -> Result<String, Refusal> {
    let id = canonical_id(&id_text(value, field)?, records);
    if is_task_id(&id) || records.get(&Kind::Task.key(id.as_str())).is_some() {
        return Ok(id);
    }
    Err(Refusal::invalid(field, format!("{id:?} is no task id")).allowed("[A-Za-z][A-Za-z0-9._-]{0,63}"))
}

/// A text argument, if it is given.
pub(super) fn text<'a>(arguments: &'a Object, field: &str) -> Result<Option<&'a str>, Refusal> {
    match arguments.get(field) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(Refusal::invalid(field, format!("{field} is a text"))),
    }
}

/// A value or note: text, or a number or boolean as its JSON text.
pub(super) fn value(value: &Value, field: &str) -> Result<String, Refusal> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Bool(truth) => truth.to_string(),
        _ => return Err(Refusal::invalid(field, "a value is a text, a number or a boolean")),
    };
    if text.contains('\0') {
        return Err(Refusal::invalid(field, "a value holds no U+0000"));
    }
    not_too_long(text, field)
}

/// A description: trimmed, not empty, no control characters.
pub(super) fn description(text: &str) -> Result<String, Refusal> {
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return Err(Refusal::invalid("description", "a description is not empty"));
    }
    if trimmed.contains(char::is_control) {
        return Err(Refusal::invalid("description", "a description is one line without control characters"));
    }
    not_too_long(trimmed.to_owned(), "description")
}

fn not_too_long(text: String, field: &str) -> Result<String, Refusal> {
    if text.len() <= TEXT_LIMIT {
        return Ok(text);
    }
    let message = format!("{} bytes are too many; at most {TEXT_LIMIT} are stored", text.len());
    Err(Refusal::invalid(field, message).allowed(format!("at most {TEXT_LIMIT} bytes")))
}
