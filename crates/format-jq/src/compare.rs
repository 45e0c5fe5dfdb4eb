//! Comparing and sorting any values, every part that is looked at counted.

use std::cmp::Ordering;
use std::rc::Rc;

use crate::halt::Caught;
use crate::run::Run;
use crate::value::Value;

/// Counts work.
type Spend<'a> = &'a dyn Fn(usize) -> Caught<()>;

/// How many bytes of text are looked at in a step.
const BYTES: usize = 64;

impl Run<'_> {
    /// Compares any two values.
    ///
    /// **Order**: null, false, true, numbers, texts, arrays, objects; objects by their sorted keys first, then by
    /// the values of those.
    pub(crate) fn compare(&self, own: &Value, others: &Value) -> Caught<Ordering> {
        compare(&|steps| self.spend(steps), own, others)
    }

    /// Whether two values are equal.
    pub(crate) fn equal(&self, own: &Value, others: &Value) -> Caught<bool> {
        equal(&|steps| self.spend(steps), own, others)
    }
}

/// Sorts by merging; what is equal keeps its order.
///
/// The order counts its own work. It need not be a sound one: what is no number is less than itself.
pub(crate) fn merge_sort<T>(items: Vec<T>, order: &mut dyn FnMut(&T, &T) -> Caught<Ordering>) -> Caught<Vec<T>> {
    let mut runs: Vec<Vec<T>> = items.into_iter().map(|item| vec![item]).collect();
    while runs.len() > 1 {
        let mut pairs = runs.into_iter();
        let mut longer = Vec::with_capacity(pairs.len().div_ceil(2));
        while let Some(first) = pairs.next() {
            longer.push(match pairs.next() {
                Some(second) => merged(first, second, order)?,
                None => first,
            });
        }
        runs = longer;
    }
    Ok(runs.pop().unwrap_or_default())
}

fn merged<T>(first: Vec<T>, second: Vec<T>, order: &mut dyn FnMut(&T, &T) -> Caught<Ordering>) -> Caught<Vec<T>> {
    let mut made = Vec::with_capacity(first.len() + second.len());
    let (mut first, mut second) = (first.into_iter().peekable(), second.into_iter().peekable());
    while let (Some(own), Some(others)) = (first.peek(), second.peek()) {
        let next = if order(others, own)?.is_lt() { second.next() } else { first.next() };
        made.extend(next);
    }
    made.extend(first);
    made.extend(second);
    Ok(made)
}

/// Whether two values are equal, however long that takes.
pub(crate) fn are_equal(own: &Value, others: &Value) -> bool {
    equal(&|_| Ok(()), own, others).unwrap_or_default()
}

fn is_same(own: &Value, others: &Value) -> bool {
    let is_shared = match (own, others) {
        (Value::Text(own), Value::Text(others)) => Rc::ptr_eq(own, others),
        (Value::Array(own), Value::Array(others)) => Rc::ptr_eq(own, others),
        (Value::Object(own), Value::Object(others)) => Rc::ptr_eq(own, others),
        _ => false,
    };
    is_shared && !own.has_nan()
}

fn equal(spend: Spend<'_>, own: &Value, others: &Value) -> Caught<bool> {
    spend(1)?;
    if is_same(own, others) {
        return Ok(true);
    }
    match (own, others) {
        (Value::Array(own), Value::Array(others)) => {
            let (own, others) = (own.items(), others.items());
            if own.len() != others.len() {
                return Ok(false);
            }
            for (own, others) in own.iter().zip(others) {
                if !equal(spend, own, others)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        (Value::Object(own), Value::Object(others)) => {
            if own.len() != others.len() {
                return Ok(false);
            }
            for (key, own) in own.iter() {
                match others.get(key) {
                    Some(others) if equal(spend, own, others)? => {}
                    _ => return Ok(false),
                }
            }
            Ok(true)
        }
        (Value::Text(own), Value::Text(others)) => {
            spend(own.len().min(others.len()) / BYTES)?;
            Ok(own.as_str() == others.as_str())
        }
        (Value::Number(own), Value::Number(others)) => Ok(own.compare(others).is_eq()),
        (own, others) => Ok(rank(own) == rank(others)),
    }
}

fn compare(spend: Spend<'_>, own: &Value, others: &Value) -> Caught<Ordering> {
    spend(1)?;
    if is_same(own, others) {
        return Ok(Ordering::Equal);
    }
    Ok(match (own, others) {
        (Value::Number(own), Value::Number(others)) => own.compare(others),
        (Value::Text(own), Value::Text(others)) => {
            spend(own.len().min(others.len()) / BYTES)?;
            own.as_bytes().cmp(others.as_bytes())
        }
        (Value::Array(own), Value::Array(others)) => {
            for (own, others) in own.items().iter().zip(others.items()) {
                let order = compare(spend, own, others)?;
                if order.is_ne() {
                    return Ok(order);
                }
            }
            own.items().len().cmp(&others.items().len())
        }
        (Value::Object(own), Value::Object(others)) => {
            spend(own.len() + others.len())?;
            let (keys, other_keys) = (own.sorted_keys(), others.sorted_keys());
            let order = keys.cmp(&other_keys);
            if order.is_ne() {
                return Ok(order);
            }
            for (own, others) in keys.iter().filter_map(|key| own.get(key).zip(others.get(key))) {
                let order = compare(spend, own, others)?;
                if order.is_ne() {
                    return Ok(order);
                }
            }
            Ordering::Equal
        }
        _ => rank(own).cmp(&rank(others)),
    })
}

fn rank(value: &Value) -> u8 {
    match value {
        Value::Null => 0,
        Value::Bool(false) => 1,
        Value::Bool(true) => 2,
        Value::Number(_) => 3,
        Value::Text(_) => 4,
        Value::Array(_) => 5,
        Value::Object(_) => 6,
    }
}
