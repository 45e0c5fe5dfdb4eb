//! The lines of a document: which are fenced, which are headings, and what lies beneath a heading.

use std::ops::Range;
use std::rc::Rc;

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
    /// Its first byte; a line feed where it is empty.
    pub(super) first: u8,
    /// Whether two asterisks stand in it, as around a bold label.
    pub(super) has_bold: bool,
    /// Whether it opens a fence.
    opens: bool,
    /// The level of the heading that it is; 0 for none.
    level: u8,
    /// The title of the heading that it is.
    title: (usize, usize),
}

/// A heading of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heading {
    /// Its line, as an index into [`Outline::lines`].
    pub line: usize,
    /// 1 to 6.
    pub level: u8,
}

/// The lines of a document, read once and shared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Lines {
    all: Vec<Line>,
    headings: Vec<Heading>,
    /// The line that opens a fence which never closes.
    unclosed: Option<usize>,
}

impl Lines {
    fn read(text: &str, from: usize) -> Self {
        let (mut all, mut headings) = (Vec::with_capacity(text.len() / 32), Vec::new());
        let mut fence: Option<Fence> = None;
        let mut opened = 0;
        let mut start = from;
        while start < text.len() {
            let (end, next, has_bold) = measured(text, start);
            let content = &text[start..end];
            let (fenced, opens) = if let Some(open) = fence {
                fence = fence.filter(|_| !Fence::of(content).is_some_and(|closing| closing.closes(&open)));
                (true, false)
            } else {
                fence = Fence::of(content);
                opened = all.len();
                (fence.is_some(), fence.is_some())
            };
            let (level, title) = if fenced { NO_HEADING } else { heading(content) };
            if level > 0 {
                headings.push(Heading { line: all.len(), level });
            }
            let title = (start + title.0, start + title.1);
            let first = first_of(content);
            all.push(Line { start, end, next, fenced, first, has_bold, opens, level, title });
            start = next;
        }
        Self { all, headings, unclosed: fence.map(|_| opened) }
    }

    /// Gives one of them another content; says `false`, and changes nothing, where it is or becomes a fence or a heading.
    pub(super) fn set_content(&mut self, at: usize, content: &str) -> bool {
        let line = &mut self.all[at];
        if line.fenced || line.level > 0 || heading(content).0 > 0 || Fence::of(content).is_some() {
            return false;
        }
        let (before, after) = (line.end - line.start, content.len());
        (line.first, line.has_bold) = (first_of(content), content.contains("**"));
        let moved = |place: usize| place - before + after;
        (line.end, line.next) = (moved(line.end), moved(line.next));
        for line in &mut self.all[at + 1..] {
            (line.start, line.end, line.next) = (moved(line.start), moved(line.end), moved(line.next));
            line.title = (moved(line.title.0), moved(line.title.1));
        }
        true
    }
}

/// A document, line by line.
#[derive(Clone, Debug)]
pub struct Outline<'t> {
    text: &'t str,
    lines: Rc<Lines>,
}

impl<'t> Outline<'t> {
    /// Reads the lines of `text` from the byte `from`; what stands before is no part of the document.
    pub fn read(text: &'t str, from: usize) -> Self {
        Self::of(text, Rc::new(Lines::read(text, from)))
    }

    /// The outline of a text whose lines were read before.
    pub(super) fn of(text: &'t str, lines: Rc<Lines>) -> Self {
        Self { text, lines }
    }

    /// The lines, to be kept.
    pub(super) fn shared(&self) -> Rc<Lines> {
        Rc::clone(&self.lines)
    }

    /// The whole text, with what stands before the document.
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// The lines.
    pub fn lines(&self) -> &[Line] {
        &self.lines.all
    }

    /// Every line, as a range of indexes.
    pub fn all(&self) -> Range<usize> {
        0..self.lines.all.len()
    }

    /// The part of a range that stands before a fence which never closes.
    ///
    /// What is added behind such a fence would be swallowed by it.
    pub fn open(&self, lines: Range<usize>) -> Range<usize> {
        let end = self.lines.unclosed.map_or(lines.end, |fence| lines.end.min(fence));
        lines.start..end.max(lines.start)
    }

    /// The line behind the fence that a line opens; `None` where it opens none, or one that never closes.
    pub fn behind_fence(&self, line: usize) -> Option<usize> {
        if !self.lines.all[line].opens || self.lines.unclosed == Some(line) {
            return None;
        }
        let inside = self.lines.all[line + 1..].iter().take_while(|line| line.fenced && !line.opens).count();
        Some(line + 1 + inside)
    }

    /// The text of a line, without its ending.
    pub fn content(&self, line: usize) -> &'t str {
        let line = self.lines.all[line];
        &self.text[line.start..line.end]
    }

    /// The text of lines as it stands, without the last line's ending.
    pub fn slice(&self, lines: Range<usize>) -> &'t str {
        if lines.is_empty() {
            return "";
        }
        &self.text[self.lines.all[lines.start].start..self.lines.all[lines.end - 1].end]
    }

    /// Whether a line is empty or blanks.
    pub fn is_blank(&self, line: usize) -> bool {
        self.content(line).trim().is_empty()
    }

    /// The headings, in their order.
    pub fn headings(&self) -> impl Iterator<Item = Heading> + '_ {
        self.lines.headings.iter().copied()
    }

    /// The text of a heading without its marks.
    pub fn title(&self, heading: Heading) -> &'t str {
        let (start, end) = self.lines.all[heading.line].title;
        &self.text[start..end]
    }

    /// The first heading of that title, without regard to case.
    pub fn section(&self, title: &str) -> Option<Heading> {
        self.headings().find(|heading| same_title(self.title(*heading), title))
    }

    /// The lines beneath a heading up to the next heading of any level.
    pub fn own(&self, heading: Heading) -> Range<usize> {
        self.up_to(heading, |_| true)
    }

    /// The lines beneath a heading up to the next heading of its level or above.
    pub fn whole(&self, heading: Heading) -> Range<usize> {
        self.up_to(heading, |level| level <= heading.level)
    }

    fn up_to(&self, heading: Heading, ends: impl Fn(u8) -> bool) -> Range<usize> {
        let headings = &self.lines.headings;
        let behind = headings.partition_point(|other| other.line <= heading.line);
        let end = headings[behind..].iter().find(|other| ends(other.level));
        heading.line + 1..end.map_or(self.lines.all.len(), |end| end.line)
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
    let (end, next, _) = measured(text, start);
    (end, next)
}

/// The same, and whether two asterisks stand in the line.
fn measured(text: &str, start: usize) -> (usize, usize, bool) {
    let bytes = text.as_bytes();
    let (mut has_bold, mut before) = (false, b'\n');
    for (at, byte) in bytes[start..].iter().enumerate() {
        match *byte {
            b'\n' => return (start + at - usize::from(before == b'\r'), start + at + 1, has_bold),
            b'*' if before == b'*' => has_bold = true,
            _ => {}
        }
        before = *byte;
    }
    (text.len(), text.len(), has_bold)
}

fn first_of(content: &str) -> u8 {
    content.bytes().next().unwrap_or(b'\n')
}

const NO_HEADING: (u8, (usize, usize)) = (0, (0, 0));

// Only at column 0: an indented one belongs to a bullet.
fn heading(content: &str) -> (u8, (usize, usize)) {
    let heading = content.starts_with('#').then(|| spans::heading(content)).flatten();
    let read = |heading: spans::Heading| Some((u8::try_from(heading.level).ok()?, (heading.start, heading.end)));
    heading.and_then(read).unwrap_or(NO_HEADING)
}
