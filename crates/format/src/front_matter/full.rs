//! Front matter as people write it: comments, quotes, lists, one level of nested keys.

use std::ops::Range;

use super::scalar::decode;
use super::{Block, Located, locate};
use crate::document::line_end;

/// The front matter of a text with the place of every value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrontMatter {
    /// Where it stands.
    pub block: Block,
    /// Its keys, in their order; a key may stand several times.
    pub entries: Vec<Entry>,
}

/// What a key holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Held {
    /// `null`, `~` or nothing.
    Null,
    /// A scalar's text.
    Text(String),
    /// The items of a list.
    List(Vec<String>),
    /// Nested keys; they stand in [`Entry::nested`].
    Map,
}

/// One key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The key, without quotes.
    pub key: String,
    /// The blanks before the key.
    pub indent: Range<usize>,
    /// The bytes of its value on its own line; empty where the value is empty or follows below.
    pub token: Range<usize>,
    /// The lines that hold its value with their endings, the first included.
    pub lines: Vec<Range<usize>>,
    /// The value.
    pub held: Held,
    /// Nested keys.
    pub nested: Vec<Entry>,
}

impl FrontMatter {
    /// Reads the front matter of a text; `None` where there is none or it never closes.
    pub fn read(text: &str) -> Option<Self> {
        Self::at(text, &locate(text))
    }

    /// The same, where it is known where it stands.
    pub(crate) fn at(text: &str, located: &Located) -> Option<Self> {
        let Located::Found(block) = located else { return None };
        Some(Self { entries: read(text, &block.inner), block: block.clone() })
    }

    /// The last entry of that key.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().rev().find(|entry| entry.key == key)
    }

    /// The text of a key; null, lists and nested keys have none.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.entry(key)?.text()
    }

    /// The text of a nested key.
    pub fn nested(&self, key: &str, name: &str) -> Option<&str> {
        self.entry(key)?.member(name)?.text()
    }
}

impl Entry {
    /// The last nested entry of that name.
    pub fn member(&self, name: &str) -> Option<&Entry> {
        self.nested.iter().rev().find(|entry| entry.key == name)
    }

    /// The text, where the value is one.
    pub fn text(&self) -> Option<&str> {
        match &self.held {
            Held::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// Reads the keys in the lines of `inner`.
pub(super) fn read(text: &str, inner: &Range<usize>) -> Vec<Entry> {
    #[cfg(test)]
    super::tests::count_reading();
    let mut lines = Vec::with_capacity(inner.len() / 24);
    let mut start = inner.start;
    while start < inner.end {
        let (end, next) = line_end(text, start);
        lines.push(Raw { start, end, next });
        start = next;
    }
    let mut entries = Vec::with_capacity(lines.len().min(32));
    let mut at = 0;
    while at < lines.len() {
        match key_line(text, lines[at]).filter(|key| key.indent.is_empty()) {
            Some(key) => {
                let (entry, next) = entry(text, &lines, at, key);
                entries.push(entry);
                at = next;
            }
            None => at += 1,
        }
    }
    entries
}

#[derive(Clone, Copy)]
struct Raw {
    start: usize,
    end: usize,
    next: usize,
}

impl Raw {
    fn content(self, text: &str) -> &str {
        &text[self.start..self.end]
    }
}

struct KeyLine {
    key: String,
    indent: Range<usize>,
    token: Range<usize>,
}

/// A line that names a key: `key: value`, the key plain or quoted, the blank optional.
fn key_line(text: &str, line: Raw) -> Option<KeyLine> {
    let content = line.content(text);
    let inner = content.trim_start_matches([' ', '\t']);
    let indent = line.start..line.start + content.len() - inner.len();
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
    let token = without_comment(behind);
    let start = line.end - behind.len() + (behind.len() - behind.trim_start().len()).min(behind.len());
    let start = if token.is_empty() { line.end - behind.len() } else { start };
    Some(KeyLine { key, indent, token: start..start + token.len() })
}

/// The value at the start of what follows a colon: without blanks around it and without a comment.
fn without_comment(behind: &str) -> &str {
    let value = behind.trim();
    if let Some(quote) = value.chars().next().filter(|c| matches!(c, '"' | '\''))
        && let Some(end) = quoted_end(value, quote)
    {
        let rest = &value[end..];
        if rest.is_empty() || rest.starts_with([' ', '\t']) && rest.trim_start().starts_with('#') {
            return &value[..end];
        }
    }
    if value.starts_with('#') {
        return if behind.starts_with('#') { value } else { "" };
    }
    let mut quote = None;
    let flow = value.starts_with(['[', '{']);
    let mut before = ' ';
    let mut chars = value.char_indices();
    while let Some((at, c)) = chars.next() {
        match quote {
            Some('"') if c == '\\' => drop(chars.next()),
            Some(open) if open == c => quote = None,
            None if flow && matches!(c, '"' | '\'') => quote = Some(c),
            None if c == '#' && matches!(before, ' ' | '\t') => return value[..at].trim_end(),
            Some(_) | None => {}
        }
        before = c;
    }
    value
}

/// Where a quoted scalar at the start of `value` ends.
fn quoted_end(value: &str, quote: char) -> Option<usize> {
    quote_end(&value[1..], quote).map(|end| end + 1)
}

/// Where what a quote encloses ends, the closing quote with it.
fn quote_end(inner: &str, quote: char) -> Option<usize> {
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

fn is_comment(content: &str) -> bool {
    content.trim_start().starts_with('#')
}

/// Whether a line belongs to the value above it.
fn goes_on(content: &str) -> bool {
    is_indented(content) && !content.trim().is_empty() && !is_comment(content)
}

fn is_indented(content: &str) -> bool {
    content.starts_with([' ', '\t'])
}

/// The entry that begins at line `at`, and the line behind it.
fn entry(text: &str, lines: &[Raw], at: usize, key: KeyLine) -> (Entry, usize) {
    let whole = |line: Raw| line.start..line.next;
    let mut entry = Entry {
        key: key.key,
        indent: key.indent,
        token: key.token.clone(),
        lines: vec![whole(lines[at])],
        held: Held::Null,
        nested: Vec::new(),
    };
    let token = &text[key.token];
    let mut next = at + 1;
    if token.starts_with('[') && !token.ends_with(']') {
        let mut joined = token.to_owned();
        while next < lines.len()
            && !joined.ends_with(']')
            && key_line(text, lines[next]).is_none_or(|key| !key.indent.is_empty())
        {
            joined.push(' ');
            joined.push_str(without_comment(&format!(" {}", lines[next].content(text))));
            entry.lines.push(whole(lines[next]));
            next += 1;
        }
        entry.held = scalar(&joined);
        // What hangs below the closing bracket would become part of whatever is written in its place.
        while next < lines.len() && goes_on(lines[next].content(text)) {
            entry.lines.push(whole(lines[next]));
            next += 1;
        }
        return (entry, next);
    }
    if !token.is_empty() {
        let block = token.starts_with(['|', '>']);
        let quote = token.chars().next().filter(|first| matches!(first, '"' | '\''));
        let mut is_open = block || quote.is_some_and(|quote| quoted_end(token, quote).is_none());
        let mut joined = String::new();
        while next < lines.len() {
            let content = lines[next].content(text);
            // An empty line within a value that goes on below it.
            if is_open && content.trim().is_empty() {
                let behind = lines[next..].iter().position(|line| !line.content(text).trim().is_empty());
                if let Some(behind) = behind.filter(|behind| goes_on(lines[next + behind].content(text))) {
                    entry.lines.extend(lines[next..next + behind].iter().map(|line| whole(*line)));
                    next += behind;
                    continue;
                }
            }
            if !(goes_on(content) || block && is_indented(content) && is_comment(content)) {
                break;
            }
            is_open &= quote.is_none_or(|quote| quote_end(content, quote).is_none());
            joined.push(' ');
            joined.push_str(content.trim());
            entry.lines.push(whole(lines[next]));
            next += 1;
        }
        entry.held = match (block, joined.is_empty()) {
            (false, true) => scalar(token),
            (false, false) => Held::Text((token.to_owned() + &joined).trim().to_owned()),
            (true, _) => Held::Text(joined.trim().to_owned()),
        };
        return (entry, next);
    }
    let mut items = Vec::new();
    while next < lines.len() {
        let content = lines[next].content(text);
        let trimmed = content.trim();
        if trimmed.is_empty() || is_comment(content) {
            next += 1;
            continue;
        }
        let dashed = if trimmed == "-" { Some("") } else { trimmed.strip_prefix("- ") };
        if let Some(item) = dashed.filter(|_| entry.nested.is_empty()) {
            items.push(decode(without_comment(&format!(" {item}"))));
            entry.lines.push(whole(lines[next]));
            next += 1;
        } else if !is_indented(content) {
            break;
        } else if let Some(inner) = key_line(text, lines[next]).filter(|_| items.is_empty()) {
            let held = scalar(&text[inner.token.clone()]);
            entry.nested.push(Entry {
                key: inner.key,
                indent: inner.indent,
                token: inner.token,
                lines: vec![whole(lines[next])],
                held,
                nested: Vec::new(),
            });
            entry.lines.push(whole(lines[next]));
            next += 1;
        } else {
            entry.lines.push(whole(lines[next]));
            next += 1;
        }
    }
    entry.held = match (items.is_empty(), entry.nested.is_empty()) {
        (false, _) => Held::List(items),
        (true, false) => Held::Map,
        (true, true) => Held::Null,
    };
    (entry, next)
}

fn scalar(token: &str) -> Held {
    match token {
        "" | "~" | "null" | "Null" | "NULL" => Held::Null,
        _ => match token.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            Some(inner) => Held::List(flow_items(inner).into_iter().map(decode).collect()),
            None => Held::Text(decode(token)),
        },
    }
}

/// The items between the brackets of a flow list, or the members between braces, as they stand.
pub(super) fn flow_items(inner: &str) -> Vec<&str> {
    let mut items = Vec::new();
    let (mut start, mut quote) = (0, None);
    let mut chars = inner.char_indices();
    while let Some((at, c)) = chars.next() {
        match quote {
            Some('"') if c == '\\' => drop(chars.next()),
            Some(open) if open == c => quote = None,
            None if matches!(c, '"' | '\'') => quote = Some(c),
            None if c == ',' => {
                items.push(&inner[start..at]);
                start = at + 1;
            }
            Some(_) | None => {}
        }
    }
    items.push(&inner[start..]);
    items.into_iter().map(str::trim).filter(|item| !item.is_empty()).collect()
}
