//! Lines that somebody breaks so that nothing reads them any more, although they are still there.

use super::{MARKS, Step, Story};

/// Whether a line of tasks.md shows a task.
pub(super) fn is_row(line: &str) -> bool {
    MARKS.iter().any(|mark| line.trim_start().starts_with(&format!("- {mark}")))
}

/// Whether a step takes nothing out: whatever it does to a line, its task is there, with work or without.
pub(super) fn takes_none(step: &Step) -> bool {
    matches!(
        step,
        Step::Unread(..)
            | Step::Later(_)
            | Step::Typo(..)
            | Step::FencePlan(_)
            | Step::Fence(_)
            | Step::RowMark(..)
            | Step::Prose
            | Step::Markers(_)
            // The other ways may leave another good id, and then a task was renamed.
            | Step::Hurt(_, _, _, 0..=2)
    )
}

impl Story {
    /// Breaks a line.
    pub(super) fn blur(&self, step: &Step) {
        let is_heading = |line: &str| line.starts_with("### ");
        let (name, line) = match step {
            Step::Unread(pick, _) | Step::Later(pick) | Step::Hurt(true, pick, ..) => {
                ("tasks.md", self.line("tasks.md", is_row, *pick))
            }
            Step::Fence(pick) => ("tasks.md", self.line("tasks.md", |line| !line.is_empty(), *pick)),
            Step::Typo(pick, _) | Step::Hurt(false, pick, ..) => ("plan.md", self.line("plan.md", is_heading, *pick)),
            Step::FencePlan(pick) => ("plan.md", self.line("plan.md", |line| !line.is_empty(), *pick)),
            _ => return,
        };
        let Some(line) = line else { return };
        let blurred = match step {
            Step::Unread(_, way) => unread(&line, *way),
            Step::Later(_) => format!("\n## Later {}\n{line}", self.words),
            Step::Typo(_, way) => mistyped(&line, *way),
            Step::Hurt(_, _, place, way) => hurt(&line, *place, *way),
            _ => format!("{line}\n```"),
        };
        self.edit(name, |text| text.replacen(&line, &blurred, 1));
    }
}

fn unread(line: &str, way: u8) -> String {
    let (indent, row) = line.split_at(line.len() - line.trim_start().len());
    let rest = row.splitn(3, ' ').nth(2).unwrap_or_default();
    let id = rest.split(':').next().unwrap_or_default();
    match way {
        0 => format!("{indent}- âœ… {rest}"),
        1 => format!("{indent}- DONE {rest}"),
        2 => format!("{indent}> {row}"),
        3 => format!("{indent}- 🔲 ~~{rest}~~"),
        4 => format!("{indent}- 🔲 [{id}](tasks/{id}/task.md): read me"),
        _ => format!("<!-- {row} -->"),
    }
}

// The id with one character hurt.
fn hurt(line: &str, place: usize, way: u8) -> String {
    let Some(start) = line.find(|letter: char| letter.is_ascii_digit()) else { return line.to_owned() };
    let length = line[start..].find([':', ' ']).unwrap_or(line.len() - start);
    let mut id: Vec<char> = line[start..start + length].chars().collect();
    let at = place % id.len();
    match way {
        0 => id.insert(at, '\u{200b}'),
        1 => id.insert(at, '\\'),
        2 => id[at] = '\u{ad}',
        3 => id[at] = '–',
        4 => id[at] = '_',
        5 => id[at] = 'Ã',
        _ => drop(id.remove(at)),
    }
    let id: String = id.into_iter().collect();
    format!("{}{id}{}", &line[..start], &line[start + length..])
}

fn mistyped(line: &str, way: u8) -> String {
    let rest = line.trim_start_matches("### ");
    match way {
        0 => format!("### {}", rest.replacen(':', "", 1)),
        1 => format!("### ~~{rest}~~"),
        2 => format!("### Task {rest}"),
        3 => format!("##### {rest}"),
        4 => format!("###{rest}"),
        _ => format!("**{rest}**"),
    }
}
