//! The lines of a document: which are fenced, which are headings, and what lies beneath a heading.

use std::ops::Range;

use crate::spans::{self, Fence};

/// One line of a document. **Units**: byte offsets into the whole text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// Where it begins.
    pub start: usize,
    /// Where its text ends, before its line ending.
    pub end: usize,
    /// Where the next line begins.
    pub next: usize,
    /// Whether it lies in a fence or opens or closes one.
    pub fenced: bool,
    /// Whether it opens a fence.
    opens: bool,
    /// The level of the heading that it is; 0 for none.
    level: u8,
}

/// A heading of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heading {
    /// Its line, as an index into [`Outline::lines`].
    pub line: usize,
    /// 1 to 6.
    pub level: u8,
}

/// A document, line by line.
#[derive(Clone, Debug)]
pub struct Outline<'t> {
    text: &'t str,
    lines: Vec<Line>,
    /// The line that opens a fence which never closes.
    unclosed: Option<usize>,
}

impl<'t> Outline<'t> {
    /// Reads the lines of `text` from the byte `from`; what stands before is no part of the document.
    pub fn read(text: &'t str, from: usize) -> Self {
        let mut lines = Vec::new();
        let mut fence: Option<Fence> = None;
        let mut opened = 0;
        let mut start = from;
        while start < text.len() {
            let (end, next) = line_end(text, start);
            let content = &text[start..end];
            let (fenced, opens) = if let Some(open) = fence {
                fence = fence.filter(|_| !Fence::of(content).is_some_and(|closing| closing.closes(&open)));
                (true, false)
            } else {
                fence = Fence::of(content);
                opened = lines.len();
                (fence.is_some(), fence.is_some())
            };
            let level = if fenced { 0 } else { heading_level(content) };
            lines.push(Line { start, end, next, fenced, opens, level });
            start = next;
        }
        Self { text, lines, unclosed: fence.map(|_| opened) }
    }

    /// The whole text, with what stands before the document.
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// The lines.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// Every line, as a range of indexes.
    pub fn all(&self) -> Range<usize> {
        0..self.lines.len()
    }

    /// The part of a range that stands before a fence which never closes.
    ///
    /// What is added behind such a fence would be swallowed by it.
    pub fn open(&self, lines: Range<usize>) -> Range<usize> {
        let end = self.unclosed.map_or(lines.end, |fence| lines.end.min(fence));
        lines.start..end.max(lines.start)
    }

    /// The line behind the fence that a line opens; `None` where it opens none, or one that never closes.
    pub fn behind_fence(&self, line: usize) -> Option<usize> {
        if !self.lines[line].opens || self.unclosed == Some(line) {
            return None;
        }
        let inside = self.lines[line + 1..].iter().take_while(|line| line.fenced && !line.opens).count();
        Some(line + 1 + inside)
    }

    /// The text of a line, without its ending.
    pub fn content(&self, line: usize) -> &'t str {
        let line = self.lines[line];
        &self.text[line.start..line.end]
    }

    /// The text of lines as it stands, without the last line's ending.
    pub fn slice(&self, lines: Range<usize>) -> &'t str {
        if lines.is_empty() {
            return "";
        }
        &self.text[self.lines[lines.start].start..self.lines[lines.end - 1].end]
    }

    /// Whether a line is empty or blanks.
    pub fn is_blank(&self, line: usize) -> bool {
        self.content(line).trim().is_empty()
    }

    /// The headings, in their order.
    pub fn headings(&self) -> impl Iterator<Item = Heading> + '_ {
        let headings = self.lines.iter().enumerate().filter(|(_, line)| line.level > 0);
        headings.map(|(index, line)| Heading { line: index, level: line.level })
    }

    /// The text of a heading without its marks.
    pub fn title(&self, heading: Heading) -> &'t str {
        heading_title(self.content(heading.line))
    }

    /// The first heading of that title, without regard to case.
    pub fn section(&self, title: &str) -> Option<Heading> {
        self.headings().find(|heading| same_title(self.title(*heading), title))
    }

    /// The lines beneath a heading up to the next heading of any level.
    pub fn own(&self, heading: Heading) -> Range<usize> {
        let from = heading.line + 1;
        let end = self.lines[from..].iter().position(|line| line.level > 0);
        from..end.map_or(self.lines.len(), |end| from + end)
    }

    /// The lines beneath a heading up to the next heading of its level or above.
    pub fn whole(&self, heading: Heading) -> Range<usize> {
        let from = heading.line + 1;
        let end = self.lines[from..].iter().position(|line| line.level > 0 && line.level <= heading.level);
        from..end.map_or(self.lines.len(), |end| from + end)
    }

    /// The last line of a range that is not blank.
    pub fn last_filled(&self, lines: Range<usize>) -> Option<usize> {
        lines.rev().find(|line| !self.is_blank(*line))
    }
}

/// Whether two titles are the same, without regard to case.
pub fn same_title(a: &str, b: &str) -> bool {
    a.eq_ignore_ascii_case(b) || (!a.is_ascii() && a.to_lowercase() == b.to_lowercase())
}

/// Where a line that begins at `start` ends, and where the next begins.
pub(crate) fn line_end(text: &str, start: usize) -> (usize, usize) {
    match text.as_bytes()[start..].iter().position(|byte| *byte == b'\n') {
        None => (text.len(), text.len()),
        Some(at) => {
            let end = start + at;
            (if at > 0 && text.as_bytes()[end - 1] == b'\r' { end - 1 } else { end }, end + 1)
        }
    }
}

// Only at column 0: an indented one belongs to a bullet.
fn heading_level(content: &str) -> u8 {
    let heading = content.starts_with('#').then(|| spans::heading(content)).flatten();
    heading.and_then(|heading| u8::try_from(heading.level).ok()).unwrap_or(0)
}

fn heading_title(content: &str) -> &str {
    spans::heading(content).map_or(content, |heading| &content[heading.start..heading.end])
}
