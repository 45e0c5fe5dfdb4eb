//! Replies, warnings, and the outcome of thinking about a call.

use std::borrow::Cow;

use crate::{Change, ExtraFile, FolderMove, Object, ProjectPath, Value};

/// Something the caller should know although the call went through.
#[derive(Clone, Debug, PartialEq)]
pub struct Warning {
    /// A stable `snake_case` word.
    pub code: Cow<'static, str>,
    /// One sentence for people.
    pub message: String,
    /// Further members.
    pub details: Object,
}

impl Warning {
    /// Puts a warning together.
    pub fn new(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into(), details: Object::new() }
    }

    /// Adds a member.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.details.insert(name.to_owned(), value.into());
        self
    }

    /// **Shape**: `{"code","message",…}`.
    pub fn to_object(&self) -> Object {
        let mut object = Object::new();
        object.insert("code".into(), self.code.as_ref().into());
        object.insert("message".into(), self.message.as_str().into());
        object.extend(self.details.clone());
        object
    }
}

/// What a call answers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reply {
    /// The result, without its warnings.
    pub body: Object,
    /// What else the caller should know: from taking in first, then from the call.
    pub warnings: Vec<Warning>,
    /// Whether the body is shown by itself: warnings then reach people alone.
    pub is_bare: bool,
}

impl Reply {
    /// Puts a reply together.
    pub fn new(body: Object, warnings: Vec<Warning>) -> Self {
        Self { body, warnings, is_bare: false }
    }

    /// The body and nothing beside it.
    #[must_use]
    pub fn bare(self) -> Self {
        Self { is_bare: true, ..self }
    }

    /// The result as every front shows it, `warnings` last unless the reply is bare.
    pub fn to_object(&self) -> Object {
        self.clone().into_object()
    }

    /// The same of a reply that nobody needs any more: a body may be large.
    #[must_use]
    pub fn into_object(self) -> Object {
        let mut object = self.body;
        if !self.is_bare {
            let warnings = self.warnings.iter().map(|warning| Value::Object(warning.to_object())).collect();
            object.insert("warnings".into(), Value::Array(warnings));
        }
        object
    }
}

/// A file that is written again as the records say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewrite {
    /// The file.
    pub path: ProjectPath,
    /// Whether the bytes that stand there are kept beside as a conflict copy first.
    pub keeps_old: bool,
}

/// What a format decided about a call. Nothing has happened yet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// The records to change; empty when the call only reads or changes nothing.
    pub changes: Vec<Change>,
    /// Folders to move.
    pub moves: Vec<FolderMove>,
    /// Files without a record.
    pub files: Vec<ExtraFile>,
    /// Files that are written again as the records say, although nothing of theirs may have changed.
    pub rewrites: Vec<Rewrite>,
    /// A touch that `undo` and the default history skip.
    pub minor: bool,
    /// The answer.
    pub reply: Reply,
}
