//! The records of a scenario: their kinds, and both ways between value and type.

use format::Records;
use model::{Object, RecordId, RecordKey, Scan, Space, Value};

use super::plan::Breakdown;
use super::status::{Status, from_word, word};

/// The kinds of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// When the scenario began and last moved; its only id is `scenario`. It comes with adoption.
    Scenario,
    /// A task; its id is the task's.
    Task,
    /// What an image file says beside the tasks; its id is the file's name in the scenario's folder.
    Image,
    /// The text of a task.md; its id is the task's.
    TaskMd,
    /// The ids of the tasks whose task.md is looked at; its only id is `task_md`.
    Watched,
    /// What waits for somebody's word; its only id is `pending`. Where it stands, the scenario is known.
    Pending,
    /// What one request found changed outside; it is never stored. Its only id is `drift`.
    Drift,
    /// A folder that was moved, to the trash or to another id.
    Archive,
}

impl Kind {
    /// The word under which stores know it.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Scenario => "scenario",
            Self::Task => "task",
            Self::Image => "image",
            Self::TaskMd => "task_md",
            Self::Watched => "watched",
            Self::Pending => "pending",
            Self::Drift => "drift",
            Self::Archive => "archive",
        }
    }

    /// The key of one record.
    pub(super) fn key(self, space: &Space, id: impl Into<RecordId>) -> RecordKey {
        RecordKey::new(space.clone(), self.word(), id)
    }

    /// The key of the only record of its kind.
    pub(super) fn only(self, space: &Space) -> RecordKey {
        let id = if self == Self::Watched { Self::TaskMd.word() } else { self.word() };
        self.key(space, id)
    }

    /// Every record of the kind.
    pub(super) fn all(self, space: &Space, records: &dyn Records) -> Vec<(RecordId, Value)> {
        records.scan(space, self.word(), &Scan::all())
    }
}

/// When a scenario began and last moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Scenario {
    /// RFC 3339, as scenario.json has it.
    pub(super) start_time: String,
    /// RFC 3339 in UTC with milliseconds.
    pub(super) updated_at: String,
    /// Names of the files that did not stand when the scenario began: they go with the call that began it.
    pub(super) made: Vec<String>,
}

impl Scenario {
    pub(super) fn get(records: &dyn Records, space: &Space) -> Option<Self> {
        records.get(&Kind::Scenario.only(space)).map(|value| Self::from_value(&value))
    }

    pub(super) fn from_value(value: &Value) -> Self {
        let made = value.get("made").and_then(Value::as_array).cloned().map(all_texts).unwrap_or_default();
        Self { start_time: text(value, "startTime"), updated_at: text(value, "updatedAt"), made }
    }

    pub(super) fn to_value(&self) -> Value {
        let mut value =
            members([("startTime", self.start_time.as_str().into()), ("updatedAt", self.updated_at.as_str().into())]);
        if !self.made.is_empty() {
            value.insert("made".to_owned(), self.made.iter().map(String::as_str).collect());
        }
        Value::Object(value)
    }
}

/// Where a task comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Source {
    /// The list of the plan.
    #[default]
    Plan,
    /// A breakdown, or what was found of one.
    Breakdown,
}

/// Who works on a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Owner {
    pub(super) session: Option<String>,
    /// Milliseconds since the epoch, as both times.
    pub(super) started_at: i64,
    /// The owner's last changing call, under any task.
    pub(super) last_call: i64,
}

/// A task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Task {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) parent: Option<String>,
    /// Its place among its siblings.
    pub(super) order: usize,
    pub(super) source: Source,
    /// Its own; what a parent shows is derived.
    pub(super) status: Status,
    /// Whether it has ever been in progress, failed, completed or skipped.
    pub(super) started: bool,
    pub(super) owner: Option<Owner>,
    /// RFC 3339.
    pub(super) completed_at: Option<String>,
    pub(super) files: Vec<String>,
    pub(super) error: Option<String>,
    /// `None`: it waits for its previous sibling.
    pub(super) depends_on: Option<Vec<String>>,
    pub(super) projects: Vec<String>,
    pub(super) complexity: Option<String>,
    pub(super) breakdown: Option<Breakdown>,
    pub(super) done_when: Option<String>,
    /// A digest of the plan section's content; `None` without content.
    pub(super) body: Option<String>,
    /// Whether we made its folder without anything in it.
    pub(super) has_folder: bool,
}

impl Task {
    /// A new task that nobody has begun.
    pub(super) fn new(id: &str, title: &str, source: Source) -> Self {
        Self { id: id.to_owned(), title: title.to_owned(), source, ..Self::default() }
    }

    /// Gives it a status of its own; it has then begun unless it is pending or held.
    pub(super) fn set_status(&mut self, status: Status) {
        self.status = status;
        self.started |= !matches!(status, Status::Pending | Status::Blocked);
        if status != Status::InProgress {
            self.owner = None;
        }
        if status != Status::Completed {
            self.completed_at = None;
        }
        if status != Status::Failed {
            self.error = None;
        }
    }

    pub(super) fn to_value(&self) -> Value {
        let mut object = Object::new();
        let mut set = |name: &str, value: Value| drop(object.insert(name.to_owned(), value));
        let list = |all: &[String]| all.iter().map(String::as_str).collect::<Value>();
        set("title", self.title.as_str().into());
        if let Some(parent) = &self.parent {
            set("parentId", parent.as_str().into());
        }
        set("order", self.order.into());
        if self.source == Source::Breakdown {
            set("source", "breakdown".into());
        }
        if self.status != Status::Pending {
            set("status", word(self.status).into());
        }
        if self.started {
            set("started", true.into());
        }
        if let Some(owner) = &self.owner {
            let session = owner.session.as_deref().map_or(Value::Null, Value::from);
            let times = [("startedAt", owner.started_at.into()), ("lastCall", owner.last_call.into())];
            set("owner", object_of([("session", session)].into_iter().chain(times)));
        }
        for (name, value) in [
            ("completedAt", &self.completed_at),
            ("error", &self.error),
            ("complexity", &self.complexity),
            ("doneWhen", &self.done_when),
            ("body", &self.body),
        ] {
            if let Some(value) = value {
                set(name, value.as_str().into());
            }
        }
        if let Some(ids) = &self.depends_on {
            set("dependsOn", list(ids));
        }
        for (name, all) in [("filesModified", &self.files), ("projects", &self.projects)] {
            if !all.is_empty() {
                set(name, list(all));
            }
        }
        match self.breakdown {
            Some(Breakdown::Required) => set("breakdown", "required".into()),
            Some(Breakdown::None) => set("breakdown", "none".into()),
            None => {}
        }
        if self.has_folder {
            set("folder", true.into());
        }
        Value::Object(object)
    }

    /// Reads a task's record, whose members stand in any order.
    pub(super) fn from_value(id: &str, value: Value) -> Self {
        let mut task = Self { id: id.to_owned(), ..Self::default() };
        let Value::Object(members) = value else { return task };
        for (name, value) in members {
            match (name.as_str(), value) {
                ("title", Value::String(text)) => task.title = text,
                ("parentId", Value::String(text)) => task.parent = Some(text),
                ("order", value) => task.order = value.as_u64().and_then(|n| n.try_into().ok()).unwrap_or_default(),
                ("source", Value::String(_)) => task.source = Source::Breakdown,
                ("status", Value::String(text)) => task.status = from_word(&text).unwrap_or_default(),
                ("started", value) => task.started = value == true,
                ("owner", value) => {
                    let time = |name: &str| value.get(name).and_then(Value::as_i64).unwrap_or_default();
                    let session = value.get("session").and_then(Value::as_str).map(str::to_owned);
                    task.owner = Some(Owner { session, started_at: time("startedAt"), last_call: time("lastCall") });
                }
                ("completedAt", Value::String(text)) => task.completed_at = Some(text),
                ("filesModified", Value::Array(all)) => task.files = all_texts(all),
                ("error", Value::String(text)) => task.error = Some(text),
                ("dependsOn", Value::Array(all)) => task.depends_on = Some(all_texts(all)),
                ("projects", Value::Array(all)) => task.projects = all_texts(all),
                ("complexity", Value::String(text)) => task.complexity = Some(text),
                ("breakdown", Value::String(text)) => {
                    task.breakdown = Some(if text == "required" { Breakdown::Required } else { Breakdown::None });
                }
                ("doneWhen", Value::String(text)) => task.done_when = Some(text),
                ("body", Value::String(text)) => task.body = Some(text),
                ("folder", value) => task.has_folder = value == true,
                _ => {}
            }
        }
        task
    }
}

/// The text of a task.md, and what of it is ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TaskMd {
    pub(super) text: String,
    /// The digest of what we last wrote; `None` where the file was there before us.
    pub(super) wrote: Option<String>,
    /// Whether what we wrote follows from the plan's section.
    pub(super) is_seed: bool,
    /// When we last wrote it; a time that moves makes it be written again. RFC 3339.
    pub(super) at: String,
}

impl TaskMd {
    pub(super) fn get(records: &dyn Records, space: &Space, id: &str) -> Option<Self> {
        records.get(&Kind::TaskMd.key(space, id)).map(|value| Self::from_value(&value))
    }

    pub(super) fn from_value(value: &Value) -> Self {
        Self {
            text: text(value, "text"),
            wrote: value.get("wrote").and_then(Value::as_str).map(str::to_owned),
            is_seed: value.get("seed").and_then(Value::as_bool).unwrap_or_default(),
            at: text(value, "at"),
        }
    }

    pub(super) fn to_value(&self) -> Value {
        let wrote = self.wrote.as_deref().map_or(Value::Null, Value::from);
        object([
            ("text", self.text.as_str().into()),
            ("wrote", wrote),
            ("seed", self.is_seed.into()),
            ("at", self.at.as_str().into()),
        ])
    }

    /// Whether nobody has changed it since we wrote it.
    pub(super) fn is_ours(&self) -> bool {
        self.wrote.as_deref() == Some(format::digest(self.text.as_bytes()).as_str())
    }
}

/// An object with members in the order given.
pub(super) fn members<const N: usize>(members: [(&str, Value); N]) -> Object {
    members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// The same, as a value.
pub(super) fn object<const N: usize>(all: [(&str, Value); N]) -> Value {
    Value::Object(members(all))
}

fn object_of<'a>(all: impl Iterator<Item = (&'a str, Value)>) -> Value {
    Value::Object(all.map(|(name, value)| (name.to_owned(), value)).collect())
}

/// A text member; empty where there is none.
pub(super) fn text(value: &Value, name: &str) -> String {
    value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn all_texts(values: Vec<Value>) -> Vec<String> {
    let text = |value| if let Value::String(text) = value { Some(text) } else { None };
    values.into_iter().filter_map(text).collect()
}

/// A list of texts, if there is one.
pub(super) fn texts(value: &Value, name: &str) -> Option<Vec<String>> {
    let all = value.get(name)?.as_array()?;
    Some(all.iter().filter_map(Value::as_str).map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_read_back() {
        let task = Task {
            id: "01-a".into(),
            title: "A".into(),
            parent: Some("01".into()),
            order: 3,
            source: Source::Breakdown,
            status: Status::InProgress,
            started: true,
            owner: Some(Owner { session: Some("s".into()), started_at: 1, last_call: 2 }),
            completed_at: Some("t".into()),
            files: vec!["f".into()],
            error: Some("e".into()),
            depends_on: Some(vec![]),
            projects: vec!["p".into()],
            complexity: Some("high".into()),
            breakdown: Some(Breakdown::None),
            done_when: Some("d".into()),
            body: Some("b".into()),
            has_folder: true,
        };
        assert_eq!(Task::from_value("01-a", task.to_value()), task);
        let plain = Task::new("02-b", "B", Source::Plan);
        assert_eq!(Task::from_value("02-b", plain.to_value()), plain);
    }
}
