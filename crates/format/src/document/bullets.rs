//! Bullets in the own text of a section.

use std::collections::BTreeSet;
use std::ops::Range;

use super::edit;
use super::outline::{Heading, Outline};
use super::text::Document;

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

// Blank lines belong to a bullet where an indented line follows them. A fence that an owned line opens
// is owned as a whole, wherever its lines begin; one that never closes takes in what follows and is not.
fn owned(outline: &Outline<'_>, bullet: usize, limit: usize) -> usize {
    let (mut end, mut line) = (bullet + 1, bullet + 1);
    while line < limit {
        if outline.is_blank(line) {
            line += 1;
            continue;
        }
        if !outline.content(line).starts_with([' ', '\t']) {
            break;
        }
        line = match outline.behind_fence(line) {
            Some(behind) => behind.min(limit),
            None if outline.lines()[line].fenced => break,
            None => line + 1,
        };
        end = line;
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
pub fn add(document: &mut Document, heading: Heading, bullet: &str) {
    let outline = document.outline();
    let none = outline.own(heading).find(|line| !outline.lines()[*line].fenced && says_none(outline.content(*line)));
    match none.map(|line| outline.lines()[line]) {
        Some(line) => edit::replace(document.edit_body(), line, bullet),
        None => edit::append_line(document, heading, bullet),
    }
}

/// Takes bullets out of the own texts of sections, all at once.
///
/// Where nothing is left in one, [`NONE_YET`] takes the place of the first.
pub fn remove(document: &mut Document, picked: &[(Heading, Vec<Range<usize>>)]) {
    let outline = document.outline();
    let mut edits = Vec::new();
    for (heading, bullets) in picked {
        let Some(first) = bullets.first() else { continue };
        let gone: BTreeSet<usize> = bullets.iter().cloned().flatten().collect();
        let is_left = outline.own(*heading).any(|line| !gone.contains(&line) && !outline.is_blank(line));
        let mut spans = bullets.iter().map(|lines| (edit::bytes(&outline, lines.clone()), ""));
        if !is_left {
            spans.next();
            edits.push((outline.lines()[first.start].start..outline.lines()[first.end - 1].end, NONE_YET));
        }
        edits.extend(spans);
    }
    edit::splice(document.edit_body(), edits);
}
