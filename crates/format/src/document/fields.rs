//! Single-valued fields in the lines of a document: `**Name:** value`, `Name: value`, `| Name | value |`.
//!
//! Of several hits the form decides, not the order: bold before plain before row; among equals the
//! first. Names compare without regard to case, and `_` equals a blank in them.

use std::ops::Range;

use super::outline::Outline;

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
    for line in lines.filter(|line| !outline.lines()[*line].fenced) {
        let Some(spot) = spot(outline.content(line), name).filter(|spot| spot.filled) else { continue };
        if best.is_none_or(|best| spot.form < best.form) {
            best = Some(Hit { line, form: spot.form, value: spot.value.trim() });
        }
        if spot.form == Form::Bold {
            break;
        }
    }
    best
}

/// How many lines hold the field, in whatever form.
pub fn count(outline: &Outline<'_>, lines: Range<usize>, name: &str) -> usize {
    let holds = |line: &usize| {
        !outline.lines()[*line].fenced && spot(outline.content(*line), name).is_some_and(|spot| spot.filled)
    };
    lines.filter(holds).count()
}

/// Whether a line begins with the field's label, whatever follows it.
pub fn has_label(outline: &Outline<'_>, mut lines: Range<usize>, name: &str) -> bool {
    lines.any(|line| !outline.lines()[line].fenced && leading_spot(outline.content(line), name).is_some())
}

/// The lines that begin with the field and say something behind its label.
pub fn own_lines(outline: &Outline<'_>, lines: Range<usize>, name: &str) -> Vec<usize> {
    let is_own = |line: &usize| {
        !outline.lines()[*line].fenced && leading_spot(outline.content(*line), name).is_some_and(|spot| spot.filled)
    };
    lines.filter(is_own).collect()
}

/// Writes a field: one line changes, or none where the value stands there already.
///
/// `value` is one line, trimmed. The text that comes back reads as `value`.
pub fn write(
    outline: &Outline<'_>,
    from: usize,
    lines: Range<usize>,
    name: &str,
    value: &str,
) -> Result<String, NotWritten> {
    if find(outline, lines.clone(), name).is_some_and(|hit| hit.value == value) {
        return Ok(outline.text().to_owned());
    }
    let (line, spot) = target(outline, lines.clone(), name)?;
    let content = outline.content(line);
    let new = match spot.form {
        Form::Bold | Form::Plain => format!("{} {value}", &content[..spot.label_end]),
        Form::Row => format!("| {} | {value} |", spot.label),
    };
    let mut text = outline.text().to_owned();
    super::edit::replace(&mut text, outline.lines()[line], &new);
    let reads_back = find(&Outline::read(&text, from), lines, name).is_some_and(|hit| hit.value == value);
    if reads_back { Ok(text) } else { Err(NotWritten::Shadowed) }
}

/// Where a write goes: the best hit, else the best label with nothing after it; bold must begin its line.
fn target<'t>(outline: &Outline<'t>, lines: Range<usize>, name: &str) -> Result<(usize, Spot<'t>), NotWritten> {
    let mut best: Option<(usize, Spot<'t>)> = None;
    let mut inside = false;
    for line in lines.filter(|line| !outline.lines()[*line].fenced) {
        let content = outline.content(line);
        if spot(content, name).is_some_and(|spot| spot.form == Form::Bold && spot.start > 0) {
            inside = true;
        }
        let Some(spot) = leading_spot(content, name) else { continue };
        let rank = |spot: &Spot<'_>| (!spot.filled, spot.form);
        if best.as_ref().is_none_or(|(_, best)| rank(&spot) < rank(best)) {
            best = Some((line, spot));
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

/// The best reading of a line as the field.
fn spot<'t>(content: &'t str, name: &str) -> Option<Spot<'t>> {
    let mut at = 0;
    let mut bare = None;
    while let Some(found) = content[at..].find("**") {
        let start = at + found;
        if let Some(spot) = bold(content, start, name) {
            if spot.filled {
                return Some(spot);
            }
            bare = bare.or(Some(spot));
        }
        at = start + 2;
    }
    let other = plain(content, name).or_else(|| row(content, name));
    other.filter(|spot| spot.filled).or(bare).or(other)
}

/// The reading of a line as the field, where the label begins the line.
fn leading_spot<'t>(content: &'t str, name: &str) -> Option<Spot<'t>> {
    let bold = content.starts_with("**").then(|| bold(content, 0, name)).flatten();
    bold.or_else(|| plain(content, name)).or_else(|| row(content, name))
}

fn bold<'t>(content: &'t str, start: usize, name: &str) -> Option<Spot<'t>> {
    let label = matched(&content[start + 2..], name)?;
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
