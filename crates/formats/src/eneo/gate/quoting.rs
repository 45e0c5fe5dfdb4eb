//! The words of a shell's text: quotes, escapes, and the commands that stand within words.

use super::shell::Shell;

/// How far the end of an index is looked for. **Units**: bytes.
const INDEX: usize = 256;

impl Shell<'_, '_> {
    /// One word, without its quotes.
    pub(super) fn word(&mut self) -> String {
        let mut word = String::new();
        while let Some(byte) = self.peek(0) {
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>' => break,
                b'\\' => self.escaped(&mut word),
                b'\'' => self.singly_quoted(&mut word),
                b'"' => self.doubly_quoted(&mut word),
                b'$' => self.dollar(&mut word, false),
                b'`' => self.backticks(&mut word),
                b'[' => self.index(&mut word),
                _ => self.plain(&mut word),
            }
        }
        word
    }

    /// What runs in a text that is expanded and no command: a here-document's.
    pub(super) fn embedded(&mut self) {
        let mut text = String::new();
        while let Some(byte) = self.peek(0) {
            match byte {
                b'\\' => self.escaped(&mut text),
                b'$' => self.dollar(&mut text, true),
                b'`' => self.backticks(&mut text),
                _ => self.plain(&mut text),
            }
            text.clear();
        }
    }

    // Letters up to the next that may mean something; at least one.
    fn plain(&mut self, word: &mut String) {
        let rest = &self.text[self.at..];
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let means = |byte: &u8| b" \t\r\n;&|()<>\\'\"$`[}]".contains(byte);
        let length = rest.as_bytes()[first..].iter().position(means).map_or(rest.len(), |length| first + length);
        word.push_str(&rest[..length]);
        self.at += length;
    }

    fn escaped(&mut self, word: &mut String) {
        self.at += 1;
        if let Some(letter) = self.text[self.at..].chars().next() {
            self.at += letter.len_utf8();
            if letter != '\n' {
                word.push(letter);
            }
        }
    }

    fn singly_quoted(&mut self, word: &mut String) {
        let rest = &self.text[self.at + 1..];
        let Some(length) = rest.find('\'') else { return self.leave_open(self.at) };
        word.push_str(&rest[..length]);
        self.at += length + 2;
    }

    fn doubly_quoted(&mut self, word: &mut String) {
        let start = self.at;
        self.at += 1;
        loop {
            match self.peek(0) {
                None => return self.leave_open(start),
                Some(b'"') => {
                    self.at += 1;
                    return;
                }
                Some(b'\\') => {
                    if !matches!(self.peek(1), Some(b'"' | b'\\' | b'$' | b'`' | b'\n')) {
                        word.push('\\');
                    }
                    self.escaped(word);
                }
                Some(b'$') => self.dollar(word, true),
                Some(b'`') => self.backticks(word),
                Some(_) => self.plain(word),
            }
        }
    }

    // `$(…)`, `$((…))`, `${…}`, `$[…]`, `$'…'`, `$"…"`, or a dollar.
    fn dollar(&mut self, word: &mut String, is_quoted: bool) {
        match self.peek(1) {
            Some(b'(') => {
                self.at += 2;
                self.nested(self.peek(0) == Some(b'('));
                word.push_str("$()");
            }
            Some(b'{') => self.braced(word, is_quoted),
            Some(b'[') => {
                word.push('$');
                self.at += 1;
                self.bracketed(word);
            }
            Some(b'\'') if !is_quoted => self.ansi_quoted(word),
            // Names of one letter, which open nothing.
            Some(letter @ (b'$' | b'!' | b'?' | b'-' | b'#' | b'@' | b'*')) => {
                word.extend(['$', char::from(letter)]);
                self.at += 2;
            }
            Some(b'"') if !is_quoted => {
                self.at += 1;
                self.doubly_quoted(word);
            }
            _ => {
                word.push('$');
                self.at += 1;
            }
        }
    }

    // `${name:-word}` stays as it stands; what it runs is read.
    fn braced(&mut self, word: &mut String, is_quoted: bool) {
        let start = self.at;
        self.at += 2;
        let mut inner = String::new();
        if !self.deeper() {
            return;
        }
        // In the pattern of `${x#…}`, `${x%…}`, `${x/…}` single quotes quote even within double ones.
        let operator =
            self.text[self.at..].trim_start_matches(|letter: char| letter.is_alphanumeric() || letter == '_');
        let is_quoted = is_quoted && !operator.starts_with(['#', '%', '/', '^', ',']);
        loop {
            inner.clear();
            match self.peek(0) {
                None => {
                    self.leave_open(start);
                    break;
                }
                Some(b'}') => {
                    self.at += 1;
                    break;
                }
                Some(b'\\') => self.escaped(&mut inner),
                Some(b'\'') if !is_quoted => self.singly_quoted(&mut inner),
                Some(b'"') => self.doubly_quoted(&mut inner),
                Some(b'$') => self.dollar(&mut inner, is_quoted),
                Some(b'`') => self.backticks(&mut inner),
                Some(_) => self.plain(&mut inner),
            }
        }
        self.depth -= 1;
        word.push_str(&self.text[start..self.at]);
    }

    // `name[…]`, where `<<` shifts; any other bracket is a letter.
    fn index(&mut self, word: &mut String) {
        let is_element = self.may_set() && word.len() < INDEX && super::writes::is_name(word) && {
            let rest = self.text.as_bytes()[self.at..].iter().take(INDEX);
            rest.take_while(|byte| **byte != b'\n').any(|byte| *byte == b']')
        };
        if is_element {
            self.bracketed(word);
        } else {
            word.push('[');
            self.at += 1;
        }
    }

    // From `[` to `]`, or to the end of the line.
    fn bracketed(&mut self, word: &mut String) {
        loop {
            match self.peek(0) {
                None | Some(b'\n') => return,
                Some(b']') => {
                    word.push(']');
                    self.at += 1;
                    return;
                }
                Some(b'$') if self.peek(1) != Some(b'[') => self.dollar(word, true),
                Some(b'`') => self.backticks(word),
                Some(b'\\') => self.escaped(word),
                Some(b'\'') => self.singly_quoted(word),
                Some(b'"') => self.doubly_quoted(word),
                Some(_) => self.plain(word),
            }
        }
    }

    // Within backticks a backslash hides backticks, dollars and itself.
    fn backticks(&mut self, word: &mut String) {
        let start = self.at;
        let mut inner = String::new();
        self.at += 1;
        loop {
            let Some(length) = self.text[self.at..].find(['`', '\\']) else { return self.leave_open(start) };
            inner.push_str(&self.text[self.at..self.at + length]);
            self.at += length;
            if self.peek(0) == Some(b'`') {
                self.at += 1;
                break;
            }
            if !matches!(self.peek(1), Some(b'`' | b'$' | b'\\')) {
                inner.push('\\');
            }
            self.escaped(&mut inner);
        }
        if self.deeper() {
            self.script.read(&inner, self.depth);
            self.depth -= 1;
        }
        word.push_str("$()");
    }

    // `$'…'`, with the escapes of C. **Source**: bash(1), "Quoting".
    fn ansi_quoted(&mut self, word: &mut String) {
        let start = self.at + 1;
        self.at += 2;
        loop {
            match self.peek(0) {
                None => return self.leave_open(start),
                Some(b'\'') => {
                    self.at += 1;
                    return;
                }
                Some(b'\\') => self.ansi_escape(word),
                Some(_) => self.plain(word),
            }
        }
    }

    fn ansi_escape(&mut self, word: &mut String) {
        let letter = self.peek(1).unwrap_or(b'\\');
        let (skipped, most, radix) = match letter {
            b'x' => (2, 2, 16),
            b'u' => (2, 4, 16),
            b'U' => (2, 8, 16),
            b'0'..=b'7' => (1, 3, 8),
            _ => (2, 0, 8),
        };
        if most > 0 {
            let rest = &self.text[self.at + skipped..];
            let length = rest.chars().take(most).take_while(|letter| letter.is_digit(radix)).count();
            let number = u32::from_str_radix(&rest[..length], radix).ok();
            word.extend(number.and_then(char::from_u32));
            self.at += skipped + length;
            return;
        }
        match letter {
            b'n' => word.push('\n'),
            b't' => word.push('\t'),
            b'r' => word.push('\r'),
            b'a' | b'b' | b'c' | b'e' | b'E' | b'f' | b'v' => {}
            b'\\' | b'\'' | b'"' | b'?' => word.push(char::from(letter)),
            _ => {
                word.push('\\');
                return self.escaped(word);
            }
        }
        self.at = (self.at + 2).min(self.text.len());
    }
}
