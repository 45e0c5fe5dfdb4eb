//! Values as JSON text, and JSON text as values.

use std::fmt::Write as _;

use crate::halt::{Caught, Halt};
use crate::number::Number;
use crate::run::Run;
use crate::value::Value;

/// One line, without spaces; the work and the memory of writing it are counted.
pub(crate) fn compact(run: &Run<'_>, value: &Value) -> Caught<String> {
    run.allocate(0, usize::try_from(value.weight() / 2).unwrap_or(usize::MAX))?;
    Ok(beginning(value, usize::MAX))
}

/// At least the first `most` bytes of what [`compact`] would write, and not much more.
pub(crate) fn beginning(value: &Value, most: usize) -> String {
    let mut out = String::new();
    write_value(value, most, &mut out);
    out
}

// Stops where there is more than enough.
fn write_value(value: &Value, most: usize, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(truth) => out.push_str(if *truth { "true" } else { "false" }),
        Value::Number(number) => out.push_str(&number.to_text()),
        Value::Text(text) => write_text(text, most, out),
        Value::Array(array) => {
            out.push('[');
            for (place, item) in array.items().iter().enumerate() {
                if out.len() > most {
                    return;
                }
                if place > 0 {
                    out.push(',');
                }
                write_value(item, most, out);
            }
            out.push(']');
        }
        Value::Object(map) => {
            out.push('{');
            for (place, (key, value)) in map.iter().enumerate() {
                if out.len() > most {
                    return;
                }
                if place > 0 {
                    out.push(',');
                }
                write_text(key, most, out);
                out.push(':');
                write_value(value, most, out);
            }
            out.push('}');
        }
    }
}

fn write_text(text: &str, most: usize, out: &mut String) {
    out.push('"');
    for char in text.chars() {
        if out.len() > most {
            return;
        }
        match char {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            control if control < ' ' || control == '\u{7f}' => {
                // Writing to a String cannot fail.
                let _ = write!(out, "\\u{:04x}", u32::from(control));
            }
            other => out.push(other),
        }
    }
    out.push('"');
}

/// The text of a text, the JSON of everything else.
pub(crate) fn plain(run: &Run<'_>, value: &Value) -> Caught<String> {
    match value {
        Value::Text(text) => {
            run.allocate(0, text.len())?;
            Ok(text.as_str().to_owned())
        }
        other => compact(run, other),
    }
}

/// Reads one JSON document; `nan` is one too.
pub(crate) fn parse(text: &str) -> Caught<Value> {
    let trimmed = text.trim();
    if trimmed == "nan" || trimmed == "NaN" {
        return Ok(Value::number(f64::NAN));
    }
    match serde_json::from_str::<model::Value>(trimmed) {
        Ok(value) => Value::from_json(&value),
        Err(error) => Err(Halt::error(format!("{error} (while parsing '{}')", cut(trimmed)))),
    }
}

fn cut(text: &str) -> &str {
    let end = (0..=text.len().min(60)).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
    &text[..end]
}

/// Reads a number as `tonumber` does: JSON's form, blanks around it, a sign or a bare point too.
pub(crate) fn parse_number(text: &str) -> Option<Value> {
    let trimmed = text.trim();
    if trimmed.parse::<serde_json::Number>().is_ok() {
        return Some(Value::Number(Number::written(trimmed)));
    }
    let numeric = !trimmed.is_empty() && trimmed.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    let value = if trimmed == "nan" { f64::NAN } else { trimmed.parse().ok().filter(|_| numeric)? };
    Some(Value::number(value))
}
