//! Readers who look at images while writers replace them: promise P3.
//!
//! Writers put the same number into two places of each image; half of one would show two numbers, or none.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use serde_json::{Value, json};
use testkit::sql;

use crate::picture::{FILES, TABLES};
use crate::project::Project;

const NOTES: &str = ".skillstate/skillstate.json";

/// The rows that tell the number: as one statement sees them, all of one moment.
const NUMBERS: &str = "select (select value from state where key = 'phase'), \
    (select value from state where key = 'notes'), \
    (select new_value from state_history where key = 'phase' order by id desc limit 1)";

/// One that is full of such problems need not be looked at any longer.
const ENOUGH: usize = 20;

/// What was seen.
#[derive(Default)]
pub(super) struct Looks {
    files: usize,
    tables: usize,
    pub(super) problems: Vec<String>,
}

/// The fields of the state whose image shows the number twice.
pub(super) fn fields(number: usize) -> Value {
    json!({"phase": number.to_string(), "notes": number.to_string()})
}

/// The notes whose file shows a text twice.
pub(super) fn notes(text: &str) -> Value {
    json!({"goal": text, "notes": text})
}

/// Makes every image that will be looked at.
pub(super) fn prepare(project: &Project<'_>) -> Result<(), String> {
    project.reply(&["--json", "skillstate", "init"])?;
    project.reply(&["call", "state_write", &json!({"fields": fields(0)}).to_string()])?;
    project.reply(&["call", "tasks_add", r#"{"id":"T0","owner":"GHOST","description":"The first"}"#])?;
    Ok(())
}

/// Lets others look on while something is done, and says what they saw.
pub(super) fn during<T>(project: &Project<'_>, work: impl FnOnce() -> T) -> (T, Looks) {
    let is_over = AtomicBool::new(false);
    let root = project.root();
    thread::scope(|scope| {
        let files = scope.spawn(|| files(&root, &is_over));
        let tables = scope.spawn(|| tables(&root, &is_over));
        let done = work();
        is_over.store(true, Ordering::Relaxed);
        let (mut all, of_tables) = (files.join().expect("no reader panics"), tables.join().expect("no reader panics"));
        all.tables = of_tables.tables;
        all.problems.extend(of_tables.problems);
        (done, all)
    })
}

impl Looks {
    /// Prints how many there were.
    pub(super) fn report(&self, name: &str) {
        let torn = self.problems.len();
        println!("{name}: {} reads of files, {} of tables, {torn} of them torn", self.files, self.tables);
    }

    // A look that found a number: none is older than what was seen before it.
    fn number(&mut self, place: &str, found: Result<usize, String>, newest: &mut usize) {
        match found {
            Ok(number) if number < *newest => {
                self.problems.push(format!("{place} shows {number} after {newest} (P3)"));
            }
            Ok(number) => *newest = number,
            Err(problem) => self.problems.push(format!("{place} is torn (P3): {problem}")),
        }
    }
}

fn files(root: &Path, is_over: &AtomicBool) -> Looks {
    let mut looks = Looks::default();
    let [(state, state_end), (tasks, tasks_end)] = FILES;
    let mut newest = 0;
    // A file that is absent for a moment is as bad as half of one.
    let read = |file: &str| fs::read_to_string(root.join(file)).map_err(|error| error.to_string());
    while !is_over.load(Ordering::Relaxed) && looks.problems.len() < ENOUGH {
        looks.number(state, read(state).and_then(|text| number_of_state(&text, state_end)), &mut newest);
        let whole = |text: String| if is_whole(&text, tasks_end) { Ok(()) } else { Err(text) };
        let others = [(tasks, read(tasks).and_then(whole)), (NOTES, read(NOTES).and_then(|text| same_notes(&text)))];
        let torn = others.into_iter().filter_map(|(file, found)| Some((file, found.err()?)));
        looks.problems.extend(torn.map(|(file, problem)| format!("{file} is torn (P3): {problem}")));
        looks.files += 3;
    }
    looks
}

fn tables(root: &Path, is_over: &AtomicBool) -> Looks {
    let mut looks = Looks::default();
    let mut newest = 0;
    while !is_over.load(Ordering::Relaxed) && looks.problems.len() < ENOUGH {
        let found = sql::query(&root.join(TABLES), NUMBERS).and_then(|rows| match rows.first().map(Vec::as_slice) {
            Some([one, other, newest]) if one == other && one == newest => number_in(one.as_str()),
            other => Err(format!("{other:?}")),
        });
        looks.number(TABLES, found, &mut newest);
        looks.tables += 1;
    }
    looks
}

fn number_of_state(text: &str, last_part: &str) -> Result<usize, String> {
    if !is_whole(text, last_part) {
        return Err(format!("{text:?}"));
    }
    let field = text.lines().find_map(|line| line.strip_prefix("- **phase:** "));
    let notes = text.split_once(last_part).map(|(_, notes)| notes.trim());
    if field == notes { number_in(field) } else { Err(format!("{text:?}")) }
}

fn number_in(text: Option<&str>) -> Result<usize, String> {
    text.and_then(|text| text.parse().ok()).ok_or_else(|| format!("no number: {text:?}"))
}

fn is_whole(text: &str, last_part: &str) -> bool {
    text.contains(last_part) && text.ends_with('\n')
}

fn same_notes(text: &str) -> Result<(), String> {
    let whole: Value = serde_json::from_str(text).map_err(|error| format!("{error}: {text:?}"))?;
    let state = &whole["state"];
    if state["goal"].is_string() && state["goal"] == state["notes"] { Ok(()) } else { Err(state.to_string()) }
}

#[cfg(test)]
mod tests {
    use super::{Looks, number_of_state, same_notes};

    #[test]
    fn half_of_an_image_and_one_that_goes_back_are_found() {
        let state = |phase: &str, notes: &str| format!("- **phase:** {phase}\n\n## Notes\n\n{notes}\n");
        let number = |text: &str| number_of_state(text, "\n## Notes\n");
        assert_eq!(number(&state("7", "7")), Ok(7));
        assert!(number(&state("7", "8")).is_err());
        assert!(number(&state("7", "7")[..20]).is_err());
        assert!(number("").is_err());
        let (mut looks, mut newest) = (Looks::default(), 7);
        looks.number("STATE.md", Ok(7), &mut newest);
        looks.number("STATE.md", Ok(6), &mut newest);
        assert_eq!(looks.problems, ["STATE.md shows 6 after 7 (P3)"]);
        assert_eq!(same_notes(r#"{"state":{"goal":"a","notes":"a"}}"#), Ok(()));
        for torn in ["", "{", r#"{"state":{}}"#, r#"{"state":{"goal":"a","notes":"b"}}"#] {
            assert!(same_notes(torn).is_err(), "{torn}");
        }
    }
}
