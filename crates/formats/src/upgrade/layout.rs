//! What tasks.md holds beside the tasks: its title and the sections that are kept word for word.

use std::collections::HashMap;

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
    ///
    /// What stands in it as in `base`, the file as it was last seen, is no edit: where the two differ
    /// from us, a commit was not published yet.
    pub(super) fn take(&mut self, read: &TasksText<'_>, base: Option<&TasksText<'_>>, file: &str, is_damaged: bool) {
        self.dress = Dress::of(file);
        let is_kept = |is_gone: bool, is_as_before: bool| is_damaged && is_gone || is_as_before;
        if !is_kept(read.title.is_none(), base.is_some_and(|base| base.title == read.title)) {
            self.title = read.title.map(str::to_owned);
        }
        self.started = read.started.map(str::to_owned);
        if !is_kept(read.overview.is_none(), base.is_some_and(|base| base.overview == read.overview)) {
            self.overview.clone_from(&read.overview);
        }
        if !is_kept(read.activity.is_none(), base.is_some_and(|base| base.activity == read.activity)) {
            let before = base.and_then(|base| base.activity.as_deref()).unwrap_or_default();
            self.activity = continued(read.activity.as_deref().unwrap_or_default(), before, &self.activity);
        }
        if !is_kept(read.others.is_empty(), base.is_some_and(|base| base.others == read.others)) {
            let were = base.map(|base| base.others.as_slice()).unwrap_or_default();
            let stands = |parts: &[Part], part: &Part| parts.iter().any(|other| other.heading == part.heading);
            let ours = std::mem::take(&mut self.others).into_iter();
            let ours = ours.filter(|part| base.is_some() && !stands(were, part) && !stands(&read.others, part));
            self.others = read.others.iter().cloned().chain(ours).collect();
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

// The lines that someone left of a section, with those behind them that we added since `before`.
fn continued(theirs: &str, before: &str, ours: &str) -> String {
    let mut known: HashMap<&str, usize> = HashMap::new();
    for line in before.lines() {
        *known.entry(line).or_default() += 1;
    }
    let mut text = theirs.to_owned();
    for line in ours.lines() {
        if let Some(count) = known.get_mut(line).filter(|count| **count > 0) {
            *count -= 1;
            continue;
        }
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(line);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(activity: &str, rest: &str) -> String {
        format!("# Migration Progress\n\n## Task Hierarchy\n\n## Recent Activity\n{activity}\n{rest}")
    }

    fn taken(ours: &str, base: Option<&str>, theirs: &str) -> Layout {
        let mut layout = Layout::default();
        layout.take(&TasksText::read(ours), None, ours, false);
        layout.take(&TasksText::read(theirs), base.map(TasksText::read).as_ref(), theirs, false);
        layout
    }

    #[test]
    fn what_was_not_published_outlives_an_edit() {
        let base = file("- one", "## Notes\nx\n");
        let ours = file("- one\n- one\n- two", "## Notes\nx\n\n## Ours\ny\n");
        let layout = taken(&ours, Some(&base), &file("- one", "## Notes\nby hand\n"));
        assert_eq!(layout.activity, "- one\n- one\n- two");
        let parts: Vec<_> = layout.others.iter().map(|part| (part.heading.as_str(), part.body.as_str())).collect();
        assert_eq!(parts, [("Notes", "by hand"), ("Ours", "y")]);
        let layout = taken(&ours, Some(&base), &file("- other", "## Notes\nx\n"));
        assert_eq!(layout.activity, "- other\n- one\n- two");
        // Without a base, or once everything was published, the file is believed.
        assert_eq!(taken(&ours, Some(&ours), &file("- one", "")).activity, "- one");
        assert_eq!(taken(&ours, Some(&ours), &file("- one", "")).others, []);
    }
}
