//! Calls: what a front hands to the engine.

use crate::{Object, Timestamp};

/// Which door a call came through; it decides the default actor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A command of a format, as `mainstay hseos state write`.
    Command,
    /// `mainstay call TOOL`.
    Tool,
    /// MCP `tools/call`.
    Mcp,
    /// A host's hook; the event's name.
    Hook(String),
}

/// A tool name with its arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The tool's name as its format lists it (underscores).
    pub tool: String,
    /// The arguments, unchecked.
    pub arguments: Object,
    /// What an event said besides when it was kept: what only that moment knew. No caller says it.
    pub noted: Object,
    /// When an event that was kept is applied, which may be long after its own time.
    pub applied: Option<Timestamp>,
}

impl Call {
    /// Puts a call together.
    pub fn new(tool: impl Into<String>, arguments: Object) -> Self {
        Self { tool: tool.into(), arguments, noted: Object::new(), applied: None }
    }
}
