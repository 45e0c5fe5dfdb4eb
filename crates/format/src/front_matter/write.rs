//! Changes of front matter that touch only what changes.

use super::full::{Entry, FrontMatter, Held, flow_items};
use super::scalar::Scalar;
use super::{Located, locate};
use crate::document::{edit, line_end};

/// The blanks before a nested key where no other shows how many.
const INDENT: &str = "  ";

/// Gives a key a value, where it does not hold it already; a new key goes before the closing line.
///
/// A text without front matter gets a block and, where anything follows, a blank line. One whose
/// front matter never closes stays as it is.
pub fn set(text: &mut String, key: &str, value: &Scalar) {
    let Some(front) = opened(text) else { return };
    match front.entry(key) {
        Some(entry) if value.is(&entry.held) => {}
        Some(entry) => replace(text, entry, &value.token()),
        None => edit::insert(text, front.block.inner.end, &[&format!("{key}: {}", value.token())]),
    }
}

/// Gives a nested key a value; a new one goes to the end of its block, with the indent of the others.
pub fn set_nested(text: &mut String, key: &str, name: &str, value: &Scalar) {
    let Some(front) = opened(text) else { return };
    let Some(entry) = front.entry(key) else {
        let line = format!("{INDENT}{name}: {}", value.token());
        return edit::insert(text, front.block.inner.end, &[&format!("{key}:"), &line]);
    };
    if let Some(member) = entry.member(name) {
        if !value.is(&member.held) {
            replace(text, member, &value.token());
        }
        return;
    }
    let Some(last) = entry.nested.last() else {
        return unfold(text, entry, &format!("{name}: {}", value.token()));
    };
    let indent = text[last.indent.clone()].to_owned();
    let at = last.lines.last().expect("an entry has its own line").end;
    edit::insert(text, at, &[&format!("{indent}{name}: {}", value.token())]);
}

/// Removes every line of a key.
pub fn remove(text: &mut String, key: &str) {
    let Some(front) = FrontMatter::read(text) else { return };
    let entries = front.entries.iter().filter(|entry| entry.key == key);
    edit::splice(text, entries.flat_map(|entry| &entry.lines).map(|lines| (lines.clone(), "")).collect());
}

/// The front matter, made where there is none.
fn opened(text: &mut String) -> Option<FrontMatter> {
    match locate(text) {
        Located::Found(_) => {}
        Located::Unclosed => return None,
        Located::Absent => {
            let at = super::body_start(text);
            let ending = edit::line_ending(text);
            let gap = if at < text.len() { ending } else { "" };
            text.insert_str(at, &format!("---{ending}---{ending}{gap}"));
        }
    }
    FrontMatter::read(text)
}

/// Replaces a value: its token on its own line; the lines below that belong to it go.
fn replace(text: &mut String, entry: &Entry, token: &str) {
    edit::splice(text, entry.lines[1..].iter().map(|lines| (lines.clone(), "")).collect());
    replace_first(text, entry, token);
}

/// Makes a block of keys out of an entry that is none, with a first member.
///
/// What stood there in braces become members of the block; another value goes.
fn unfold(text: &mut String, entry: &Entry, first: &str) {
    let members = match &entry.held {
        Held::Text(flow) => flow.strip_prefix('{').and_then(|inner| inner.strip_suffix('}')).unwrap_or_default(),
        Held::Null | Held::List(_) | Held::Map => "",
    };
    let members = flow_items(members);
    let is_first = |member: &&str| key_of(member) != key_of(first);
    let kept = members.into_iter().filter(is_first).chain([first]).map(|member| format!("{INDENT}{member}"));
    let lines: Vec<String> = kept.collect();
    replace(text, entry, "");
    let (_, at) = line_end(text, entry.lines[0].start);
    // No blank stays where the value stood.
    let end = entry.token.start;
    let label = text[..end].trim_end_matches([' ', '\t']).len();
    let behind = text[end..at].len() - text[end..at].trim_start_matches([' ', '\t']).len();
    let is_last = text[end + behind..at].trim().is_empty();
    let cut = if is_last { end + behind - label } else { 0 };
    text.replace_range(label..label + cut, "");
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    edit::insert(text, at - cut, &lines);
}

/// The key of a member.
fn key_of(member: &str) -> &str {
    member.split_once(':').map_or(member, |(key, _)| key.trim())
}

fn replace_first(text: &mut String, entry: &Entry, token: &str) {
    let attached = text[..entry.token.start].ends_with(':') && !token.is_empty();
    let blank = if attached && entry.token.is_empty() { " " } else { "" };
    text.replace_range(entry.token.clone(), &format!("{blank}{token}"));
}
