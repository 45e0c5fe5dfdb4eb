//! What formats tell the generic commands: work items and doctor's findings.

use crate::{Object, Value};

/// How a piece of work stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkState {
    /// It may be started now.
    Ready,
    /// Someone is on it.
    InProgress,
    /// Something stands in its way.
    Blocked,
    /// It is finished.
    Done,
}

/// One piece of work of any format, in the shape that `status` and `next` show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkItem {
    /// Its id within the format.
    pub id: String,
    /// One line.
    pub title: String,
    /// How it stands.
    pub state: WorkState,
    /// Who holds it.
    pub owner: Option<String>,
    /// The ids that stand in its way, or a reason.
    pub blocked_by: Vec<String>,
}

/// How grave a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// Worth knowing.
    Warning,
    /// Something is wrong.
    Error,
}

/// Something that `doctor` found.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// A stable `snake_case` word.
    pub code: String,
    /// How grave it is.
    pub severity: Severity,
    /// The file, record or lock it is about.
    pub place: String,
    /// One sentence for people.
    pub message: String,
    /// The command or act that mends it.
    pub fix: Option<String>,
    /// Further members.
    pub details: Object,
}

impl Finding {
    /// **Shape**: `{"code","where","severity","message","fix","fixed",…}`.
    pub fn to_object(&self, fixed: bool) -> Object {
        let mut object = Object::new();
        object.insert("code".into(), self.code.as_str().into());
        object.insert("where".into(), self.place.as_str().into());
        let severity = match self.severity {
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        object.insert("severity".into(), severity.into());
        object.insert("message".into(), self.message.as_str().into());
        object.insert("fix".into(), self.fix.clone().map_or(Value::Null, Value::String));
        object.insert("fixed".into(), fixed.into());
        object.extend(self.details.clone());
        object
    }
}
