//! The state file: the state in its envelope, or bare.

use model::{Object, Value, json};

use super::records::members;

/// What a state file says.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Envelope {
    /// The state.
    pub(super) state: Object,
    /// The members beside it that we do not know, in their order.
    pub(super) others: Object,
}

/// Why a state file says nothing that we understand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unreadable {
    /// A newer program wrote it.
    Newer,
    /// It is no state file.
    Corrupt,
}

impl Envelope {
    /// Reads the bytes of a state file.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, Unreadable> {
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let Ok(Value::Object(mut object)) = json::read(bytes) else { return Err(Unreadable::Corrupt) };
        let Some(version) = object.shift_remove("version") else {
            return Ok(Self { state: object, others: Object::new() });
        };
        match version.as_f64().filter(|version| version.fract() == 0.0) {
            Some(0.0 | 1.0) => {}
            Some(2.0..) => return Err(Unreadable::Newer),
            _ => return Err(Unreadable::Corrupt),
        }
        match object.shift_remove("state") {
            Some(Value::Object(state)) => Ok(Self { state, others: object }),
            _ => Err(Unreadable::Corrupt),
        }
    }

    /// The file that holds it.
    pub(super) fn to_object(&self) -> Object {
        let mut object = members([("version", 1.into()), ("state", Value::Object(self.state.clone()))]);
        object.extend(self.others.clone());
        object
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<(&str, &str), Unreadable>) {
        let read = Envelope::read(text.as_bytes());
        let shown = read.map(|it| (Value::Object(it.state).to_string(), Value::Object(it.others).to_string()));
        assert_eq!(shown, expected.map(|(a, b)| (a.to_owned(), b.to_owned())), "{text}");
    }

    #[test]
    fn reads_what_the_tools_write() {
        check(r#"{"version":1,"state":{"b":1,"a":2}}"#, Ok((r#"{"b":1,"a":2}"#, "{}")));
        check("\u{feff}{\"x\":1,\"version\":0,\"y\":2,\"state\":{}}", Ok(("{}", r#"{"x":1,"y":2}"#)));
        check(r#"{"goal":"g","state":1}"#, Ok((r#"{"goal":"g","state":1}"#, "{}")));
        check("{}", Ok(("{}", "{}")));
        check(r#"{"a":1,"b":2,"a":18446744073709551615}"#, Ok((r#"{"a":18446744073709551615,"b":2}"#, "{}")));
    }

    #[test]
    fn tells_newer_from_corrupt() {
        check(r#"{"version":1.0,"state":{}}"#, Ok(("{}", "{}")));
        for text in [r#"{"version":2,"state":{}}"#, r#"{"version":18446744073709551615}"#, r#"{"version":1e3}"#] {
            check(text, Err(Unreadable::Newer));
        }
        let versions = ["1.5", "\"1\"", "null", "-1", "1e400", "true", "[1]"];
        for version in versions {
            check(&format!("{{\"version\":{version},\"state\":{{}}}}"), Err(Unreadable::Corrupt));
        }
        for text in ["", " ", "[]", "null", "{\"a\":", "{}{}", r#"{"version":1}"#, r#"{"version":1,"state":[]}"#] {
            check(text, Err(Unreadable::Corrupt));
        }
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
        check(&deep, Err(Unreadable::Corrupt));
    }
}
