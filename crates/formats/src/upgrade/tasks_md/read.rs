//! Reading tasks.md: rows, the sections that are kept word for word, and whether the file is damaged.

use std::collections::{HashMap, HashSet};

use format::markdown::split_row;
use format::spans::{SpanLine, closing_fence};

use super::lines::lines;
use super::render::{ENGINE_LINES, FOCUS_LINES, LEGEND, STATISTICS};
use super::rows::Row;
use crate::upgrade::label::Label;
use crate::upgrade::layout::Part;
use crate::upgrade::status::{from_word, split_mark};

/// tasks.md as it was read.
#[derive(Debug, Default)]
pub(in crate::upgrade) struct TasksText<'a> {
    /// Every row, in order; a repeated id stands more than once.
    pub(in crate::upgrade) rows: Vec<Row<'a>>,
    /// The text of the first heading of level 1.
    pub(in crate::upgrade) title: Option<&'a str>,
    /// What stands behind `**Started**:`.
    pub(in crate::upgrade) started: Option<&'a str>,
    pub(in crate::upgrade) overview: Option<Part>,
    /// The body of Recent Activity; `None` without such a section.
    pub(in crate::upgrade) activity: Option<String>,
    /// Sections that we do not know.
    pub(in crate::upgrade) others: Vec<Part>,
    /// Lines in the place of rows that are none, nor anything else that is known there.
    pub(in crate::upgrade) unread: Vec<&'a str>,
    /// Whether there are lines that a rewrite would lose.
    pub(in crate::upgrade) has_prose: bool,
    progress_lines: usize,
    hierarchies: usize,
}

/// Which section a line stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Top,
    Hierarchy,
    Overview,
    Focus,
    Activity,
    Statistics,
    Other,
}

impl<'a> TasksText<'a> {
    /// Reads a file; whatever it holds, something is read.
    pub(in crate::upgrade) fn read(text: &'a str) -> Self {
        let lines = lines(text);
        let is_hierarchy = |line: &SpanLine<'_>| section(line).is_some_and(|name| place(name) == Place::Hierarchy);
        let has_hierarchy = lines.iter().any(is_hierarchy);
        let mut reader =
            Reader { read: Self::default(), place: Place::Top, has_hierarchy, table: None, status_of: None };
        for line in &lines {
            reader.line(line);
        }
        reader.end_table();
        // Open code in the last section swallows nothing.
        let is_last_open = reader.place == Place::Other;
        let mut read = reader.read;
        let last = read.others.len().saturating_sub(1);
        for (at, part) in read.others.iter_mut().enumerate() {
            part.body = if at == last && is_last_open { trimmed(&part.body) } else { closed(&part.body) };
        }
        if let Some(part) = &mut read.overview {
            part.body = closed(&part.body);
        }
        read.others.retain(|part| !(part.body.is_empty() && part.is_spent));
        read.activity = read.activity.map(|body| closed(&body));
        read
    }

    /// Whether lines were repeated or eaten: then only additions and whole sections are believed.
    ///
    /// `in_plan` answers whether the plan has a task of that number.
    pub(in crate::upgrade) fn is_damaged(&self, in_plan: impl Fn(u16) -> bool) -> bool {
        let mut seen = HashSet::new();
        let repeated = self.rows.iter().any(|row| !seen.insert(row.id.text));
        self.progress_lines > 1
            || self.hierarchies > 1
            || repeated
            || self.has_eaten_parent(in_plan)
            || self.is_misplaced()
    }

    fn has_eaten_parent(&self, in_plan: impl Fn(u16) -> bool) -> bool {
        let tops: HashSet<u16> =
            self.rows.iter().filter(|row| row.id.number.len() == 1).map(|row| row.id.number[0]).collect();
        let mut dotted = self.rows.iter().filter(|row| row.id.is_dotted());
        dotted.any(|row| !tops.contains(&row.id.number[0]) && in_plan(row.id.number[0]))
    }

    // An indented dotted row under a row that is not its ancestor.
    fn is_misplaced(&self) -> bool {
        let mut above: Vec<&Row<'_>> = Vec::new();
        for row in &self.rows {
            while above.last().is_some_and(|other| other.indent >= row.indent) {
                above.pop();
            }
            let stands_under_other = above.last().is_some_and(|other| {
                let (own, upper) = (&row.id.number, &other.id.number);
                upper.is_empty() || upper.len() >= own.len() || !own.starts_with(upper)
            });
            if row.id.is_dotted() && stands_under_other {
                return true;
            }
            above.push(row);
        }
        false
    }

    /// The first row of each id.
    pub(in crate::upgrade) fn by_id(&self) -> HashMap<&'a str, &Row<'a>> {
        let mut rows = HashMap::new();
        for row in &self.rows {
            rows.entry(row.id.text).or_insert(row);
        }
        rows
    }

    /// The last `count` bullets of Recent Activity, without their marks.
    pub(in crate::upgrade) fn bullets(activity: &str, count: usize) -> Vec<String> {
        let bullets = activity.lines().filter_map(|line| {
            let text = line.trim();
            ["- ", "* ", "+ "].iter().find_map(|mark| text.strip_prefix(mark)).map(|text| text.trim().to_owned())
        });
        let mut all: Vec<String> = bullets.collect();
        all.drain(..all.len().saturating_sub(count));
        all
    }
}

struct Reader<'a> {
    read: TasksText<'a>,
    place: Place,
    has_hierarchy: bool,
    /// A table is open; whether it has shown a task.
    table: Option<bool>,
    /// A heading row just stood here and its status may follow.
    status_of: Option<usize>,
}

impl<'a> Reader<'a> {
    fn line(&mut self, line: &SpanLine<'a>) {
        if let Some(name) = section(line) {
            self.end_table();
            return self.open(name);
        }
        if !line.is_code && line.text.starts_with("**Progress**:") {
            self.read.progress_lines += 1;
        }
        match self.place {
            Place::Top | Place::Hierarchy => self.in_rows(line),
            Place::Other if !self.has_hierarchy && !line.is_code && Row::read(line.text).is_some() => {
                self.read.rows.extend(Row::read(line.text));
                if let Some(part) = self.read.others.last_mut() {
                    part.is_spent = true;
                }
            }
            // A heading that somebody put above our legend takes the rows with it, not the legend.
            Place::Other if line.text.starts_with(LEGEND) => {}
            Place::Other => {
                if !self.has_hierarchy && !line.is_blank() {
                    self.read.unread.push(line.text);
                }
                self.keep_line(line.text);
            }
            Place::Overview if !line.is_code && is_engine_line(line.text) => self.engine_line(line.text),
            Place::Overview => {
                if let Some(part) = &mut self.read.overview {
                    push_line(&mut part.body, line.text);
                }
            }
            Place::Activity => {
                if let Some(body) = &mut self.read.activity {
                    push_line(body, line.text);
                }
            }
            Place::Focus => {
                let known = FOCUS_LINES.iter().any(|start| line.text.starts_with(start))
                    || split_mark(line.text).is_some_and(|(_, rest)| Label::read(rest.trim_start()).is_some());
                self.lose(line, known);
            }
            Place::Statistics => self.lose(line, STATISTICS.iter().any(|start| line.text.trim().starts_with(start))),
        }
    }

    fn open(&mut self, name: &'a str) {
        self.place = place(name);
        self.status_of = None;
        match self.place {
            Place::Hierarchy => self.read.hierarchies += 1,
            Place::Overview => {
                self.read.overview.get_or_insert_with(|| Part::new(name));
            }
            Place::Activity => {
                self.read.activity.get_or_insert_with(String::new);
            }
            Place::Other => self.read.others.push(Part::new(name)),
            Place::Top | Place::Focus | Place::Statistics => {}
        }
    }

    fn in_rows(&mut self, line: &SpanLine<'a>) {
        if line.is_code {
            self.read.has_prose = true;
            if !line.is_blank() {
                self.read.unread.push(line.text);
            }
            return;
        }
        let is_table = split_row(line.text).is_some();
        if let Some(row) = Row::read(line.text) {
            if is_table {
                self.table = Some(true);
            }
            self.status_of = row.is_heading.then_some(self.read.rows.len());
            self.read.rows.push(row);
            return;
        }
        if is_table {
            self.table.get_or_insert(false);
            self.read.unread.push(line.text);
            return;
        }
        self.end_table();
        if let Some((at, status)) = self.status_of.and_then(|at| Some((at, status_word(line.text)?))) {
            self.status_of = None;
            let row = &mut self.read.rows[at];
            row.status = row.status.or(from_word(status));
            return;
        }
        if is_engine_line(line.text) {
            return self.engine_line(line.text);
        }
        match line.heading() {
            Some(heading) if heading.level == 1 && self.read.title.is_none() => {
                self.read.title = Some(&line.text[heading.start..heading.end]);
            }
            _ => {
                let is_known = line.text.trim() == "---";
                if !is_known && !line.is_blank() {
                    self.read.unread.push(line.text);
                }
                self.lose(line, is_known);
            }
        }
    }

    // A table that shows no task is prose.
    fn end_table(&mut self) {
        self.read.has_prose |= self.table.take() == Some(false);
    }

    fn engine_line(&mut self, text: &'a str) {
        if let Some(date) = text.trim().strip_prefix("**Started**:") {
            self.read.started.get_or_insert(date.trim());
        }
    }

    fn keep_line(&mut self, text: &str) {
        if let Some(part) = self.read.others.last_mut() {
            push_line(&mut part.body, text);
        }
    }

    fn lose(&mut self, line: &SpanLine<'_>, is_known: bool) {
        self.read.has_prose |= !is_known && !line.is_blank();
    }
}

// The text of a heading of level 2.
fn section<'a>(line: &SpanLine<'a>) -> Option<&'a str> {
    let heading = line.heading().filter(|heading| heading.level == 2)?;
    Some(&line.text[heading.start..heading.end])
}

fn place(name: &str) -> Place {
    match name.to_lowercase().as_str() {
        "task hierarchy" | "tasks" => Place::Hierarchy,
        "overview" => Place::Overview,
        "current focus" => Place::Focus,
        "recent activity" => Place::Activity,
        "statistics" => Place::Statistics,
        _ => Place::Other,
    }
}

fn is_engine_line(text: &str) -> bool {
    ENGINE_LINES.iter().any(|start| text.trim_start().starts_with(start))
}

fn status_word(text: &str) -> Option<&str> {
    let text = text.trim();
    let text = text.strip_prefix("- ").unwrap_or(text);
    text.strip_prefix("**Status**:").map(|word| word.trim_start_matches(|c: char| !c.is_alphanumeric()).trim())
}

fn push_line(body: &mut String, line: &str) {
    body.push_str(line);
    body.push('\n');
}

// Without blank lines around it; blanks within lines stay.
fn trimmed(body: &str) -> String {
    let lines: Vec<&str> = body.lines().collect();
    let first = lines.iter().position(|line| !line.trim().is_empty()).unwrap_or(lines.len());
    let last = lines.iter().rposition(|line| !line.trim().is_empty()).map_or(first, |at| at + 1);
    lines[first..last].join("\n")
}

// The same, with the end that its code lacks: behind it stands another section.
fn closed(body: &str) -> String {
    let mut body = trimmed(body);
    if let Some(fence) = closing_fence(&body) {
        body.push('\n');
        body.push_str(&fence);
    }
    body
}

#[cfg(test)]
mod tests {
    use super::*;

    fn damaged(text: &str) -> bool {
        TasksText::read(text).is_damaged(|number| number <= 4)
    }

    #[test]
    fn damage_is_seen() {
        assert!(!damaged("**Progress**: 1\n## Tasks\n- ✅ 01-a: A\n  - 🔲 01.01-b: B\n"));
        assert!(damaged("**Progress**: 1\n**Progress**: 2\n"));
        assert!(damaged("## Tasks\n- ✅ 01-a: A\n- 🔲 01-a: A\n"));
        assert!(damaged("## Tasks\n## Task Hierarchy\n"));
        assert!(damaged("## Tasks\n- 🔲 04.01-b: B\n"));
        assert!(!damaged("## Tasks\n- 🔲 09.01-b: B\n"));
        assert!(damaged("## Tasks\n- 🔲 04-d: D\n- 🔲 03-c: C\n   - 🔲 04.02-b: B\n"));
    }

    #[test]
    fn rows_stand_under_their_headings() {
        let ids = |text: &str| TasksText::read(text).rows.iter().map(|row| row.id.text.to_owned()).collect::<Vec<_>>();
        assert_eq!(ids("- ✅ 01-a\n## Tasks\n- 🔲 02-b\n## Notes\n- 🔲 03-c\n"), ["01-a", "02-b"]);
        assert_eq!(ids("## Overview\n- 🔲 01-a\n## Phase\n- 🔲 02-b\n## Current Focus\n🔄 **03-c**: C\n"), ["02-b"]);
        assert_eq!(ids("```\n- ✅ 01-a\n```\n- ✅ 02-b\n"), ["02-b"]);
    }

    #[test]
    fn what_is_kept_is_kept_word_for_word() {
        let text = "# Our move\n\n## Overview\nWhy.\n\n**Progress**: 0/3\n**Started**: 2025-12-01\n\n## Tasks\n- 🔲 01-a\n\
                    **Legend**: x\n## Recent Activity\n\n- one\n  loose\n\n* two\n## Risks\n\nNone  \nyet.\n";
        let read = TasksText::read(text);
        assert_eq!((read.title, read.started, read.has_prose), (Some("Our move"), Some("2025-12-01"), false));
        assert_eq!(read.overview.unwrap().body, "Why.");
        assert_eq!(read.others.iter().map(|part| part.body.as_str()).collect::<Vec<_>>(), ["None  \nyet."]);
        let activity = read.activity.unwrap();
        assert_eq!(activity, "- one\n  loose\n\n* two");
        assert_eq!(TasksText::bullets(&activity, 1), ["two"]);
    }

    #[test]
    fn open_code_ends_with_its_section() {
        let text = "## Overview\n~~~~sh\nmake\n## Tasks\n- 🔲 01-a: A\n```\n- 🔲 02-b: B\n## Recent Activity\n- one\n```\n\n\
                    ## Statistics\n- Total Tasks: 1\n## Notes\n```\n- 🔲 03-c\n";
        let read = TasksText::read(text);
        assert_eq!(read.rows.iter().map(|row| row.id.text).collect::<Vec<_>>(), ["01-a", "02-b"]);
        assert_eq!(read.overview.unwrap().body, "~~~~sh\nmake\n~~~~");
        assert_eq!(read.activity.unwrap(), "- one\n```\n```");
        assert_eq!(read.others[0].body, "```\n- 🔲 03-c");
    }

    #[test]
    fn prose_is_noticed() {
        for (text, expected) in [
            ("## Tasks\nplease hurry\n", true),
            ("## Tasks\n| a | b |\n|---|---|\n", true),
            ("## Tasks\n| id | s |\n|---|---|\n| 01-a | ✅ |\n", false),
            ("## Statistics\n- Total Tasks: 3\n- Mood: fine\n", true),
            ("## Current Focus\n🔄 **01-a**: A\n[Details](x)\n", false),
            ("### 01-a\n**Status**: done\n", false),
        ] {
            assert_eq!(TasksText::read(text).has_prose, expected, "{text:?}");
        }
        assert_eq!(TasksText::read("### 01-a\n\n**Status**: ✅ Done\n").rows[0].status, from_word("done"));
    }
}
