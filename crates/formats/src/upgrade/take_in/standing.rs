//! Whether an id still stands in a file that shows no task of that name: then nobody took it out.
//!
//! A row with a broken mark, a heading with a typo and a list in a fence that was never closed read as
//! nothing, and yet they are there. What was never read is not gone.

use std::collections::HashSet;

use format::spans::span_lines;

use crate::upgrade::ids::is_slug_char;
use crate::upgrade::plan::PlanText;
use crate::upgrade::tasks_md::TasksText;

/// The words of the lines that may name a task although they were not read as one.
///
/// A line that stood there before and named no task then (a line of activity, a sentence) does not count.
#[derive(Debug, Default)]
pub(in crate::upgrade) struct Standing<'a>(HashSet<&'a str>);

impl<'a> Standing<'a> {
    /// Those of tasks.md, whose text was `base`: any line may be a row.
    pub(super) fn in_rows(base: &str, was: &TasksText<'_>, now: &'a str) -> Self {
        let shown: HashSet<&str> = was.rows.iter().map(|row| row.line).collect();
        let told: HashSet<&str> =
            span_lines(base).iter().map(|line| line.text).filter(|line| !shown.contains(line)).collect();
        let lines = span_lines(now).into_iter().map(|line| line.text).filter(|line| !told.contains(line));
        Self(lines.flat_map(words).collect())
    }

    /// Those of plan.md, as it was and as it is: a heading, or a line that begins with the id.
    pub(in crate::upgrade) fn in_plan(was: Option<&PlanText<'_>>, now: &PlanText<'a>) -> Self {
        let told: HashSet<&str> = was.into_iter().flat_map(PlanText::other_lines).collect();
        let lines = now.other_lines().filter(|line| !told.contains(line));
        let of_line = |line: &'a str| {
            let most = if line.trim_start().starts_with('#') { usize::MAX } else { 1 };
            line.split(|character| !is_slug_char(character))
                .filter(|word| word.contains(char::is_alphanumeric))
                .take(most)
        };
        Self(lines.flat_map(of_line).flat_map(spellings).collect())
    }

    /// Whether an id stands there.
    pub(in crate::upgrade) fn holds(&self, id: &str) -> bool {
        self.0.contains(id)
    }
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|character| !is_slug_char(character)).flat_map(spellings)
}

// A word without the signs that may cling to an id: `02-b.`, `__02-b__`, and what is left of a broken mark.
fn spellings(word: &str) -> impl Iterator<Item = &str> {
    let plain = word.trim_matches(['.', '-', '_']);
    let numbered = plain.trim_start_matches(|character: char| !character.is_ascii_digit());
    [plain, numbered].into_iter().filter(|word| word.contains('-'))
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
            assert!(Standing::in_rows(ROWS, &was, &now).holds("02-b"), "{line}");
        }
        for line in ["", "- 🔲 02-bb: B", "- 🔲 102-b-x: B", "- 🔲 03-c: 02"] {
            let now = ROWS.replace("- 🔲 02-b: B", line);
            assert!(!Standing::in_rows(ROWS, &was, &now).holds("02-b"), "{line}");
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
