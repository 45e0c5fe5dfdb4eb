//! Reading and writing at a key and at a path.

use std::ops::Range;
use std::rc::Rc;

use crate::halt::{Caught, Halt};
use crate::message::shown;
use crate::run::Run;
use crate::value::{Array, Map, Value};

pub(crate) use crate::deletion::delete_paths;

/// The largest place that a write may make in an array.
const MOST_ITEMS: f64 = 1_000_000.0;

/// How many letters are passed in a step.
const LETTERS: usize = 32;

/// The value at a key; null where there is none.
pub(crate) fn get(run: &Run<'_>, target: &Value, key: &Value) -> Caught<Value> {
    Ok(match (target, key) {
        (Value::Object(map), Value::Text(key)) => map.get(key).cloned().unwrap_or(Value::Null),
        (Value::Array(array), Value::Number(place)) => {
            let place = place_in(array.items().len(), place.value());
            place.and_then(|place| array.items().get(place)).cloned().unwrap_or(Value::Null)
        }
        (Value::Array(array), Value::Object(bounds)) => {
            let range = range_of(bounds, array.items().len())?;
            run.allocate(range.len(), 0)?;
            Value::array(array.items()[range].to_vec())?
        }
        (Value::Text(text), Value::Object(bounds)) => {
            run.spend(text.len() / LETTERS)?;
            let range = range_of(bounds, text.chars().count())?;
            let part: String = text.chars().skip(range.start).take(range.len()).collect();
            run.allocate(0, part.len())?;
            Value::text(part)
        }
        (Value::Array(array), Value::Array(wanted)) => {
            let places = places_of(run, array.items(), wanted.items())?;
            Value::array(places.into_iter().map(Value::count).collect())?
        }
        (Value::Null, Value::Text(_) | Value::Number(_) | Value::Object(_)) => Value::Null,
        _ => return Err(cannot_index(target, key)),
    })
}

/// Where a list stands within another.
pub(crate) fn places_of(run: &Run<'_>, items: &[Value], wanted: &[Value]) -> Caught<Vec<usize>> {
    let mut places = Vec::new();
    if wanted.is_empty() {
        return Ok(places);
    }
    for (place, window) in items.windows(wanted.len()).enumerate() {
        let mut fits = true;
        for (item, wanted) in window.iter().zip(wanted) {
            fits = run.equal(item, wanted)?;
            if !fits {
                break;
            }
        }
        places.extend(fits.then_some(place));
    }
    Ok(places)
}

fn cannot_index(target: &Value, key: &Value) -> Halt {
    match key {
        Value::Text(key) => Halt::error(format!("Cannot index {} with \"{}\"", target.kind(), key.as_str())),
        _ => Halt::error(format!("Cannot index {} with {}", target.kind(), key.kind())),
    }
}

/// The place that an index means; `None` before the start, or for what is no number.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "saturates")]
pub(crate) fn place_in(length: usize, index: f64) -> Option<usize> {
    let index = index.trunc();
    let place = if index < 0.0 { length as f64 + index } else { index };
    (place >= 0.0).then_some(place as usize)
}

/// The part of a list of that length that `{"start", "end"}` means.
pub(crate) fn range_of(bounds: &Map, length: usize) -> Caught<Range<usize>> {
    let bound = |name: &str| match bounds.get(name) {
        Some(Value::Null) => Ok(None),
        Some(Value::Number(number)) => Ok(Some(number.value())),
        _ => Err(Halt::error("Start and end indices of an array slice must be numbers")),
    };
    #[allow(clippy::cast_precision_loss, reason = "no list is that long")]
    let limit = length as f64;
    let clamp = |bound: f64| (if bound < 0.0 { bound + limit } else { bound }).clamp(0.0, limit);
    let start = clamp(bound("start")?.unwrap_or(0.0)).floor();
    let end = clamp(bound("end")?.unwrap_or(limit)).ceil();
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the length")]
    let (start, end) = (start as usize, end as usize);
    Ok(start..end.max(start))
}

/// The slice key of two bounds.
pub(crate) fn slice_key(start: Value, end: Value) -> Caught<Value> {
    Value::object([(Rc::from("start"), start), (Rc::from("end"), end)])
}

/// The value at a path; null where something on the way is absent.
pub(crate) fn get_path(run: &Run<'_>, root: &Value, path: &[Value]) -> Caught<Value> {
    let mut value = root.clone();
    for key in path {
        if value.is_null() {
            return Ok(Value::Null);
        }
        value = get(run, &value, key)?;
    }
    Ok(value)
}

/// The root with a value put at a path; what is absent on the way is made.
pub(crate) fn set_path(run: &Run<'_>, root: Value, path: &[Value], value: Value) -> Caught<Value> {
    let mut value = Some(value);
    change_path(run, root, path, &mut |_| Ok(value.take().unwrap_or(Value::Null)))
}

/// The root with another value at a path; what is absent on the way is made.
pub(crate) fn change_path(
    run: &Run<'_>,
    root: Value,
    path: &[Value],
    change: &mut dyn FnMut(Value) -> Caught<Value>,
) -> Caught<Value> {
    let Some((key, rest)) = path.split_first() else { return change(root) };
    let (child, root) = take(run, root, key)?;
    let child = change_path(run, child, rest, change)?;
    set(run, root, key, child)
}

/// An array that is held by nobody else, copied where somebody does.
pub(crate) fn own_array<'a>(run: &Run<'_>, array: &'a mut Rc<Array>) -> Caught<&'a mut Array> {
    if Rc::strong_count(array) > 1 {
        run.allocate(array.items().len(), 0)?;
    }
    Ok(Rc::make_mut(array))
}

/// An object that is held by nobody else, copied where somebody does.
pub(crate) fn own_object<'a>(run: &Run<'_>, map: &'a mut Rc<Map>) -> Caught<&'a mut Map> {
    if Rc::strong_count(map) > 1 {
        run.allocate(2 * map.len(), 0)?;
    }
    Ok(Rc::make_mut(map))
}

/// The child at a key, and the rest, which does not share the child any more.
pub(crate) fn take(run: &Run<'_>, mut root: Value, key: &Value) -> Caught<(Value, Value)> {
    let child = match (&mut root, key) {
        (Value::Object(map), Value::Text(key)) if map.get(key).is_some() => own_object(run, map)?.take(key),
        (Value::Array(array), Value::Number(number)) => match place_in(array.items().len(), number.value()) {
            Some(place) if place < array.items().len() => own_array(run, array)?.take(place),
            _ => Value::Null,
        },
        (root, key) => get(run, root, key)?,
    };
    Ok((child, root))
}

/// The value with another one at a key.
pub(crate) fn set(run: &Run<'_>, root: Value, key: &Value, value: Value) -> Caught<Value> {
    match (root, key) {
        (Value::Object(mut map), Value::Text(key)) => {
            own_object(run, &mut map)?.set(&Rc::from(key.as_str()), value)?;
            Ok(Value::Object(map))
        }
        (Value::Null, Value::Text(key)) => Value::object([(Rc::from(key.as_str()), value)]),
        (Value::Array(array), Value::Number(number)) => set_item(run, array, number.value(), value),
        (Value::Null, Value::Number(number)) => set_item(run, Rc::default(), number.value(), value),
        (Value::Array(array), Value::Object(bounds)) => set_slice(run, array, bounds, &value),
        (Value::Null, Value::Object(bounds)) => set_slice(run, Rc::default(), bounds, &value),
        (Value::Text(_), Value::Object(_)) => Err(Halt::error("Cannot update string slices")),
        (root, key) => Err(cannot_index(&root, key)),
    }
}

fn set_item(run: &Run<'_>, mut array: Rc<Array>, index: f64, value: Value) -> Caught<Value> {
    let length = array.items().len();
    let place = place_in(length, index).ok_or_else(|| Halt::error("Out of bounds negative array index"))?;
    if index > MOST_ITEMS {
        return Err(Halt::error("Array index too large"));
    }
    // A write far past the end fills what lies between.
    run.allocate(1, place.saturating_sub(length).saturating_mul(size_of::<Value>()))?;
    own_array(run, &mut array)?.set(place, value)?;
    Ok(Value::Array(array))
}

fn set_slice(run: &Run<'_>, mut array: Rc<Array>, bounds: &Map, value: &Value) -> Caught<Value> {
    let Value::Array(values) = value else {
        return Err(Halt::error("A slice of an array can only be assigned another array"));
    };
    let range = range_of(bounds, array.items().len())?;
    run.allocate(values.items().len(), 0)?;
    run.spend((array.items().len() - range.end) / LETTERS)?;
    own_array(run, &mut array)?.splice(range, values)?;
    Ok(Value::Array(array))
}

/// The error of deleting at a key where there can be none.
pub(crate) fn cannot_delete(root: &Value, key: &Value) -> Halt {
    Halt::error(format!("Cannot delete field at {} index of {}", key.kind(), shown(root)))
}
