//! A Markdown file as lines that know where they stand, so that an edit leaves every other byte.

/// One line of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpanLine<'a> {
    /// The line without its end and, on the first line, without a byte order mark.
    pub text: &'a str,
    /// Where [`SpanLine::text`] begins. **Units**: bytes.
    pub start: usize,
    /// Where the next line begins.
    pub next: usize,
    /// Whether it stands in fenced code, the fences included.
    pub is_code: bool,
}

impl SpanLine<'_> {
    /// Where [`SpanLine::text`] ends.
    pub fn end(&self) -> usize {
        self.start + self.text.len()
    }

    /// Whether nothing but blanks stands on it.
    pub fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// The ATX heading that it is, outside of code.
    pub fn heading(&self) -> Option<Heading> {
        if self.is_code { None } else { heading(self.text) }
    }
}

/// Splits a text at LF, CRLF and lone CR; a text that ends with one has no empty last line.
pub fn span_lines(text: &str) -> Vec<SpanLine<'_>> {
    let mut lines = Vec::new();
    let mut start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut fence: Option<Fence> = None;
    while start < text.len() {
        let rest = &text[start..];
        let length = rest.find(['\n', '\r']).unwrap_or(rest.len());
        let line = &rest[..length];
        let ending = match &rest[length..] {
            end if end.starts_with("\r\n") => 2,
            "" => 0,
            _ => 1,
        };
        let next = start + length + ending;
        let is_code = match (&fence, Fence::of(line)) {
            (None, Some(opening)) => {
                fence = Some(opening);
                true
            }
            (None, None) => false,
            (Some(opening), closing) => {
                if closing.is_some_and(|closing| closing.closes(opening)) {
                    fence = None;
                }
                true
            }
        };
        lines.push(SpanLine { text: line, start, next, is_code });
        start = next;
    }
    lines
}

/// The line that closes the fenced code which a text leaves open.
pub fn closing_fence(text: &str) -> Option<String> {
    let mut open: Option<Fence> = None;
    for fence in text.lines().filter_map(Fence::of) {
        open = match open {
            None => Some(fence),
            Some(opening) if fence.closes(&opening) => None,
            opening => opening,
        };
    }
    open.map(|fence| fence.mark.to_string().repeat(fence.length))
}

/// An ATX heading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heading {
    /// 1 to 6.
    pub level: usize,
    /// Where its text begins on the line. **Units**: bytes.
    pub start: usize,
    /// Where its text ends, closing `#` left out.
    pub end: usize,
}

/// The heading that a line is, if it is one.
///
/// **Source**: `CommonMark` 0.31, section 4.2.
pub fn heading(line: &str) -> Option<Heading> {
    let hashes = line.trim_start_matches(' ');
    let indent = line.len() - hashes.len();
    let inner = hashes.trim_start_matches('#');
    let level = hashes.len() - inner.len();
    let parted = inner.is_empty() || inner.starts_with([' ', '\t']);
    if indent > 3 || !(1..=6).contains(&level) || !parted {
        return None;
    }
    let text = inner.trim();
    let unclosed = text.trim_end_matches('#');
    let text = if unclosed.is_empty() || unclosed.ends_with([' ', '\t']) { unclosed.trim_end() } else { text };
    let start = line.len() - inner.trim_start().len();
    Some(Heading { level, start, end: start + text.len() })
}

/// A line that opens or closes fenced code.
#[derive(Clone, Copy)]
pub(crate) struct Fence {
    mark: char,
    length: usize,
    is_bare: bool,
}

impl Fence {
    /// The fence that a line may be.
    pub(crate) fn of(line: &str) -> Option<Self> {
        let text = line.trim_start_matches(' ');
        let mark = text.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
        let info = text.trim_start_matches(mark);
        let length = text.len() - info.len();
        let may_be = line.len() - text.len() <= 3 && length >= 3 && !(mark == '`' && info.contains('`'));
        may_be.then_some(Self { mark, length, is_bare: info.trim().is_empty() })
    }

    /// Whether it closes what `opening` opened.
    pub(crate) fn closes(self, opening: &Self) -> bool {
        self.mark == opening.mark && self.length >= opening.length && self.is_bare
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_left_open_can_be_closed() {
        for (text, expected) in [
            ("a\n```\nb\n```\n", None),
            ("```sh\nb", Some("```")),
            ("~~~~\n```\n~~~\n", Some("~~~~")),
            ("```\n```\n````\n```", Some("````")),
            ("", None),
        ] {
            assert_eq!(closing_fence(text).as_deref(), expected, "{text:?}");
        }
    }

    #[test]
    fn lines_know_their_place() {
        let text = "\u{feff}# A\r\n```x\n# no\n```\n### B ##\r\n####c\n    # code";
        let lines = span_lines(text);
        let headings: Vec<_> = lines
            .iter()
            .filter_map(|line| {
                let heading = line.heading()?;
                Some((heading.level, &line.text[heading.start..heading.end]))
            })
            .collect();
        assert_eq!(headings, [(1, "A"), (3, "B")]);
        assert_eq!(
            lines.iter().map(|line| line.is_code).collect::<Vec<_>>(),
            [false, true, true, true, false, false, false]
        );
    }

    #[test]
    fn empty_headings_have_no_text() {
        for (line, expected) in [("#", ""), ("## ##", ""), ("# a#", "a#"), ("###### six", "six")] {
            let heading = heading(line).unwrap();
            assert_eq!(&line[heading.start..heading.end], expected, "{line:?}");
        }
        assert_eq!(heading("####### seven"), None);
    }

    proptest! {
        #[test]
        fn every_byte_stands_on_one_line(text in "(a|#| |`|~|\r|\n|\u{feff}){0,20}") {
            let lines = span_lines(&text);
            let mut at = if text.starts_with('\u{feff}') { 3 } else { 0 };
            for line in &lines {
                prop_assert_eq!(line.start, at);
                prop_assert!(line.end() <= line.next && line.next > line.start);
                at = line.next;
                if let Some(heading) = line.heading() {
                    prop_assert!(heading.start <= heading.end && heading.end <= line.text.len());
                }
            }
            prop_assert_eq!(at, text.len());
        }
    }
}
