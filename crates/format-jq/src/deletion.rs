//! Deleting what stands at paths, all of them at once.
//!
//! Every path means a place of the root as it is given, so that naming one twice, or once from the start and
//! once from the end, deletes one. Each container is closed up once, however much of it goes.

use std::cmp::Ordering;
use std::rc::Rc;

use crate::access::{cannot_delete, get, own_array, own_object, place_in, range_of, set, take};
use crate::compare::merge_sort;
use crate::halt::{Caught, Halt};
use crate::run::Run;
use crate::value::Value;

/// The keys from the root to one place, each index counted from the start.
type Place = Vec<Value>;

/// The root without what stands at the paths; the rest keeps its order.
pub(crate) fn delete_paths(run: &Run<'_>, root: Value, paths: &[Value]) -> Caught<Value> {
    let mut places: Vec<Place> = Vec::with_capacity(paths.len());
    for path in paths {
        let path = path.as_items().ok_or_else(|| Halt::error("Path must be specified as an array"))?;
        places_meant(run, &root, path, &mut places)?;
    }
    let places = merge_sort(places, &mut |own, others| in_order(run, own, others))?;
    let places: Vec<&[Value]> = places.iter().map(Vec::as_slice).collect();
    delete_places(run, root, &places)
}

fn in_order(run: &Run<'_>, own: &Place, others: &Place) -> Caught<Ordering> {
    for (own, others) in own.iter().zip(others) {
        let order = run.compare(own, others)?;
        if order.is_ne() {
            return Ok(order);
        }
    }
    Ok(own.len().cmp(&others.len()))
}

// The path with its indexes counted from the start, and a slice at its end as the places in it.
fn places_meant(run: &Run<'_>, root: &Value, path: &[Value], places: &mut Vec<Place>) -> Caught<()> {
    run.allocate(path.len() + 1, 0)?;
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
                    run.allocate(path.len(), 0)?;
                    places.push(meant.iter().cloned().chain([Value::count(place)]).collect());
                }
                return Ok(());
            }
            (Value::Null, _) | (Value::Object(_), Value::Text(_)) => meant.push(key.clone()),
            (at, key) if is_last => return Err(cannot_delete(at, key)),
            _ => meant.push(key.clone()),
        }
        if !is_last {
            at = get(run, &at, key)?;
        }
    }
    places.push(meant);
    Ok(())
}

// The places are sorted, so those that begin with the same key stand together.
fn delete_places(run: &Run<'_>, mut root: Value, places: &[&[Value]]) -> Caught<Value> {
    if places.first().is_some_and(|place| place.is_empty()) {
        return Ok(Value::Null);
    }
    let mut gone: Vec<&Value> = Vec::new();
    let mut from = 0;
    while let Some(first) = places.get(from) {
        let key = &first[0];
        let mut to = from + 1;
        while to < places.len() && run.equal(&places[to][0], key)? {
            to += 1;
        }
        let group = &places[from..to];
        from = to;
        if group[0].len() == 1 {
            gone.push(key);
        } else if !root.is_null() && !get(run, &root, key)?.is_null() {
            let rest: Vec<&[Value]> = group.iter().map(|place| &place[1..]).collect();
            let (child, others) = take(run, root, key)?;
            root = set(run, others, key, delete_places(run, child, &rest)?)?;
        }
    }
    delete_keys(run, root, &gone)
}

fn delete_keys(run: &Run<'_>, root: Value, keys: &[&Value]) -> Caught<Value> {
    let Some(first) = keys.first() else { return Ok(root) };
    match root {
        Value::Null => Ok(Value::Null),
        Value::Object(mut map) => {
            let mut names = Vec::with_capacity(keys.len());
            for key in keys {
                let name = key.as_text().ok_or_else(|| cannot_delete(&Value::Object(Rc::clone(&map)), key))?;
                names.push(name);
            }
            run.spend(map.len())?;
            if names.iter().any(|name| map.get(name).is_some()) {
                own_object(run, &mut map)?.retain(|name| names.binary_search(&name).is_err());
            }
            Ok(Value::Object(map))
        }
        Value::Array(mut array) => {
            let mut places = Vec::with_capacity(keys.len());
            for key in keys {
                let place = key.as_number().and_then(|number| place_in(array.items().len(), number));
                places.push(place.ok_or_else(|| cannot_delete(&Value::Array(Rc::clone(&array)), key))?);
            }
            run.spend(array.items().len())?;
            let mut gone = places.into_iter().peekable();
            own_array(run, &mut array)?.retain(|place| gone.next_if_eq(&place).is_none());
            Ok(Value::Array(array))
        }
        root => Err(cannot_delete(&root, first)),
    }
}
