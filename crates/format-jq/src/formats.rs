//! `@csv` and its like: values as text of other kinds.

use std::fmt::Write as _;

use crate::base::{BASE32, BASE64};
use crate::halt::{Caught, Halt};
use crate::message::shown;
use crate::run::Run;
use crate::term::Style;
use crate::text::{compact, plain};
use crate::value::Value;

impl Style {
    /// The style of a name after `@`.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "text" => Self::Text,
            "json" => Self::Json,
            "csv" => Self::Csv,
            "tsv" => Self::Tsv,
            "html" => Self::Html,
            "uri" => Self::Uri,
            "sh" => Self::Sh,
            "base32" => Self::Base32,
            "base32d" => Self::Base32d,
            "base64" => Self::Base64,
            "base64d" => Self::Base64d,
            _ => return None,
        })
    }

    /// The text of a value in this style.
    pub(crate) fn write(self, run: &Run<'_>, value: &Value) -> Caught<String> {
        match self {
            Self::Text => plain(run, value),
            Self::Json => compact(run, value),
            Self::Csv => row(run, value, "csv", ",", |text| format!("\"{}\"", text.replace('"', "\"\""))),
            Self::Tsv => row(run, value, "tsv", "\t", |text| {
                let escaped = text.replace('\\', "\\\\").replace('\t', "\\t");
                escaped.replace('\n', "\\n").replace('\r', "\\r")
            }),
            Self::Html => Ok(html(&plain(run, value)?)),
            Self::Uri => Ok(uri(&plain(run, value)?)),
            Self::Sh => sh(run, value),
            Self::Base32 => Ok(BASE32.write(plain(run, value)?.as_bytes())),
            Self::Base32d => BASE32.read(&plain(run, value)?).ok_or_else(|| invalid(value, "base32")),
            Self::Base64 => Ok(BASE64.write(plain(run, value)?.as_bytes())),
            Self::Base64d => BASE64.read(&plain(run, value)?).ok_or_else(|| invalid(value, "base64")),
        }
    }
}

fn invalid(value: &Value, name: &str) -> Halt {
    Halt::error(format!("{} is not valid {name} data", shown(value)))
}

fn row(run: &Run<'_>, value: &Value, name: &str, between: &str, text: impl Fn(&str) -> String) -> Caught<String> {
    let Some(items) = value.as_items() else {
        return Err(Halt::error(format!("{} cannot be {name}-formatted, only an array can be", shown(value))));
    };
    let cell = |item: &Value| match item {
        Value::Null => Ok(String::new()),
        Value::Bool(_) | Value::Number(_) => compact(run, item),
        Value::Text(own) => {
            run.allocate(0, own.len())?;
            Ok(text(own))
        }
        _ => Err(Halt::error(format!("{} is not valid in a csv row", shown(item)))),
    };
    Ok(items.iter().map(cell).collect::<Caught<Vec<_>>>()?.join(between))
}

fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '\'' => out.push_str("&apos;"),
            '"' => out.push_str("&quot;"),
            other => out.push(other),
        }
    }
    out
}

fn uri(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a String cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

fn sh(run: &Run<'_>, value: &Value) -> Caught<String> {
    let word = |item: &Value| match item {
        Value::Text(_) => Ok(format!("'{}'", plain(run, item)?.replace('\'', "'\\''"))),
        Value::Array(_) | Value::Object(_) => Err(Halt::error(format!("{} can not be escaped for shell", shown(item)))),
        other => compact(run, other),
    };
    match value.as_items() {
        Some(items) => Ok(items.iter().map(word).collect::<Caught<Vec<_>>>()?.join(" ")),
        None => word(value),
    }
}
