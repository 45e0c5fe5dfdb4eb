//! What a file wears that its text does not tell: a byte order mark, the ends of its lines.

use model::{Object, Value};

use super::plan::line_end;

/// The byte order mark and the line ends of a file that we rewrite.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Dress {
    has_bom: bool,
    is_crlf: bool,
}

impl Dress {
    /// That of a text.
    pub(super) fn of(text: &str) -> Self {
        Self { has_bom: text.starts_with('\u{feff}'), is_crlf: line_end(text) == "\r\n" }
    }

    /// Gives it to a text with LF.
    pub(super) fn put_on(self, text: String) -> String {
        let text = if self.is_crlf { text.replace('\n', "\r\n") } else { text };
        if self.has_bom { format!("\u{feff}{text}") } else { text }
    }

    /// Writes it into a record that tells of the file.
    pub(super) fn write(self, record: &mut Object) {
        for (name, holds) in [("bom", self.has_bom), ("crlf", self.is_crlf)] {
            if holds {
                record.insert(name.to_owned(), true.into());
            }
        }
    }

    /// Reads it from such a record.
    pub(super) fn read(record: &Value) -> Self {
        let flag = |name: &str| record.get(name).and_then(Value::as_bool).unwrap_or_default();
        Self { has_bom: flag("bom"), is_crlf: flag("crlf") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_off_is_put_on_again() {
        for text in ["a\nb\n", "\u{feff}a\r\nb", "a\r\nb\r\n", "a"] {
            let dress = Dress::of(text);
            let plain = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
            assert_eq!(dress.put_on(plain), text);
            let mut record = Object::new();
            dress.write(&mut record);
            assert_eq!(Dress::read(&Value::Object(record)), dress);
        }
    }
}
