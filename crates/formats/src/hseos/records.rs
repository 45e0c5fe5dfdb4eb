//! The records of the space: their keys, their values, and both ways between value and type.

use format::{Draft, Records, read_all};
use model::{Object, RecordId, RecordKey, Scan, Space, Value};
use serde::Deserialize;

/// The one space of the format.
pub(super) const SPACE: Space = Space::known("hseos");

/// The kinds of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A named text field; its id is the key.
    State,
    /// A task.
    Task,
    /// A change of a field; its id is a number.
    History,
    /// The number of a field's newest history row; its id is the key.
    Latest,
    /// A number above which the next history row stands; its only id is `history`.
    Counter,
    /// An outside row that we cannot read; its id is `TABLE/KEY`.
    Invalid,
    /// The present key of such a row whose record shows it under its former one; its id is `TABLE/KEY`.
    Renamed,
}

impl Kind {
    /// The word under which stores know it.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::State => "state",
            Self::Task => "task",
            Self::History => "history",
            Self::Latest => "latest",
            Self::Counter => "counter",
            Self::Invalid => "invalid",
            Self::Renamed => "renamed",
        }
    }

    /// The key of one record.
    pub(super) fn key(self, id: impl Into<RecordId>) -> RecordKey {
        RecordKey::new(SPACE, self.word(), id)
    }

    /// Every record of the kind.
    pub(super) fn all(self, records: &dyn Records) -> Vec<(RecordId, Value)> {
        records.scan(&SPACE, self.word(), &Scan::all())
    }
}

/// A field of the state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) value: String,
    /// As stored; any text may stand in an older database.
    pub(super) updated_at: String,
}

impl Field {
    pub(super) fn get(records: &dyn Records, key: &str) -> Option<Self> {
        records.get(&Kind::State.key(key)).map(|value| Self::from_value(&value))
    }

    pub(super) fn from_value(value: &Value) -> Self {
        Self { value: text(value, "value"), updated_at: text(value, "updated_at") }
    }

    pub(super) fn put(&self, draft: &mut Draft<'_>, key: &str) {
        let value = object([("value", self.value.as_str().into()), ("updated_at", self.updated_at.as_str().into())]);
        draft.put(Kind::State.key(key), value);
    }
}

/// How a task stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Status {
    // In the order of the words' bytes.
    Blocked,
    Done,
    InProgress,
    #[default]
    Pending,
}

impl Status {
    pub(super) const WORDS: &'static [&'static str] = &["pending", "in_progress", "done", "blocked"];

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Blocked => "blocked",
            Self::Done => "done",
            Self::InProgress => "in_progress",
            Self::Pending => "pending",
        }
    }

    pub(super) fn from_word(word: &str) -> Option<Self> {
        [Self::Blocked, Self::Done, Self::InProgress, Self::Pending].into_iter().find(|status| status.word() == word)
    }
}

/// A task of the backlog.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(super) struct Task {
    pub(super) owner: String,
    pub(super) description: String,
    pub(super) status: Status,
    pub(super) depends_on: Vec<String>,
    /// Never empty text.
    #[serde(deserialize_with = "said")]
    pub(super) note: Option<String>,
    pub(super) created_at: String,
    pub(super) updated_at: String,
    /// Finished and gone from TASKS.md.
    pub(super) pruned: bool,
}

impl Task {
    pub(super) fn get(records: &dyn Records, id: &str) -> Option<Self> {
        records.get(&Kind::Task.key(id)).map(|value| Self::from_value(&value))
    }

    /// Every task with its id, in the order of the store.
    pub(super) fn all(records: &dyn Records) -> Vec<(String, Self)> {
        let tasks = read_all(records, &SPACE, Kind::Task.word(), Self::from_value).into_iter();
        tasks.map(|(id, task)| (id.into(), task)).collect()
    }

    pub(super) fn from_value(value: &Value) -> Self {
        let depends = value.get("depends_on").and_then(Value::as_array);
        let ids = depends.map(|ids| ids.iter().filter_map(Value::as_str).map(str::to_owned).collect());
        Self {
            owner: text(value, "owner"),
            description: text(value, "description"),
            status: value.get("status").and_then(Value::as_str).and_then(Status::from_word).unwrap_or(Status::Pending),
            depends_on: ids.unwrap_or_default(),
            note: value.get("note").and_then(Value::as_str).filter(|note| !note.is_empty()).map(str::to_owned),
            created_at: text(value, "created_at"),
            updated_at: text(value, "updated_at"),
            pruned: value.get("pruned").and_then(Value::as_bool).unwrap_or_default(),
        }
    }

    pub(super) fn to_value(&self) -> Value {
        let mut value = object([
            ("owner", self.owner.as_str().into()),
            ("description", self.description.as_str().into()),
            ("status", self.status.word().into()),
            ("depends_on", self.depends_on.iter().map(String::as_str).collect()),
            ("note", self.note.clone().map_or(Value::Null, Value::String)),
            ("created_at", self.created_at.as_str().into()),
            ("updated_at", self.updated_at.as_str().into()),
        ]);
        if self.pruned {
            value["pruned"] = true.into();
        }
        value
    }

    pub(super) fn put(&self, draft: &mut Draft<'_>, id: &str) {
        draft.put(Kind::Task.key(id), self.to_value());
    }

    pub(super) fn is_done(&self) -> bool {
        self.status == Status::Done
    }

    /// Gives it a status; reopening brings it back into TASKS.md.
    pub(super) fn set_status(&mut self, status: Status) {
        self.status = status;
        self.pruned &= status == Status::Done;
    }
}

/// One change of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HistoryRow {
    pub(super) key: String,
    /// `None` only where the key did not exist.
    pub(super) old_value: Option<String>,
    pub(super) new_value: String,
    pub(super) changed_by: String,
    pub(super) changed_at: String,
}

impl HistoryRow {
    pub(super) fn from_value(value: &Value) -> Self {
        Self {
            key: text(value, "key"),
            old_value: value.get("old_value").and_then(Value::as_str).map(str::to_owned),
            new_value: text(value, "new_value"),
            changed_by: text(value, "changed_by"),
            changed_at: text(value, "changed_at"),
        }
    }

    pub(super) fn to_value(&self) -> Value {
        object([
            ("key", self.key.as_str().into()),
            ("old_value", self.old_value.clone().map_or(Value::Null, Value::String)),
            ("new_value", self.new_value.as_str().into()),
            ("changed_by", self.changed_by.as_str().into()),
            ("changed_at", self.changed_at.as_str().into()),
        ])
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

// Empty text is no note.
fn said<'de, D: serde::Deserializer<'de>>(source: D) -> Result<Option<String>, D::Error> {
    Option::<String>::deserialize(source).map(|note| note.filter(|note| !note.is_empty()))
}

fn text(value: &Value, name: &str) -> String {
    value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::{Status, Task};

    #[test]
    fn the_type_reads_what_its_value_says() {
        let whole = Task {
            owner: "GHOST".into(),
            description: "say \"é\"\n".into(),
            status: Status::InProgress,
            depends_on: vec!["T1".into()],
            note: Some("n".into()),
            created_at: "2026-01-02 03:04:05".into(),
            updated_at: "never".into(),
            pruned: true,
        };
        let plain = Task { status: Status::Done, note: None, pruned: false, ..whole.clone() };
        for task in [&whole, &plain] {
            assert_eq!(serde_json::from_str::<Task>(&task.to_value().to_string()).ok().as_ref(), Some(task));
        }
        for text in ["{}", r#"{"note":"","status":"blocked","other":[1]}"#, r#"{"note":null,"depends_on":[]}"#] {
            let value = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::from_str::<Task>(text).unwrap(), Task::from_value(&value), "{text}");
        }
        for text in [r#"{"owner":7}"#, r#"{"status":"lost"}"#, r#"{"depends_on":["a",1]}"#, r#"{"pruned":null}"#] {
            assert!(serde_json::from_str::<Task>(text).is_err(), "only the lenient reading takes {text}");
        }
    }
}
