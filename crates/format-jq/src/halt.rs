//! Why a program stops before its end.

use crate::limits::{MEMORY, STEPS};
use crate::program::{LENGTH, OUTPUT};
use crate::value::Value;

/// What ends a part of a run early.
#[derive(Clone, Debug)]
pub(crate) enum Halt {
    /// An error that the program may catch.
    Error(Value),
    /// A jump to the label of this number.
    Break(u64),
    /// A limit, which the program may not catch.
    Limit(Limit),
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
        Self::Limit(Limit::Depth)
    }
}

/// What a program may have or take only so much of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Work, counted in steps, so that it is the same on every machine.
    Steps,
    /// Time by the caller's clock.
    Time,
    /// What its values hold at a time, and what one of them would hold with nothing shared in it.
    Memory,
    /// Nesting: of its text, of a value, of calls.
    Depth,
    /// Its text.
    Length,
    /// What it puts out.
    Output,
}

impl Limit {
    /// One word for it; steps stand for the time that they take.
    pub fn name(self) -> &'static str {
        match self {
            Self::Steps | Self::Time => "time",
            Self::Memory => "memory",
            Self::Depth => "depth",
            Self::Length => "length",
            Self::Output => "output",
        }
    }
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Steps => write!(f, "the program takes more than {STEPS} steps"),
            Self::Time => f.write_str("the program takes longer than it may"),
            Self::Memory => write!(f, "the values of the program hold more than {} MiB", MEMORY >> 20),
            Self::Depth => f.write_str("the program, a call in it or a value is nested too deeply"),
            Self::Length => write!(f, "the program is longer than {LENGTH} bytes, or as long by keys within keys"),
            Self::Output => write!(f, "the program puts out more than {} MiB", OUTPUT >> 20),
        }
    }
}

/// Why a program gives no outputs, or no more of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The text is no program, or asks for something that is not there.
    Compile(String),
    /// The program raised an error.
    Raised(String),
    /// There was too much of something.
    Limit(Limit),
}

impl Failure {
    /// Whether more effort might have helped.
    pub fn is_for_want_of_effort(&self) -> bool {
        matches!(self, Self::Limit(Limit::Steps | Limit::Time | Limit::Memory))
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Compile(message) | Self::Raised(message) => f.write_str(message),
            Self::Limit(limit) => limit.fmt(f),
        }
    }
}

impl std::error::Error for Failure {}
