//! The built-in functions of texts.

use crate::access;
use crate::halt::{Caught, Halt};
use crate::message::shown;
use crate::run::Run;
use crate::text;
use crate::value::Value;

fn made(run: &Run<'_>, text: String) -> Caught<Value> {
    run.allocate(1, text.len())?;
    Ok(Value::text(text))
}

fn text_of<'v>(value: &'v Value, message: &str) -> Caught<&'v str> {
    value.as_text().ok_or_else(|| Halt::error(message))
}

pub(crate) fn utf8bytelength(_: &Run<'_>, input: Value, _: &[Value]) -> Caught<Value> {
    match input.as_text() {
        Some(text) => Ok(Value::count(text.len())),
        None => Err(Halt::error(format!("{} only strings have UTF-8 byte length", shown(&input)))),
    }
}

pub(crate) fn tostring(run: &Run<'_>, input: Value, _: &[Value]) -> Caught<Value> {
    if input.as_text().is_some() { Ok(input) } else { Ok(Value::text(text::compact(run, &input)?)) }
}

pub(crate) fn tojson(run: &Run<'_>, input: Value, _: &[Value]) -> Caught<Value> {
    Ok(Value::text(text::compact(run, &input)?))
}

pub(crate) fn fromjson(run: &Run<'_>, input: Value, _: &[Value]) -> Caught<Value> {
    match input.as_text() {
        Some(text) => {
            run.allocate(text.len() / 2 + 1, text.len())?;
            text::parse(text)
        }
        None => Err(Halt::error(format!("{} only strings can be parsed", shown(&input)))),
    }
}

pub(crate) fn tonumber(_: &Run<'_>, input: Value, _: &[Value]) -> Caught<Value> {
    match &input {
        Value::Number(_) => Ok(input),
        Value::Text(text) => text::parse_number(text)
            .ok_or_else(|| Halt::error(format!("{} cannot be parsed as a number", shown(&input)))),
        other => Err(Halt::error(format!("{} cannot be parsed as a number", shown(other)))),
    }
}

pub(crate) fn explode(run: &Run<'_>, input: Value, _: &[Value]) -> Caught<Value> {
    let text = input.as_text().ok_or_else(|| Halt::error(format!("{} cannot be exploded", shown(&input))))?;
    run.allocate(text.len(), 0)?;
    Value::array(text.chars().map(|letter| Value::number(f64::from(u32::from(letter)))).collect())
}

pub(crate) fn implode(run: &Run<'_>, input: Value, _: &[Value]) -> Caught<Value> {
    let Some(items) = input.as_items() else {
        return Err(Halt::error(format!("{} cannot be imploded", shown(&input))));
    };
    let letter = |item: &Value| {
        let code = item.as_number().ok_or_else(|| {
            Halt::error(format!("{} can't be imploded, unicode codepoint needs to be numeric", shown(&input)))
        })?;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates, then is replaced")]
        let code = code as u32;
        Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
    };
    made(run, items.iter().map(letter).collect::<Caught<String>>()?)
}

pub(crate) fn ascii_downcase(run: &Run<'_>, input: Value, _: &[Value]) -> Caught<Value> {
    made(run, text_of(&input, "ascii_downcase input must be a string")?.to_ascii_lowercase())
}

pub(crate) fn ascii_upcase(run: &Run<'_>, input: Value, _: &[Value]) -> Caught<Value> {
    made(run, text_of(&input, "ascii_upcase input must be a string")?.to_ascii_uppercase())
}

fn trimmed(run: &Run<'_>, input: &Value, trim: fn(&str) -> &str) -> Caught<Value> {
    match input.as_text() {
        Some(text) => made(run, trim(text).to_owned()),
        None => Err(Halt::error(format!("{} cannot be trimmed", shown(input)))),
    }
}

pub(crate) fn trim(run: &Run<'_>, input: Value, _: &[Value]) -> Caught<Value> {
    trimmed(run, &input, str::trim)
}

pub(crate) fn ltrim(run: &Run<'_>, input: Value, _: &[Value]) -> Caught<Value> {
    trimmed(run, &input, str::trim_start)
}

pub(crate) fn rtrim(run: &Run<'_>, input: Value, _: &[Value]) -> Caught<Value> {
    trimmed(run, &input, str::trim_end)
}

pub(crate) fn join(run: &Run<'_>, input: Value, arguments: &[Value]) -> Caught<Value> {
    let Some(items) = input.as_items() else {
        return Err(Halt::error(format!("Cannot iterate over {}", shown(&input))));
    };
    // It is only ever added: what stands between a single item and its neighbours does not matter.
    let between = match (&arguments[0], items) {
        (Value::Text(between), _) => between.as_str(),
        (Value::Null, _) | (_, [] | [_]) => "",
        (other, _) => return Err(Halt::error(format!("{} and {} cannot be added", shown(&items[0]), shown(other)))),
    };
    let mut joined = String::new();
    for (place, item) in items.iter().enumerate() {
        if place > 0 {
            joined.push_str(between);
        }
        match item {
            Value::Null => {}
            Value::Text(text) => joined.push_str(text),
            Value::Bool(_) | Value::Number(_) => joined.push_str(&text::compact(run, item)?),
            other => {
                let sum = Value::text(joined);
                return Err(Halt::error(format!("{} and {} cannot be added", shown(&sum), shown(other))));
            }
        }
        run.allocate(0, between.len() + item.as_text().map_or(8, str::len))?;
    }
    made(run, joined)
}

/// A text cut at each occurrence of another; between all letters for the empty one.
pub(crate) fn parts(text: &str, between: &str) -> Vec<Value> {
    if text.is_empty() {
        Vec::new()
    } else if between.is_empty() {
        text.chars().map(|letter| Value::text(letter.to_string())).collect()
    } else {
        text.split(between).map(Value::text).collect()
    }
}

pub(crate) fn split(run: &Run<'_>, input: Value, arguments: &[Value]) -> Caught<Value> {
    match (input.as_text(), arguments[0].as_text()) {
        (Some(text), Some(between)) => {
            run.allocate(text.len() / between.len().max(1) + 1, text.len())?;
            Value::array(parts(text, between))
        }
        _ => Err(Halt::error("split input and separator must be strings")),
    }
}

pub(crate) fn startswith(_: &Run<'_>, input: Value, arguments: &[Value]) -> Caught<Value> {
    match (input.as_text(), arguments[0].as_text()) {
        (Some(text), Some(start)) => Ok(Value::Bool(text.starts_with(start))),
        _ => Err(Halt::error("startswith() requires string inputs")),
    }
}

pub(crate) fn endswith(_: &Run<'_>, input: Value, arguments: &[Value]) -> Caught<Value> {
    match (input.as_text(), arguments[0].as_text()) {
        (Some(text), Some(end)) => Ok(Value::Bool(text.ends_with(end))),
        _ => Err(Halt::error("endswith() requires string inputs")),
    }
}

pub(crate) fn ltrimstr(run: &Run<'_>, input: Value, arguments: &[Value]) -> Caught<Value> {
    match (input.as_text(), arguments[0].as_text()) {
        (Some(text), Some(start)) if text.starts_with(start) => made(run, text[start.len()..].to_owned()),
        _ => Ok(input),
    }
}

pub(crate) fn rtrimstr(run: &Run<'_>, input: Value, arguments: &[Value]) -> Caught<Value> {
    match (input.as_text(), arguments[0].as_text()) {
        (Some(text), Some(end)) if text.ends_with(end) => made(run, text[..text.len() - end.len()].to_owned()),
        _ => Ok(input),
    }
}

// Places of a text in a text are counted in letters.
fn places(run: &Run<'_>, input: &Value, wanted: &Value) -> Caught<Option<Vec<usize>>> {
    Ok(Some(match (input, wanted) {
        (Value::Null, _) => return Ok(None),
        (Value::Text(text), Value::Text(wanted)) => {
            run.spend(text.len())?;
            let mut places = Vec::new();
            for (place, (at, _)) in text.char_indices().enumerate() {
                if !wanted.is_empty() && text[at..].starts_with(wanted.as_str()) {
                    // As much may have to be looked at as it is long, at every place anew.
                    run.spend(wanted.len() / 64)?;
                    places.push(place);
                }
            }
            places
        }
        (Value::Array(items), Value::Array(wanted)) => access::places_of(run, items.items(), wanted.items())?,
        (Value::Array(items), wanted) => access::places_of(run, items.items(), std::slice::from_ref(wanted))?,
        (input, wanted) => {
            return Err(Halt::error(format!("Cannot index {} with {}", input.kind(), wanted.kind())));
        }
    }))
}

pub(crate) fn indices(run: &Run<'_>, input: Value, arguments: &[Value]) -> Caught<Value> {
    match places(run, &input, &arguments[0])? {
        Some(places) => Value::array(places.into_iter().map(Value::count).collect()),
        None => Ok(Value::Null),
    }
}

pub(crate) fn index(run: &Run<'_>, input: Value, arguments: &[Value]) -> Caught<Value> {
    let places = places(run, &input, &arguments[0])?.unwrap_or_default();
    Ok(places.first().map_or(Value::Null, |place| Value::count(*place)))
}

pub(crate) fn rindex(run: &Run<'_>, input: Value, arguments: &[Value]) -> Caught<Value> {
    let places = places(run, &input, &arguments[0])?.unwrap_or_default();
    Ok(places.last().map_or(Value::Null, |place| Value::count(*place)))
}
