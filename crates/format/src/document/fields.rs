//! Single-valued fields in the lines of a document: `**Name:** value`, `Name: value`, `| Name | value |`.
//!
//! Of several hits the form decides, not the order: bold before plain before row; among equals the
//! first. Names compare without regard to case, and `_` equals a blank in them.

use std::ops::Range;

use super::outline::{Line, Outline};
use super::text::Document;

/// How a field is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// `**Name:** value` anywhere in a line.
    Bold,
    /// `Name: value` at column 0.
    Plain,
    /// A row of two cells at column 0.
    Row,
}

/// A field that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit<'t> {
    /// Its line.
    pub line: usize,
    /// How it is written.
    pub form: Form,
    /// Its value, trimmed.
    pub value: &'t str,
}

/// Why a field was not written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotWritten {
    /// It does not stand there.
    Missing,
    /// It stands inside a line only, where a sentence may be about it.
    Inside,
    /// Another hit would be read instead of what was written.
    Shadowed,
}

/// Reads a field from a range of lines.
pub fn find<'t>(outline: &Outline<'t>, lines: Range<usize>, name: &str) -> Option<Hit<'t>> {
    let mut best: Option<Hit<'t>> = None;
    for at in lines {
        let Some(spot) = spot(outline, at, name).filter(|spot| spot.filled) else { continue };
        if best.is_none_or(|best| spot.form < best.form) {
            best = Some(Hit { line: at, form: spot.form, value: spot.value.trim() });
        }
        if spot.form == Form::Bold {
            break;
        }
    }
    best
}

/// How many lines hold the field, in whatever form.
pub fn count(outline: &Outline<'_>, lines: Range<usize>, name: &str) -> usize {
    lines.filter(|line| spot(outline, *line, name).is_some_and(|spot| spot.filled)).count()
}

/// Whether a line begins with the field's label, whatever follows it.
pub fn has_label(outline: &Outline<'_>, mut lines: Range<usize>, name: &str) -> bool {
    lines.any(|line| leading_spot(outline, line, name).is_some())
}

/// The lines that begin with the field and say something behind its label.
pub fn own_lines(outline: &Outline<'_>, lines: Range<usize>, name: &str) -> Vec<usize> {
    lines.filter(|line| leading_spot(outline, *line, name).is_some_and(|spot| spot.filled)).collect()
}

/// Writes a field: one line changes, or none where the value stands there already; says whether one did.
///
/// `value` is one line, trimmed. What stands there behind a write reads as `value`.
pub fn write(document: &mut Document, lines: Range<usize>, name: &str, value: &str) -> Result<bool, NotWritten> {
    let outline = document.outline();
    if find(&outline, lines.clone(), name).is_some_and(|hit| hit.value == value) {
        return Ok(false);
    }
    let (line, spot) = target(&outline, lines.clone(), name)?;
    let old = outline.content(line).to_owned();
    let new = match spot.form {
        Form::Bold | Form::Plain => format!("{} {value}", &old[..spot.label_end]),
        Form::Row => format!("| {} | {value} |", spot.label),
    };
    if new == old {
        return Err(NotWritten::Shadowed);
    }
    // The lines are changed in place where nobody else holds them.
    drop(outline);
    document.set_line(line, &new);
    if find(&document.outline(), lines, name).is_none_or(|hit| hit.value != value) {
        document.set_line(line, &old);
        return Err(NotWritten::Shadowed);
    }
    Ok(true)
}

/// Where a write goes: the best hit, else the best label with nothing after it; bold must begin its line.
fn target<'t>(outline: &Outline<'t>, lines: Range<usize>, name: &str) -> Result<(usize, Spot<'t>), NotWritten> {
    let mut best: Option<(usize, Spot<'t>)> = None;
    let mut inside = false;
    for at in lines {
        inside |= spot(outline, at, name).is_some_and(|spot| spot.form == Form::Bold && spot.start > 0);
        let Some(spot) = leading_spot(outline, at, name) else { continue };
        let rank = |spot: &Spot<'_>| (!spot.filled, spot.form);
        if best.as_ref().is_none_or(|(_, best)| rank(&spot) < rank(best)) {
            best = Some((at, spot));
        }
    }
    best.ok_or(if inside { NotWritten::Inside } else { NotWritten::Missing })
}

/// A label in a line, and what follows it.
#[derive(Clone, Copy)]
struct Spot<'t> {
    form: Form,
    start: usize,
    label: &'t str,
    label_end: usize,
    value: &'t str,
    /// Whether anything, blanks included, follows the label.
    filled: bool,
}

/// The best reading of a line as the field; a fenced line has none.
fn spot<'t>(outline: &Outline<'t>, at: usize, name: &str) -> Option<Spot<'t>> {
    let Line { fenced, first, has_bold, .. } = outline.lines()[at];
    if fenced || !(has_bold || may_begin(first, name)) {
        return None;
    }
    let content = outline.content(at);
    let other = plain(content, name).or_else(|| row(content, name));
    if !has_bold {
        return other;
    }
    let mut bare = None;
    for start in bold_marks(content) {
        let Some(spot) = bold(content, start, name) else { continue };
        if spot.filled {
            return Some(spot);
        }
        bare = bare.or(Some(spot));
    }
    other.filter(|spot| spot.filled).or(bare).or(other)
}

/// The reading of a line as the field, where the label begins the line; a fenced line has none.
fn leading_spot<'t>(outline: &Outline<'t>, at: usize, name: &str) -> Option<Spot<'t>> {
    let Line { fenced, first, .. } = outline.lines()[at];
    if fenced || !may_begin(first, name) {
        return None;
    }
    let content = outline.content(at);
    bold(content, 0, name).or_else(|| plain(content, name)).or_else(|| row(content, name))
}

/// Whether a line with this first byte begins as the field could; most lines do not.
fn may_begin(first: u8, name: &str) -> bool {
    matches!(first, b'*' | b'|') || name.bytes().next().is_none_or(|own| fold(own) == fold(first))
}

/// Where two asterisks stand; a plain look at the bytes, because every field looks at every bold line.
fn bold_marks(content: &str) -> impl Iterator<Item = usize> {
    let (bytes, mut at) = (content.as_bytes(), 0);
    std::iter::from_fn(move || {
        while at + 1 < bytes.len() {
            let is_mark = bytes[at] == b'*' && bytes[at + 1] == b'*';
            at += if is_mark { 2 } else { 1 };
            if is_mark {
                return Some(at - 2);
            }
        }
        None
    })
}

fn bold<'t>(content: &'t str, start: usize, name: &str) -> Option<Spot<'t>> {
    let label = matched(content[start..].strip_prefix("**")?, name)?;
    let value = content[start + 2 + label.len()..].strip_prefix(":**")?;
    let label_end = content.len() - value.len();
    Some(Spot { form: Form::Bold, start, label, label_end, value, filled: !value.is_empty() })
}

fn plain<'t>(content: &'t str, name: &str) -> Option<Spot<'t>> {
    let label = matched(content, name)?;
    let value = content[label.len()..].strip_prefix(':')?;
    let label_end = content.len() - value.len();
    Some(Spot { form: Form::Plain, start: 0, label, label_end, value, filled: !value.is_empty() })
}

// Every pipe counts, one behind a backslash too.
fn row<'t>(content: &'t str, name: &str) -> Option<Spot<'t>> {
    let mut cells = content.strip_prefix('|')?.split('|');
    let (label, value, rest) = (cells.next()?.trim(), cells.next()?, cells.next()?);
    let is_row = rest.trim().is_empty() && cells.next().is_none();
    if !is_row || matched(label, name)?.len() != label.len() {
        return None;
    }
    Some(Spot { form: Form::Row, start: 0, label, label_end: content.len(), value, filled: !value.is_empty() })
}

/// The beginning of `content` that is the name.
fn matched<'t>(content: &'t str, name: &str) -> Option<&'t str> {
    let begin = content.as_bytes().get(..name.len())?;
    let same = |(a, b): (&u8, u8)| fold(*a) == fold(b);
    (begin.iter().zip(name.bytes()).all(same) && content.is_char_boundary(name.len())).then(|| &content[..name.len()])
}

fn fold(byte: u8) -> u8 {
    if byte == b'_' { b' ' } else { byte.to_ascii_lowercase() }
}

/// Whether two names are the same: without regard to case, `_` equal to a blank.
pub fn same_name(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).all(|(a, b)| fold(a) == fold(b))
}
