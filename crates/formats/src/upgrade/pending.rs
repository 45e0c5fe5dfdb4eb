//! What waits for somebody's word, and what one request found changed outside.

use model::{Object, Value};

use super::records::{members, object, text, texts};
use super::status::{Status, from_word, word};

/// What waits for somebody's word.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Pending {
    /// Marks that someone set by hand: the task, and what the mark says.
    pub(super) status_edits: Vec<(String, Status)>,
    pub(super) removals: Vec<Removal>,
    /// Rows that the plan did not know when the scenario was first read.
    pub(super) unplanned: Vec<Unplanned>,
    /// A file that lost most of its tasks at once, and which.
    pub(super) mass: Option<Mass>,
}

/// A task with work that someone took out of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Removal {
    pub(super) id: String,
    pub(super) from_plan: bool,
    /// Its row was edited while its section was taken out.
    pub(super) is_edited: bool,
}

/// A row that the plan does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unplanned {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) status: Status,
}

/// A file that lost most of its tasks at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mass {
    /// Its name.
    pub(super) file: String,
    /// The tasks that it lost and that stay all the same.
    pub(super) ids: Vec<String>,
}

impl Pending {
    /// The removal of a task, if one waits.
    pub(super) fn removal(&self, id: &str) -> Option<&Removal> {
        self.removals.iter().find(|removal| removal.id == id)
    }

    /// Forgets everything about a task.
    pub(super) fn forget(&mut self, id: &str) {
        self.status_edits.retain(|(other, _)| other != id);
        self.removals.retain(|removal| removal.id != id);
        self.unplanned.retain(|row| row.id != id);
        self.found_again(|other| other == id);
    }

    /// Tasks that a file had lost stand in it again, or are settled.
    pub(super) fn found_again(&mut self, is_found: impl Fn(&str) -> bool) {
        if let Some(mass) = &mut self.mass {
            mass.ids.retain(|id| !is_found(id));
        }
        self.mass = self.mass.take().filter(|mass| !mass.ids.is_empty());
    }

    pub(super) fn to_value(&self) -> Value {
        let mut object_of = Object::new();
        let mut set = |name: &str, all: Value| {
            if all.as_array().is_none_or(|all| !all.is_empty()) {
                object_of.insert(name.to_owned(), all);
            }
        };
        let edit = |(id, to): &(String, Status)| object([("id", id.as_str().into()), ("to", word(*to).into())]);
        set("statusEdits", self.status_edits.iter().map(edit).collect());
        let removal = |removal: &Removal| {
            object([
                ("id", removal.id.as_str().into()),
                ("plan", removal.from_plan.into()),
                ("edited", removal.is_edited.into()),
            ])
        };
        set("removals", self.removals.iter().map(removal).collect());
        let row = |row: &Unplanned| {
            let status = word(row.status).into();
            object([("id", row.id.as_str().into()), ("title", row.title.as_str().into()), ("status", status)])
        };
        set("unplanned", self.unplanned.iter().map(row).collect());
        if let Some(mass) = &self.mass {
            let ids = mass.ids.iter().map(String::as_str).collect();
            set("mass", object([("file", mass.file.as_str().into()), ("ids", ids)]));
        }
        Value::Object(object_of)
    }

    pub(super) fn from_value(value: &Value) -> Self {
        let all = |name: &str| value.get(name).and_then(Value::as_array).into_iter().flatten();
        let flag = |value: &Value, name: &str| value.get(name).and_then(Value::as_bool).unwrap_or_default();
        let status = |value: &Value, name: &str| from_word(&text(value, name)).unwrap_or_default();
        Self {
            status_edits: all("statusEdits").map(|edit| (text(edit, "id"), status(edit, "to"))).collect(),
            removals: all("removals")
                .map(|one| Removal {
                    id: text(one, "id"),
                    from_plan: flag(one, "plan"),
                    is_edited: flag(one, "edited"),
                })
                .collect(),
            unplanned: all("unplanned")
                .map(|row| Unplanned { id: text(row, "id"), title: text(row, "title"), status: status(row, "status") })
                .collect(),
            mass: value
                .get("mass")
                .map(|mass| Mass { file: text(mass, "file"), ids: texts(mass, "ids").unwrap_or_default() }),
        }
    }
}

/// What one request found changed outside; it is settled by the request that stores it.
#[allow(clippy::struct_excessive_bools, reason = "each is a member of the reply")]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Drift {
    pub(super) plan_changed: bool,
    pub(super) tasks_changed: bool,
    pub(super) instructions_changed: bool,
    pub(super) is_damaged: bool,
    pub(super) added: Vec<String>,
    pub(super) removed: Vec<String>,
    /// What stood beneath the removed and went with them.
    pub(super) beneath: Vec<String>,
    /// The file whose order changed.
    pub(super) reordered: Option<String>,
    pub(super) titles: Vec<TitleChange>,
    pub(super) conflicts: Vec<Clash>,
}

/// A title that someone changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TitleChange {
    pub(super) id: String,
    pub(super) from: String,
    pub(super) to: String,
    /// The file.
    pub(super) source: String,
}

/// Two files that say different things.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Clash {
    /// Both changed a title; the plan's counts.
    Title { id: String, plan: String, tasks: String },
    /// The plan's section was edited and the row removed; the task stays.
    EditedVsRemoved { id: String },
}

impl TitleChange {
    /// **Shape**: `{"id","from","to","source"}`.
    pub(super) fn to_value(&self) -> Value {
        object([
            ("id", self.id.as_str().into()),
            ("from", self.from.as_str().into()),
            ("to", self.to.as_str().into()),
            ("source", self.source.as_str().into()),
        ])
    }
}

impl Clash {
    /// **Shape**: `{"id","kind",…}`.
    pub(super) fn to_value(&self) -> Value {
        match self {
            Self::Title { id, plan, tasks } => object([
                ("id", id.as_str().into()),
                ("kind", "title".into()),
                ("plan", plan.as_str().into()),
                ("tasks", tasks.as_str().into()),
            ]),
            Self::EditedVsRemoved { id } => object([("id", id.as_str().into()), ("kind", "edited_vs_removed".into())]),
        }
    }

    fn from_value(value: &Value) -> Self {
        let id = text(value, "id");
        if text(value, "kind") == "title" {
            Self::Title { id, plan: text(value, "plan"), tasks: text(value, "tasks") }
        } else {
            Self::EditedVsRemoved { id }
        }
    }
}

impl Drift {
    pub(super) fn to_value(&self) -> Value {
        let list = |all: &[String]| all.iter().map(String::as_str).collect::<Value>();
        Value::Object(members([
            ("planChanged", self.plan_changed.into()),
            ("tasksChanged", self.tasks_changed.into()),
            ("instructionsChanged", self.instructions_changed.into()),
            ("damaged", self.is_damaged.into()),
            ("added", list(&self.added)),
            ("removed", list(&self.removed)),
            ("beneath", list(&self.beneath)),
            ("reordered", self.reordered.as_deref().map_or(Value::Null, Value::from)),
            ("titleChanges", self.titles.iter().map(TitleChange::to_value).collect()),
            ("conflicts", self.conflicts.iter().map(Clash::to_value).collect()),
        ]))
    }

    pub(super) fn from_value(value: &Value) -> Self {
        let flag = |name: &str| value.get(name).and_then(Value::as_bool).unwrap_or_default();
        let all = |name: &str| value.get(name).and_then(Value::as_array).into_iter().flatten();
        let title = |one: &Value| TitleChange {
            id: text(one, "id"),
            from: text(one, "from"),
            to: text(one, "to"),
            source: text(one, "source"),
        };
        Self {
            plan_changed: flag("planChanged"),
            tasks_changed: flag("tasksChanged"),
            instructions_changed: flag("instructionsChanged"),
            is_damaged: flag("damaged"),
            added: texts(value, "added").unwrap_or_default(),
            removed: texts(value, "removed").unwrap_or_default(),
            beneath: texts(value, "beneath").unwrap_or_default(),
            reordered: value.get("reordered").and_then(Value::as_str).map(str::to_owned),
            titles: all("titleChanges").map(title).collect(),
            conflicts: all("conflicts").map(Clash::from_value).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_read_back() {
        let pending = Pending {
            status_edits: vec![("01-a".into(), Status::Skipped)],
            removals: vec![Removal { id: "02-b".into(), from_plan: true, is_edited: true }],
            unplanned: vec![Unplanned { id: "03-c".into(), title: "C".into(), status: Status::Completed }],
            mass: Some(Mass { file: "plan.md".into(), ids: vec!["04-d".into()] }),
        };
        assert_eq!(Pending::from_value(&pending.to_value()), pending);
        assert_eq!(Pending::default().to_value().to_string(), "{}");
        let drift = Drift {
            plan_changed: true,
            added: vec!["01-a".into()],
            reordered: Some("tasks.md".into()),
            titles: vec![TitleChange { id: "a".into(), from: "b".into(), to: "c".into(), source: "d".into() }],
            conflicts: vec![
                Clash::Title { id: "a".into(), plan: "b".into(), tasks: "c".into() },
                Clash::EditedVsRemoved { id: "a".into() },
            ],
            ..Drift::default()
        };
        assert_eq!(Drift::from_value(&drift.to_value()), drift);
    }
}
