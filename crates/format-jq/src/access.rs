//! Reading, writing and deleting at a key and at a path.

use std::ops::Range;
use std::rc::Rc;

use crate::halt::{Caught, Halt};
use crate::message::shown;
use crate::value::{Array, Map, Value};

/// The largest place that a write may make in an array.
const MOST_ITEMS: f64 = 1_000_000.0;

/// The most places that one deletion may mean.
const MOST_PLACES: usize = 1_000_000;

/// The value at a key; null where there is none.
pub(crate) fn get(target: &Value, key: &Value) -> Caught<Value> {
    Ok(match (target, key) {
        (Value::Object(map), Value::Text(key)) => map.get(key).cloned().unwrap_or(Value::Null),
        (Value::Array(array), Value::Number(place)) => {
            let place = place_in(array.items().len(), place.value());
            place.and_then(|place| array.items().get(place)).cloned().unwrap_or(Value::Null)
        }
        (Value::Array(array), Value::Object(bounds)) => {
            let range = range_of(bounds, array.items().len())?;
            Value::array(array.items()[range].to_vec())?
        }
        (Value::Text(text), Value::Object(bounds)) => {
            let range = range_of(bounds, text.chars().count())?;
            Value::text(text.chars().skip(range.start).take(range.len()).collect::<String>())
        }
        (Value::Array(array), Value::Array(wanted)) => {
            Value::array(places_of(array.items(), wanted.items()).map(Value::count).collect())?
        }
        (Value::Null, Value::Text(_) | Value::Number(_) | Value::Object(_)) => Value::Null,
        _ => return Err(cannot_index(target, key)),
    })
}

/// Where a list stands within another.
pub(crate) fn places_of<'a>(items: &'a [Value], wanted: &'a [Value]) -> impl Iterator<Item = usize> + 'a {
    let length = wanted.len().max(1);
    let fits = move |window: &[Value]| window.iter().zip(wanted).all(|(item, wanted)| item.equals(wanted));
    let places = items.windows(length).enumerate();
    places.filter(move |(_, window)| !wanted.is_empty() && fits(window)).map(|(place, _)| place)
}

fn cannot_index(target: &Value, key: &Value) -> Halt {
    match key {
        Value::Text(key) => Halt::error(format!("Cannot index {} with \"{key}\"", target.kind())),
        _ => Halt::error(format!("Cannot index {} with {}", target.kind(), key.kind())),
    }
}

// The place that an index means; `None` before the start, or for what is no number.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "saturates")]
fn place_in(length: usize, index: f64) -> Option<usize> {
    let index = index.trunc();
    let place = if index < 0.0 { length as f64 + index } else { index };
    (place >= 0.0).then_some(place as usize)
}

/// The part of a list of that length that `{"start", "end"}` means.
pub(crate) fn range_of(bounds: &Map, length: usize) -> Caught<Range<usize>> {
    let bound = |name: &str| match bounds.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Number(number)) => Ok(Some(number.value())),
        Some(_) => Err(Halt::error("Start and end indices of an array slice must be numbers")),
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
pub(crate) fn get_path(root: &Value, path: &[Value]) -> Caught<Value> {
    let mut value = root.clone();
    for key in path {
        if value.is_null() {
            return Ok(Value::Null);
        }
        value = get(&value, key)?;
    }
    Ok(value)
}

/// The root with a value put at a path; what is absent on the way is made.
pub(crate) fn set_path(root: Value, path: &[Value], value: Value) -> Caught<Value> {
    let Some((key, rest)) = path.split_first() else { return Ok(value) };
    let (child, root) = take(root, key)?;
    let child = set_path(child, rest, value)?;
    set(root, key, child)
}

// The child at a key, and the rest, which does not share the child any more.
fn take(mut root: Value, key: &Value) -> Caught<(Value, Value)> {
    let child = match (&mut root, key) {
        (Value::Object(map), Value::Text(key)) if map.get(key).is_some() => Rc::make_mut(map).take(key),
        (Value::Array(array), Value::Number(number)) => match place_in(array.items().len(), number.value()) {
            Some(place) if place < array.items().len() => Rc::make_mut(array).take(place),
            _ => Value::Null,
        },
        (root, key) => get(root, key)?,
    };
    Ok((child, root))
}

fn set(root: Value, key: &Value, value: Value) -> Caught<Value> {
    match (root, key) {
        (Value::Object(mut map), Value::Text(key)) => {
            Rc::make_mut(&mut map).set(&Rc::from(key.as_str()), value)?;
            Ok(Value::Object(map))
        }
        (Value::Null, Value::Text(key)) => Value::object([(Rc::from(key.as_str()), value)]),
        (Value::Array(array), Value::Number(number)) => set_item(array, number.value(), value),
        (Value::Null, Value::Number(number)) => set_item(Rc::default(), number.value(), value),
        (Value::Array(array), Value::Object(bounds)) => set_slice(array, bounds, &value),
        (Value::Null, Value::Object(bounds)) => set_slice(Rc::default(), bounds, &value),
        (Value::Text(_), Value::Object(_)) => Err(Halt::error("Cannot update string slices")),
        (root, key) => Err(cannot_index(&root, key)),
    }
}

fn set_item(mut array: Rc<Array>, index: f64, value: Value) -> Caught<Value> {
    let place =
        place_in(array.items().len(), index).ok_or_else(|| Halt::error("Out of bounds negative array index"))?;
    if index > MOST_ITEMS {
        return Err(Halt::error("Array index too large"));
    }
    Rc::make_mut(&mut array).set(place, value)?;
    Ok(Value::Array(array))
}

fn set_slice(mut array: Rc<Array>, bounds: &Map, value: &Value) -> Caught<Value> {
    let Value::Array(values) = value else {
        return Err(Halt::error("A slice of an array can only be assigned another array"));
    };
    let range = range_of(bounds, array.items().len())?;
    Rc::make_mut(&mut array).splice(range, values)?;
    Ok(Value::Array(array))
}

/// The root without what stands at the paths; the rest keeps its order.
///
/// Every path means a place of the root as it is given, so that naming one twice, or once from the start
/// and once from the end, deletes one.
pub(crate) fn delete_paths(mut root: Value, paths: &[Value]) -> Caught<Value> {
    let mut places: Vec<Vec<Value>> = Vec::with_capacity(paths.len());
    for path in paths {
        let path = path.as_items().ok_or_else(|| Halt::error("Path must be specified as an array"))?;
        places_meant(&root, path, &mut places)?;
    }
    // From the last to the first, so that no deletion moves what another one means.
    places.sort_by(|own, others| {
        let pairs = own.iter().zip(others.iter());
        let order = pairs.map(|(own, others)| own.compare(others)).find(|order| order.is_ne());
        order.unwrap_or_else(|| own.len().cmp(&others.len())).reverse()
    });
    places.dedup_by(|own, others| own.len() == others.len() && own.iter().zip(&*others).all(|(a, b)| a.equals(b)));
    for path in places {
        root = delete_path(root, &path)?;
    }
    Ok(root)
}

// The path with its indexes counted from the start, and a slice at its end as the places in it.
fn places_meant(root: &Value, path: &[Value], places: &mut Vec<Vec<Value>>) -> Caught<()> {
    let mut at = root.clone();
    let mut meant = Vec::with_capacity(path.len());
    for (depth, key) in path.iter().enumerate() {
        let is_last = depth + 1 == path.len();
        match (&at, key) {
            (Value::Array(array), Value::Number(number)) => {
                match place_in(array.items().len(), number.value()).filter(|place| *place < array.items().len()) {
                    Some(place) => meant.push(Value::count(place)),
                    None => return Ok(()),
                }
            }
            (Value::Array(array), Value::Object(bounds)) if is_last => {
                for place in range_of(bounds, array.items().len())? {
                    if places.len() >= MOST_PLACES {
                        return Err(Halt::Limit("work"));
                    }
                    places.push(meant.iter().cloned().chain([Value::count(place)]).collect());
                }
                return Ok(());
            }
            _ => meant.push(key.clone()),
        }
        if !is_last {
            at = get(&at, key)?;
        }
    }
    places.push(meant);
    Ok(())
}

fn delete_path(root: Value, path: &[Value]) -> Caught<Value> {
    match path {
        [] => Ok(Value::Null),
        [key] => delete(root, key),
        [key, rest @ ..] => {
            if root.is_null() || get(&root, key)?.is_null() {
                return Ok(root);
            }
            let (child, root) = take(root, key)?;
            let child = delete_path(child, rest)?;
            set(root, key, child)
        }
    }
}

fn delete(root: Value, key: &Value) -> Caught<Value> {
    match (root, key) {
        (Value::Null, _) => Ok(Value::Null),
        (Value::Object(mut map), Value::Text(key)) => {
            if map.get(key).is_some() {
                Rc::make_mut(&mut map).remove(key);
            }
            Ok(Value::Object(map))
        }
        (Value::Array(mut array), Value::Number(number)) => {
            let length = array.items().len();
            match place_in(length, number.value()) {
                Some(place) if place < length => Rc::make_mut(&mut array).remove(place..place + 1),
                _ => {}
            }
            Ok(Value::Array(array))
        }
        (Value::Array(mut array), Value::Object(bounds)) => {
            let range = range_of(bounds, array.items().len())?;
            Rc::make_mut(&mut array).remove(range);
            Ok(Value::Array(array))
        }
        (root, key) => Err(Halt::error(format!("Cannot delete field at {} index of {}", key.kind(), shown(&root)))),
    }
}
