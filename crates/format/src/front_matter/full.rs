//! Front matter as people write it: comments, quotes, lists, one level of nested keys.

use std::ops::Range;

use super::line::{KeyLine, Raw, is_comment, is_indented, without_comment};
use super::reach::{self, is_block};
use super::scalar::decode;
use super::{Block, Located, locate};

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
    let lines = Raw::all(text, inner);
    let mut entries = Vec::with_capacity(lines.len().min(32));
    let mut at = 0;
    while at < lines.len() {
        match lines[at].key(text).filter(|key| key.indent.is_empty()) {
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

/// The entry that begins at line `at`, and the line behind it.
fn entry(text: &str, lines: &[Raw], at: usize, key: KeyLine) -> (Entry, usize) {
    let token = &text[key.token.clone()];
    let mut entry = Entry {
        key: key.key,
        indent: key.indent,
        token: key.token,
        lines: vec![lines[at].whole()],
        held: Held::Null,
        nested: Vec::new(),
    };
    if token.is_empty() {
        let next = below(text, lines, at, &mut entry);
        return (entry, next);
    }
    let is_list = token.starts_with('[');
    let next = if is_list { reach::list(text, lines, at, token) } else { reach::scalar(text, lines, at, token) };
    let more = &lines[at + 1..next];
    entry.lines.extend(more.iter().map(|line| line.whole()));
    entry.held = if is_list { list(text, more, token) } else { folded(text, more, token) };
    (entry, next)
}

/// What a list in brackets holds that goes on in `more`.
fn list(text: &str, more: &[Raw], token: &str) -> Held {
    let mut joined = token.to_owned();
    for line in more {
        if joined.ends_with(']') {
            break;
        }
        let content = line.content(text);
        if !is_comment(content) {
            joined.push(' ');
            joined.push_str(without_comment(content, true));
        }
    }
    scalar(&joined)
}

/// The text of a scalar that goes on in `more`, on one line.
fn folded(text: &str, more: &[Raw], token: &str) -> Held {
    let words = more.iter().map(|line| line.content(text).trim()).filter(|words| !words.is_empty());
    if is_block(token) {
        return Held::Text(words.collect::<Vec<_>>().join(" "));
    }
    let words: Vec<&str> = std::iter::once(token).chain(words).collect();
    match words[..] {
        [token] => scalar(token),
        _ => Held::Text(words.join(" ")),
    }
}

/// Reads the items or nested keys below a key without a value; gives the line behind them.
fn below(text: &str, lines: &[Raw], at: usize, entry: &mut Entry) -> usize {
    let mut next = at + 1;
    let mut items = Vec::new();
    while next < lines.len() {
        let line = lines[next];
        let content = line.content(text);
        let trimmed = content.trim();
        if trimmed.is_empty() || is_comment(content) {
            next += 1;
            continue;
        }
        let dashed = if trimmed == "-" { Some("") } else { trimmed.strip_prefix("- ") };
        if let Some(item) = dashed.filter(|_| entry.nested.is_empty()) {
            items.push(decode(without_comment(&format!(" {item}"), false)));
        } else if !is_indented(content) {
            break;
        } else if let Some(inner) = line.key(text).filter(|_| items.is_empty()) {
            let held = scalar(&text[inner.token.clone()]);
            entry.nested.push(Entry {
                key: inner.key,
                indent: inner.indent,
                token: inner.token,
                lines: vec![line.whole()],
                held,
                nested: Vec::new(),
            });
        }
        entry.lines.push(line.whole());
        next += 1;
    }
    entry.held = match (items.is_empty(), entry.nested.is_empty()) {
        (false, _) => Held::List(items),
        (true, false) => Held::Map,
        (true, true) => Held::Null,
    };
    next
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
