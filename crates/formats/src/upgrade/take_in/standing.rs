//! Whether an id still stands in a file that shows no task of that name: then nobody took it out.
//!
//! A row with a broken mark, a heading with a typo and a list in a fence that was never closed read as
//! nothing, and yet they are there. What was never read is not gone. And where a line came that nobody can
//! read, it may be any task that went: a hurt id names none.

use std::collections::{HashMap, HashSet};

use format::spans::span_lines;

use crate::upgrade::ids::is_slug_char;
use crate::upgrade::plan::{PlanText, names_task};
use crate::upgrade::status::holds_mark;
use crate::upgrade::tasks_md::{Row, TasksText};

/// The lines that may name a task although they were not read as one.
///
/// A line that stood there before and named no task then (a line of activity, a sentence) does not count;
/// one that stood there twice and stands there three times now counts once.
#[derive(Debug, Default)]
pub(in crate::upgrade) struct Standing<'a> {
    /// The words that may be ids, each with the first line that has it.
    words: HashMap<&'a str, &'a str>,
    /// New lines in the place of tasks that were read as none of them.
    strange: Vec<&'a str>,
}

impl<'a> Standing<'a> {
    /// Those of tasks.md, whose text was `base` and is `text`: any line may be a row.
    pub(super) fn in_rows(base: &str, was: &TasksText<'_>, text: &'a str, now: &TasksText<'a>) -> Self {
        let mut rows = counted(was.rows.iter().map(|row| row.line));
        let mut told = counted(span_lines(base).iter().map(|line| line.text));
        for row in &was.rows {
            told.entry(row.line).and_modify(|count| *count -= 1);
        }
        // A row that is read now as it was read then tells nothing new.
        for row in &now.rows {
            if take(&mut rows, row.line) {
                *told.entry(row.line).or_default() += 1;
            }
        }
        let mut known = told.clone();
        let mut words_of = HashMap::new();
        // Of a row that is read its id and title count: its links lead to the folder of a task that may be another.
        let read: HashMap<&str, &Row<'_>> =
            now.rows.iter().filter(|row| !row.is_cut).map(|row| (row.line, row)).collect();
        for line in span_lines(text).iter().map(|line| line.text).filter(|line| !take(&mut told, line)) {
            let parts = match read.get(line) {
                Some(row) => [row.id.text, row.title.unwrap_or_default()],
                None => [line, ""],
            };
            let words = parts.into_iter().flat_map(|part| part.split(|character| !is_slug_char(character)));
            for word in words.flat_map(spellings) {
                words_of.entry(word).or_insert(line);
            }
        }
        let mut strange: Vec<&str> = now.unread.iter().copied().filter(|line| !take(&mut known, line)).collect();
        // Two rows on one line, and subtasks of nothing.
        let rows_were = was.by_id();
        let numbers: HashSet<&[u16]> = now.rows.iter().map(|row| row.id.number.as_slice()).collect();
        let has_parent = |number: &[u16]| number.len() < 2 || numbers.contains(&number[..number.len() - 1]);
        let is_strange = |row: &&Row<'_>| {
            let was = rows_were.get(row.id.text);
            let is_joined = was.is_none_or(|was| was.title != row.title) && row.title.is_some_and(holds_mark);
            let fits = !row.id.is_dotted() || row.id.is_canonical && has_parent(&row.id.number);
            is_joined || was.is_none() && !fits
        };
        strange.extend(now.rows.iter().filter(is_strange).map(|row| row.line));
        Self { words: words_of, strange }
    }

    /// Those of plan.md, as it was and as it is: a heading, or a line that begins with the id.
    ///
    /// Without a plan that was, every line counts and none is strange.
    pub(in crate::upgrade) fn in_plan(was: Option<&PlanText<'_>>, now: &PlanText<'a>) -> Self {
        // A heading that names a task is nothing that is told, whatever hides it.
        let lines = was.into_iter().flat_map(PlanText::other_lines).filter(|line| !names_task(line));
        let mut told = counted(lines);
        let mut standing = Self::default();
        for line in now.other_lines().filter(|line| !take(&mut told, line)) {
            let most = if line.trim_start().starts_with('#') { usize::MAX } else { 1 };
            let words = line
                .split(|character| !is_slug_char(character))
                .filter(|word| word.contains(char::is_alphanumeric))
                .take(most);
            for word in words.flat_map(spellings) {
                standing.words.entry(word).or_insert(line);
            }
        }
        if let Some(was) = was {
            let mut known = counted(was.other_lines());
            let new = now.other_lines().filter(|line| line.contains("##") && !take(&mut known, line));
            standing.strange.extend(new);
            let titles = was.sections.iter().filter_map(|section| section.title);
            let mut known = counted(titles);
            let joined = now.sections.iter().filter_map(|section| section.title).filter(|title| title.contains("##"));
            standing.strange.extend(joined.filter(|title| !take(&mut known, title)));
        }
        standing
    }

    /// Whether an id stands there.
    pub(in crate::upgrade) fn holds(&self, id: &str) -> bool {
        self.words.contains_key(id)
    }

    /// A line that came and was not read as a task.
    pub(super) fn strange(&self) -> Option<&'a str> {
        self.strange.first().copied()
    }

    /// The line that is, or may be, what is left of a task that was shown before.
    pub(super) fn left_of(&self, id: &str) -> Option<&'a str> {
        self.words.get(id).copied().or_else(|| self.strange())
    }
}

fn counted<'l>(lines: impl Iterator<Item = &'l str>) -> HashMap<&'l str, usize> {
    let mut counts = HashMap::new();
    lines.for_each(|line| *counts.entry(line).or_default() += 1);
    counts
}

// Takes one of the lines of that text away. Answers whether there was one.
fn take(counts: &mut HashMap<&str, usize>, line: &str) -> bool {
    let count = counts.get_mut(line).filter(|count| **count > 0);
    count.map(|count| *count -= 1).is_some()
}

// A word without the signs that may cling to an id: `02-b.`, `__02-b__`, and what is left of a broken mark.
fn spellings(word: &str) -> impl Iterator<Item = &str> {
    // An id may end with `_`, which may also be a sign round it.
    let whole = word.trim_matches(['.', '-']);
    let plain = word.trim_matches(['.', '-', '_']);
    let numbered = plain.trim_start_matches(|character: char| !character.is_ascii_digit());
    [whole, plain, numbered].into_iter().filter(|word| word.contains('-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: &str = "## Tasks\n- 🔲 01-a: A\n- 🔲 02-b: B\n\n## Recent Activity\n- 2026-01-10 10:00: began 02-b\n";

    #[test]
    fn a_row_that_cannot_be_read_is_there() {
        let was = TasksText::read(ROWS);
        for line in [
            "- âœ… 02-b: B",
            "- ðŸ”²02-b: B",
            "- [done] 02-b: B",
            "- DONE 02-b: B",
            "- 🔲 ~~02-b: B~~",
            "- 🔲 [02-b](tasks/02-b/task.md): B",
            "<!-- - 🔲 02-b: B -->",
            "> - 🔲 02-b：B",
            "- __02-b__.",
            "```\n- 🔲 02-b: B\n```",
            "\n## Later\n- 🔲 02-b: B",
        ] {
            let now = ROWS.replace("- 🔲 02-b: B", line);
            assert!(Standing::in_rows(ROWS, &was, &now, &TasksText::read(&now)).holds("02-b"), "{line}");
        }
        let linked = "- 🔲 02-bb: B ([Content](tasks/02-b/task.md))";
        for line in ["", "- 🔲 02-bb: B", "- 🔲 102-b-x: B", "- 🔲 03-c: 02", linked] {
            let now = ROWS.replace("- 🔲 02-b: B", line);
            assert!(!Standing::in_rows(ROWS, &was, &now, &TasksText::read(&now)).holds("02-b"), "{line}");
        }
    }

    #[test]
    fn an_id_may_end_with_a_sign_of_markdown() {
        for id in ["02-_", "02-b_"] {
            let rows = ROWS.replace("02-b", id);
            let was = TasksText::read(&rows);
            let now = rows.replace(&format!("- 🔲 {id}"), &format!("\n## Later\n- 🔲 {id}"));
            assert!(Standing::in_rows(&rows, &was, &now, &TasksText::read(&now)).holds(id), "{id}");
        }
    }

    #[test]
    fn a_heading_that_cannot_be_read_is_there() {
        let text = "# P\n\n### 01-a: A\n\nSee 02-b.\n02-b comes later\n\n### 02-b: B\n\nwords\n";
        let was = PlanText::read(text);
        for line in [
            "### 02-b B",
            "### ~~02-b: B~~",
            "### Task 02-b: B",
            "##### 02-b: B",
            "###02-b: B",
            "**02-b: B**",
            "> ### 02-b",
        ] {
            let now = text.replace("### 02-b: B", line);
            assert!(Standing::in_plan(Some(&was), &PlanText::read(&now)).holds("02-b"), "{line}");
        }
        let fenced = text.replace("See 02-b.", "```\nSee 02-b.");
        assert!(Standing::in_plan(Some(&was), &PlanText::read(&fenced)).holds("02-b"));
        for line in ["", "### 02-c: B", "it was 02-b once"] {
            let now = text.replace("### 02-b: B", line);
            assert!(!Standing::in_plan(Some(&was), &PlanText::read(&now)).holds("02-b"), "{line}");
        }
    }
}
