//! The built-in functions of numbers.

use crate::halt::{Caught, Halt};
use crate::message::shown;
use crate::native::Plain;
use crate::run::Run;
use crate::value::Value;

fn number(value: &Value) -> Caught<f64> {
    value.as_number().ok_or_else(|| Halt::error(format!("{} number required", shown(value))))
}

// A plain function of one number.
macro_rules! of_number {
    ($function:expr) => {
        |_, input, _| {
            let function: fn(f64) -> f64 = $function;
            Ok(Value::number(function(number(&input)?)))
        }
    };
}

/// The function of one number of that name.
pub(crate) fn of_one(name: &str) -> Option<Plain> {
    Some(match name {
        "floor" => of_number!(f64::floor),
        "ceil" => of_number!(f64::ceil),
        "round" => of_number!(f64::round),
        "trunc" => of_number!(f64::trunc),
        "rint" | "nearbyint" => of_number!(f64::round_ties_even),
        "fabs" => of_number!(f64::abs),
        "sqrt" => of_number!(f64::sqrt),
        "cbrt" => of_number!(f64::cbrt),
        "exp" => of_number!(f64::exp),
        "exp2" => of_number!(f64::exp2),
        "exp10" => of_number!(|x| 10f64.powf(x)),
        "expm1" => of_number!(f64::exp_m1),
        "log" => of_number!(f64::ln),
        "log2" => of_number!(f64::log2),
        "log10" => of_number!(f64::log10),
        "log1p" => of_number!(f64::ln_1p),
        "sin" => of_number!(f64::sin),
        "cos" => of_number!(f64::cos),
        "tan" => of_number!(f64::tan),
        "asin" => of_number!(f64::asin),
        "acos" => of_number!(f64::acos),
        "atan" => of_number!(f64::atan),
        "sinh" => of_number!(f64::sinh),
        "cosh" => of_number!(f64::cosh),
        "tanh" => of_number!(f64::tanh),
        "asinh" => of_number!(f64::asinh),
        "acosh" => of_number!(f64::acosh),
        "atanh" => of_number!(f64::atanh),
        "significand" => of_number!(|x| scaled(x, -exponent(x))),
        "logb" => of_number!(|x| if x == 0.0 {
            f64::NEG_INFINITY
        } else if x.is_finite() {
            exponent(x)
        } else {
            x.abs()
        }),
        "frexp" => |_, input, _| {
            let number = number(&input)?;
            let power = if number == 0.0 || !number.is_finite() { 0.0 } else { exponent(number) + 1.0 };
            Value::array(vec![Value::number(scaled(number, -power)), Value::number(power)])
        },
        "modf" => |_, input, _| {
            let number = number(&input)?;
            let rest = if number.is_infinite() { 0.0_f64.copysign(number) } else { number.fract() };
            Value::array(vec![Value::number(rest), Value::number(number.trunc())])
        },
        "isinfinite" => |_, input, _| Ok(Value::Bool(number(&input)?.is_infinite())),
        "isnan" => |_, input, _| Ok(Value::Bool(number(&input)?.is_nan())),
        "isnormal" => |_, input, _| Ok(Value::Bool(number(&input)?.is_normal())),
        _ => return None,
    })
}

// The power of two that a number lies at or just above; 0 for what has none.
fn exponent(number: f64) -> f64 {
    if number == 0.0 || !number.is_finite() {
        return 0.0;
    }
    // What is too small for a power of its own is made larger first.
    let (number, shift) = if number.is_normal() { (number, 0) } else { (number * 2f64.powi(64), 64) };
    let biased = i32::try_from(number.to_bits() >> 52 & 0x7FF).unwrap_or_default();
    f64::from(biased - 1023 - shift)
}

// In two steps, since the power of two alone may lie outside the range.
fn scaled(number: f64, power: f64) -> f64 {
    let half = (power / 2.0).trunc();
    number * half.exp2() * (power - half).exp2()
}

// A plain function of two numbers.
macro_rules! of_numbers {
    ($function:expr) => {
        |_, _, arguments| {
            let function: fn(f64, f64) -> f64 = $function;
            Ok(Value::number(function(number(&arguments[0])?, number(&arguments[1])?)))
        }
    };
}

/// The function of two numbers of that name.
pub(crate) fn of_two(name: &str) -> Option<Plain> {
    Some(match name {
        "pow" => of_numbers!(f64::powf),
        "atan2" => of_numbers!(f64::atan2),
        "fmod" => of_numbers!(|x, y| x % y),
        "fmin" => of_numbers!(f64::min),
        "fmax" => of_numbers!(f64::max),
        "hypot" => of_numbers!(f64::hypot),
        "copysign" => of_numbers!(f64::copysign),
        "ldexp" | "scalb" | "scalbln" => of_numbers!(scaled),
        "drem" => of_numbers!(|x, y| x - y * (x / y).round_ties_even()),
        "fdim" => of_numbers!(|x, y| if x > y { x - y } else { 0.0 }),
        _ => return None,
    })
}

/// Multiplies and adds: `x * y + z`.
pub(crate) fn fma(_: &Run<'_>, _: Value, arguments: &[Value]) -> Caught<Value> {
    let [x, y, z] = [0, 1, 2].map(|place| number(&arguments[place]));
    Ok(Value::number(x?.mul_add(y?, z?)))
}
