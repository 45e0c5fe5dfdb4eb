//! Everything that a project shows to the outside, taken at one moment, and whether it fits together.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use testkit::sql;

use crate::project::Project;

/// The file of the three tables.
pub(crate) const TABLES: &str = ".hseos/state/project.db";

/// A field that nothing but the run of histories writes.
pub(crate) const FIELD_HISTORY: &str = "told_in_order";

/// The file images, and the heading of the last part of each.
pub(crate) const FILES: [(&str, &str); 2] =
    [("STATE.md", "\n## Notes\n"), ("TASKS.md", "\n## Completed (last sprint)\n")];

/// What a file is called until it is whole; such a one is cleared away when it is a minute old.
const GROWING: &str = ".mainstay-";

const PLAIN_FIELDS: &[&str] = &["branch", "epic_id", "phase", "active_agent", "status"];

/// The replies, tables and files of a project.
pub(crate) struct Picture {
    state: Value,
    tasks: Vec<Value>,
    history: Vec<Value>,
    /// Newest first.
    journal: Vec<Value>,
    doctor: Value,
    tables: Tables,
    state_md: String,
    tasks_md: String,
    root: PathBuf,
}

#[derive(Default)]
struct Tables {
    state: Vec<Vec<Value>>,
    tasks: Vec<Vec<Value>>,
    history: Vec<Vec<Value>>,
}

impl Picture {
    /// Takes it; the first request is a read, which takes in and heals what waits.
    pub(crate) fn take(project: &Project<'_>) -> Result<Self, String> {
        let state = project.reply(&["call", "state_read"])?;
        let file = |name: &str| fs::read_to_string(project.root().join(name)).unwrap_or_default();
        let picture = Self {
            tables: Tables::read(project)?,
            state_md: file("STATE.md"),
            tasks_md: file("TASKS.md"),
            tasks: list(project.reply(&["call", "tasks_list"])?, "tasks")?,
            history: list(project.reply(&["call", "state_history", "{\"n\":1000}"])?, "history")?,
            journal: list(project.reply(&["--json", "history", "--all", "-n", "100000"])?, "entries")?,
            doctor: doctor(project)?,
            state,
            root: project.root(),
        };
        Ok(picture)
    }

    /// Whether nothing was ever written or taken in.
    pub(crate) fn is_untouched(&self) -> bool {
        self.journal.is_empty()
    }

    /// Whether a file of the project holds the text now.
    pub(crate) fn shows(&self, file: &str, text: &str) -> bool {
        fs::read_to_string(self.root.join(file)).is_ok_and(|held| held.contains(text))
    }

    /// How many lines of a file of the project hold the text now.
    pub(crate) fn lines(&self, file: &str, text: &str) -> usize {
        let held = fs::read_to_string(self.root.join(file)).unwrap_or_default();
        held.lines().filter(|line| line.contains(text)).count()
    }

    /// The texts of the files in a folder of the project, without those that only a killed writer knows of.
    pub(crate) fn texts_in(&self, folder: &str) -> Vec<String> {
        let files = fs::read_dir(self.root.join(folder)).into_iter().flatten().flatten();
        let whole = files.filter(|file| !file.file_name().to_string_lossy().starts_with(GROWING));
        whole.map(|file| fs::read_to_string(file.path()).unwrap_or_default()).collect()
    }

    /// The present value of a field.
    pub(crate) fn field(&self, key: &str) -> Option<&str> {
        self.state["state"][key].as_str()
    }

    /// The task of this id.
    pub(crate) fn task(&self, id: &str) -> Option<&Value> {
        self.tasks.iter().find(|task| task["id"] == id)
    }

    /// How many tasks have this id, in the reply or as lines of the file, whichever are more.
    pub(crate) fn tasks_named(&self, id: &str) -> usize {
        let in_reply = self.tasks.iter().filter(|task| task["id"] == id).count();
        in_reply.max(self.tasks_md.matches(&format!("] {id} — ")).count())
    }

    /// How many history rows set the field to the value.
    pub(crate) fn history_rows(&self, key: &str, value: &str) -> usize {
        self.history.iter().filter(|row| row["key"] == key && row["new_value"] == value).count()
    }

    /// The journal's entries of an actor.
    pub(crate) fn entries_of(&self, actor: &str) -> impl Iterator<Item = &Value> {
        self.journal.iter().filter(move |entry| entry["actor"] == actor)
    }

    /// Whether an entry changes the record of this id.
    pub(crate) fn concerns(entry: &Value, id: &str) -> bool {
        let keys = entry["changes"].as_array().into_iter().flatten().filter_map(|change| change["key"].as_str());
        keys.into_iter().any(|key| key == id || key.ends_with(&format!("/{id}")))
    }

    /// What does not fit together; a project where nothing was ever written has nothing to fit.
    ///
    /// `expected` are the codes of findings that `doctor` may have at this moment.
    pub(crate) fn disagreements(&self) -> Vec<String> {
        let mut found = self.findings();
        found.extend(self.chain());
        let is_of_hseos = self.journal.iter().any(|entry| entry["space"] == "hseos");
        if !is_of_hseos && self.state_md.is_empty() && self.tasks_md.is_empty() {
            return found;
        }
        found.extend(self.rows());
        found.extend(self.state_file());
        found.extend(self.tasks_file());
        found
    }

    fn findings(&self) -> Vec<String> {
        let findings = self.doctor["findings"].as_array().map_or(&[][..], Vec::as_slice);
        let mut found: Vec<_> = findings.iter().map(|finding| format!("doctor: {finding}")).collect();
        if self.doctor["ok"] != findings.is_empty() {
            found.push(format!("doctor: `ok` does not fit the findings: {}", self.doctor));
        }
        found
    }

    // A change of another space than its entry's has that space before its key.
    fn key_of(&self, entry: &Value, change: &Value) -> String {
        let (space, key) = (entry["space"].as_str().unwrap_or_default(), change["key"].as_str().unwrap_or_default());
        let is_space = |name: &str| self.journal.iter().any(|entry| entry["space"] == name);
        match key.split_once(':') {
            Some((other, key)) if is_space(other) => format!("{other} {key}"),
            _ => format!("{space} {key}"),
        }
    }

    /// Revisions rise, and each change starts from where the one before it ended.
    pub(crate) fn chain(&self) -> Vec<String> {
        let mut found = Vec::new();
        // Of a journal whose oldest entries are folded nobody sees where a record began.
        let is_folded = self.journal.last().is_some_and(|entry| entry["revision"] != 1);
        let mut last_revision = 0;
        let mut records: BTreeMap<String, &Value> = BTreeMap::new();
        for entry in self.journal.iter().rev() {
            let revision = entry["revision"].as_u64().unwrap_or(0);
            if revision <= last_revision {
                found.push(format!("journal: revision {revision} follows {last_revision}"));
            }
            last_revision = revision;
            for change in entry["changes"].as_array().into_iter().flatten() {
                let key = self.key_of(entry, change);
                let before = records.insert(key.clone(), &change["after"]);
                let begins_anywhere = is_folded && before.is_none();
                if !begins_anywhere && change["before"] != *before.unwrap_or(&Value::Null) {
                    found.push(format!("journal: {key} in revision {revision} starts from {}", change["before"]));
                }
            }
        }
        found
    }

    fn rows(&self) -> Vec<String> {
        let mut state: Vec<_> = self.state["state"].as_object().into_iter().flatten().collect();
        state.sort_by_key(|(key, _)| key.as_str());
        let state: Vec<_> = state.into_iter().map(|(key, value)| vec![json!(key), value.clone()]).collect();
        let mut tasks: Vec<_> = self.tasks.iter().map(task_row).collect();
        tasks.sort_by(|a, b| a[0].as_str().cmp(&b[0].as_str()));
        let columns = ["id", "key", "old_value", "new_value", "changed_by"];
        let history = self.history.iter().map(|row| columns.map(|column| row[column].clone()).to_vec());
        let pairs = [
            ("state", state, &self.tables.state),
            ("tasks", tasks, &self.tables.tasks),
            ("state_history", history.collect(), &self.tables.history),
        ];
        let differing = pairs.into_iter().filter(|(_, reply, table)| reply != *table);
        differing
            .map(|(name, reply, table)| format!("table {name} holds {}, the reply {}", json!(table), json!(reply)))
            .collect()
    }

    fn state_file(&self) -> Vec<String> {
        let shown = |value: Option<&str>| value.filter(|value| !value.is_empty()).unwrap_or("—").replace('\n', "<br>");
        let mut wanted: Vec<_> =
            PLAIN_FIELDS.iter().map(|key| format!("- **{key}:** {}\n", shown(self.field(key)))).collect();
        for feature in self.state["features"].as_array().into_iter().flatten() {
            let cells =
                ["id", "name", "status", "branch"].map(|part| shown(feature[part].as_str()).replace('|', "\\|"));
            wanted.push(format!("| {} |\n", cells.join(" | ")));
        }
        wanted.push(format!("\n## Notes\n\n{}\n", shown(self.field("notes"))));
        let lacking = wanted.iter().filter(|line| !self.state_md.contains(line.as_str()));
        lacking.map(|line| format!("STATE.md lacks {line:?}; it holds {:?}", self.state_md)).collect()
    }

    fn tasks_file(&self) -> Vec<String> {
        let lines: Vec<_> = self.tasks_md.lines().filter(|line| line.starts_with("- [")).collect();
        let mut found = Vec::new();
        if lines.len() != self.tasks.len() {
            found.push(format!("TASKS.md has {} lines for {} tasks", lines.len(), self.tasks.len()));
        }
        for task in &self.tasks {
            let text = |part: &str| task[part].as_str().unwrap_or_default();
            let mark = match text("status") {
                "pending" => ' ',
                "done" => 'x',
                _ => '~',
            };
            let start = format!("- [{mark}] {} — [{}] {}", text("id"), text("owner"), text("description"));
            if lines.iter().filter(|line| line.starts_with(&start)).count() != 1 {
                found.push(format!("TASKS.md should have one line {start:?}; it holds {:?}", self.tasks_md));
            }
        }
        found
    }
}

impl Tables {
    fn read(project: &Project<'_>) -> Result<Self, String> {
        let file = project.root().join(TABLES);
        let there = "select count(*) from sqlite_master where name in ('state', 'tasks', 'state_history')";
        // A file without any of them is one that a first write had just begun.
        if !file.exists() || sql::query(&file, there)? == [[json!(0)]] {
            return Ok(Self::default());
        }
        Ok(Self {
            state: sql::query(&file, "select key, value from state order by key")?,
            tasks: sql::query(&file, "select id, owner, description, status, depends_on, note from tasks order by id")?,
            history: sql::query(
                &file,
                "select id, key, old_value, new_value, changed_by from state_history order by id desc limit 1000",
            )?,
        })
    }
}

fn task_row(task: &Value) -> Vec<Value> {
    let depends = match task["depends_on"].as_array() {
        Some(ids) if !ids.is_empty() => Value::from(task["depends_on"].to_string()),
        _ => Value::Null,
    };
    let part = |name: &str| task[name].clone();
    vec![part("id"), part("owner"), part("description"), part("status"), depends, part("note")]
}

fn list(mut reply: Value, member: &str) -> Result<Vec<Value>, String> {
    match reply[member].take() {
        Value::Array(list) => Ok(list),
        _ => Err(format!("the reply has no list `{member}`: {reply}")),
    }
}

/// What `doctor` says; findings are no failure here, an answer that cannot be read is.
fn doctor(project: &Project<'_>) -> Result<Value, String> {
    let finished = project.run(&["--json", "doctor"])?;
    serde_json::from_str(&finished.stdout)
        .map_err(|error| format!("doctor answered no JSON ({error}): {}{}", finished.stdout, finished.stderr))
}
