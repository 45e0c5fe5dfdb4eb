//! What tasks.md holds beside the tasks: its title and the sections that are kept word for word.

use model::{Object, Value};

use super::dress::Dress;
use super::records::{members, text};
use super::tasks_md::TasksText;

/// A section that is kept word for word.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Part {
    /// The text of its heading.
    pub(super) heading: String,
    /// Its lines, without blank ones around them, with LF.
    pub(super) body: String,
    /// Rows were taken out of it, so that it may be dropped when nothing else is left.
    pub(super) is_spent: bool,
}

impl Part {
    /// A section without a body yet.
    pub(super) fn new(heading: &str) -> Self {
        Self { heading: heading.to_owned(), ..Self::default() }
    }

    fn to_value(&self) -> Value {
        Value::Object(members([("heading", self.heading.as_str().into()), ("body", self.body.as_str().into())]))
    }

    fn from_value(value: &Value) -> Self {
        Self { heading: text(value, "heading"), body: text(value, "body"), is_spent: false }
    }
}

/// Everything of tasks.md that no task gives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Layout {
    /// The heading of level 1, if the file has its own.
    pub(super) title: Option<String>,
    /// The date behind `**Started**:` before we wrote one.
    pub(super) started: Option<String>,
    pub(super) overview: Option<Part>,
    pub(super) activity: String,
    pub(super) others: Vec<Part>,
    dress: Dress,
}

impl Layout {
    /// Takes over what a file says; a damaged one may have lost sections that then stay as they were.
    pub(super) fn take(&mut self, read: &TasksText<'_>, file: &str, is_damaged: bool) {
        self.dress = Dress::of(file);
        if !is_damaged || read.title.is_some() {
            self.title = read.title.map(str::to_owned);
        }
        self.started = read.started.map(str::to_owned);
        if !is_damaged || read.overview.is_some() {
            self.overview.clone_from(&read.overview);
        }
        if !is_damaged || read.activity.is_some() {
            self.activity = read.activity.clone().unwrap_or_default();
        }
        if !is_damaged || !read.others.is_empty() {
            self.others.clone_from(&read.others);
        }
    }

    /// Gives a text with LF the file's own byte order mark and line ends.
    pub(super) fn dressed(&self, text: String) -> String {
        self.dress.put_on(text)
    }

    pub(super) fn to_value(&self) -> Value {
        let mut object = Object::new();
        let mut set = |name: &str, value: Value| drop(object.insert(name.to_owned(), value));
        if let Some(title) = &self.title {
            set("title", title.as_str().into());
        }
        if let Some(started) = &self.started {
            set("started", started.as_str().into());
        }
        if let Some(overview) = &self.overview {
            set("overview", overview.to_value());
        }
        set("activity", self.activity.as_str().into());
        if !self.others.is_empty() {
            set("others", self.others.iter().map(Part::to_value).collect());
        }
        self.dress.write(&mut object);
        Value::Object(object)
    }

    pub(super) fn from_value(value: &Value) -> Self {
        let others = value.get("others").and_then(Value::as_array);
        Self {
            title: value.get("title").and_then(Value::as_str).map(str::to_owned),
            started: value.get("started").and_then(Value::as_str).map(str::to_owned),
            overview: value.get("overview").map(Part::from_value),
            activity: text(value, "activity"),
            others: others.map(|parts| parts.iter().map(Part::from_value).collect()).unwrap_or_default(),
            dress: Dress::read(value),
        }
    }
}
