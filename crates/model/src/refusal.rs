//! Refusals: coded errors that say what was wrong, what is allowed and what mends it.

use std::borrow::Cow;
use std::fmt;

use crate::{Object, Value};

/// How grave a refusal is; each front maps it to its own codes in one table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalClass {
    /// The call was understood and is not allowed now.
    Refused,
    /// The call or the configuration is not well formed.
    Usage,
    /// A lock, a store or a server is busy or cannot be used.
    Unavailable,
    /// Stored state cannot be read.
    Corrupt,
}

/// A call that changed nothing, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// How grave it is.
    pub class: RefusalClass,
    /// A stable `snake_case` word.
    pub code: Cow<'static, str>,
    /// One sentence for people.
    pub message: String,
    /// The argument or setting at fault.
    pub field: Option<String>,
    /// What would have been accepted.
    pub allowed: Option<Value>,
    /// The command or act that mends it.
    pub hint: Option<String>,
    /// Further members of the error object.
    pub details: Object,
    /// Members that stand beside the error object.
    pub beside: Object,
}

impl Refusal {
    /// A refusal of any class.
    pub fn new(class: RefusalClass, code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self {
            class,
            code: code.into(),
            message: message.into(),
            field: None,
            allowed: None,
            hint: None,
            details: Object::new(),
            beside: Object::new(),
        }
    }

    /// The call is understood and not allowed now.
    pub fn refused(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self::new(RefusalClass::Refused, code, message)
    }

    /// `invalid_argument`, with the field at fault.
    pub fn invalid(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(RefusalClass::Usage, "invalid_argument", message).field(field)
    }

    /// `config_invalid`.
    pub fn config(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(RefusalClass::Usage, "config_invalid", message).field(field)
    }

    /// Names the argument at fault.
    #[must_use]
    pub fn field(mut self, field: impl Into<String>) -> Self {
        self.field = Some(field.into());
        self
    }

    /// Says what would have been accepted.
    #[must_use]
    pub fn allowed(mut self, allowed: impl Into<Value>) -> Self {
        self.allowed = Some(allowed.into());
        self
    }

    /// Says what mends it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds a member to the error object.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.details.insert(name.to_owned(), value.into());
        self
    }

    /// Adds a member beside the error object, as `"updated":false`.
    #[must_use]
    pub fn beside(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.beside.insert(name.to_owned(), value.into());
        self
    }

    /// What every front shows as JSON.
    ///
    /// **Shape**: `{…,"error":{…}}`.
    pub fn to_answer(&self) -> Object {
        let mut object = self.beside.clone();
        object.insert("error".into(), Value::Object(self.to_object()));
        object
    }

    /// The error object.
    ///
    /// **Shape**: `{"code","message","field"?,"allowed"?,"hint"?,…}`.
    pub fn to_object(&self) -> Object {
        let mut object = Object::new();
        object.insert("code".into(), self.code.as_ref().into());
        object.insert("message".into(), self.message.as_str().into());
        if let Some(field) = &self.field {
            object.insert("field".into(), field.as_str().into());
        }
        if let Some(allowed) = &self.allowed {
            object.insert("allowed".into(), allowed.clone());
        }
        if let Some(hint) = &self.hint {
            object.insert("hint".into(), hint.as_str().into());
        }
        object.extend(self.details.clone());
        object
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl std::error::Error for Refusal {}
