//! Bullets in the own text of a section.

use std::ops::Range;

use super::edit;
use super::outline::{Heading, Outline};

/// A bullet with the indented lines that it owns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bullet {
    /// Its lines.
    pub lines: Range<usize>,
    /// Its text without the mark, its lines joined by a blank.
    pub text: String,
}

/// What stands where a section has nothing to say.
pub const NONE_YET: &str = "None yet.";

/// The bullets in a range of lines; lines that say that there are none are no bullets.
pub fn read(outline: &Outline<'_>, lines: Range<usize>) -> Vec<Bullet> {
    let mut bullets = Vec::new();
    let mut line = lines.start;
    while line < lines.end {
        let content = outline.content(line);
        let first = mark(content).filter(|_| !outline.lines()[line].fenced && !says_none(content));
        let Some(first) = first else {
            line += 1;
            continue;
        };
        let end = owned(outline, line, lines.end);
        let more = (line + 1..end).map(|line| outline.content(line).trim()).filter(|part| !part.is_empty());
        let text = std::iter::once(first.trim()).chain(more).collect::<Vec<_>>().join(" ");
        bullets.push(Bullet { lines: line..end, text });
        line = end;
    }
    bullets
}

// Blank lines belong to a bullet where an indented line follows them.
fn owned(outline: &Outline<'_>, bullet: usize, limit: usize) -> usize {
    let mut end = bullet + 1;
    for line in bullet + 1..limit {
        if outline.is_blank(line) {
            continue;
        }
        if !outline.content(line).starts_with([' ', '\t']) {
            break;
        }
        end = line + 1;
    }
    end
}

/// What follows the mark of a bullet at column 0.
pub fn mark(content: &str) -> Option<&str> {
    ["- ", "* ", "+ "].iter().find_map(|mark| content.strip_prefix(mark))
}

/// Whether a line says that there is nothing: `None`, `None.` or `None yet.`, as a bullet or not.
pub fn says_none(content: &str) -> bool {
    matches!(mark(content).unwrap_or(content).trim_end(), "None" | "None." | "None yet.")
}

/// Adds a bullet, as a line with its mark, to the own text of a section.
pub fn add(text: &mut String, from: usize, heading: Heading, bullet: &str) {
    let outline = Outline::read(text, from);
    let none = outline.own(heading).find(|line| !outline.lines()[*line].fenced && says_none(outline.content(*line)));
    match none.map(|line| outline.lines()[line]) {
        Some(line) => edit::replace(text, line, bullet),
        None => edit::append_line(text, from, heading, bullet),
    }
}

/// Takes lines out of the own text of a section; where nothing is left, [`NONE_YET`] takes their place.
pub fn remove(text: &mut String, from: usize, heading: Heading, lines: Range<usize>) {
    let outline = Outline::read(text, from);
    let stays = |line: &usize| !lines.contains(line) && !outline.is_blank(*line);
    if outline.own(heading).any(|line| stays(&line)) {
        let bytes = edit::bytes(&outline, lines);
        return edit::remove(text, bytes);
    }
    let span = outline.lines()[lines.start].start..outline.lines()[lines.end - 1].end;
    text.replace_range(span, NONE_YET);
}
