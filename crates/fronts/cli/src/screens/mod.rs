//! What the generic commands show to people, rendered from the engine's objects for 80 columns.

pub(crate) mod blame;
pub(crate) mod changes;
pub(crate) mod checkpoints;
pub(crate) mod doctor;
pub(crate) mod history;
pub(crate) mod init;
pub(crate) mod next;
pub(crate) mod records;
pub(crate) mod status;
pub(crate) mod upkeep;
pub(crate) mod wiring;

use model::{Object, Value};

use crate::printable;

const WIDTH: usize = 80;

/// A member as one line of safe text; empty when it is missing or null.
fn text(object: &Object, name: &str) -> String {
    match object.get(name) {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => printable::line(text),
        Some(other) => printable::line(&other.to_string()),
    }
}

/// The objects of a member list.
fn objects<'a>(object: &'a Object, name: &str) -> impl Iterator<Item = &'a Object> {
    list(object, name).iter().filter_map(Value::as_object)
}

/// The texts of a member list, each as one line.
fn texts(object: &Object, name: &str) -> Vec<String> {
    list(object, name).iter().filter_map(Value::as_str).map(printable::line).collect()
}

fn list<'a>(object: &'a Object, name: &str) -> &'a [Value] {
    object.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// `2026-01-02 03:04:05` of an RFC 3339 text in UTC.
fn when(at: &str) -> String {
    match at.get(..19) {
        Some(instant) if at.is_char_boundary(19) => instant.replacen('T', " ", 1),
        _ => at.to_owned(),
    }
}

/// The text in a column of `width`: cut when longer, padded when shorter.
fn column(text: &str, width: usize) -> String {
    format!("{:width$}", printable::cut(text, width))
}

/// The widest of the texts, up to `most`. **Units**: characters.
fn widest<'a>(texts: impl Iterator<Item = &'a str>, most: usize) -> usize {
    texts.map(|text| text.chars().count()).max().unwrap_or(0).min(most)
}
/// A title and what is said behind it, in so many columns: the title gives way, but not past the half.
fn beside(title: &str, tail: &str, room: usize) -> String {
    let left = room.saturating_sub(title.chars().count());
    let tail = printable::cut(tail, left.max(room / 2)).into_owned();
    let title = printable::cut(title, room.saturating_sub(tail.chars().count()));
    format!("{title}{tail}")
}
