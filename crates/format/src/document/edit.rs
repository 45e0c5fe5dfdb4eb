//! Edits of whole lines that leave every other byte as it is.

use std::ops::Range;

use super::outline::{Heading, Line, Outline};
use super::text::Document;

/// The first line ending of a text; LF where there is none.
///
/// A CR that ends a text of one line becomes part of a CRLF as soon as a line follows it.
pub fn line_ending(text: &str) -> &'static str {
    let first = text.find('\n').unwrap_or(text.len());
    if text[..first].ends_with('\r') { "\r\n" } else { "\n" }
}

/// Gives a line another content; its ending stays.
pub fn replace(text: &mut String, line: Line, content: &str) {
    text.replace_range(line.start..line.end, content);
}

/// Puts lines before the line that begins at the byte `at`, or after the last line where `at` is the end.
///
/// A text without a last line ending stays without one.
pub fn insert(text: &mut String, at: usize, lines: &[&str]) {
    let ending = line_ending(text);
    let mut added = String::new();
    let open_end = at == text.len() && !text.is_empty() && !text.ends_with('\n');
    for line in lines {
        if open_end {
            // A CR at the end needs only its LF.
            added.push_str(if added.is_empty() && text.ends_with('\r') { "\n" } else { ending });
        }
        added.push_str(line);
        if !open_end {
            added.push_str(ending);
        }
    }
    text.insert_str(at, &added);
}

/// Takes out the lines that span those bytes; `bytes` begins and ends where lines do.
///
/// A text without a last line ending stays without one.
pub fn remove(text: &mut String, bytes: Range<usize>) {
    splice(text, vec![(bytes, "")]);
}

/// Puts texts in the place of spans, all at once; spans may touch, overlap and come in any order.
///
/// Where spans overlap, what an earlier one took is gone for the later one. Spans that are replaced by
/// nothing begin and end where lines do. A text without a last line ending stays without one.
pub fn splice(text: &mut String, mut edits: Vec<(Range<usize>, &str)>) {
    edits.sort_by_key(|(span, _)| (span.start, span.end));
    let cut_end = edits.iter().any(|(span, new)| span.end == text.len() && !span.is_empty() && new.is_empty());
    let open_end = !text.ends_with('\n');
    let mut made = String::with_capacity(text.len());
    let mut at = 0;
    for (span, new) in edits {
        made.push_str(&text[at..span.start.max(at)]);
        made.push_str(new);
        at = at.max(span.end);
    }
    made.push_str(&text[at..]);
    if cut_end && open_end && made.ends_with('\n') {
        made.truncate(made.len() - if made.ends_with("\r\n") { 2 } else { 1 });
    }
    *text = made;
}

/// The bytes of lines with their endings.
pub fn bytes(outline: &Outline<'_>, lines: Range<usize>) -> Range<usize> {
    if lines.is_empty() {
        let at = outline.lines().get(lines.start).map_or(outline.text().len(), |line| line.start);
        return at..at;
    }
    outline.lines()[lines.start].start..outline.lines()[lines.end - 1].next
}

/// Puts a block of lines at the end of the lines beneath a heading, one blank line before it.
///
/// Where something follows, a blank line stands after the block as well.
pub fn append_block(document: &mut Document, beneath: Range<usize>, block: &[&str]) {
    let outline = document.outline();
    // With nothing beneath it, the block follows the heading itself.
    let behind = outline.last_filled(outline.open(beneath.clone())).map_or(beneath.start, |line| line + 1);
    let mut lines: Vec<&str> = vec![""];
    lines.extend(block);
    lines.extend(gap_before(&outline, behind));
    let at = start_of(&outline, behind);
    insert(document.edit_body(), at, &lines);
}

/// Puts a section at the end of the document: blank line, heading, blank line, lines.
///
/// A fence that never closes swallows everything behind it; the section stands before it.
pub fn append_section(document: &mut Document, heading: &str, lines: &[&str]) {
    let outline = document.outline();
    let end = outline.open(outline.all()).end;
    let mut block: Vec<&str> = Vec::new();
    if end > 0 && !outline.is_blank(end - 1) {
        block.push("");
    }
    block.push(heading);
    if !lines.is_empty() {
        block.push("");
    }
    block.extend(lines);
    block.extend(gap_before(&outline, end));
    let at = start_of(&outline, end);
    insert(document.edit_body(), at, &block);
}

/// Puts a line after the last filled line beneath a heading.
///
/// Where nothing is filled, it follows the heading and one blank line.
pub fn append_line(document: &mut Document, heading: Heading, line: &str) {
    let outline = document.outline();
    let own = outline.open(outline.own(heading));
    if let Some(last) = outline.last_filled(own.clone()) {
        let at = outline.lines()[last].next;
        return insert(document.edit_body(), at, &[line]);
    }
    let behind = own.start + own.len().min(1);
    let mut lines: Vec<&str> = Vec::new();
    if own.is_empty() {
        lines.push("");
    }
    lines.push(line);
    lines.extend(gap_before(&outline, behind));
    let at = start_of(&outline, behind);
    insert(document.edit_body(), at, &lines);
}

/// Where a line begins, or the end of the text.
fn start_of(outline: &Outline<'_>, line: usize) -> usize {
    outline.lines().get(line).map_or(outline.text().len(), |line| line.start)
}

/// A blank line, where what follows begins with something else.
fn gap_before(outline: &Outline<'_>, line: usize) -> Option<&'static str> {
    outline.lines().get(line).filter(|line| line.start != line.end).map(|_| "")
}
