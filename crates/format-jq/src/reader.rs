//! The letters of a program: blanks, comments, names, operators, numbers.

use crate::halt::Failure;

/// A place in a program's text.
#[derive(Debug)]
pub(crate) struct Reader<'s> {
    text: &'s str,
    at: usize,
    // The symbol that was last looked at, and where it stands: most are asked for several times.
    peeked: Option<(usize, Option<&'s str>)>,
}

/// Symbols of more than one letter; a shorter one never matches the start of a longer one.
const LONG: &[&str] =
    &["?//=", "?//", "//=", "|=", "+=", "-=", "*=", "/=", "%=", "==", "!=", "<=", ">=", "//", "..", "and", "or"];

impl<'s> Reader<'s> {
    pub(crate) fn new(text: &'s str) -> Self {
        Self { text, at: 0, peeked: None }
    }

    /// Where it stands, for [`Reader::reset`].
    pub(crate) fn mark(&self) -> usize {
        self.at
    }

    /// Goes back to a mark.
    pub(crate) fn reset(&mut self, mark: usize) {
        self.at = mark;
    }

    fn rest(&self) -> &'s str {
        &self.text[self.at..]
    }

    /// What went wrong, with the line and the place in it.
    pub(crate) fn fail<T>(&self, message: impl std::fmt::Display) -> Result<T, Failure> {
        let before = &self.text[..self.at];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Err(Failure::Compile(format!("{message} (line {line}, column {column})")))
    }

    /// The line that is being read, counted from 1.
    pub(crate) fn line(&self) -> usize {
        self.text[..self.at].matches('\n').count() + 1
    }

    /// What stands here, for messages.
    pub(crate) fn found(&mut self) -> String {
        self.blanks();
        match self.rest().chars().next() {
            None => "the end of the program".to_owned(),
            Some(_) => match self.peek_name() {
                Some(name) => format!("{name:?}"),
                None => format!("{:?}", self.peek_symbol().unwrap_or_default()),
            },
        }
    }

    /// Passes blanks and comments.
    ///
    /// An odd number of backslashes before the end of a comment's line continues it.
    pub(crate) fn blanks(&mut self) {
        loop {
            let is_blank = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
            self.at += self.text.as_bytes()[self.at..].iter().take_while(is_blank).count();
            let trimmed = self.rest();
            if !trimmed.starts_with('#') {
                return;
            }
            let mut end = 0;
            for line in trimmed.split_inclusive('\n') {
                end += line.len();
                let content = line.trim_end_matches('\n').trim_end_matches('\r');
                if (content.len() - content.trim_end_matches('\\').len()).is_multiple_of(2) {
                    break;
                }
            }
            self.at += end;
        }
    }

    pub(crate) fn is_at_end(&mut self) -> bool {
        self.blanks();
        self.rest().is_empty()
    }

    /// The next letter, blanks included.
    pub(crate) fn peek_letter(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(crate) fn next_letter(&mut self) -> Option<char> {
        let letter = self.peek_letter()?;
        self.at += letter.len_utf8();
        Some(letter)
    }

    /// The symbol that stands next, whole.
    pub(crate) fn peek_symbol(&mut self) -> Option<&'s str> {
        if let Some((_, symbol)) = self.peeked.filter(|(at, _)| *at == self.at) {
            return symbol;
        }
        self.blanks();
        let symbol = self.symbol_here();
        self.peeked = Some((self.at, symbol));
        symbol
    }

    fn symbol_here(&self) -> Option<&'s str> {
        if let Some(name) = self.peek_name() {
            return matches!(name, "and" | "or").then_some(name);
        }
        let rest = self.rest();
        let first = rest.chars().next()?;
        // None of the others begins a longer one.
        let may_be_long = matches!(first, '?' | '/' | '|' | '+' | '-' | '*' | '%' | '=' | '!' | '<' | '>' | '.');
        let long = LONG.iter().filter(|_| may_be_long).find(|symbol| rest.starts_with(**symbol));
        Some(&rest[..long.map_or(first.len_utf8(), |symbol| symbol.len())])
    }

    /// Passes the symbol if it is the one that stands next.
    pub(crate) fn symbol(&mut self, wanted: &str) -> bool {
        let is_next = self.peek_symbol() == Some(wanted);
        if is_next {
            self.at += wanted.len();
        }
        is_next
    }

    pub(crate) fn expect(&mut self, wanted: &str) -> Result<(), Failure> {
        if self.symbol(wanted) {
            return Ok(());
        }
        let found = self.found();
        self.fail(format!("expected {wanted:?}, found {found}"))
    }

    fn peek_name(&self) -> Option<&'s str> {
        let rest = self.rest();
        rest.bytes().next().filter(|byte| byte.is_ascii_alphabetic() || *byte == b'_')?;
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let mut length = 0;
        loop {
            let part = &rest.as_bytes()[length..];
            let starts = part.first().is_some_and(|byte| is_name(*byte) && !byte.is_ascii_digit());
            if !starts {
                break;
            }
            length += part.iter().take_while(|byte| is_name(**byte)).count();
            let next = &rest.as_bytes()[length..];
            if next.starts_with(b"::") && next.get(2).is_some_and(|byte| is_name(*byte) && !byte.is_ascii_digit()) {
                length += 2;
            } else {
                break;
            }
        }
        (length > 0).then(|| &rest[..length])
    }

    /// A name that stands right here.
    pub(crate) fn name_here(&mut self) -> Option<&'s str> {
        let name = self.peek_name()?;
        self.at += name.len();
        Some(name)
    }

    /// The name that stands next.
    pub(crate) fn name(&mut self) -> Option<&'s str> {
        self.blanks();
        self.name_here()
    }

    pub(crate) fn expect_name(&mut self, what: &str) -> Result<&'s str, Failure> {
        if let Some(name) = self.name() {
            return Ok(name);
        }
        let found = self.found();
        self.fail(format!("expected {what}, found {found}"))
    }

    /// Passes the word if it stands next, whole.
    pub(crate) fn word(&mut self, wanted: &str) -> bool {
        self.blanks();
        let is_next = self.peek_name() == Some(wanted);
        if is_next {
            self.at += wanted.len();
        }
        is_next
    }

    /// A number that stands right here, as it is written.
    pub(crate) fn number(&mut self) -> Option<&'s str> {
        let bytes = self.rest().as_bytes();
        let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let whole = digits(0);
        let mut length = whole;
        if bytes.get(length) == Some(&b'.') {
            let fraction = digits(length + 1);
            if whole + fraction == 0 {
                return None;
            }
            length += 1 + fraction;
        }
        if length == 0 {
            return None;
        }
        if matches!(bytes.get(length), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
            let power = digits(length + 1 + sign);
            if power > 0 {
                length += 1 + sign + power;
            }
        }
        let text = &self.rest()[..length];
        self.at += length;
        Some(text)
    }

    /// Passes the letter if it stands right here.
    pub(crate) fn letter(&mut self, wanted: char) -> bool {
        let is_next = self.rest().starts_with(wanted);
        if is_next {
            self.at += wanted.len_utf8();
        }
        is_next
    }

    /// Four hexadecimal digits.
    pub(crate) fn hexadecimal(&mut self) -> Option<u32> {
        let text = self.rest().get(..4).filter(|text| text.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
        self.at += 4;
        u32::from_str_radix(text, 16).ok()
    }

    /// Passes the text if it stands right here.
    pub(crate) fn exactly(&mut self, wanted: &str) -> bool {
        let is_next = self.rest().starts_with(wanted);
        if is_next {
            self.at += wanted.len();
        }
        is_next
    }
}
