//! The verbs that are tried, on which projects, and what each must bring about.

mod effect;
mod generic;
mod in_flight;
mod list;
mod planning;

use std::{fmt, fs};

use serde_json::Value;
use testkit::sql;

use crate::picture::{Picture, TABLES};
use crate::project::Project;

pub(crate) use effect::Effect;

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

/// What the commands left that make a project one at work, for one whose entries are folded.
const WORKED: &[fn(&Picture) -> bool] = &[
    |it| {
        it.field("branch") == Some("main")
            && it.field("phase") == Some("discovery")
            && it.field("epic_id") == Some("E-1")
    },
    |it| ["T1", "T2"].iter().all(|id| it.task(id).is_some_and(|task| task["status"] == "pending")),
    |it| it.task("T3").is_some_and(|task| task["status"] == "done"),
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
    let further = in_flight::VERBS.iter().chain(planning::VERBS);
    let further = further.filter(move |_| is_whole).flat_map(on_every_start);
    scenarios().chain(further).chain(generic::VERBS.iter().flat_map(on_every_start))
}

fn on_every_start(verb: &'static Verb) -> impl Iterator<Item = Scenario> {
    verb.starts.iter().map(|start| Scenario { verb: *verb, start: *start })
}

impl Beginning {
    /// Whether nothing of another format is in it.
    fn is_of_hseos(&self) -> bool {
        self.files.iter().all(|(file, _)| *file == generic::EXPORTED.0)
            && self.steps.iter().all(|words| matches!(words[0], "hseos" | "checkpoint" | "undo"))
    }
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
        // A read of hseos publishes.
        matches!(self.start, Start::Of(beginning) if !(self.is_generic() && beginning.is_of_hseos()))
    }

    /// Whether a run tries it that names this verb, or none.
    pub(crate) fn is_named(&self, name: Option<&str>) -> bool {
        name.is_none_or(|name| self.verb.name == name)
    }

    /// Whether it is a command over all formats, of which a quick run tries a little.
    pub(crate) fn is_generic(&self) -> bool {
        generic::VERBS.iter().any(|verb| verb.name == self.verb.name)
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

    // To undo, the actor's name says whose entries are taken back.
    fn acts_unnamed(&self) -> bool {
        self.verb.words[0] == "undo"
    }

    /// The name under which its entries stand in the journal.
    pub(crate) fn actor(&self) -> &'static str {
        if self.acts_unnamed() { "cli" } else { TESTER }
    }

    /// The verb as it is tried, with the request id by which it can be repeated.
    pub(crate) fn words(&self) -> Vec<&'static str> {
        let by: &[&str] = if self.acts_unnamed() { &[] } else { &["--actor", TESTER] };
        [by, &["--request-id", "the-tried-one", "--json"], self.verb.words].concat()
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
        let made =
            self.steps().iter().filter(|words| !matches!(words[0], "edit" | "remove" | "checkpoint" | "undo")).count();
        let kept = picture.entries_of(MAKER).count();
        let is_there = match self.verb.effect {
            Effect::Folded { left } => (left..=made).contains(&kept) && WORKED.iter().all(|holds| holds(picture)),
            _ => kept == made,
        };
        (!is_there).then(|| format!("of {made} earlier writes {kept} are there (P1)")).into_iter().collect()
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
