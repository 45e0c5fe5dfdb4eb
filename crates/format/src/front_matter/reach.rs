//! How far a value reaches below the line of its key.
//!
//! Lines that hang below a value, though YAML allows none there, belong to it: they would become part
//! of whatever is written in its place. So a written value reads back as it is, whatever stood there.

use super::line::{Raw, is_comment, is_indented, quote_end, without_comment};

/// Whether a value is a block, its text below.
pub(super) fn is_block(token: &str) -> bool {
    token.starts_with(['|', '>'])
}

/// The line behind the scalar that begins with `token` at line `at`.
pub(super) fn scalar(text: &str, lines: &[Raw], at: usize, token: &str) -> usize {
    if is_block(token) {
        return block(text, lines, at, token);
    }
    let quote = token.chars().next().filter(|first| matches!(first, '"' | '\''));
    let open = quote.filter(|quote| quote_end(&token[1..], *quote).is_none());
    hanging(text, lines, open.and_then(|quote| closing(text, lines, at, quote)).unwrap_or(at + 1))
}

/// The line behind the list in brackets that begins with `token` at line `at`; without an end, the next key.
pub(super) fn list(text: &str, lines: &[Raw], at: usize, token: &str) -> usize {
    let mut next = at + 1;
    let mut is_open = !token.ends_with(']');
    while is_open && next < lines.len() && !is_key(text, lines[next]) {
        let content = lines[next].content(text);
        is_open = is_comment(content) || !without_comment(content, true).ends_with(']');
        next += 1;
    }
    hanging(text, lines, next)
}

// All that is indented, but for a comment that is less so than the block.
fn block(text: &str, lines: &[Raw], at: usize, token: &str) -> usize {
    let mut depth = token.chars().take(3).find_map(|c| c.to_digit(10)).map(|digit| digit as usize);
    let mut next = at + 1;
    while let Some((line, behind)) = spoken(text, lines, next) {
        let content = line.content(text);
        let indent = content.len() - content.trim_start_matches([' ', '\t']).len();
        let is_less = indent < *depth.get_or_insert(indent);
        if indent == 0 || is_less && is_comment(content) {
            break;
        }
        next = behind;
    }
    next
}

// The line behind the one that closes a quote. A key, an item or a comment without indent stands in none.
fn closing(text: &str, lines: &[Raw], at: usize, quote: char) -> Option<usize> {
    for (index, line) in lines.iter().enumerate().skip(at + 1) {
        let content = line.content(text);
        if content.starts_with(['-', '#']) || is_key(text, *line) {
            return None;
        }
        if quote_end(content, quote).is_some() {
            return Some(index + 1);
        }
    }
    None
}

// What is indented goes on with a value; below an empty line, a nested key does not.
fn hanging(text: &str, lines: &[Raw], from: usize) -> usize {
    let mut next = from;
    while let Some((line, behind)) = spoken(text, lines, next) {
        let content = line.content(text);
        let is_nested = behind > next + 1 && line.key(text).is_some();
        if !is_indented(content) || is_comment(content) || is_nested {
            break;
        }
        next = behind;
    }
    next
}

// The next line that is not empty, and the place behind it.
fn spoken(text: &str, lines: &[Raw], from: usize) -> Option<(Raw, usize)> {
    let ahead = lines[from..].iter().position(|line| !line.content(text).trim().is_empty())?;
    Some((lines[from + ahead], from + ahead + 1))
}

fn is_key(text: &str, line: Raw) -> bool {
    line.key(text).is_some_and(|key| key.indent.is_empty())
}
