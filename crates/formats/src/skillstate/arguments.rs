//! What calls may say: names and types of arguments, checked before anything else.

use format::{Param, ParamKind, Tool};
use model::{Object, Refusal, RefusalClass, Value};
use serde_json::Number;

use super::surface::SURFACE;

/// The longest name of a reader. **Units**: bytes.
const READER_LIMIT: usize = 256;

/// Checks names and types. **Errors**: `missing_argument`, `invalid_argument`, both with their field.
pub(super) fn check(tool: &Tool, arguments: &Object) -> Result<(), Refusal> {
    tool.check_names(arguments, SURFACE.missing_argument)?;
    for param in tool.params {
        if let Some(value) = arguments.get(param.name) {
            check_one(param, value)?;
        }
    }
    Ok(())
}

fn check_one(param: &Param, value: &Value) -> Result<(), Refusal> {
    let wrong = |what: &str| Err(Refusal::invalid(param.name, format!("{} is {what}", param.name)));
    if let Some(number) = out_of_range(value) {
        return wrong(&format!("unusable: the number {number} is out of range"));
    }
    match (param.kind, value) {
        (ParamKind::Text, Value::String(text)) if param.name == "reader" => check_reader(text),
        (ParamKind::Text, Value::String(_))
        | (ParamKind::Boolean, Value::Bool(_))
        | (ParamKind::Object, Value::Object(_))
        | (ParamKind::Any, _) => Ok(()),
        (ParamKind::Text, _) => wrong("a text"),
        (ParamKind::Boolean, _) => wrong("true or false"),
        (ParamKind::Object, _) => wrong("an object"),
        (ParamKind::Integer { min, max }, value)
            if value.as_i64().is_some_and(|number| (min..=max).contains(&number)) =>
        {
            Ok(())
        }
        (ParamKind::Integer { min, max }, _) => wrong(&format!("a whole number from {min} to {max}")),
        (ParamKind::Word(words), value) if value.as_str().is_some_and(|word| words.contains(&word)) => Ok(()),
        (ParamKind::Word(words), _) => {
            let allowed: Vec<Value> = words.iter().map(|word| (*word).into()).collect();
            let message = format!("{} is one of {}", param.name, words.join(", "));
            Err(Refusal::invalid(param.name, message).allowed(allowed))
        }
        (ParamKind::TextOrInteger | ParamKind::TextList, _) => unreachable!("no tool of this format takes those"),
    }
}

fn check_reader(text: &str) -> Result<(), Refusal> {
    if (1..=READER_LIMIT).contains(&text.len()) && !text.contains(char::is_control) {
        return Ok(());
    }
    let message = format!("reader is a text of 1 to {READER_LIMIT} bytes without control characters");
    Err(Refusal::invalid("reader", message))
}

/// The first number in a value that no double can hold.
pub(super) fn out_of_range(value: &Value) -> Option<&Number> {
    match value {
        Value::Number(number) => number.as_f64().is_none_or(|float| !float.is_finite()).then_some(number),
        Value::Array(items) => items.iter().find_map(out_of_range),
        Value::Object(members) => members.values().find_map(out_of_range),
        _ => None,
    }
}

/// The refusal of a tool that no one has.
pub(super) fn unknown_tool(name: &str) -> Refusal {
    Refusal::new(RefusalClass::Usage, "unknown_tool", format!("there is no tool named {name:?}"))
}

/// A text argument that was checked.
pub(super) fn text<'a>(arguments: &'a Object, name: &str) -> Option<&'a str> {
    arguments.get(name).and_then(Value::as_str)
}

/// A switch that was checked.
pub(super) fn is_set(arguments: &Object, name: &str) -> bool {
    arguments.get(name).and_then(Value::as_bool) == Some(true)
}

/// Refuses a write against another version than `if_seq` names. **Errors**: `conflict`.
pub(super) fn check_seq(arguments: &Object, seq: u64) -> Result<(), Refusal> {
    match arguments.get("if_seq").and_then(Value::as_u64) {
        Some(expected) if expected != seq => {
            let message = format!("the state has seq {seq}, not {expected}");
            Err(Refusal::refused("conflict", message)
                .field("if_seq")
                .with("seq", seq)
                .hint("read the state again and repeat the change"))
        }
        _ => Ok(()),
    }
}
