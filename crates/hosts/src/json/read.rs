//! JSON with comments, read as spans: what an edit has to leave alone is known byte by byte.

use std::ops::Range;

use model::{Object, Value};

/// How deep containers may be nested.
const DEPTH: usize = 128;

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    /// From its first byte to the one after its last.
    pub(crate) span: Range<usize>,
    /// What it is.
    pub(crate) kind: Kind,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    /// Names and values, in their order; a name may stand twice.
    Object(Vec<Member>),
    /// Values in their order.
    Array(Vec<Node>),
    /// Text, number, `true`, `false`, `null`.
    Scalar(Value),
}

/// A name and its value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Member {
    /// The name.
    pub(crate) name: String,
    /// Where the name begins.
    pub(crate) start: usize,
    /// The value.
    pub(crate) value: Node,
}

/// Where a text is no JSON, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The line. **Units**: 1-based.
    pub(crate) line: usize,
    /// What is wrong there.
    pub(crate) what: &'static str,
}

impl Node {
    /// The value without its comments; of a name that stands twice the last counts.
    pub(crate) fn value(&self) -> Value {
        match &self.kind {
            Kind::Scalar(value) => value.clone(),
            Kind::Array(items) => items.iter().map(Self::value).collect(),
            Kind::Object(members) => {
                let pairs = members.iter().map(|member| (member.name.clone(), member.value.value()));
                Value::Object(pairs.collect::<Object>())
            }
        }
    }

    /// Where the things in a container stand, names included.
    pub(crate) fn items(&self) -> Vec<Range<usize>> {
        match &self.kind {
            Kind::Scalar(_) => Vec::new(),
            Kind::Array(items) => items.iter().map(|item| item.span.clone()).collect(),
            Kind::Object(members) => members.iter().map(|member| member.start..member.value.span.end).collect(),
        }
    }
}

/// Reads a whole text: one value, with comments and trailing commas, nothing behind it.
pub(crate) fn read(text: &str) -> Result<Node, Fault> {
    let mut reader = Reader { text, at: 0 };
    let node = reader.value(0).and_then(|node| {
        reader.skip()?;
        if reader.at == text.len() { Ok(node) } else { Err("something follows the end") }
    });
    node.map_err(|what| Fault { line: 1 + text[..reader.at].matches('\n').count(), what })
}

/// Skips white space and comments from `at`; answers where something else begins.
///
/// Of a comment that does not end, and of the end of the text, the end.
pub(crate) fn skip(text: &str, at: usize) -> usize {
    let mut reader = Reader { text, at };
    if reader.skip().is_err() {
        return text.len();
    }
    reader.at
}

/// The comment that begins at `at`: where it ends, and whether its line ends with it.
pub(crate) fn comment(text: &str, at: usize) -> Option<(usize, bool)> {
    let rest = &text[at..];
    if rest.starts_with("//") {
        let line = rest.split('\n').next().unwrap_or(rest);
        return Some((at + line.strip_suffix('\r').unwrap_or(line).len(), true));
    }
    let inner = rest.strip_prefix("/*")?;
    Some((at + 4 + inner.find("*/")?, false))
}

/// All comments of a text, in their order.
pub(crate) fn comments(text: &str) -> Vec<&str> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(next) = text[at..].find(['"', '/']) {
        at += next;
        let mut reader = Reader { text, at };
        if let Some((end, _)) = comment(text, at) {
            found.push(&text[at..end]);
            at = end;
        } else if text[at..].starts_with('"') && reader.string().is_ok() {
            at = reader.at;
        } else {
            at += 1;
        }
    }
    found
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn skip(&mut self) -> Result<(), &'static str> {
        loop {
            let rest = &self.text[self.at..];
            self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
            if !self.text[self.at..].starts_with('/') {
                return Ok(());
            }
            self.at = comment(self.text, self.at).ok_or("a comment does not end")?.0;
        }
    }

    fn peek(&mut self) -> Result<u8, &'static str> {
        self.skip()?;
        self.text.as_bytes().get(self.at).copied().ok_or("the text ends too early")
    }

    fn value(&mut self, depth: usize) -> Result<Node, &'static str> {
        if depth > DEPTH {
            return Err("containers are nested too deep");
        }
        let first = self.peek()?;
        let start = self.at;
        let kind = match first {
            b'{' => Kind::Object(self.list(b'}', |reader| reader.member(depth))?),
            b'[' => Kind::Array(self.list(b']', |reader| reader.value(depth + 1))?),
            b'"' => Kind::Scalar(self.string()?.into()),
            _ => Kind::Scalar(self.word()?),
        };
        Ok(Node { span: start..self.at, kind })
    }

    fn list<T>(
        &mut self,
        close: u8,
        mut item: impl FnMut(&mut Self) -> Result<T, &'static str>,
    ) -> Result<Vec<T>, &'static str> {
        self.at += 1;
        let mut items = Vec::new();
        while self.peek()? != close {
            items.push(item(self)?);
            match self.peek()? {
                b',' => self.at += 1,
                found if found == close => {}
                _ => return Err("a comma or the end of a container is missing"),
            }
        }
        self.at += 1;
        Ok(items)
    }

    fn member(&mut self, depth: usize) -> Result<Member, &'static str> {
        let start = self.at;
        if self.peek()? != b'"' {
            return Err("a name in quotation marks is missing");
        }
        let name = self.string()?;
        if self.peek()? != b':' {
            return Err("a colon is missing");
        }
        self.at += 1;
        Ok(Member { name, start, value: self.value(depth + 1)? })
    }

    fn string(&mut self) -> Result<String, &'static str> {
        let bytes = self.text.as_bytes();
        let mut end = self.at + 1;
        while let Some(byte) = bytes.get(end) {
            match byte {
                b'"' => {
                    let shown = &self.text[self.at..=end];
                    let text = serde_json::from_str(shown).map_err(|_| "a text in quotation marks is malformed")?;
                    self.at = end + 1;
                    return Ok(text);
                }
                b'\\' => end += 2,
                _ => end += 1,
            }
        }
        Err("a text in quotation marks does not end")
    }

    fn word(&mut self) -> Result<Value, &'static str> {
        let rest = &self.text[self.at..];
        let end = rest.find(|letter: char| !(letter.is_ascii_alphanumeric() || "+-.".contains(letter)));
        let word = &rest[..end.unwrap_or(rest.len())];
        let value = serde_json::from_str(word).map_err(|_| "a value is malformed")?;
        self.at += word.len();
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::{Fault, read};
    use serde_json::json;

    #[test]
    fn what_editors_write_is_read() {
        let cases = [
            ("{}", json!({})),
            (" // a\n{ /* b */ \"a\" : [ 1, 2, ] , }\n// c", json!({"a": [1, 2]})),
            ("{\"a\\n\\u00e9\": \"\\\"//\", \"b\": -1.5}", json!({"a\né": "\"//", "b": -1.5})),
            ("[true,false,null]", json!([true, false, null])),
        ];
        for (text, expected) in cases {
            assert_eq!(read(text).unwrap().value(), expected);
        }
    }

    #[test]
    fn what_is_malformed_is_named_with_its_line() {
        let deep = "[".repeat(100_000);
        let cases = [
            ("", 1),
            ("{", 1),
            ("{\"a\":1\n\"b\":2}", 2),
            ("{}\n{}", 2),
            ("{a:1}", 1),
            ("/* x", 1),
            ("{\"a\"}", 1),
            ("\"\\x\"", 1),
            ("nul", 1),
            ("{,}", 1),
            ("\"a", 1),
            ("\u{0}", 1),
            ("\"\\", 1),
            (deep.as_str(), 1),
            ("01", 1),
        ];
        for (text, expected) in cases {
            let Err(Fault { line, .. }) = read(text) else { panic!("{text:.20} was read") };
            assert_eq!(line, expected, "{text:.20}");
        }
    }
}
