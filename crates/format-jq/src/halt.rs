//! Why a program stops before its end.

use crate::value::Value;

/// What ends a part of a run early.
#[derive(Clone, Debug)]
pub(crate) enum Halt {
    /// An error that the program may catch.
    Error(Value),
    /// A jump to the label of this number.
    Break(u64),
    /// A limit, which the program may not catch.
    Limit(&'static str),
    /// Whoever receives the outputs wants no more.
    Stop,
}

/// The answer of whatever can fail while a program runs.
pub(crate) type Caught<T> = Result<T, Halt>;

impl Halt {
    pub(crate) fn error(message: impl Into<String>) -> Self {
        Self::Error(Value::text(message))
    }

    pub(crate) fn too_deep() -> Self {
        Self::Limit("depth")
    }
}

/// Why a program gives no outputs, or no more of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The text is no program, or asks for something that is not there.
    Compile(String),
    /// The program raised an error.
    Raised(String),
    /// Work, memory or depth reached its limit.
    Limit(&'static str),
}

impl Failure {
    /// Whether more effort might have helped.
    pub fn is_for_want_of_effort(&self) -> bool {
        matches!(self, Self::Limit("time" | "memory"))
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Compile(message) | Self::Raised(message) => f.write_str(message),
            Self::Limit(what) => write!(f, "the program reached the limit of {what}"),
        }
    }
}

impl std::error::Error for Failure {}
