//! The built-in functions of arrays.

use std::cmp::Ordering;

use crate::arithmetic;
use crate::compare::merge_sort;
use crate::halt::{Caught, Halt};
use crate::message::shown;
use crate::native::Control;
use crate::run::Run;
use crate::value::Value;

fn items(value: &Value, what: &str) -> Caught<Vec<Value>> {
    match value.as_items() {
        Some(items) => Ok(items.to_vec()),
        None => Err(Halt::error(format!("{} cannot be {what}, as it is not an array", shown(value)))),
    }
}

/// Items or an object's values, one after the other.
pub(crate) fn add(run: &Run<'_>, input: Value, _: &[Value]) -> Caught<Value> {
    let parts = match &input {
        Value::Array(array) => array.items().to_vec(),
        Value::Object(map) => map.iter().map(|(_, value)| value.clone()).collect(),
        other => return Err(Halt::error(format!("Cannot iterate over {}", shown(other)))),
    };
    run.allocate(parts.len(), 0)?;
    parts.into_iter().try_fold(Value::Null, |sum, part| arithmetic::add(run, sum, part))
}

pub(crate) fn reverse(run: &Run<'_>, input: Value, _: &[Value]) -> Caught<Value> {
    match &input {
        Value::Null => Value::array(Vec::new()),
        Value::Text(text) => {
            run.allocate(1, text.len())?;
            Ok(Value::text(text.chars().rev().collect::<String>()))
        }
        other => {
            let mut items = items(other, "reversed")?;
            run.allocate(items.len(), 0)?;
            items.reverse();
            Value::array(items)
        }
    }
}

fn sorted(run: &Run<'_>, input: &Value) -> Caught<Vec<Value>> {
    let items = items(input, "sorted")?;
    // Each item begins as a list of its own.
    run.allocate(items.len() * 2, 0)?;
    merge_sort(items, &mut |own, others| run.compare(own, others))
}

pub(crate) fn sort(run: &Run<'_>, input: Value, _: &[Value]) -> Caught<Value> {
    Value::array(sorted(run, &input)?)
}

pub(crate) fn unique(run: &Run<'_>, input: Value, _: &[Value]) -> Caught<Value> {
    let items = sorted(run, &input)?;
    Value::array(distinct(run, items, |item| item)?)
}

// Of each stretch of equal ones the first.
fn distinct<T>(run: &Run<'_>, items: Vec<T>, key: fn(&T) -> &Value) -> Caught<Vec<T>> {
    let mut kept: Vec<T> = Vec::with_capacity(items.len());
    for item in items {
        let is_new = match kept.last() {
            Some(last) => !run.equal(key(last), key(&item))?,
            None => true,
        };
        if is_new {
            kept.push(item);
        }
    }
    Ok(kept)
}

pub(crate) fn min(run: &Run<'_>, input: Value, _: &[Value]) -> Caught<Value> {
    extreme(run, &input, Ordering::Less)
}

pub(crate) fn max(run: &Run<'_>, input: Value, _: &[Value]) -> Caught<Value> {
    extreme(run, &input, Ordering::Greater)
}

// The first of the least, the last of the greatest.
fn extreme(run: &Run<'_>, input: &Value, wanted: Ordering) -> Caught<Value> {
    let items = items(input, "sorted")?;
    Ok(best(run, items, |item| item, wanted)?.unwrap_or(Value::Null))
}

fn best<T>(run: &Run<'_>, items: Vec<T>, key: fn(&T) -> &Value, wanted: Ordering) -> Caught<Option<T>> {
    let mut items = items.into_iter();
    let Some(mut best) = items.next() else { return Ok(None) };
    for item in items {
        let order = run.compare(key(&item), key(&best))?;
        if order == wanted || (order.is_eq() && wanted.is_gt()) {
            best = item;
        }
    }
    Ok(Some(best))
}

pub(crate) fn flatten(run: &Run<'_>, input: Value, arguments: &[Value]) -> Caught<Value> {
    let depth = match arguments.first() {
        None => f64::INFINITY,
        Some(depth) => depth.as_number().ok_or_else(|| Halt::error("flatten depth must be a number"))?,
    };
    if depth < 0.0 {
        return Err(Halt::error("flatten depth must not be negative"));
    }
    let mut flat = Vec::new();
    let parts: Vec<Value> = match &input {
        Value::Object(map) => map.iter().map(|(_, value)| value.clone()).collect(),
        Value::Array(array) => array.items().to_vec(),
        other => return Err(Halt::error(format!("Cannot iterate over {}", shown(other)))),
    };
    flatten_into(run, &parts, depth, &mut flat)?;
    Value::array(flat)
}

fn flatten_into(run: &Run<'_>, items: &[Value], depth: f64, flat: &mut Vec<Value>) -> Caught<()> {
    run.allocate(items.len(), 0)?;
    for item in items {
        match item {
            Value::Array(array) if depth > 0.0 => flatten_into(run, array.items(), depth - 1.0, flat)?,
            other => flat.push(other.clone()),
        }
    }
    Ok(())
}

pub(crate) fn transpose(run: &Run<'_>, input: Value, _: &[Value]) -> Caught<Value> {
    let rows = items(&input, "transposed")?;
    let rows: Vec<Vec<Value>> = rows.iter().map(|row| items(row, "transposed")).collect::<Caught<_>>()?;
    let width = rows.iter().map(Vec::len).max().unwrap_or_default();
    run.allocate(width.saturating_mul(rows.len()), 0)?;
    let column = |place| Value::array(rows.iter().map(|row| row.get(place).cloned().unwrap_or(Value::Null)).collect());
    Value::array((0..width).map(column).collect::<Caught<_>>()?)
}

/// The place of an item in a sorted array; where it is not in it, -1 less the place where it belongs.
pub(crate) fn bsearch(run: &Run<'_>, input: Value, arguments: &[Value]) -> Caught<Value> {
    let Some(items) = input.as_items() else {
        return Err(Halt::error(format!("{} cannot be searched from", shown(&input))));
    };
    let (mut from, mut to) = (0, items.len());
    while from < to {
        let middle = from + (to - from) / 2;
        match run.compare(&items[middle], &arguments[0])? {
            Ordering::Equal => return Ok(Value::count(middle)),
            Ordering::Less => from = middle + 1,
            Ordering::Greater => to = middle,
        }
    }
    #[allow(clippy::cast_precision_loss, reason = "no array is that long")]
    Ok(Value::number(-1.0 - from as f64))
}

/// What `sort_by` and its like make of items with their keys.
pub(crate) fn keyed(run: &Run<'_>, control: Control, pairs: Vec<(Value, Value)>) -> Caught<Value> {
    let key: fn(&(Value, Value)) -> &Value = |pair| &pair.0;
    let value = |pair: (Value, Value)| pair.1;
    if control == Control::MinBy || control == Control::MaxBy {
        let wanted = if control == Control::MinBy { Ordering::Less } else { Ordering::Greater };
        return Ok(best(run, pairs, key, wanted)?.map_or(Value::Null, value));
    }
    let pairs = merge_sort(pairs, &mut |own, others| run.compare(&own.0, &others.0))?;
    match control {
        Control::GroupBy => {
            let mut groups: Vec<(Value, Vec<Value>)> = Vec::new();
            for (key, item) in pairs {
                match groups.last_mut() {
                    Some((own, group)) if run.equal(own, &key)? => group.push(item),
                    _ => groups.push((key, vec![item])),
                }
            }
            Value::array(groups.into_iter().map(|(_, group)| Value::array(group)).collect::<Caught<_>>()?)
        }
        Control::UniqueBy => Value::array(distinct(run, pairs, key)?.into_iter().map(value).collect()),
        _ => Value::array(pairs.into_iter().map(value).collect()),
    }
}
