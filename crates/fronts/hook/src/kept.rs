//! What is kept of a host's JSON: the members that somebody looks at, and nothing of the rest.
//!
//! The text is read once, and what nobody looks at is passed over without being built, however large, wide or deep
//! it is. So an event costs what its length costs, and holds no more than its longest texts.

use std::borrow::Cow;
use std::fmt;

use model::{Object, Value, json};
use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// The most items of a list that are kept; where more come, one more is, so that it can be told.
pub(crate) const MOST: usize = 4096;

/// Up to this length numbers keep their text to the letter. **Units**: bytes.
const EXACT: usize = 64 * 1024;

/// What is kept of a value: a text, a number, a truth value always, a list or an object only where it says so.
#[derive(Clone, Copy)]
pub(crate) enum Kept {
    /// No list and no object.
    Plain,
    /// Of an object the members that have an answer here, of each of them so much.
    Members(fn(&str) -> Option<Kept>),
    /// The first items of a list, of each of them so much.
    Items(&'static Self),
}

/// The name under which the JSON library hands out the text of a number.
const NUMBER: &str = "$serde_json::private::Number";

/// The object that a text holds, less what is not kept.
///
/// Bytes that are not UTF-8, and half a letter as `\ud800` writes it alone, are no text here. A gate must see what
/// stands beside them all the same: they are read as the sign for no letter.
pub(crate) fn object(bytes: &[u8], members: fn(&str) -> Option<Kept>) -> Option<Object> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let read = |bytes: &[u8]| {
        if bytes.len() <= EXACT
            && json::has_exponents(bytes)
            && let Ok(value) = json::read(bytes)
        {
            return Kept::Members(members).deserialize(value);
        }
        let mut text = serde_json::Deserializer::from_slice(bytes);
        let value = Kept::Members(members).deserialize(&mut text)?;
        text.end().map(|()| value)
    };
    let value = read(bytes).or_else(|error| match String::from_utf8_lossy(bytes) {
        Cow::Borrowed(text) => without_halves(text.as_bytes()).map_or(Err(error), |text| read(&text)),
        Cow::Owned(text) => read(without_halves(text.as_bytes()).as_deref().unwrap_or(text.as_bytes())),
    });
    if let Ok(Some(Value::Object(object))) = value { Some(object) } else { None }
}

// The text with the sign for no letter in the place of every half letter; nothing where there is none.
fn without_halves(bytes: &[u8]) -> Option<Vec<u8>> {
    let unit = |at: usize| {
        let digits = std::str::from_utf8(bytes.get(at..at + 6)?.strip_prefix(b"\\u")?).ok()?;
        u16::from_str_radix(digits, 16).ok()
    };
    let (mut whole, mut at) = (Vec::new(), 0);
    while let Some(next) = bytes[at..].iter().position(|byte| *byte == b'\\') {
        at += next;
        at += match (unit(at), unit(at + 6)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
            (Some(0xD800..=0xDFFF), _) => {
                whole.extend_from_slice(&bytes[whole.len()..at]);
                whole.extend_from_slice(b"\\ufffd");
                6
            }
            _ => 2.min(bytes.len() - at),
        };
    }
    (!whole.is_empty()).then(|| {
        whole.extend_from_slice(&bytes[whole.len()..]);
        whole
    })
}

impl<'de> DeserializeSeed<'de> for Kept {
    type Value = Option<Value>;

    fn deserialize<D: serde::Deserializer<'de>>(self, value: D) -> Result<Self::Value, D::Error> {
        value.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Kept {
    type Value = Option<Value>;

    fn expecting(&self, form: &mut fmt::Formatter<'_>) -> fmt::Result {
        form.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(Some(Value::Null))
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Some(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Self::Value, E> {
        Ok(Some(value.into()))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Self::Value, E> {
        Ok(Some(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Self::Value, E> {
        Ok(Some(value.into()))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Some(text.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut list = Vec::new();
        if let Self::Items(kept) = self {
            while list.len() <= MOST
                && let Some(item) = items.next_element_seed(*kept)?
            {
                list.extend(item);
            }
        }
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(matches!(self, Self::Items(_)).then_some(Value::Array(list)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let (mut object, mut number, mut count) = (Object::new(), None, 0);
        while let Some(name) = members.next_key_seed(Name(self))? {
            count += 1;
            match name {
                Named::Nothing => drop(members.next_value::<IgnoredAny>()?),
                Named::Number => number = members.next_value_seed(Self::Plain)?,
                Named::Member(name, kept) => {
                    let value = members.next_value_seed(kept)?;
                    object.extend(value.map(|value| (name, value)));
                }
            }
        }
        // A host may have sent an object with a member of that name: then it is one, and the member nothing.
        let number = number.filter(|_| count == 1).and_then(|text| json::number(text.as_str()?));
        let is_kept = matches!(self, Self::Members(_));
        Ok(number.map(Value::Number).or_else(|| is_kept.then_some(Value::Object(object))))
    }
}

/// Reads a member's name, and what is kept of its value.
struct Name(Kept);

/// What a member's name says.
enum Named {
    Nothing,
    Number,
    Member(String, Kept),
}

impl<'de> DeserializeSeed<'de> for Name {
    type Value = Named;

    fn deserialize<D: serde::Deserializer<'de>>(self, name: D) -> Result<Named, D::Error> {
        name.deserialize_str(self)
    }
}

impl Visitor<'_> for Name {
    type Value = Named;

    fn expecting(&self, form: &mut fmt::Formatter<'_>) -> fmt::Result {
        form.write_str("a member's name")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Named, E> {
        if name == NUMBER {
            return Ok(Named::Number);
        }
        let kept = if let Kept::Members(members) = self.0 { members(name) } else { None };
        Ok(kept.map_or(Named::Nothing, |kept| Named::Member(name.to_owned(), kept)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &[u8]) -> Option<String> {
        let members = |name: &str| match name {
            "a" => Some(Kept::Plain),
            "b" => Some(Kept::Members(|name| (name == "a").then_some(Kept::Plain))),
            "c" => Some(Kept::Items(&Kept::Plain)),
            _ => None,
        };
        object(text, members).map(|object| Value::Object(object).to_string())
    }

    #[test]
    fn plain_values_are_kept_where_they_are_wanted() {
        for (text, expected) in [
            (r#"{"a":1.50,"x":1}"#, r#"{"a":1.50}"#),
            (r#"{"a":1e1,"b":{"a":2E-3}}"#, r#"{"a":1e1,"b":{"a":2E-3}}"#),
            (r#"{"a":-0,"b":true,"c":null}"#, r#"{"a":-0,"b":true,"c":null}"#),
            (r#"{"a":[1],"b":[1],"c":{"a":1}}"#, "{}"),
            (r#"{"a":{"a":1},"b":{"a":"\u00e9","b":2}}"#, r#"{"b":{"a":"é"}}"#),
            (r#"{"c":[1,[2],"x",{},null]}"#, r#"{"c":[1,"x",null]}"#),
            (
                r#"{"a":{"$serde_json::private::Number":"no"},"b":{"$serde_json::private::Number":7,"a":1}}"#,
                r#"{"b":{"a":1}}"#,
            ),
        ] {
            assert_eq!(read(text.as_bytes()).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_letter_hides_nothing() {
        for (text, expected) in [
            (&br#"{"a":"x\ud800","b":{"a":"y"}}"#[..], "{\"a\":\"x\u{fffd}\",\"b\":{\"a\":\"y\"}}"),
            (br#"{"a":"\ud83d\ude00\udc00\\ud800"}"#, "{\"a\":\"😀\u{fffd}\\\\ud800\"}"),
            (b"{\"a\":\"\xff\",\"x\":\"\\udfff\"}", "{\"a\":\"\u{fffd}\"}"),
            (b"{\"x\":\"\xff\\ud800\",\"a\":1}", "{\"a\":1}"),
        ] {
            assert_eq!(read(text).as_deref(), Some(expected), "{}", text.escape_ascii());
        }
        for text in ["{\"a\":\"\\ud8", "{\"a\":\"\\", "{\"a\":\"\\ud800\"", "{\"a\":\"\\ud800\"}}", "\\ud800"] {
            assert_eq!(read(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn what_is_passed_over_is_not_built() {
        let wide = (0..10_000).map(|number| format!("\"k{number}\":[{{}}],")).collect::<Vec<_>>().concat();
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        let text = format!("{{{wide}\"a\":{deep},\"b\":{{{wide}\"a\":1}},\"x\":{deep}}}");
        assert_eq!(read(text.as_bytes()).as_deref(), Some("{\"b\":{\"a\":1}}"));
        let long = format!("{{\"c\":[{}1]}}", "1,".repeat(1_000_000));
        assert_eq!(read(long.as_bytes()).map(|kept| kept.matches('1').count()), Some(MOST + 1));
    }
}
