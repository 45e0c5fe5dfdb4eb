//! Strings with their escapes and interpolated parts.

use crate::halt::Failure;
use crate::term::{Part, Style, Term};
use crate::value::Value;

use super::Parser;

impl Parser<'_, '_> {
    /// A string, or `@style` before one, where either stands next.
    pub(super) fn key_text(&mut self) -> Result<Option<Term>, Failure> {
        match self.reader.peek_symbol() {
            Some("\"") => Ok(Some(self.string(Style::Text)?)),
            Some("@") => {
                let style = self.style()?;
                Ok(Some(self.string(style)?))
            }
            _ => Ok(None),
        }
    }

    /// Reads `@name`.
    pub(super) fn style(&mut self) -> Result<Style, Failure> {
        self.reader.expect("@")?;
        let name = self.reader.name_here().unwrap_or_default();
        match Style::named(name) {
            Some(style) => Ok(style),
            None => self.reader.fail(format!("@{name} is no format")),
        }
    }

    /// A string from its opening quote to its closing one.
    pub(super) fn string(&mut self, style: Style) -> Result<Term, Failure> {
        self.reader.expect("\"")?;
        let mut parts = Vec::new();
        let mut text = String::new();
        loop {
            match self.reader.next_letter() {
                None => return self.reader.fail("a string is not closed"),
                Some('"') => break,
                Some('\\') if self.reader.letter('(') => {
                    if !text.is_empty() {
                        parts.push(Part::Text(std::mem::take(&mut text)));
                    }
                    let term = self.pipe()?;
                    self.reader.expect(")")?;
                    parts.push(Part::Term(term));
                }
                Some('\\') => text.push(self.escape()?),
                Some(letter) => text.push(letter),
            }
        }
        if parts.is_empty() {
            return Ok(Term::Literal(Value::text(text)));
        }
        if !text.is_empty() {
            parts.push(Part::Text(text));
        }
        Ok(Term::Text(style, parts))
    }

    fn escape(&mut self) -> Result<char, Failure> {
        Ok(match self.reader.next_letter() {
            Some(letter @ ('"' | '\\' | '/')) => letter,
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('u') => return self.unicode(),
            _ => return self.reader.fail("no such escape in a string"),
        })
    }

    // Half of a pair alone becomes the replacement character.
    fn unicode(&mut self) -> Result<char, Failure> {
        let Some(first) = self.reader.hexadecimal() else {
            return self.reader.fail("\\u needs four hexadecimal digits");
        };
        if !(0xD800..0xDC00).contains(&first) || !self.reader.exactly("\\u") {
            return Ok(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        match self.reader.hexadecimal() {
            Some(second) if (0xDC00..0xE000).contains(&second) => {
                let code = 0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00);
                Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
            }
            Some(_) => Ok(char::REPLACEMENT_CHARACTER),
            None => self.reader.fail("\\u needs four hexadecimal digits"),
        }
    }
}
