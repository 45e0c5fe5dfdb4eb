//! Adding, subtracting, multiplying, dividing, comparing.

use std::rc::Rc;

use crate::halt::{Caught, Halt};
use crate::message::shown;
use crate::run::Run;
use crate::term::{Comparison, Operator};
use crate::value::{Map, Value};

/// What an operator makes of two values.
pub(crate) fn arithmetic(run: &Run<'_>, operator: Operator, left: Value, right: Value) -> Caught<Value> {
    match operator {
        Operator::Add => add(run, left, right),
        Operator::Subtract => subtract(run, &left, &right),
        Operator::Multiply => multiply(run, left, right),
        Operator::Divide => divide(run, &left, &right),
        Operator::Remainder => remainder(&left, &right),
    }
}

/// Whether a comparison holds.
pub(crate) fn compare(run: &Run<'_>, comparison: Comparison, left: &Value, right: &Value) -> Caught<bool> {
    Ok(match comparison {
        Comparison::Equal => run.equal(left, right)?,
        Comparison::Unequal => !run.equal(left, right)?,
        Comparison::Less => run.compare(left, right)?.is_lt(),
        Comparison::LessOrEqual => run.compare(left, right)?.is_le(),
        Comparison::Greater => run.compare(left, right)?.is_gt(),
        Comparison::GreaterOrEqual => run.compare(left, right)?.is_ge(),
    })
}

fn cannot(left: &Value, right: &Value, what: &str) -> Halt {
    Halt::error(format!("{} and {} cannot be {what}", shown(left), shown(right)))
}

/// `left + right`; null is nothing.
pub(crate) fn add(run: &Run<'_>, left: Value, right: Value) -> Caught<Value> {
    match (left, right) {
        (Value::Null, other) | (other, Value::Null) => Ok(other),
        (Value::Number(left), Value::Number(right)) => Ok(Value::number(left.value() + right.value())),
        (Value::Text(mut left), Value::Text(right)) => {
            // What is shared is copied first.
            let copied = if Rc::strong_count(&left) == 1 { 0 } else { left.len() };
            run.allocate(0, copied + right.len())?;
            Rc::make_mut(&mut left).push_str(&right);
            Ok(Value::Text(left))
        }
        (Value::Array(mut left), Value::Array(right)) => {
            let copied = if Rc::strong_count(&left) == 1 { 0 } else { left.items().len() };
            run.allocate(copied + right.items().len(), 0)?;
            let end = left.items().len();
            Rc::make_mut(&mut left).splice(end..end, &right)?;
            Ok(Value::Array(left))
        }
        (Value::Object(mut left), Value::Object(right)) => {
            let copied = if Rc::strong_count(&left) == 1 { 0 } else { left.len() };
            run.allocate(copied + right.len(), 0)?;
            let map = Rc::make_mut(&mut left);
            for (key, value) in right.iter() {
                map.set(key, value.clone())?;
            }
            Ok(Value::Object(left))
        }
        (left, right) => Err(cannot(&left, &right, "added")),
    }
}

fn subtract(run: &Run<'_>, left: &Value, right: &Value) -> Caught<Value> {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => Ok(Value::number(left.value() - right.value())),
        (Value::Array(left), Value::Array(right)) => {
            run.allocate(left.items().len(), 0)?;
            let mut kept = Vec::new();
            for item in left.items() {
                if !is_among(run, item, right.items())? {
                    kept.push(item.clone());
                }
            }
            Value::array(kept)
        }
        _ => Err(cannot(left, right, "subtracted")),
    }
}

fn is_among(run: &Run<'_>, wanted: &Value, items: &[Value]) -> Caught<bool> {
    for item in items {
        if run.equal(item, wanted)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn multiply(run: &Run<'_>, left: Value, right: Value) -> Caught<Value> {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => Ok(Value::number(left.value() * right.value())),
        (Value::Text(text), Value::Number(count)) | (Value::Number(count), Value::Text(text)) => {
            let count = count.value();
            // Not-a-number is no count either.
            if count.is_nan() || count < 0.0 {
                return Ok(Value::Null);
            }
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates, then is refused")]
            let count = count as usize;
            run.allocate(0, text.len().max(1).saturating_mul(count))?;
            Ok(Value::text(text.repeat(count)))
        }
        (Value::Object(left), Value::Object(right)) => Ok(Value::Object(merge(run, left, &right)?)),
        (left, right) => Err(cannot(&left, &right, "multiplied")),
    }
}

// Objects within objects are merged too.
fn merge(run: &Run<'_>, mut left: Rc<Map>, right: &Map) -> Caught<Rc<Map>> {
    run.allocate(left.len() + right.len(), 0)?;
    let map = Rc::make_mut(&mut left);
    for (key, value) in right.iter() {
        let value = match (map.take(key), value) {
            (Value::Object(own), Value::Object(others)) => Value::Object(merge(run, own, others)?),
            (_, value) => value.clone(),
        };
        map.set(key, value)?;
    }
    Ok(left)
}

fn divide(run: &Run<'_>, left: &Value, right: &Value) -> Caught<Value> {
    match (left, right) {
        (Value::Number(_), Value::Number(divisor)) if divisor.value() == 0.0 => {
            Err(cannot(left, right, "divided because the divisor is zero"))
        }
        (Value::Number(left), Value::Number(right)) => Ok(Value::number(left.value() / right.value())),
        (Value::Text(text), Value::Text(between)) => {
            run.allocate(text.len() / between.len().max(1) + 1, text.len())?;
            Value::array(crate::strings::parts(text, between))
        }
        _ => Err(cannot(left, right, "divided")),
    }
}

fn remainder(left: &Value, right: &Value) -> Caught<Value> {
    let (Some(own), Some(others)) = (left.as_number(), right.as_number()) else {
        return Err(cannot(left, right, "divided"));
    };
    if own.is_nan() || others.is_nan() {
        return Ok(Value::number(f64::NAN));
    }
    // Of whole numbers only; a double beyond them becomes the nearest one.
    #[allow(clippy::cast_possible_truncation, reason = "saturates")]
    let (own, others) = (own as i64, others as i64);
    if others == 0 {
        return Err(cannot(left, right, "divided (remainder) because the divisor is zero"));
    }
    #[allow(clippy::cast_precision_loss, reason = "numbers are doubles")]
    let rest = own.unsigned_abs().wrapping_rem(others.unsigned_abs()) as f64;
    Ok(Value::number(if own < 0 { -rest } else { rest }))
}
