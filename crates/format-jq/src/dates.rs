//! The built-in functions of times; everything is UTC.

use jiff::SignedDuration;
use jiff::civil::DateTime;
use jiff::fmt::strtime::{self, BrokenDownTime};
use jiff::tz::Offset;

use crate::halt::{Caught, Halt};
use crate::message::shown;
use crate::run::Run;
use crate::value::Value;

pub(crate) fn now(run: &Run<'_>, _: Value, _: &[Value]) -> Caught<Value> {
    Ok(Value::number(run.now))
}

// The second of an instant without its fraction, and that fraction. **Units**: seconds since 1970.
fn civil(seconds: f64) -> Option<(DateTime, f64)> {
    let whole = seconds.trunc();
    #[allow(clippy::cast_possible_truncation, reason = "saturates; jiff refuses what is out of range")]
    let instant = jiff::Timestamp::from_second(whole as i64).ok().filter(|_| seconds.is_finite())?;
    Some((Offset::UTC.to_datetime(instant), seconds - seconds.floor()))
}

fn broken_down(civil: DateTime, fraction: f64) -> Caught<Value> {
    let (date, time) = (civil.date(), civil.time());
    let parts = [
        f64::from(date.year()),
        f64::from(date.month()) - 1.0,
        f64::from(date.day()),
        f64::from(time.hour()),
        f64::from(time.minute()),
        f64::from(time.second()) + fraction,
        f64::from(date.weekday().to_sunday_zero_offset()),
        f64::from(date.day_of_year()) - 1.0,
    ];
    Value::array(parts.map(Value::number).to_vec())
}

pub(crate) fn gmtime(_: &Run<'_>, input: Value, _: &[Value]) -> Caught<Value> {
    let Some(seconds) = input.as_number() else {
        return Err(Halt::error("gmtime() requires a number"));
    };
    match civil(seconds) {
        Some((civil, fraction)) => broken_down(civil, fraction),
        None => Err(Halt::error("error converting number of seconds since epoch to datetime")),
    }
}

// Reads `[year, month from 0, day, hour, minute, second, …]`.
fn from_parts(value: &Value, function: &str) -> Caught<DateTime> {
    let wanted = || Halt::error(format!("{function} requires array of 6 numbers"));
    let items = value.as_items().filter(|items| items.len() >= 6).ok_or_else(wanted)?;
    let mut parts = [0i64; 6];
    for (part, item) in parts.iter_mut().zip(items) {
        #[allow(clippy::cast_possible_truncation, reason = "saturates; jiff refuses what is out of range")]
        let number =
            item.as_number().ok_or_else(|| Halt::error(format!("{function} requires parsed datetime inputs")))? as i64;
        *part = number;
    }
    let [year, month, day, hour, minute, second] = parts;
    let invalid = || Halt::error("invalid gmtime representation");
    // Whatever is beyond its range counts on in the next larger unit.
    let year = year.checked_add(month.div_euclid(12)).and_then(|year| i16::try_from(year).ok()).ok_or_else(invalid)?;
    let month = i8::try_from(month.rem_euclid(12) + 1).map_err(|_| invalid())?;
    let first = DateTime::new(year, month, 1, 0, 0, 0, 0).map_err(|_| invalid())?;
    let units = [(day.saturating_sub(1), 86_400), (hour, 3_600), (minute, 60), (second, 1)];
    let seconds = units.iter().try_fold(0i64, |sum, (count, seconds)| sum.checked_add(count.checked_mul(*seconds)?));
    let span = SignedDuration::from_secs(seconds.ok_or_else(invalid)?);
    first.checked_add(span).map_err(|_| invalid())
}

pub(crate) fn mktime(_: &Run<'_>, input: Value, _: &[Value]) -> Caught<Value> {
    let civil = from_parts(&input, "mktime")?;
    let instant = Offset::UTC.to_timestamp(civil).map_err(|_| Halt::error("invalid gmtime representation"))?;
    #[allow(clippy::cast_precision_loss, reason = "seconds of four-digit years")]
    Ok(Value::number(instant.as_second() as f64))
}

pub(crate) fn strftime(run: &Run<'_>, input: Value, arguments: &[Value]) -> Caught<Value> {
    let civil = match &input {
        Value::Number(number) => civil(number.value()).map(|(civil, _)| civil),
        Value::Array(_) => Some(from_parts(&input, "strftime/1")?),
        _ => return Err(Halt::error("strftime/1 requires parsed datetime inputs")),
    };
    let civil = civil.ok_or_else(|| Halt::error("error converting number of seconds since epoch to datetime"))?;
    let form = arguments[0].as_text().ok_or_else(|| Halt::error("strftime/1 requires a string format"))?;
    // A width in the form must not ask for more than texts may hold.
    if form.len() > 1_000 || form.bytes().filter(u8::is_ascii_digit).count() > 4 {
        return Err(Halt::error("strftime/1: the format is too long"));
    }
    match strtime::format(in_utc(form, civil), civil) {
        Ok(text) => {
            run.allocate(1, text.len())?;
            Ok(Value::text(text))
        }
        Err(error) => Err(Halt::error(format!("strftime/1: {error}"))),
    }
}

// What a time of day alone does not know: the zone, its offset, the seconds since 1970. The forms of a country
// are those of none; what is no conversion stays as it is.
fn in_utc(form: &str, civil: DateTime) -> String {
    let mut out = String::with_capacity(form.len());
    let mut letters = form.chars();
    while let Some(letter) = letters.next() {
        match (letter, if letter == '%' { letters.next() } else { None }) {
            ('%', Some('Z')) => out.push_str("UTC"),
            ('%', Some('z')) => out.push_str("+0000"),
            ('%', Some('c')) => out.push_str("%a %b %e %H:%M:%S %Y"),
            ('%', Some('x')) => out.push_str("%m/%d/%y"),
            ('%', Some('X')) => out.push_str("%H:%M:%S"),
            ('%', Some('r')) => out.push_str("%I:%M:%S %p"),
            ('%', Some(unknown)) if !CONVERSIONS.contains(unknown) => {
                out.push_str("%%");
                out.push(unknown);
            }
            ('%', None) => out.push_str("%%"),
            ('%', Some('s')) => {
                let seconds = Offset::UTC.to_timestamp(civil).map_or(0, jiff::Timestamp::as_second);
                out.push_str(&seconds.to_string());
            }
            (letter, next) => {
                out.push(letter);
                out.extend(next);
            }
        }
    }
    out
}

/// What may stand behind `%`: conversions, and the flags and widths before them.
const CONVERSIONS: &str = "ABCDFGHIMPRSTUVWYabdeghjklmnpstuwy%_-^#0123456789";

pub(crate) fn strptime(_: &Run<'_>, input: Value, arguments: &[Value]) -> Caught<Value> {
    let Some(text) = input.as_text() else {
        return Err(Halt::error(format!("strptime/1 requires string inputs and arguments, not {}", shown(&input))));
    };
    let form = arguments[0].as_text().ok_or_else(|| Halt::error("strptime/1 requires string inputs and arguments"))?;
    let parsed = BrokenDownTime::parse(form.replace("%Z", "UTC"), text);
    match parsed.and_then(|parts| parts.to_datetime()) {
        Ok(civil) => broken_down(civil, 0.0),
        Err(_) => Err(Halt::error(format!("date \"{text}\" does not match format \"{form}\""))),
    }
}
