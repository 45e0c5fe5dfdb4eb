//! What calls may say, checked before anything is decided.

use model::{Object, Refusal, RefusalClass, Value};

/// The refusal of a tool that no one has.
pub(super) fn unknown_tool(name: &str) -> Refusal {
    Refusal::new(RefusalClass::Usage, "unknown_tool", format!("there is no tool named {name:?}"))
}

/// `missing_argument`.
pub(super) fn missing(field: &str, message: impl Into<String>) -> Refusal {
    Refusal::new(RefusalClass::Usage, "missing_argument", message).field(field)
}

/// `too_large`, with the bound.
pub(super) fn too_large(field: &str, message: impl Into<String>, allowed: usize) -> Refusal {
    Refusal::refused("too_large", message).field(field).allowed(allowed)
}

/// A text, if it is given; null counts as not given.
pub(super) fn text<'a>(arguments: &'a Object, field: &str) -> Result<Option<&'a str>, Refusal> {
    match arguments.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(Refusal::invalid(field, format!("{field} is a text"))),
    }
}

/// A text that must be given.
pub(super) fn needed<'a>(arguments: &'a Object, field: &str) -> Result<&'a str, Refusal> {
    text(arguments, field)?.ok_or_else(|| missing(field, format!("{field} is needed")))
}

/// A switch; false if it is not given.
pub(super) fn flag(arguments: &Object, field: &str) -> Result<bool, Refusal> {
    match arguments.get(field) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(truth)) => Ok(*truth),
        Some(_) => Err(Refusal::invalid(field, format!("{field} is true or false"))),
    }
}

/// A list of texts; empty if it is not given.
pub(super) fn texts<'a>(arguments: &'a Object, field: &str) -> Result<Vec<&'a str>, Refusal> {
    let refusal = || Refusal::invalid(field, format!("{field} is a list of texts"));
    match arguments.get(field) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(items)) => items.iter().map(|item| item.as_str().ok_or_else(refusal)).collect(),
        Some(_) => Err(refusal()),
    }
}

/// A text on one line: runs of blanks and control characters become one blank.
pub(super) fn folded(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}
