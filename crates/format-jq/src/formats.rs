//! `@csv` and its like: values as text of other kinds.

use std::fmt::Write as _;

use crate::halt::{Caught, Halt};
use crate::message::shown;
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
            "base64" => Self::Base64,
            "base64d" => Self::Base64d,
            _ => return None,
        })
    }

    /// The text of a value in this style.
    pub(crate) fn write(self, value: &Value) -> Caught<String> {
        match self {
            Self::Text => Ok(plain(value)),
            Self::Json => Ok(compact(value)),
            Self::Csv => row(value, "csv", ",", |text| format!("\"{}\"", text.replace('"', "\"\""))),
            Self::Tsv => row(value, "tsv", "\t", |text| {
                let escaped = text.replace('\\', "\\\\").replace('\t', "\\t");
                escaped.replace('\n', "\\n").replace('\r', "\\r")
            }),
            Self::Html => Ok(html(&plain(value))),
            Self::Uri => Ok(uri(&plain(value))),
            Self::Sh => sh(value),
            Self::Base64 => Ok(base64(plain(value).as_bytes())),
            Self::Base64d => base64_read(&plain(value))
                .ok_or_else(|| Halt::error(format!("{} is not valid base64 data", shown(value)))),
        }
    }
}

fn row(value: &Value, name: &str, between: &str, text: impl Fn(&str) -> String) -> Caught<String> {
    let Some(items) = value.as_items() else {
        return Err(Halt::error(format!("{} cannot be {name}-formatted, only an array can be", shown(value))));
    };
    let cell = |item: &Value| match item {
        Value::Null => Ok(String::new()),
        Value::Bool(_) | Value::Number(_) => Ok(compact(item)),
        Value::Text(own) => Ok(text(own)),
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
            '\'' => out.push_str("&#39;"),
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

fn sh(value: &Value) -> Caught<String> {
    let word = |item: &Value| match item {
        Value::Text(text) => Ok(format!("'{}'", text.replace('\'', "'\\''"))),
        Value::Array(_) | Value::Object(_) => Err(Halt::error(format!("{} can not be escaped for shell", shown(item)))),
        other => Ok(compact(other)),
    };
    match value.as_items() {
        Some(items) => Ok(items.iter().map(word).collect::<Caught<Vec<_>>>()?.join(" ")),
        None => word(value),
    }
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn base64(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let group = chunk.iter().fold(0u32, |group, byte| group << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            if place <= chunk.len() {
                let six = usize::try_from(group >> (18 - 6 * place) & 63).unwrap_or_default();
                out.push(char::from(ALPHABET[six]));
            } else {
                out.push('=');
            }
        }
    }
    out
}

// What is no UTF-8 is shown by the replacement character.
fn base64_read(text: &str) -> Option<String> {
    let trimmed = text.trim_end_matches('=');
    let (mut bytes, mut group, mut bits) = (Vec::with_capacity(trimmed.len()), 0u32, 0u32);
    for byte in trimmed.bytes() {
        let six = ALPHABET.iter().position(|letter| *letter == byte)?;
        group = (group << 6 | u32::try_from(six).unwrap_or_default()) & 0xFF_FFFF;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from(group >> bits & 0xFF).unwrap_or_default());
        }
    }
    if bytes.is_empty() && !trimmed.is_empty() {
        return None;
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
