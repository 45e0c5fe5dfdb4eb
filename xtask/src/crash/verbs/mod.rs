//! The verbs that are tried, on which projects, and what each must bring about.

mod generic;
mod in_flight;
mod list;
mod planning;

use std::{fmt, fs};

use serde_json::Value;
use testkit::sql;

use crate::picture::{Picture, TABLES};
use crate::project::Project;

/// The name under which the tried verb runs.
pub(crate) const TESTER: &str = "tester";

/// The name under which the project was made.
const MAKER: &str = "maker";

/// A command that writes.
#[derive(Clone, Copy)]
pub(crate) struct Verb {
    pub(crate) name: &'static str,
    words: &'static [&'static str],
    pub(crate) effect: Effect,
    starts: &'static [Start],
}

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
}

/// A project of another format than hseos: its files, the commands that make it one at work.
///
/// A step that begins with `edit` is a person's: a file, text in it, and what stands there instead; one
/// that begins with `remove` takes files away.
#[derive(Debug, PartialEq)]
pub(crate) struct Beginning {
    files: &'static [(&'static str, &'static str)],
    steps: &'static [&'static [&'static str]],
    /// How many entries the files make when they are taken in.
    taken_in: usize,
}

/// The project before the verb.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Start {
    /// Nothing was ever written.
    Empty,
    /// Some fields, some tasks.
    Worked,
    /// The same, and edits from outside that nothing has taken in yet: in both files and in a table.
    Edited,
    /// A database of an older tool, which has never met the program.
    Older,
    /// A project of another format.
    Of(&'static Beginning),
}

/// One verb on one project.
pub(crate) struct Scenario {
    pub(crate) verb: Verb,
    pub(crate) start: Start,
}

const WORK: &[&[&str]] = &[
    &["hseos", "state", "write", "branch", "main"],
    &["hseos", "state", "write", "phase", "discovery"],
    &["hseos", "state", "write", "epic_id", "E-1"],
    &["hseos", "state", "write", "feature.F1.name", "Login"],
    &["hseos", "state", "write", "notes", "a note"],
    &["hseos", "tasks", "add", "T1", "GHOST", "First"],
    &["hseos", "tasks", "add", "T2", "GHOST", "Second", "T1"],
    &["hseos", "tasks", "add", "T3", "RAZOR", "Third"],
    &["hseos", "tasks", "done", "T3"],
];

/// The edits from outside: text in a file, and what stands there instead.
const FILE_EDITS: &[(&str, &str, &str)] =
    &[("STATE.md", "- **branch:** main", "- **branch:** edited"), ("TASKS.md", "- [ ] T2 ", "- [~] T2 ")];
const ROW_EDIT: &str = "insert into tasks(id, owner, description) values ('X1', 'GHOST', 'From outside')";

/// What an older tool left: the seed's three tables and some rows.
const OLDER: &str = "
    create table state (key text primary key, value text not null, updated_at text not null default (datetime('now')));
    create table tasks (id text primary key, owner text not null, description text not null,
        status text not null default 'pending', depends_on text, note text,
        created_at text not null default (datetime('now')), updated_at text not null default (datetime('now')));
    create table state_history (id integer primary key autoincrement, key text not null, old_value text,
        new_value text not null, changed_by text not null, changed_at text not null default (datetime('now')));
    insert into state(key, value) values ('phase', 'discovery'), ('branch', 'main');
    insert into tasks(id, owner, description) values ('T1', 'GHOST', 'First');
    insert into state_history(key, new_value, changed_by) values ('phase', 'discovery', 'cli');
";

/// The verbs that every run tries, on every project that each can start from.
pub(crate) fn scenarios() -> impl Iterator<Item = Scenario> {
    list::VERBS.iter().flat_map(on_every_start)
}

/// The scenarios of a run: a whole one, or one that names a verb, also tries what writes as another verb does.
pub(crate) fn of_run(is_whole: bool) -> impl Iterator<Item = Scenario> {
    let further = in_flight::VERBS.iter().chain(planning::VERBS).chain(generic::VERBS);
    let further = further.filter(move |_| is_whole).flat_map(on_every_start);
    scenarios().chain(further)
}

fn on_every_start(verb: &'static Verb) -> impl Iterator<Item = Scenario> {
    verb.starts.iter().map(|start| Scenario { verb: *verb, start: *start })
}

impl fmt::Display for Scenario {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.start {
            Start::Of(beginning) => write!(out, "{} after {} steps", self.verb.name, beginning.steps.len()),
            start => write!(out, "{} on {start:?}", self.verb.name),
        }
    }
}

impl Scenario {
    /// Whether the format's reads publish nothing, so that an image waits for the next write.
    pub(crate) fn is_left_to_writes(&self) -> bool {
        matches!(self.start, Start::Of(_))
    }

    /// The folder in which locks stand that tools of others honour.
    ///
    /// After a power failure one without its owner is waited for until it is old, as the format's rules say.
    pub(crate) fn folder_of_locks(&self) -> Option<&'static str> {
        let is_eneo = |words: &&[&str]| words.iter().take(2).any(|word| word.starts_with("eneo"));
        let mut all = self.steps().iter().copied().chain([self.verb.words]);
        all.any(|words| is_eneo(&words)).then_some(".claude/state/.locks")
    }

    /// Whether it starts from a project at work, without anything that waits from outside.
    pub(crate) fn starts_worked(&self) -> bool {
        self.start == Start::Worked
    }

    /// Whether it starts from a database of an older tool.
    pub(crate) fn starts_older(&self) -> bool {
        self.start == Start::Older
    }

    /// The verb as it is tried, with the request id by which it can be repeated.
    pub(crate) fn words(&self) -> Vec<&'static str> {
        [&["--actor", TESTER, "--request-id", "the-tried-one", "--json"], self.verb.words].concat()
    }

    /// Makes an empty project the one that the verb starts from; `act` runs the program.
    pub(crate) fn prepare(
        &self,
        project: &Project<'_>,
        act: &mut dyn FnMut(&[&str]) -> Result<(), String>,
    ) -> Result<(), String> {
        match self.start {
            Start::Empty => return Ok(()),
            Start::Older => {
                let tables = project.root().join(TABLES);
                let folder = tables.parent().ok_or("the tables lie in no folder")?;
                fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
                return sql::execute(&tables, OLDER);
            }
            Start::Of(Beginning { files, .. }) => {
                for (file, text) in *files {
                    let path = project.root().join(file);
                    path.parent()
                        .map_or(Ok(()), fs::create_dir_all)
                        .and_then(|()| fs::write(&path, text))
                        .map_err(|error| format!("{file}: {error}"))?;
                }
            }
            Start::Worked | Start::Edited => {}
        }
        for words in self.steps() {
            match words {
                ["edit", file, old, new] => edit(project, file, old, new)?,
                ["remove", files @ ..] => {
                    for file in files {
                        fs::remove_file(project.root().join(file)).map_err(|error| format!("{file}: {error}"))?;
                    }
                }
                words => act(&[&["--actor", MAKER, "--json"], *words].concat())?,
            }
        }
        if self.start == Start::Edited {
            for (file, old, new) in FILE_EDITS {
                edit(project, file, old, new)?;
            }
            sql::execute(&project.root().join(TABLES), ROW_EDIT)?;
        }
        Ok(())
    }

    /// The commands that made the project.
    fn steps(&self) -> &'static [&'static [&'static str]] {
        match self.start {
            Start::Empty | Start::Older => &[],
            Start::Worked | Start::Edited => WORK,
            Start::Of(beginning) => beginning.steps,
        }
    }

    /// What is missing of the writes that made the project: all of them were acknowledged.
    pub(crate) fn earlier_problems(&self, picture: &Picture) -> Vec<String> {
        let made = self.steps().iter().filter(|words| !matches!(words[0], "edit" | "remove")).count();
        let kept = picture.entries_of(MAKER).count();
        (kept != made).then(|| format!("of {made} earlier writes {kept} are there (P1)")).into_iter().collect()
    }

    /// What is wrong with the edits from outside: each must be taken in once, and nothing else as one of them.
    pub(crate) fn outside_problems(&self, picture: &Picture) -> Vec<String> {
        let external: Vec<&Value> = picture.entries_of("external").collect();
        let wanted = match self.start {
            Start::Older => Some(1),
            Start::Of(beginning) => Some(beginning.taken_in),
            _ => None,
        };
        if let Some(wanted) = wanted {
            let imports = external.len();
            let wrong = imports != wanted && !(imports == 0 && picture.is_untouched());
            return wrong.then(|| format!("what was there was taken in {imports} times")).into_iter().collect();
        }
        if self.start != Start::Edited {
            let own = external.iter().map(|entry| format!("our own write was taken for an outside edit: {entry}"));
            return own.collect();
        }
        let mut problems = Vec::new();
        let mut expect_once = |what: &str, count: usize, holds: bool| {
            if count != 1 || !holds {
                problems.push(format!("the outside edit of {what} was taken in {count} times, and holds: {holds}"));
            }
        };
        expect_once("branch", picture.history_rows("branch", "edited"), picture.field("branch") == Some("edited"));
        for (id, status) in [("T2", "in_progress"), ("X1", "pending")] {
            let count = external.iter().filter(|entry| Picture::concerns(entry, id)).count();
            expect_once(id, count, picture.task(id).is_some_and(|task| task["status"] == status));
        }
        let id = self.verb.effect.id();
        if external.iter().any(|entry| Picture::concerns(entry, id)) {
            problems.push(format!("our own write of {id} was taken for an outside edit"));
        }
        problems
    }
}

fn edit(project: &Project<'_>, file: &str, old: &str, new: &str) -> Result<(), String> {
    let path = project.root().join(file);
    let text = fs::read_to_string(&path).map_err(|error| format!("{file}: {error}"))?;
    if !text.contains(old) {
        return Err(format!("{file} has no text {old:?} to edit"));
    }
    fs::write(&path, text.replace(old, new)).map_err(|error| format!("{file}: {error}"))
}

impl Effect {
    fn id(self) -> &'static str {
        match self {
            Self::Field(id, _)
            | Self::Task(id)
            | Self::Done(id)
            | Self::Shown { text: id, .. }
            | Self::Gone { image: id } => id,
            Self::Noted | Self::Logged { .. } | Self::Copied { .. } => TESTER,
        }
    }

    /// How many times it was brought about: what the records say and what the journal says, or that they differ.
    pub(crate) fn times(self, picture: &Picture, is_settled: bool) -> Result<usize, String> {
        let (records, holds) = match self {
            Self::Field(key, value) => (picture.history_rows(key, value), picture.field(key) == Some(value)),
            Self::Task(id) => (picture.tasks_named(id), picture.task(id).is_some()),
            Self::Done(id) => {
                let done = picture.task(id).is_some_and(|task| task["status"] == "done");
                (usize::from(done), done)
            }
            Self::Noted => {
                let times = picture.entries_of(TESTER).count();
                (times, times > 0)
            }
            Self::Logged { log, text } => {
                let (times, lines) = (picture.entries_of(TESTER).count(), picture.lines(log, text));
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
                let times = picture.entries_of(TESTER).count();
                // What else the image shows is compared with the records by doctor.
                (times, if is_settled { picture.shows(image, text) } else { times > 0 })
            }
            Self::Gone { image } => {
                let times = picture.entries_of(TESTER).count();
                (times, if is_settled { !picture.shows(image, "") } else { times > 0 })
            }
        };
        let journal = picture.entries_of(TESTER).count();
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
            Self::Noted | Self::Copied { .. } => return None,
            Self::Logged { log, text } => return read(log).contains(text).then(|| log.to_owned()),
            Self::Shown { image, text } => return read(image).contains(text).then(|| image.to_owned()),
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
