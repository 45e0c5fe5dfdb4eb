//! The built-in functions of objects, and of whatever has parts.

use std::rc::Rc;

use crate::halt::{Caught, Halt};
use crate::message::shown;
use crate::run::Run;
use crate::value::{Map, Value};

pub(crate) fn length(run: &Run<'_>, input: Value, _: &[Value]) -> Caught<Value> {
    Ok(match &input {
        Value::Null => Value::count(0),
        Value::Number(number) => Value::number(number.value().abs()),
        Value::Text(text) => {
            run.spend(text.len() / 64)?;
            Value::count(text.chars().count())
        }
        Value::Array(array) => Value::count(array.items().len()),
        Value::Object(map) => Value::count(map.len()),
        Value::Bool(_) => return Err(Halt::error(format!("{} has no length", shown(&input)))),
    })
}

fn keys_of(run: &Run<'_>, input: &Value, list: fn(&Map) -> Vec<Rc<str>>) -> Caught<Value> {
    match input {
        Value::Object(map) => {
            run.allocate(map.len(), 0)?;
            Value::array(list(map).into_iter().map(|key| Value::text(key.as_ref())).collect())
        }
        Value::Array(array) => {
            run.allocate(array.items().len(), 0)?;
            Value::array((0..array.items().len()).map(Value::count).collect())
        }
        other => Err(Halt::error(format!("{} has no keys", shown(other)))),
    }
}

pub(crate) fn keys(run: &Run<'_>, input: Value, _: &[Value]) -> Caught<Value> {
    keys_of(run, &input, Map::sorted_keys)
}

pub(crate) fn keys_unsorted(run: &Run<'_>, input: Value, _: &[Value]) -> Caught<Value> {
    keys_of(run, &input, |map| map.iter().map(|(key, _)| Rc::clone(key)).collect())
}

pub(crate) fn to_entries(run: &Run<'_>, input: Value, _: &[Value]) -> Caught<Value> {
    let entry = |key: Value, value: &Value| Value::object([(Rc::from("key"), key), (Rc::from("value"), value.clone())]);
    let entries = match &input {
        Value::Object(map) => {
            run.allocate(map.len() * 3, 0)?;
            map.iter().map(|(key, value)| entry(Value::text(key.as_ref()), value)).collect::<Caught<_>>()?
        }
        Value::Array(array) => {
            run.allocate(array.items().len() * 3, 0)?;
            let items = array.items().iter().enumerate();
            items.map(|(place, item)| entry(Value::count(place), item)).collect::<Caught<_>>()?
        }
        other => return Err(Halt::error(format!("{} has no keys", shown(other)))),
    };
    Value::array(entries)
}

/// Entries name their keys `key`, `k`, `name`, `Name`, `Key` or `K`, their values `value`, `v`, `Value` or `V`.
pub(crate) fn from_entries(run: &Run<'_>, input: Value, _: &[Value]) -> Caught<Value> {
    let parts: Vec<Value> = match &input {
        Value::Array(array) => array.items().to_vec(),
        Value::Object(map) => map.iter().map(|(_, value)| value.clone()).collect(),
        other => return Err(Halt::error(format!("Cannot iterate over {}", shown(other)))),
    };
    run.allocate(parts.len() * 2, 0)?;
    let mut made = Map::default();
    for part in &parts {
        let entry = match part {
            Value::Object(entry) => Some(entry),
            Value::Null => None,
            other => return Err(Halt::error(format!("Cannot index {} with \"key\"", other.kind()))),
        };
        let named = |names: &[&str], counts: fn(&Value) -> bool| {
            let entry = entry?;
            names.iter().filter_map(|name| entry.get(name)).find(|value| counts(value)).cloned()
        };
        let key = named(&["key", "k", "name", "Name", "Key", "K"], Value::is_true);
        // `false` is a key too, but null is none.
        let key = key.or_else(|| named(&["key", "k", "name", "Name", "Key", "K"], |key| !key.is_null()));
        let key = match key.unwrap_or(Value::Null) {
            Value::Text(text) => text.as_str().to_owned(),
            key @ (Value::Bool(_) | Value::Number(_)) => crate::text::compact(run, &key)?,
            Value::Null => "null".to_owned(),
            other => return Err(Halt::error(format!("Cannot use {} as object key", shown(&other)))),
        };
        // A value that is null is one all the same.
        let value = named(&["value", "v", "Value", "V"], |_| true).unwrap_or(Value::Null);
        made.set(&Rc::from(key), value)?;
    }
    Ok(Value::Object(Rc::new(made)))
}

pub(crate) fn has(_: &Run<'_>, input: Value, arguments: &[Value]) -> Caught<Value> {
    match (&input, &arguments[0]) {
        (Value::Object(map), Value::Text(key)) => Ok(Value::Bool(map.get(key).is_some())),
        #[allow(clippy::cast_precision_loss, reason = "no array is that long")]
        (Value::Array(array), Value::Number(place)) => {
            let place = place.value();
            Ok(Value::Bool(place >= 0.0 && place < array.items().len() as f64))
        }
        (input, key) => Err(Halt::error(format!("Cannot check whether {} has a {} key", input.kind(), key.kind()))),
    }
}

pub(crate) fn contains(run: &Run<'_>, input: Value, arguments: &[Value]) -> Caught<Value> {
    let part = &arguments[0];
    if input.kind() != part.kind() {
        let message = format!("{} and {} cannot have their containment checked", shown(&input), shown(part));
        return Err(Halt::error(message));
    }
    holds(run, &input, part).map(Value::Bool)
}

fn holds(run: &Run<'_>, whole: &Value, part: &Value) -> Caught<bool> {
    run.spend(1)?;
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => {
            for (key, part) in part.iter() {
                match whole.get(key) {
                    Some(value) if holds(run, value, part)? => {}
                    _ => return Ok(false),
                }
            }
            Ok(true)
        }
        (Value::Array(whole), Value::Array(part)) => {
            for part in part.items() {
                let mut found = false;
                for item in whole.items() {
                    // Items of another kind are simply not it.
                    if item.kind() == part.kind() && holds(run, item, part)? {
                        found = true;
                        break;
                    }
                }
                if !found {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        (Value::Text(whole), Value::Text(part)) => {
            run.spend(whole.len() / 16)?;
            Ok(whole.contains(part.as_str()))
        }
        (whole, part) => run.equal(whole, part),
    }
}

pub(crate) fn setpath(run: &Run<'_>, input: Value, arguments: &[Value]) -> Caught<Value> {
    let path = arguments[0].as_items().ok_or_else(|| Halt::error("Path must be specified as an array"))?;
    run.put(input, path, arguments[1].clone())
}

pub(crate) fn delpaths(run: &Run<'_>, input: Value, arguments: &[Value]) -> Caught<Value> {
    let paths = arguments[0].as_items().ok_or_else(|| Halt::error("Paths must be specified as an array"))?;
    run.delete(input, paths)
}
