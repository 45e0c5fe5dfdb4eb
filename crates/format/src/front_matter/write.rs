//! Changes of front matter that touch only what changes.

use super::full::{Entry, FrontMatter};
use super::scalar::Scalar;
use super::{Located, locate};
use crate::document::edit;

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
        // What stood there was no block of keys.
        replace(text, entry, "");
        let at = FrontMatter::read(text).and_then(|front| Some(front.entry(key)?.lines[0].end));
        let at = at.expect("the key stands there as before");
        return edit::insert(text, at, &[&format!("{INDENT}{name}: {}", value.token())]);
    };
    let indent = text[last.indent.clone()].to_owned();
    let at = last.lines.last().expect("an entry has its own line").end;
    edit::insert(text, at, &[&format!("{indent}{name}: {}", value.token())]);
}

/// Removes every line of a key.
pub fn remove(text: &mut String, key: &str) {
    while let Some(front) = FrontMatter::read(text) {
        let Some(entry) = front.entry(key) else { return };
        for lines in entry.lines.iter().rev() {
            edit::remove(text, lines.clone());
        }
    }
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
    for lines in entry.lines[1..].iter().rev() {
        edit::remove(text, lines.clone());
    }
    replace_first(text, entry, token);
}

fn replace_first(text: &mut String, entry: &Entry, token: &str) {
    let attached = text[..entry.token.start].ends_with(':') && !token.is_empty();
    let blank = if attached && entry.token.is_empty() { " " } else { "" };
    text.replace_range(entry.token.clone(), &format!("{blank}{token}"));
}
