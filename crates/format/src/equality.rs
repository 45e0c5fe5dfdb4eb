//! When two JSON values are equal: members in any order, numbers by value, lists in order.
//!
//! **Source**: `spec/skillstate.md`, section 2.1.

use std::fmt::Write as _;

use model::{Object, Value};
use serde_json::Number;

/// Whether two values are equal.
pub fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || Decimal::of(a) == Decimal::of(b),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b)),
        (Value::Object(a), Value::Object(b)) => equal_members(a, b),
        (a, b) => a == b,
    }
}

/// Whether two objects are equal.
pub fn equal_members(a: &Object, b: &Object) -> bool {
    a.len() == b.len() && a.iter().all(|(name, a)| b.get(name).is_some_and(|b| equal(a, b)))
}

/// A text that equal values share and others do not, for sets of values.
pub fn canonical(value: &Value) -> String {
    let mut text = String::new();
    write_canonical(value, &mut text);
    text
}

fn write_canonical(value: &Value, text: &mut String) {
    const WRITES: &str = "writing to a string succeeds";
    match value {
        Value::Null | Value::Bool(_) | Value::String(_) => write!(text, "{value}").expect(WRITES),
        Value::Number(number) => {
            let number = Decimal::of(number);
            let sign = if number.is_negative { "-" } else { "" };
            write!(text, "{sign}{}e{}", number.digits, number.exponent).expect(WRITES);
        }
        Value::Array(items) => {
            text.push('[');
            for item in items {
                write_canonical(item, text);
                text.push(',');
            }
            text.push(']');
        }
        Value::Object(members) => {
            let mut names: Vec<&String> = members.keys().collect();
            names.sort_unstable();
            text.push('{');
            for name in names {
                write!(text, "{}:", Value::from(name.as_str())).expect(WRITES);
                write_canonical(&members[name], text);
                text.push(',');
            }
            text.push('}');
        }
    }
}

/// A number as its digits without zeros at either end, and the power of ten of the last one.
///
/// Zero has no digits, no sign and the power 0.
#[derive(PartialEq, Eq)]
struct Decimal {
    is_negative: bool,
    digits: String,
    exponent: i64,
}

impl Decimal {
    fn of(number: &Number) -> Self {
        let text = number.to_string();
        let (is_negative, text) = text.strip_prefix('-').map_or((false, text.as_str()), |rest| (true, rest));
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = format!("{whole}{fraction}");
        let significant = digits.trim_start_matches('0');
        let trimmed = significant.trim_end_matches('0');
        if trimmed.is_empty() {
            return Self { is_negative: false, digits: String::new(), exponent: 0 };
        }
        // Beyond what an exponent can hold every number is as far away as any other.
        let furthest = if exponent.starts_with('-') { i64::MIN } else { i64::MAX };
        let exponent = exponent.parse().unwrap_or(furthest);
        let shift = (significant.len() - trimmed.len()) as i128 - fraction.len() as i128;
        let exponent = i64::try_from(i128::from(exponent) + shift).unwrap_or(furthest);
        Self { is_negative, digits: trimmed.to_owned(), exponent }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(a: &str, b: &str, expected: bool) {
        let read = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        let (a, b) = (read(a), read(b));
        assert_eq!(equal(&a, &b), expected, "{a} {b}");
        assert_eq!(canonical(&a) == canonical(&b), expected, "{a} {b}");
    }

    #[test]
    fn numbers_are_compared_by_value() {
        for (a, b) in [("1", "1.0"), ("100", "1e2"), ("0.5", "50e-2"), ("-0", "0.0e7"), ("1.50", "15E-1")] {
            check(a, b, true);
        }
        for (a, b) in [("1", "-1"), ("9007199254740992", "9007199254740993"), ("1e400", "2e400"), ("1", "10")] {
            check(a, b, false);
        }
        check("18446744073709551615", "18446744073709551615.0", true);
        check("1e99999999999999999999", "1e-99999999999999999999", false);
        check("[\"1\"]", "[1]", false);
    }

    #[test]
    fn members_have_no_order_and_lists_do() {
        check(r#"{"a":1,"b":[{"c":null,"d":2.0}]}"#, r#"{"b":[{"d":2,"c":null}],"a":1}"#, true);
        check("[1,2]", "[2,1]", false);
        check("[1]", "[1,1]", false);
        check(r#"{"a":null}"#, "{}", false);
        check(r#"{"a":1}"#, r#"{"b":1}"#, false);
        check(r#"{"a,":1}"#, r#"{"a":",1"}"#, false);
        check("true", "\"true\"", false);
    }
}
