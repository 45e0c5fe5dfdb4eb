//! Scalars: how values are written so that every YAML reader takes them for what they are.

use std::fmt::Write as _;

use super::full::Held;

/// A value to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// `null`.
    Null,
    /// Text, plain where no YAML reader could take it for anything else.
    Text(String),
    /// Text in single quotes.
    Quoted(String),
    /// A whole number.
    Count(u64),
    /// A list on one line, every item quoted.
    List(Vec<String>),
}

impl Scalar {
    /// Text, or null where there is none.
    pub fn or_null(text: Option<impl Into<String>>) -> Self {
        text.map_or(Self::Null, |text| Self::Text(text.into()))
    }

    /// How it is written.
    pub fn token(&self) -> String {
        match self {
            Self::Null => "null".into(),
            Self::Text(text) if is_plain(text) => text.clone(),
            Self::Text(text) => quoted(text),
            Self::Quoted(text) => format!("'{}'", text.replace('\'', "''")),
            Self::Count(count) => count.to_string(),
            Self::List(items) => {
                format!("[{}]", items.iter().map(|item| quoted(item)).collect::<Vec<_>>().join(", "))
            }
        }
    }

    /// Whether a value that stands there means the same; `"2"` means the same as `2`.
    pub fn is(&self, held: &Held) -> bool {
        match (self, held) {
            (Self::Null, Held::Null) => true,
            (Self::Text(text) | Self::Quoted(text), Held::Text(there)) => text == there,
            (Self::Count(count), Held::Text(there)) => count.to_string() == *there,
            (Self::List(items), Held::List(there)) => items == there,
            _ => false,
        }
    }
}

/// **Source**: `spec/msd.md`, section 3, Layout.
fn is_plain(text: &str) -> bool {
    const WORDS: &[&str] = &["true", "false", "yes", "no", "on", "off", "null", "y", "n"];
    let bytes = text.as_bytes();
    let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else { return false };
    let edge = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b')';
    let allowed = |byte: &u8| byte.is_ascii_alphanumeric() || b" ._/()+-".contains(byte);
    let tells = |byte: &u8| byte.is_ascii_alphabetic() && !matches!(byte, b'e' | b'E');
    let based = ["0x", "0o", "0b"].iter().any(|base| text.starts_with(base));
    edge(first)
        && edge(last)
        && bytes.iter().all(allowed)
        && bytes.iter().any(tells)
        && !based
        && !WORDS.iter().any(|word| text.eq_ignore_ascii_case(word))
}

fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '\\' | '"' => out.extend(['\\', c]),
            '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' => {
                write!(out, "\\u{:04x}", u32::from(c)).expect("writing to a string succeeds");
            }
            _ => out.push(c),
        }
    }
    out.push('"');
    out
}

/// The text of a token as it stands in a file, quotes taken off and escapes decoded.
pub(super) fn decode(token: &str) -> String {
    let inside = |quote: char| token.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    if let Some(inner) = inside('"').filter(|_| token.len() > 1) {
        return unescape(inner);
    }
    inside('\'').filter(|_| token.len() > 1).map_or_else(|| token.to_owned(), |inner| inner.replace("''", "'"))
}

/// **Source**: YAML 1.2.2, 5.7; an escape that is none stays as it stands.
fn unescape(inner: &str) -> String {
    let mut out = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let behind = &rest[at + 1..];
        let Some(mark) = behind.chars().next() else {
            out.push('\\');
            return out;
        };
        let after = &behind[mark.len_utf8()..];
        let simple = match mark {
            '0' => Some('\0'),
            'a' => Some('\u{7}'),
            'b' => Some('\u{8}'),
            't' => Some('\t'),
            'n' => Some('\n'),
            'v' => Some('\u{b}'),
            'f' => Some('\u{c}'),
            'r' => Some('\r'),
            'e' => Some('\u{1b}'),
            '"' | '\\' | '/' | ' ' => Some(mark),
            _ => None,
        };
        let digits = match mark {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            _ => 0,
        };
        let number = after.get(..digits).filter(|hex| digits > 0 && hex.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let coded = number.and_then(|hex| char::from_u32(u32::from_str_radix(hex, 16).ok()?));
        match (simple, coded) {
            (Some(c), _) => {
                out.push(c);
                rest = after;
            }
            (None, Some(c)) => {
                out.push(c);
                rest = &after[digits..];
            }
            (None, None) => {
                out.push('\\');
                rest = behind;
            }
        }
    }
    out.push_str(rest);
    out
}
