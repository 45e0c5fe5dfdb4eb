//! Reading an export, strictly: whatever is not exactly what `export` writes is refused by line.

use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;

use model::{Object, RecordKey, Refusal, RefusalClass, Value};
use store::{Checkpoint, StoredEntry};

use super::{LONGEST, VERSION, lines};
use crate::home::open_plain;

/// One line of an export behind its header.
pub(super) enum Line {
    Checkpoint(Checkpoint),
    Entry(Box<StoredEntry>),
    Record(RecordKey, Value),
}

/// The header of an export.
pub(super) struct Header {
    /// The space that was exported; everything without one.
    pub(super) space: Option<String>,
}

/// Reads an export from beginning to end; `visit` gets every line with its number.
///
/// **Errors**: `not_an_export`, `export_too_new`, `export_damaged` with the line, `export_truncated`,
/// and what `visit` refuses.
pub(super) fn read(
    path: &Path,
    visit: &mut dyn FnMut(&Header, usize, Line) -> Result<(), Refusal>,
) -> Result<Header, Refusal> {
    let file = open_plain(OpenOptions::new().read(true), path)
        .map_err(|error| Refusal::invalid("file", format!("{} cannot be read: {error}", path.display())))?;
    let mut reader = BufReader::new(file);
    let mut number = 1;
    let first = next(&mut reader, number)?.ok_or_else(|| foreign(path))?;
    let header = header(&first).ok_or_else(|| foreign(path))??;
    let mut counts: [u64; 3] = [0; 3];
    // An entry whose changes may go on in the next line.
    let mut open: Option<(usize, Box<StoredEntry>)> = None;
    loop {
        number += 1;
        let Some(text) = next(&mut reader, number)? else { return Err(truncated(number)) };
        let object = lines::opened(&text).ok_or_else(|| damaged(number, "its digest is not that of its text"))?;
        let (name, body) = only(&object).ok_or_else(|| damaged(number, "it holds no object"))?;
        let unread = || damaged(number, &format!("it is no {name}"));
        let line = match name {
            "checkpoint" => Line::Checkpoint(lines::checkpoint(body).ok_or_else(unread)?),
            "entry" => Line::Entry(Box::new(lines::entry(body).ok_or_else(unread)?)),
            "more" => {
                let (_, entry) = open.as_mut().ok_or_else(|| damaged(number, "no entry stands before it"))?;
                entry.changes.extend(lines::more(body).ok_or_else(unread)?);
                continue;
            }
            "record" => {
                let value = body.get("value").cloned().ok_or_else(unread)?;
                Line::Record(lines::key(body).ok_or_else(unread)?, value)
            }
            "end" => {
                if let Some((first, entry)) = open.take() {
                    visit(&header, first, Line::Entry(entry))?;
                }
                let told = ["checkpoints", "entries", "records"].map(|name| body.get(name).and_then(Value::as_u64));
                if told != counts.map(Some) {
                    return Err(damaged(number, "lines before it are missing"));
                }
                if next(&mut reader, number + 1)?.is_some() {
                    return Err(damaged(number + 1, "it stands behind the end"));
                }
                return Ok(header);
            }
            _ => return Err(damaged(number, "nothing is known of its kind")),
        };
        counts[match &line {
            Line::Checkpoint(_) => 0,
            Line::Entry(_) => 1,
            Line::Record(..) => 2,
        }] += 1;
        if let Some((first, entry)) = open.take() {
            visit(&header, first, Line::Entry(entry))?;
        }
        match line {
            Line::Entry(entry) => open = Some((number, entry)),
            line => visit(&header, number, line)?,
        }
    }
}

// A line without its end. One that the end of the file cuts off is none.
fn next(reader: &mut BufReader<File>, number: usize) -> Result<Option<String>, Refusal> {
    let mut bytes = Vec::new();
    let bound = u64::try_from(LONGEST).expect("the limit is small");
    let read = reader.by_ref().take(bound).read_until(b'\n', &mut bytes);
    read.map_err(|error| damaged(number, &error.to_string()))?;
    if bytes.is_empty() {
        return Ok(None);
    }
    if bytes.pop() != Some(b'\n') {
        return Err(if bytes.len() + 1 < LONGEST { truncated(number) } else { damaged(number, "it is too long") });
    }
    String::from_utf8(bytes).map(Some).map_err(|_| damaged(number, "it is not UTF-8"))
}

// Nothing for what is no export at all.
fn header(line: &str) -> Option<Result<Header, Refusal>> {
    let object: Object = serde_json::from_str(line).ok()?;
    if object.get("mainstay")?.as_str()? != "export" {
        return None;
    }
    let version = object.get("version")?.as_u64()?;
    if version > VERSION {
        return Some(Err(too_new(version)));
    }
    let space = object.get("space").and_then(Value::as_str).map(str::to_owned);
    Some(lines::opened(line).map(|_| Header { space }).ok_or_else(|| damaged(1, "its digest is not that of its text")))
}

fn only(object: &Object) -> Option<(&str, &Object)> {
    let mut members = object.iter();
    let (name, body) = members.next()?;
    let body = body.as_object()?;
    members.next().is_none().then_some((name.as_str(), body))
}

fn foreign(path: &Path) -> Refusal {
    Refusal::new(RefusalClass::Usage, "not_an_export", format!("{} is no export of Mainstay", path.display()))
        .field("file")
        .hint("mainstay export > FILE writes one")
}

fn too_new(version: u64) -> Refusal {
    let message = format!("the export has version {version}; this program knows {VERSION}");
    Refusal::refused("export_too_new", message).field("file").with("version", version).hint("update mainstay")
}

fn truncated(number: usize) -> Refusal {
    Refusal::refused("export_truncated", format!("the export ends in line {number} and has no end"))
        .field("file")
        .with("line", number)
        .hint("export once more; the file was not written to its end")
}

/// The refusal of a line.
pub(super) fn damaged(number: usize, why: &str) -> Refusal {
    Refusal::refused("export_damaged", format!("line {number} of the export is damaged: {why}"))
        .field("file")
        .with("line", number)
}
