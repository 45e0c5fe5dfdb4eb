//! Numbers: a double, and the text it was written with for as long as nobody computed with it.

use std::cmp::Ordering;
use std::rc::Rc;

use crate::live::Text;

/// A number of a document or a program.
#[derive(Clone, Debug)]
pub(crate) struct Number {
    value: f64,
    // Kept only where `value` alone would be written otherwise.
    text: Option<Rc<Text>>,
}

impl Number {
    /// The outcome of arithmetic.
    pub(crate) fn computed(value: f64) -> Self {
        Self { value, text: None }
    }

    /// A number as it was written; `text` is a JSON number.
    pub(crate) fn written(text: &str) -> Self {
        let value = text.parse().unwrap_or(f64::NAN);
        let plain = text.len() < 16 && text.bytes().all(|byte| byte.is_ascii_digit());
        Self { value, text: (!plain).then(|| Rc::new(Text::new(text.to_owned()))) }
    }

    /// The nearest double.
    pub(crate) fn value(&self) -> f64 {
        self.value
    }

    /// Whether it lies within the range of doubles.
    pub(crate) fn is_finite(&self) -> bool {
        self.value.is_finite()
    }

    /// The text in which it is shown: as it was written, else the shortest that reads back.
    pub(crate) fn to_text(&self) -> String {
        self.text.as_ref().map_or_else(|| shortest(self.value), |text| text.as_str().to_owned())
    }

    /// Compares by value; two numbers as they were written are compared to the last digit.
    ///
    /// Not-a-number is less than every number, itself too.
    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        if self.value.is_nan() {
            return Ordering::Less;
        }
        match self.value.partial_cmp(&other.value) {
            None => Ordering::Greater,
            Some(Ordering::Equal) => match (&self.text, &other.text) {
                (Some(own), Some(others)) if own.as_str() != others.as_str() => compare_decimals(own, others),
                _ => Ordering::Equal,
            },
            Some(order) => order,
        }
    }
}

/// The shortest decimal text that reads back as `value`.
///
/// **Shape**: `5`, `0.1`, `1e-05`, `1e+17`. What is no finite number becomes `null` or the largest double.
pub(crate) fn shortest(value: f64) -> String {
    if value.is_nan() {
        return "null".to_owned();
    }
    let value = value.clamp(f64::MIN, f64::MAX);
    let scientific = format!("{:e}", value.abs());
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    // The decimal point stands before the digit of this number.
    let point = exponent.parse::<i32>().unwrap_or_default() + 1;
    let count = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    let zeros = |count: i32| "0".repeat(usize::try_from(count).unwrap_or_default());
    let sign = if value.is_sign_negative() { "-" } else { "" };
    if value == 0.0 {
        return format!("{sign}0");
    }
    if point <= -4 || point > count + 15 {
        let power = point - 1;
        let (first, rest) = digits.split_at(1);
        let dot = if rest.is_empty() { "" } else { "." };
        let power_sign = if power < 0 { '-' } else { '+' };
        return format!("{sign}{first}{dot}{rest}e{power_sign}{:02}", power.abs());
    }
    if point <= 0 {
        return format!("{sign}0.{}{digits}", zeros(-point));
    }
    if point >= count {
        return format!("{sign}{digits}{}", zeros(point - count));
    }
    let (whole, fraction) = digits.split_at(usize::try_from(point).unwrap_or_default());
    format!("{sign}{whole}.{fraction}")
}

// Two decimal texts whose doubles are equal.
fn compare_decimals(own: &str, others: &str) -> Ordering {
    let (own, others) = (Decimal::read(own), Decimal::read(others));
    let ascending = own.exponent.cmp(&others.exponent).then_with(|| own.digits.cmp(&others.digits));
    if own.digits.is_empty() || others.digits.is_empty() {
        own.digits.len().cmp(&others.digits.len())
    } else if own.negative {
        ascending.reverse()
    } else {
        ascending
    }
}

// 0.DIGITS times ten to the power of the exponent; no zeros at either end of the digits.
struct Decimal {
    negative: bool,
    digits: String,
    exponent: i64,
}

impl Decimal {
    fn read(text: &str) -> Self {
        let (mantissa, power) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.trim_start_matches('-').split_once('.').unwrap_or((mantissa, ""));
        let whole = whole.trim_start_matches('-');
        let all = format!("{whole}{fraction}");
        let digits = all.trim_start_matches('0');
        let leading = all.len() - digits.len();
        let power = power.trim_start_matches('+').parse::<i64>().unwrap_or_default();
        let length = |length: usize| i64::try_from(length).unwrap_or_default();
        Self {
            negative: text.starts_with('-'),
            digits: digits.trim_end_matches('0').to_owned(),
            exponent: power.saturating_add(length(whole.len()) - length(leading)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Number, shortest};
    use std::cmp::Ordering;

    #[test]
    fn computed_numbers_are_short() {
        for (value, expected) in [
            (5.0, "5"),
            (-0.0, "-0"),
            (0.1, "0.1"),
            (1e17, "1e+17"),
            (123_456_789_012_345_680.0, "123456789012345680"),
            (1.5e16, "15000000000000000"),
            (1e-5, "1e-05"),
            (1.5e-7, "1.5e-07"),
            (0.000_123_45, "0.00012345"),
            (1.0 / 3.0, "0.3333333333333333"),
            (-33.25, "-33.25"),
            (f64::NAN, "null"),
            (f64::INFINITY, "1.7976931348623157e+308"),
        ] {
            assert_eq!(shortest(value), expected);
        }
    }

    #[test]
    fn written_numbers_keep_their_text_and_compare_to_the_last_digit() {
        assert_eq!(Number::written("1.50").to_text(), "1.50");
        for (own, others, expected) in [
            ("1.0", "1", Ordering::Equal),
            ("1.0", "1.00", Ordering::Equal),
            ("1e2", "100.0", Ordering::Equal),
            ("12345678901234567890", "12345678901234567891", Ordering::Less),
            ("-12345678901234567890", "-12345678901234567891", Ordering::Greater),
            ("0.0", "-0.0", Ordering::Equal),
            ("2", "10", Ordering::Less),
        ] {
            assert_eq!(Number::written(own).compare(&Number::written(others)), expected, "{own} {others}");
        }
    }
}
