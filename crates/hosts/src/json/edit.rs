//! Puts something into a JSON text, and takes it out again to the very bytes of before.
//!
//! Nothing is remembered between the two. What a container was before is told by how it ends:
//! one that we made ends right behind its last item, on a line of its own or not; in one that stood
//! empty a single space follows our item, and then what stood in it.

use model::Value;
use serde::Serialize as _;
use serde_json::ser::{PrettyFormatter, Serializer};

use super::read::{self, Kind, Node};

/// How a text breaks lines and indents.
#[derive(Clone, Debug)]
struct Style<'a> {
    newline: &'a str,
    unit: &'a str,
}

/// What a text is when something was taken out of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Left {
    /// The text that remains.
    Text(String),
    /// Nothing: the whole of it was ours.
    Nothing,
}

/// Something to put into a container: with a name into an object, without one into a list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fresh<'a> {
    /// Its name.
    pub(crate) name: Option<&'a str>,
    /// Its value.
    pub(crate) value: &'a Value,
}

/// The text of a new file that holds one value.
pub(crate) fn create(value: &Value) -> String {
    format!("{}\n", pretty(value, "  ", "\n", ""))
}

/// Puts something at the end of the container `node` of the text `text`, whose root is `root`.
pub(crate) fn put(text: &str, root: &Node, node: &Node, fresh: Fresh<'_>) -> String {
    let style = Style::of(text, root);
    let items = node.items();
    let Some((first, last)) = items.first().zip(items.last()) else {
        return into_empty(text, root, node, &style, fresh);
    };
    let (after, has_comma) = match comma_after(text, last.end) {
        Some(comma) => (comma + 1, true),
        None => (last.end, false),
    };
    let (place, in_line_comment) = same_line_comments(text, after);
    let is_tall = text[node.span.start..first.start].contains('\n');
    let indent = line_indent(text, if is_tall { first.start } else { node.span.start });
    let put = if is_tall {
        format!("{}{indent}{}", style.newline, fresh.tall(&style, indent))
    } else if in_line_comment {
        format!("{}{indent}{}", style.newline, fresh.flat())
    } else {
        format!(" {}", fresh.flat())
    };
    let (comma, own_comma) = if has_comma { ("", ",") } else { (",", "") };
    format!("{}{comma}{}{put}{own_comma}{}", &text[..last.end], &text[last.end..place], &text[place..])
}

// A single space behind it tells that the container stood there before.
fn into_empty(text: &str, root: &Node, node: &Node, style: &Style<'_>, fresh: Fresh<'_>) -> String {
    let inside = node.span.start + 1;
    let is_flat = node.span != root.span && !text[root.span.clone()].contains('\n');
    let put = if is_flat {
        fresh.flat()
    } else {
        let indent = format!("{}{}", line_indent(text, node.span.start), style.unit);
        format!("{}{indent}{}", style.newline, fresh.tall(style, &indent))
    };
    format!("{}{put} {}", &text[..inside], &text[inside..])
}

/// Takes the item of that number out of the container at the end of `way`, which begins with the root.
///
/// A container that is ours goes with its last item, unless a comment stands in it or before its value. All comments
/// stay, and the line break behind one that runs to its line's end.
pub(crate) fn take(text: &str, way: &[(&Node, usize)]) -> Left {
    let Some(((node, number), above)) = way.split_last() else { return Left::Nothing };
    let items = node.items();
    let item = items[*number].clone();
    let before = if *number == 0 { None } else { Some(items[*number - 1].end) };
    let start = match before {
        None => node.span.start + 1,
        Some(end) => comma_after(text, end).map_or(end, |comma| comma + 1),
    };
    let (cut, line_break) = last_comment_end(text, start, item.start);
    let joined = |before: &str, after: &str| {
        let is_on_its_line = !after.trim_start_matches([' ', '\t']).starts_with(['\r', '\n']);
        Left::Text(format!("{before}{}{after}", if is_on_its_line { line_break } else { "" }))
    };
    if let Some(comma) = comma_after(text, item.end) {
        return joined(&text[..cut], &format!("{}{}", &text[item.end..comma], &text[comma + 1..]));
    }
    if let Some(end) = before {
        // The comma before it came with it.
        let comma = comma_after(text, end).expect("two items have a comma between them");
        return joined(&format!("{}{}", &text[..comma], &text[comma + 1..cut]), &text[item.end..]);
    }
    if text[item.end..].starts_with(' ') {
        return joined(&text[..cut], &text[item.end + 1..]);
    }
    let rest = [&text[node.span.start + 1..item.start], &text[item.end..node.span.end - 1]];
    let named = above.last().map(|(outer, number)| &text[outer.items()[*number].start..node.span.start]);
    if rest.iter().any(|part| !part.trim().is_empty()) || named.is_some_and(is_commented) {
        return joined(&text[..cut], &text[item.end..]);
    }
    take(text, above)
}

/// Whether a person wrote beside what is ours; no text of ours holds what begins a comment.
pub(super) fn is_commented(text: &str) -> bool {
    text.contains("//") || text.contains("/*")
}

impl Fresh<'_> {
    fn flat(self) -> String {
        match self.name {
            Some(name) => format!("{}: {}", Value::from(name), self.value),
            None => self.value.to_string(),
        }
    }

    fn tall(self, style: &Style<'_>, indent: &str) -> String {
        let value = pretty(self.value, style.unit, style.newline, indent);
        match self.name {
            Some(name) => format!("{}: {value}", Value::from(name)),
            None => value,
        }
    }
}

impl<'a> Style<'a> {
    fn of(text: &'a str, root: &Node) -> Self {
        let newline = if newline_is_crlf(text) { "\r\n" } else { "\n" };
        let first = root.items().first().map(|item| item.start);
        let unit = first.filter(|first| text[root.span.start..*first].contains('\n')).map(|at| line_indent(text, at));
        Self { newline, unit: unit.filter(|unit| !unit.is_empty()).unwrap_or("  ") }
    }
}

fn newline_is_crlf(text: &str) -> bool {
    text.find('\n').is_some_and(|at| text[..at].ends_with('\r'))
}

fn pretty(value: &Value, unit: &str, newline: &str, indent: &str) -> String {
    let mut bytes = Vec::new();
    let formatter = PrettyFormatter::with_indent(unit.as_bytes());
    value.serialize(&mut Serializer::with_formatter(&mut bytes, formatter)).expect("a JSON value can be written");
    let text = String::from_utf8(bytes).expect("JSON is UTF-8");
    text.replace('\n', &format!("{newline}{indent}"))
}

fn comma_after(text: &str, at: usize) -> Option<usize> {
    let next = read::skip(text, at);
    text[next..].starts_with(',').then_some(next)
}

// Behind the comments that begin on the line of `at` and end on it; and whether the last runs to its end.
fn same_line_comments(text: &str, at: usize) -> (usize, bool) {
    let mut place = at;
    loop {
        let gap = text[place..].len() - text[place..].trim_start_matches([' ', '\t']).len();
        match read::comment(text, place + gap) {
            Some((end, true)) => return (end, true),
            Some((end, false)) if !text[place..end].contains('\n') => place = end,
            _ => return (place, false),
        }
    }
}

// Where the last comment between two places ends, the first place where there is none; and the line break that ends it.
fn last_comment_end(text: &str, from: usize, to: usize) -> (usize, &str) {
    let (mut end, mut line_break) = (from, "");
    let mut at = from;
    while at < to {
        at += text[at..to].len() - text[at..to].trim_start_matches([' ', '\t', '\r', '\n']).len();
        match read::comment(text, at) {
            Some((over, ends_line)) if at < to => {
                end = over;
                at = over;
                let breaks = if text[over..].starts_with('\r') { 2 } else { 1 };
                line_break = if ends_line { &text[over..over + breaks] } else { "" };
            }
            _ => break,
        }
    }
    (end, line_break)
}

fn line_indent(text: &str, at: usize) -> &str {
    let line = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let rest = &text[line..];
    &rest[..rest.len() - rest.trim_start_matches([' ', '\t']).len()]
}

/// The members of that name in an object; nothing where the node is no object.
pub(crate) fn members(node: &Node, name: &str) -> Option<Vec<usize>> {
    let Kind::Object(members) = &node.kind else { return None };
    Some((0..members.len()).filter(|number| members[*number].name == name).collect())
}
