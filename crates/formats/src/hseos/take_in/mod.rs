//! Outside edits: rows of the tables first, then the two files, over one draft.

mod rows;
mod state_file;
mod state_text;
mod tasks_file;
mod tasks_text;
#[cfg(test)]
mod tests;

use format::{Conflict, Draft, FileState, Irregular, Records, Seen, SeenFile, Taken, View};
use model::{Context, ProjectPath, Refusal, RefusalClass, Warning};

use super::history::Appender;
use super::records::{Field, HistoryRow, Kind, Task};
use super::{invalid, pruning, sources};

/// Turns everything that was seen into one set of changes.
///
/// Nothing that the outside wrote is lost: it is understood, or its file is kept beside.
pub(super) fn take_in(seen: &[Seen], view: &View<'_>, ctx: &Context) -> Taken {
    let mut intake = Intake::new(view.records, ctx.now.to_millis_text());
    for seen in seen {
        if let Seen::Rows(seen) = seen {
            rows::take(seen, &mut intake);
        }
    }
    for seen in seen {
        if let Seen::File(seen) = seen {
            file(seen, &mut intake);
        }
    }
    if intake.finished {
        pruning::prune(&mut intake.draft);
    }
    intake.taken.changes = intake.draft.into_changes();
    intake.taken
}

fn file(seen: &SeenFile, intake: &mut Intake<'_>) {
    let bytes = match &seen.now {
        FileState::Absent if seen.known => return intake.missing(&seen.path),
        FileState::Absent => return,
        FileState::Irregular(what) => return intake.block(&seen.path, *what),
        FileState::Bytes(bytes) => bytes,
    };
    let Some(now) = text(bytes) else { return intake.keep(&seen.path, "is not UTF-8 text") };
    let base = if seen.known { seen.base.as_deref().and_then(text) } else { None };
    if seen.path == sources::state_path() {
        state_file::take(&seen.path, now, base, intake);
    } else if seen.path == sources::tasks_path() {
        tasks_file::take(&seen.path, now, base, intake);
    }
}

fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))
}

/// What the base says of a part of a file.
#[derive(Clone, Copy)]
enum Was<T> {
    /// There is no base: first contact.
    Unknown,
    /// The part is not in it.
    Lacking,
    /// The part.
    Said(T),
}

impl<T> Was<T> {
    /// From whether there is a base, and what it says.
    fn of(has_base: bool, said: Option<T>) -> Self {
        match said {
            Some(said) => Self::Said(said),
            None if has_base => Self::Lacking,
            None => Self::Unknown,
        }
    }

    fn map<U>(self, f: impl FnOnce(T) -> U) -> Was<U> {
        match self {
            Self::Unknown => Was::Unknown,
            Self::Lacking => Was::Lacking,
            Self::Said(said) => Was::Said(f(said)),
        }
    }
}

/// The taking in, half done.
struct Intake<'a> {
    draft: Draft<'a>,
    beneath: &'a dyn Records,
    now: String,
    history: Appender,
    /// Whether a task became done.
    finished: bool,
    taken: Taken,
}

impl<'a> Intake<'a> {
    fn new(beneath: &'a dyn Records, now: String) -> Self {
        let (draft, history) = (Draft::new(beneath), Appender::default());
        Self { draft, beneath, now, history, finished: false, taken: Taken::default() }
    }

    fn field(&self, key: &str) -> Option<String> {
        Field::get(&self.draft, key).map(|field| field.value)
    }

    fn task(&self, id: &str) -> Option<Task> {
        Task::get(&self.draft, id)
    }

    /// Gives a field the value that a file says, with a history row where it differs.
    fn set_field(&mut self, key: &str, value: String) {
        let before = self.field(key);
        if before.as_deref() == Some(value.as_str()) {
            return;
        }
        let row = self.step(key, before, value.clone());
        self.history.append(&mut self.draft, &row);
        Field { value, updated_at: self.now.clone() }.put(&mut self.draft, key);
        self.settle("state", key);
    }

    /// The history row of one step from outside.
    fn step(&self, key: &str, old_value: Option<String>, new_value: String) -> HistoryRow {
        let changed_by = "external".to_owned();
        HistoryRow { key: key.to_owned(), old_value, new_value, changed_by, changed_at: self.now.clone() }
    }

    fn delete_field(&mut self, key: &str) {
        self.draft.delete(Kind::State.key(key));
        self.settle("state", key);
    }

    fn put_task(&mut self, id: &str, task: &Task) {
        self.finished |= task.is_done() && !self.task(id).is_some_and(|before| before.is_done());
        task.put(&mut self.draft, id);
        self.settle("tasks", id);
    }

    fn delete_task(&mut self, id: &str) {
        self.draft.delete(Kind::Task.key(id));
        self.settle("tasks", id);
    }

    /// A readable outside change settles what was open about the row.
    fn settle(&mut self, table: &str, key: &str) {
        invalid::forget(&mut self.draft, table, key);
        invalid::close(&mut self.draft, self.beneath, table, key);
    }

    /// Keeps the outside file beside, once.
    fn keep(&mut self, path: &ProjectPath, why: &str) {
        if self.taken.conflicts.iter().all(|conflict| conflict.path != *path) {
            self.taken.conflicts.push(Conflict { path: path.clone() });
            let message = format!("{path} {why}; the file as it was found is kept beside it");
            self.taken.warnings.push(Warning::new("image_conflict", message).with("path", path.as_str()));
        }
    }

    fn missing(&mut self, path: &ProjectPath) {
        let message = format!("{path} is gone; the next change writes it again");
        self.taken.warnings.push(Warning::new("missing_file", message).with("path", path.as_str()));
    }

    fn block(&mut self, path: &ProjectPath, what: Irregular) {
        let (class, code, what) = match what {
            Irregular::Link => {
                (RefusalClass::Refused, "path_outside_project", "is a symbolic link, which is not written through")
            }
            Irregular::TooLarge => {
                (RefusalClass::Corrupt, "too_large", "is larger than any backlog; it is neither read nor replaced")
            }
            Irregular::Folder => (RefusalClass::Refused, "image_unreadable", "is a folder"),
            Irregular::Special => (RefusalClass::Refused, "image_unreadable", "is no regular file"),
            Irregular::Unreadable => (RefusalClass::Refused, "image_unreadable", "cannot be read"),
        };
        let message = format!("{path} {what}");
        self.taken.warnings.push(Warning::new(code, message.as_str()).with("path", path.as_str()));
        if self.taken.blocked.is_none() {
            let refusal = Refusal::new(class, code, message).with("path", path.as_str());
            self.taken.blocked = Some(refusal.hint(format!("move {path} away; the next change writes it anew")));
        }
    }
}
