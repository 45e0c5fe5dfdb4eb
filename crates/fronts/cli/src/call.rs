//! `mainstay call TOOL [JSON|-]`: the same names, arguments and results as MCP `tools/call`.

use model::{Call, Object, Origin, Refusal, Value, json};

use crate::errors::OK;
use crate::input;
use crate::project::Project;
use crate::terminal::{Mode, Terminal};

/// Calls a tool and prints its reply as JSON: one line, or indented where a person looks on.
pub(crate) fn run(
    terminal: &mut Terminal,
    project: Project,
    tool: &str,
    arguments: Option<&str>,
) -> Result<u8, Refusal> {
    speak_json(terminal);
    let arguments = match arguments {
        None => Object::new(),
        Some("-") => object(&input::text("arguments")?)?,
        Some(text) => object(text)?,
    };
    let identity = project.identity(Origin::Tool);
    let engine = project.open_for_one_answer()?;
    let reply = engine.call(&Call::new(tool, arguments), &identity)?;
    terminal.warn_of(&reply);
    terminal.print_object(&reply.into_object());
    Ok(OK)
}

/// Answers as well as errors of `call` are JSON.
fn speak_json(terminal: &mut Terminal) {
    if terminal.mode == Mode::Text {
        terminal.mode = if terminal.is_watched() { Mode::IndentedJson } else { Mode::Json };
    }
}

/// Reads arguments: one JSON object, at most 128 levels deep, every number within a double's range.
fn object(text: &str) -> Result<Object, Refusal> {
    if text.len() > input::LIMIT {
        return Err(input::too_large("arguments"));
    }
    let value = json::read(text.as_bytes()).map_err(|error| invalid(&error.to_string()))?;
    let Value::Object(object) = value else {
        return Err(invalid("this is not an object"));
    };
    if let Some(number) = object.values().find_map(beyond_range) {
        return Err(invalid(&format!("the number {number} is out of range")));
    }
    Ok(object)
}

/// The first number that no double can hold.
fn beyond_range(value: &Value) -> Option<&serde_json::Number> {
    match value {
        Value::Number(number) => number.as_f64().is_none_or(|float| !float.is_finite()).then_some(number),
        Value::Array(items) => items.iter().find_map(beyond_range),
        Value::Object(members) => members.values().find_map(beyond_range),
        _ => None,
    }
}

fn invalid(wrong: &str) -> Refusal {
    Refusal::invalid("arguments", format!("the arguments are no JSON object: {wrong}"))
        .hint("mainstay call TOOL '{\"name\":\"value\"}', or - to read them from standard input")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_one_object() {
        for text in ["{}", " {\"a\": [1, -0, 1e308, 12345678901234567890123]} ", "{\"a\":{\"b\":null}}"] {
            assert!(object(text).is_ok(), "{text}");
        }
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
        for text in
            ["", "[]", "1", "null", "{", "{}{}", "{\"a\":1e400}", "{\"a\":[{\"b\":-1e999}]}", "{\"a\":NaN}", &deep]
        {
            let refusal = object(text).unwrap_err();
            assert_eq!((refusal.code.as_ref(), refusal.field.as_deref()), ("invalid_argument", Some("arguments")));
            assert_eq!(refusal.class, model::RefusalClass::Usage);
        }
    }

    #[test]
    fn number_text_and_order_survive() {
        let text = "{\"b\":1.0,\"a\":12345678901234567890123,\"c\":0.10}";
        assert_eq!(serde_json::to_string(&object(text).unwrap()).unwrap(), text);
    }

    #[test]
    fn arguments_are_bounded() {
        let text = format!("{{\"a\":\"{}\"}}", "x".repeat(input::LIMIT));
        assert_eq!(object(&text).unwrap_err().code, "too_large");
    }
}
