//! Reading JSON without touching the text of its numbers.

use serde_json::{Error, Number};

use crate::{Object, Value};

/// Reads one JSON value; of doubled names the last value counts, at the first place.
///
/// The JSON library writes exponents in a way of its own (`1E5` becomes `1e+5`); here a number keeps its text.
///
/// **Errors**: text that is no JSON value, or is nested more than 127 deep.
pub fn read(bytes: &[u8]) -> Result<Value, Error> {
    let value = serde_json::from_slice(bytes)?;
    if !has_exponents(bytes) {
        return Ok(value);
    }
    // What was read is JSON, so that the second look has nothing to check.
    Ok(Exact { bytes, at: 0 }.value().unwrap_or(value))
}

/// The text of a number, if it is one.
pub fn is_number(text: &str) -> bool {
    let is_bare = text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    is_bare && serde_json::from_str::<Number>(text).is_ok()
}

/// A number with this text; `None` where it is none.
pub fn number(text: &str) -> Option<Number> {
    is_number(text).then(|| Number::from_string_unchecked(text.to_owned()))
}

/// Whether some digit stands before an `e`; in texts too, which does no harm.
///
/// Then [`read`] keeps the text of each number, where the JSON library puts a sign into it.
pub fn has_exponents(bytes: &[u8]) -> bool {
    let next = bytes.get(1..).unwrap_or_default();
    // Without an early end, the loop is one that looks at many bytes at once.
    let is_both = |one: &u8, next: &u8| u8::from(one.is_ascii_digit()) & u8::from(next | 0x20 == b'e');
    bytes.iter().zip(next).fold(0, |found, (one, next)| found | is_both(one, next)) != 0
}

/// Reads what is known to be JSON.
struct Exact<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Exact<'b> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    // Skips blanks and what stands between values.
    fn next(&mut self) -> Option<u8> {
        while matches!(self.peek()?, b' ' | b'\t' | b'\n' | b'\r' | b',' | b':') {
            self.at += 1;
        }
        self.peek()
    }

    fn value(&mut self) -> Option<Value> {
        match self.next()? {
            b'{' => self.object().map(Value::Object),
            b'[' => {
                self.at += 1;
                let mut items = Vec::new();
                while self.next()? != b']' {
                    items.push(self.value()?);
                }
                self.at += 1;
                Some(Value::Array(items))
            }
            b'"' => self.text().map(Value::String),
            b't' => self.word("true").map(|_| Value::Bool(true)),
            b'f' => self.word("false").map(|_| Value::Bool(false)),
            b'n' => self.word("null").map(|_| Value::Null),
            _ => {
                let rest = &self.bytes[self.at..];
                let is_part = |byte: &u8| byte.is_ascii_digit() || b"+-.eE".contains(byte);
                let text = &rest[..rest.iter().position(|byte| !is_part(byte)).unwrap_or(rest.len())];
                self.at += text.len();
                let text = std::str::from_utf8(text).ok().filter(|text| !text.is_empty())?;
                Some(Value::Number(Number::from_string_unchecked(text.to_owned())))
            }
        }
    }

    fn object(&mut self) -> Option<Object> {
        self.at += 1;
        let mut object = Object::new();
        while self.next()? != b'}' {
            let name = self.text()?;
            let value = self.value()?;
            object.insert(name, value);
        }
        self.at += 1;
        Some(object)
    }

    fn text(&mut self) -> Option<String> {
        let start = self.at;
        self.at += 1;
        while self.peek()? != b'"' {
            self.at += 1 + usize::from(self.peek()? == b'\\');
        }
        self.at += 1;
        serde_json::from_slice(&self.bytes[start..self.at]).ok()
    }

    fn word(&mut self, word: &str) -> Option<&'b [u8]> {
        let start = self.at;
        self.at += word.len();
        self.bytes.get(start..self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::{is_number, number, read};

    #[test]
    fn numbers_keep_their_text() {
        for text in [
            r#"{"a":1e2,"b":1E5,"c":1E+5,"d":1e-7,"e":[1.50,-0,1e+9,2E-3],"f":12345678901234567890}"#,
            r#"{"1e5":"1E5","\"1e2":"\\","x":[true,false,null,[],{}],"é":"\u0007","n":1e2}"#,
            "1e2",
            "[1e2]",
        ] {
            assert_eq!(read(text.as_bytes()).expect("it is JSON").to_string(), text);
        }
        let spread = "\r\n\t{ \"a\" : [ 1e2 , 3 ] , \"b\" : \"\\ud83d\\ude00\" , \"a\" : 1E1 } ";
        assert!(number("1e2").is_some() && number("1e").is_none());
        assert_eq!(read(spread.as_bytes()).expect("it is JSON").to_string(), "{\"a\":1E1,\"b\":\"😀\"}");
    }

    #[test]
    fn what_is_no_json_is_refused() {
        let deep = "[".repeat(200) + "1e2" + &"]".repeat(200);
        for text in ["", "1e", "[1e2", "{\"a\":1e2,}", "1e2 1", "01e2", "\"\\ud800 1e2\"", deep.as_str()] {
            assert!(read(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn texts_of_numbers_are_told() {
        for (text, expected) in
            [("1e2", true), ("-0", true), ("1E+400", true), ("NaN", false), (" 1", false), ("01", false), ("", false)]
        {
            assert_eq!(is_number(text), expected, "{text:?}");
        }
    }
}
