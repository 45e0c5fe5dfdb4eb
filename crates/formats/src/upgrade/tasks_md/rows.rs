//! One row of tasks.md, in any of the forms that files in use have.

use format::markdown::{is_separator, split_row};

use super::links::without_links;
use crate::upgrade::ids::TaskId;
use crate::upgrade::label::Label;
use crate::upgrade::limits::cut_title;
use crate::upgrade::status::{Status, from_word, split_mark};

/// A row that shows a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::upgrade) struct Row<'a> {
    pub(in crate::upgrade) id: TaskId<'a>,
    /// `None` where no mark or word means a status.
    pub(in crate::upgrade) status: Option<Status>,
    /// Never empty, and at most as much as a title may have.
    pub(in crate::upgrade) title: Option<&'a str>,
    /// Whether more stood there.
    pub(in crate::upgrade) is_cut: bool,
    /// The line that it is.
    pub(in crate::upgrade) line: &'a str,
    /// How far it is indented. **Units**: columns, a tab counting four.
    pub(in crate::upgrade) indent: usize,
    /// Whether it is a heading, whose status may stand on a line of its own.
    pub(super) is_heading: bool,
}

impl<'a> Row<'a> {
    /// Reads a line that is no code.
    pub(super) fn read(line: &'a str) -> Option<Self> {
        if let Some(cells) = split_row(line) {
            return Self::of_cells(line, &cells);
        }
        let indent = line.chars().take_while(|c| matches!(c, ' ' | '\t')).map(|c| if c == '\t' { 4 } else { 1 }).sum();
        let text = line.trim();
        let heading = text.strip_prefix("###").map(|rest| rest.trim_start_matches('#'));
        let heading = heading.filter(|rest| rest.starts_with([' ', '\t'])).map(str::trim_start);
        let bulleted = heading.or_else(|| without_bullet(text));
        let inner = bulleted.unwrap_or(text);
        let (status, entry, is_marked) = match split_mark(inner) {
            Some((status, rest)) => (status, rest.trim_start(), true),
            None => (None, inner, false),
        };
        if !is_marked && bulleted.is_none() {
            return None;
        }
        let label = Label::read(entry)?;
        let (word, title) = title(&label)?;
        let title = Some(without_links(title)).filter(|title| !title.is_empty());
        let (title, is_cut) = (title.map(cut_title), title.is_some_and(|title| title.len() > cut_title(title).len()));
        Some(Self { id: label.id, status: status.or(word), title, is_cut, line, indent, is_heading: heading.is_some() })
    }

    fn of_cells(line: &'a str, cells: &[&'a str]) -> Option<Self> {
        if is_separator(cells) {
            return None;
        }
        let (at, label) = cells.iter().enumerate().find_map(|(at, cell)| {
            let label = Label::read(cell).filter(|label| label.rest.trim().is_empty());
            label.map(|label| (at, label))
        })?;
        let last = cells.last().copied().unwrap_or_default();
        let status = match split_mark(last) {
            Some((status, rest)) => status.or_else(|| from_word(rest)),
            None => from_word(last),
        };
        let title = cells.get(at + 1).filter(|_| at + 2 < cells.len()).map(|cell| without_links(cell));
        let title = title.filter(|title| !title.is_empty());
        let (title, is_cut) = (title.map(cut_title), title.is_some_and(|title| title.len() > cut_title(title).len()));
        Some(Self { id: label.id, status, title, is_cut, line, indent: 0, is_heading: false })
    }
}

// `- `, `* `, `+ ` or `1. `.
fn without_bullet(text: &str) -> Option<&str> {
    let digits = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = (digits.len() < text.len()).then(|| digits.strip_prefix(". ").or_else(|| digits.strip_prefix(") ")));
    let plain = ["- ", "* ", "+ "].iter().find_map(|bullet| text.strip_prefix(bullet));
    numbered.flatten().or(plain).map(str::trim_start)
}

// The status word in brackets and the title that follow an id; `None` where the line is no row.
fn title<'a>(label: &Label<'a>) -> Option<(Option<Status>, &'a str)> {
    let behind = label.rest.trim_start();
    if let Some((inside, rest)) = behind.strip_prefix('[').and_then(|rest| rest.split_once(']'))
        && !rest.starts_with('(')
    {
        return Some((from_word(inside), rest.trim_start_matches([':', ' ', '-', '–', '—'])));
    }
    match label.title() {
        Some(title) => Some((None, title)),
        None if behind.starts_with("([") && without_links(behind).is_empty() => Some((None, "")),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: Option<(&str, Option<Status>, Option<&str>)>) {
        let row = Row::read(line);
        assert_eq!(row.as_ref().map(|row| (row.id.text, row.status, row.title)), expected, "{line:?}");
    }

    #[test]
    fn many_forms_are_rows() {
        use Status::{Blocked, Completed, Failed, InProgress, Pending, Skipped};
        check("- [x] 01-a: A", Some(("01-a", Some(Completed), Some("A"))));
        check("* ⏳ 02-b - B", Some(("02-b", Some(InProgress), Some("B"))));
        check("1. ⏸️ 03-c: C", Some(("03-c", Some(Pending), Some("C"))));
        check("### [✓] 04-d: D", Some(("04-d", Some(Completed), Some("D"))));
        check("❌ 05-e: E", Some(("05-e", Some(Failed), Some("E"))));
        check("- ⊘ 06-f: F", Some(("06-f", Some(Skipped), Some("F"))));
        check("- **07-g** [COMPLETED] G", Some(("07-g", Some(Completed), Some("G"))));
        check("- ⚠️ 08-h: H ([Content](x.md))", Some(("08-h", Some(Blocked), Some("H"))));
        check("- 🔳 09-i", Some(("09-i", Some(Pending), None)));
        check("- 🔳 09-i ([Content](x))", Some(("09-i", Some(Pending), None)));
        check("- 10-j — J", Some(("10-j", None, Some("J"))));
        check("### 11-k", Some(("11-k", None, None)));
        check("| 12-l | L | done |", Some(("12-l", Some(Completed), Some("L"))));
        check("| 1 | `12-l` | ✅ |", Some(("12-l", Some(Completed), None)));
        check("- 🚀 13-m: M", Some(("13-m", None, Some("M"))));
        check("   - ✅ 04.01-x: X", Some(("04.01-x", Some(Completed), Some("X"))));
    }

    #[test]
    fn prose_is_no_row() {
        for line in
            ["", "01-a: A", "- 01-a needs work", "**Status**: In Progress - Task 01-a", "| a | b |", "|---|---|", "- x"]
        {
            check(line, None);
        }
        assert_eq!(Row::read("   - ✅ 04.01-x: X").map(|row| row.indent), Some(3));
    }
}
