//! One line of front matter: its key, its value, its comment.

use std::ops::Range;

use super::scalar::decode;
use crate::document::line_end;

/// Where a line stands. **Units**: bytes.
#[derive(Clone, Copy)]
pub(super) struct Raw {
    start: usize,
    end: usize,
    next: usize,
}

/// A line that names a key: `key: value`, the key plain or quoted, the blank optional.
pub(super) struct KeyLine {
    /// The key, without quotes.
    pub(super) key: String,
    /// The blanks before it.
    pub(super) indent: Range<usize>,
    /// The bytes of the value; empty where it is empty.
    pub(super) token: Range<usize>,
}

impl Raw {
    /// The lines in that part of a text.
    pub(super) fn all(text: &str, inner: &Range<usize>) -> Vec<Self> {
        let mut lines = Vec::with_capacity(inner.len() / 24);
        let mut start = inner.start;
        while start < inner.end {
            let (end, next) = line_end(text, start);
            lines.push(Self { start, end, next });
            start = next;
        }
        lines
    }

    /// The line without its ending.
    pub(super) fn content(self, text: &str) -> &str {
        &text[self.start..self.end]
    }

    /// The line with its ending.
    pub(super) fn whole(self) -> Range<usize> {
        self.start..self.next
    }

    /// The key that it names.
    pub(super) fn key(self, text: &str) -> Option<KeyLine> {
        let content = self.content(text);
        let inner = content.trim_start_matches([' ', '\t']);
        let indent = self.start..self.start + content.len() - inner.len();
        let (key, behind) = if let Some(quote) = inner.chars().next().filter(|c| matches!(c, '"' | '\'')) {
            let close = inner[1..].find(quote)? + 1;
            (decode(&inner[..=close]), inner[close + 1..].strip_prefix(':')?)
        } else {
            let (key, behind) = inner.split_once(':')?;
            let is_key = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
            if key.is_empty() || key.starts_with('-') || !key.bytes().all(is_key) {
                return None;
            }
            (key.to_owned(), behind)
        };
        let token = without_comment(behind, behind.trim_start().starts_with(['[', '{']));
        let start = self.end - behind.len() + (behind.len() - behind.trim_start().len()).min(behind.len());
        let start = if token.is_empty() { self.end - behind.len() } else { start };
        Some(KeyLine { key, indent, token: start..start + token.len() })
    }
}

/// The value in what follows a colon: without blanks around it and without a comment.
///
/// A quote begins at its start, in a list anywhere; one that stays open takes the rest of the line.
pub(super) fn without_comment(behind: &str, is_list: bool) -> &str {
    let value = behind.trim();
    if value.starts_with('#') {
        return if behind.starts_with('#') { value } else { "" };
    }
    let (mut at, mut before) = (0, ' ');
    while let Some(c) = value[at..].chars().next() {
        if matches!(c, '"' | '\'') && (at == 0 || is_list) {
            let Some(end) = quote_end(&value[at + 1..], c) else { return value };
            at += end;
        } else if c == '#' && matches!(before, ' ' | '\t') {
            return value[..at].trim_end();
        }
        before = c;
        at += c.len_utf8();
    }
    value
}

/// Where what a quote encloses ends, the closing quote with it.
pub(super) fn quote_end(inner: &str, quote: char) -> Option<usize> {
    let mut chars = inner.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if quote == '"' && c == '\\' {
            chars.next();
        } else if c == quote {
            if quote == '\'' && chars.peek().is_some_and(|(_, next)| *next == '\'') {
                chars.next();
                continue;
            }
            return Some(at + 1);
        }
    }
    None
}

/// Whether a line is a comment alone.
pub(super) fn is_comment(content: &str) -> bool {
    content.trim_start().starts_with('#')
}

/// Whether a line begins with a blank.
pub(super) fn is_indented(content: &str) -> bool {
    content.starts_with([' ', '\t'])
}
