//! Changes of front matter that touch only what changes.

use std::ops::Range;

use super::Located;
use super::full::{Entry, FrontMatter, Held, flow_items};
use super::scalar::Scalar;
use crate::document::{Document, edit, line_end};

/// The blanks before a nested key where no other shows how many.
const INDENT: &str = "  ";

/// What is to be said of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change<'k> {
    /// It holds a value; a new key goes before the closing line.
    Value(&'k str, Scalar),
    /// The nested key, named second, holds a value.
    ///
    /// A new one goes to the end of its block, with the indent of the others.
    Member(&'k str, &'k str, Scalar),
    /// It does not stand there, on none of its lines.
    Gone(&'k str),
}

/// Makes the front matter say so, all at once; says whether a byte changed.
///
/// What says so already stays as it is. A text without front matter gets a block and, where anything
/// follows, a blank line. One whose front matter never closes stays as it is. Each key is named once.
pub fn write(document: &mut Document, changes: &[Change<'_>]) -> bool {
    let is_new = match document.located() {
        Located::Found(_) => false,
        Located::Unclosed => return false,
        Located::Absent if changes.iter().all(|change| matches!(change, Change::Gone(_))) => return false,
        Located::Absent => {
            let at = document.body_start();
            let ending = edit::line_ending(document.text());
            let gap = if at < document.text().len() { ending } else { "" };
            document.edit().insert_str(at, &format!("---{ending}---{ending}{gap}"));
            true
        }
    };
    let is_unfolded = unfold_all(document, changes);
    let Some(front) = document.front() else { return is_new };
    let mut edits = Edits::default();
    for change in changes {
        match change {
            Change::Value(key, value) => edits.value(document.text(), front, key, value),
            Change::Member(key, name, value) => edits.member(document.text(), front, key, name, value),
            Change::Gone(key) => {
                let gone = front.entries.iter().filter(|entry| entry.key == **key);
                edits.spans.extend(gone.flat_map(|entry| &entry.lines).map(|lines| (lines.clone(), String::new())));
            }
        }
    }
    let spans = edits.all(document.text(), front);
    if spans.is_empty() {
        return is_new || is_unfolded;
    }
    edit::splice(document.edit(), spans.iter().map(|(span, new)| (span.clone(), new.as_str())).collect());
    true
}

/// What goes where.
#[derive(Default)]
struct Edits<'k> {
    /// The places of values, and lines within blocks.
    spans: Vec<(Range<usize>, String)>,
    /// The lines of new keys, each with its key.
    new: Vec<(&'k str, Vec<String>)>,
}

impl<'k> Edits<'k> {
    fn value(&mut self, text: &str, front: &FrontMatter, key: &'k str, value: &Scalar) {
        match front.entry(key) {
            Some(entry) if value.is(&entry.held) => {}
            Some(entry) => self.spans.extend(replaced(text, entry, &value.token())),
            None => self.new.push((key, vec![format!("{key}: {}", value.token())])),
        }
    }

    fn member(&mut self, text: &str, front: &FrontMatter, key: &'k str, name: &str, value: &Scalar) {
        let line = |indent: &str| format!("{indent}{name}: {}", value.token());
        let Some(entry) = front.entry(key) else {
            return match self.new.iter_mut().find(|(new, _)| *new == key) {
                Some((_, lines)) => lines.push(line(INDENT)),
                None => self.new.push((key, vec![format!("{key}:"), line(INDENT)])),
            };
        };
        match (entry.member(name), entry.nested.last()) {
            (Some(member), _) if value.is(&member.held) => {}
            (Some(member), _) => self.spans.extend(replaced(text, member, &value.token())),
            (None, Some(last)) => {
                let at = last.lines.last().expect("an entry has its own line").end;
                self.spans.push((at..at, line(&text[last.indent.clone()]) + edit::line_ending(text)));
            }
            // What even as a block has no keys takes none.
            (None, None) => {}
        }
    }

    /// All of it; new keys stand last at their place.
    fn all(mut self, text: &str, front: &FrontMatter) -> Vec<(Range<usize>, String)> {
        let ending = edit::line_ending(text);
        let lines = self.new.iter().flat_map(|(_, lines)| lines).flat_map(|line| [line.as_str(), ending]);
        let added: String = lines.collect();
        if !added.is_empty() {
            let at = front.block.inner.end;
            self.spans.push((at..at, added));
        }
        self.spans
    }
}

/// The spans of a value with what takes their place: its token; the lines below that belong to it go.
fn replaced(text: &str, entry: &Entry, token: &str) -> Vec<(Range<usize>, String)> {
    let attached = text[..entry.token.start].ends_with(':') && !token.is_empty();
    let blank = if attached && entry.token.is_empty() { " " } else { "" };
    let below = entry.lines[1..].iter().map(|lines| (lines.clone(), String::new()));
    std::iter::once((entry.token.clone(), format!("{blank}{token}"))).chain(below).collect()
}

/// Makes a block of keys out of every entry that is none and is to have members; says whether there was one.
fn unfold_all(document: &mut Document, changes: &[Change<'_>]) -> bool {
    let mut is_unfolded = false;
    for change in changes {
        let Change::Member(key, name, value) = change else { continue };
        let entry = document.front().and_then(|front| front.entry(key)).filter(|entry| entry.nested.is_empty());
        if let Some(entry) = entry.cloned() {
            unfold(document.edit(), &entry, &format!("{name}: {}", value.token()));
            is_unfolded = true;
        }
    }
    is_unfolded
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
    let spans = replaced(text, entry, "");
    edit::splice(text, spans.iter().map(|(span, new)| (span.clone(), new.as_str())).collect());
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
