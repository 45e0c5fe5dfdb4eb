//! What a verb brings about, and how to see from outside whether it did.

use std::fs;

use testkit::sql;

use super::{MAKER, TESTER};
use crate::picture::{Picture, TABLES};
use crate::project::Project;

/// What a verb brings about.
#[derive(Clone, Copy)]
pub(crate) enum Effect {
    /// A state field has this value.
    Field(&'static str, &'static str),
    /// There is a task of this id.
    Task(&'static str),
    /// The task is done.
    Done(&'static str),
    /// An image of another format holds this text.
    Shown { image: &'static str, text: &'static str },
    /// An image of another format is gone.
    Gone { image: &'static str },
    /// A record that no image shows; the journal tells.
    Noted,
    /// The same, and a line of a log that is no image: written once at most, and once where success is told.
    Logged { log: &'static str, text: &'static str },
    /// A file in a folder that no record speaks of, whole; a retry may write one more beside it.
    Copied { folder: &'static str, text: &'static str },
    /// There is a checkpoint of this label, and no entry of it.
    Marked(&'static str),
    /// The journal of another project is here, so many entries of this actor, and the image shows what they hold.
    Brought { image: &'static str, text: &'static str, by: &'static str, entries: usize },
    /// Of the entries that made the project so many are left, and every record.
    Folded { left: usize },
}

impl Effect {
    /// What it concerns, as a change of a record names it.
    pub(super) fn id(self) -> &'static str {
        match self {
            Self::Field(id, _)
            | Self::Task(id)
            | Self::Done(id)
            | Self::Shown { text: id, .. }
            | Self::Gone { image: id } => id,
            Self::Noted | Self::Logged { .. } | Self::Copied { .. } => TESTER,
            Self::Marked(label) => label,
            Self::Brought { by, .. } => by,
            Self::Folded { .. } => MAKER,
        }
    }

    /// How many times it was brought about: what the records say and what the journal says, or that they differ.
    ///
    /// `actor` is the one of the tried verb.
    pub(crate) fn times(
        self,
        picture: &Picture,
        project: &Project<'_>,
        actor: &str,
        is_settled: bool,
    ) -> Result<usize, String> {
        let (records, holds) = match self {
            Self::Field(key, value) => (picture.history_rows(key, value), picture.field(key) == Some(value)),
            Self::Task(id) => (picture.tasks_named(id), picture.task(id).is_some()),
            Self::Done(id) => {
                let done = picture.task(id).is_some_and(|task| task["status"] == "done");
                (usize::from(done), done)
            }
            Self::Noted => {
                let times = picture.entries_of(actor).count();
                (times, times > 0)
            }
            Self::Logged { log, text } => {
                let (times, lines) = (picture.entries_of(actor).count(), picture.lines(log, text));
                if lines > times {
                    return Err(format!("{log} has the line {lines} times, the journal the entry {times} times"));
                }
                (times, times > 0)
            }
            Self::Copied { folder, text } => {
                let copies = picture.texts_in(folder);
                let torn = copies.iter().find(|copy| !copy.contains(text) || !copy.ends_with("```\n"));
                return torn.map_or(Ok(usize::from(!copies.is_empty())), |torn| Err(format!("a torn copy: {torn:?}")));
            }
            Self::Shown { image, text } => {
                let times = picture.entries_of(actor).count();
                // What else the image shows is compared with the records by doctor.
                (times, if is_settled { picture.shows(image, text) } else { times > 0 })
            }
            Self::Gone { image } => {
                let times = picture.entries_of(actor).count();
                (times, if is_settled { !picture.shows(image, "") } else { times > 0 })
            }
            // These write no entry of their own.
            Self::Marked(label) => {
                let reply = project.reply(&["--json", "checkpoint", "--list"])?;
                let all = reply["checkpoints"].as_array().ok_or("the reply lists checkpoints")?;
                return Ok(all.iter().filter(|checkpoint| checkpoint["label"] == label).count());
            }
            Self::Brought { image, text, by, entries } => {
                let (there, shown) = (picture.entries_of(by).count(), picture.shows(image, text));
                return match (there, shown) {
                    (0, false) => Ok(0),
                    (there, true) if there == entries => Ok(1),
                    _ => Err(format!("{there} of {entries} entries were brought in; {image} shows it: {shown}")),
                };
            }
            Self::Folded { left } => return Ok(usize::from(picture.entries_of(MAKER).count() == left)),
        };
        let journal = picture.entries_of(actor).count();
        if records == journal && holds == (records > 0) {
            Ok(records)
        } else {
            Err(format!("the records hold the effect {records} times (now: {holds}), the journal {journal} times"))
        }
    }

    /// What is missing although success was told.
    pub(crate) fn missing(self, picture: &Picture) -> Option<String> {
        match self {
            Self::Logged { log, text } if picture.lines(log, text) != 1 => Some(format!("{log} lacks the line (P1)")),
            _ => None,
        }
    }

    /// Whether a repetition is answered by what was done, not done again: what folds has nothing left to fold.
    pub(crate) fn is_remembered(self) -> bool {
        !matches!(self, Self::Folded { .. })
    }

    /// Where files are that no record speaks of: after a kill one may be missing, or there once more.
    pub(crate) fn beside_records(self) -> Option<&'static str> {
        match self {
            Self::Logged { log, .. } => Some(log),
            effect => effect.folder_of_copies(),
        }
    }

    /// The folder of files whose names tell when they were written.
    pub(crate) fn folder_of_copies(self) -> Option<&'static str> {
        match self {
            Self::Copied { folder, .. } => Some(folder),
            _ => None,
        }
    }

    /// Which image already shows it, looked at from outside.
    pub(crate) fn claimed_by(self, project: &Project<'_>) -> Option<String> {
        let read = |file: &str| fs::read_to_string(project.root().join(file)).unwrap_or_default();
        let rows = |query: &str| sql::query(&project.root().join(TABLES), query).is_ok_and(|rows| !rows.is_empty());
        let (file, line, query) = match self {
            Self::Noted | Self::Copied { .. } | Self::Marked(_) | Self::Folded { .. } => return None,
            Self::Logged { log, text } => return read(log).contains(text).then(|| log.to_owned()),
            Self::Shown { image, text } | Self::Brought { image, text, .. } => {
                return read(image).contains(text).then(|| image.to_owned());
            }
            Self::Gone { image } => return (!project.root().join(image).exists()).then(|| image.to_owned()),
            Self::Field(key, value) => (
                "STATE.md",
                format!("- **{key}:** {value}\n"),
                format!("select 1 from state where key = '{key}' and value = '{value}'"),
            ),
            Self::Task(id) => ("TASKS.md", format!("] {id} — "), format!("select 1 from tasks where id = '{id}'")),
            Self::Done(id) => (
                "TASKS.md",
                format!("- [x] {id} — "),
                format!("select 1 from tasks where id = '{id}' and status = 'done'"),
            ),
        };
        if read(file).contains(&line) {
            return Some(file.to_owned());
        }
        rows(&query).then(|| TABLES.to_owned())
    }
}
