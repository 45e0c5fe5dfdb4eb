//! The built-in functions of arrays.

use std::cmp::Ordering;

use crate::arithmetic;
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
    let mut items = items(input, "sorted")?;
    run.allocate(items.len(), 0)?;
    run.spend(items.len() * (usize::BITS - items.len().leading_zeros()) as usize)?;
    items.sort_by(Value::compare);
    Ok(items)
}

pub(crate) fn sort(run: &Run<'_>, input: Value, _: &[Value]) -> Caught<Value> {
    Value::array(sorted(run, &input)?)
}

pub(crate) fn unique(run: &Run<'_>, input: Value, _: &[Value]) -> Caught<Value> {
    let mut items = sorted(run, &input)?;
    items.dedup_by(|later, earlier| later.equals(earlier));
    Value::array(items)
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
    run.spend(items.len())?;
    let better = |best: Value, item: Value| {
        let order = item.compare(&best);
        if order == wanted || (order.is_eq() && wanted.is_gt()) { item } else { best }
    };
    Ok(items.into_iter().reduce(better).unwrap_or(Value::Null))
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

/// What `sort_by` and its like make of items with their keys.
pub(crate) fn keyed(control: Control, mut pairs: Vec<(Value, Value)>) -> Caught<Value> {
    let by_key = |own: &(Value, Value), others: &(Value, Value)| own.0.compare(&others.0);
    match control {
        Control::MinBy => {
            let better = |best: (Value, Value), pair| if by_key(&pair, &best).is_lt() { pair } else { best };
            return Ok(pairs.into_iter().reduce(better).map_or(Value::Null, |pair| pair.1));
        }
        Control::MaxBy => {
            let better = |best: (Value, Value), pair| if by_key(&pair, &best).is_ge() { pair } else { best };
            return Ok(pairs.into_iter().reduce(better).map_or(Value::Null, |pair| pair.1));
        }
        _ => pairs.sort_by(by_key),
    }
    if control == Control::GroupBy {
        let groups = pairs.chunk_by(|own, others| own.0.equals(&others.0));
        let group = |group: &[(Value, Value)]| Value::array(group.iter().map(|pair| pair.1.clone()).collect());
        return Value::array(groups.map(group).collect::<Caught<_>>()?);
    }
    if control == Control::UniqueBy {
        pairs.dedup_by(|later, earlier| later.0.equals(&earlier.0));
    }
    Value::array(pairs.into_iter().map(|pair| pair.1).collect())
}
