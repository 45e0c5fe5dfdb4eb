//! Host events: what a format says at them, and which of its tools they call.

use model::{Context, Object, Refusal};

use crate::{Files, Probes, Speech};

/// A host's event: the name and the host's JSON in the words of one internal event.
#[derive(Clone, Debug, PartialEq)]
pub struct HookEvent {
    /// `session-start`, `pre-tool-use`, …, `statusline`, or `serve-start` and `serve-end` of our own server.
    pub name: String,
    /// What the host sent, as `fronts/hook` puts it.
    ///
    /// **Shape**: of a tool that is no shell, `tool_input` has all its files in `file_paths`, and `is_cut` where there
    /// are more, or longer ones than any system opens, and `is_sought` where the host looks for one that does not stand
    /// at its relative path anywhere beneath the root.
    pub input: Object,
}

impl HookEvent {
    /// A text member of the host's JSON; an empty one counts as absent.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.input.get(name)?.as_str().filter(|text| !text.is_empty())
    }
}

/// One host event that a format listens to.
///
/// [`Format::glance`](crate::Format::glance) is asked first, for all formats; unless one of them
/// denies, the calls follow. Where a format lists an event more than once, its calls follow each
/// other in that order.
#[derive(Debug)]
pub struct Hook {
    /// The event's name.
    pub event: &'static str,
    /// How the host is answered where no format that speaks otherwise listens.
    ///
    /// [`Speech::Text`] prints the plain line or nothing, [`Speech::Json`] the host's JSON or `{}`.
    pub speech: Speech,
    /// The call that it becomes, where files alone do not tell or something is to be written.
    pub call: Option<HookCall>,
}

/// The call that an event becomes.
#[derive(Debug)]
pub struct HookCall {
    /// The tool; usually one that is not listed.
    pub tool: &'static str,
    /// The tool's arguments; `None` where the event asks for nothing.
    pub arguments: fn(&HookEvent, &Context) -> Option<Object>,
    /// What the reply says to the host.
    pub says: fn(&Object) -> Glance,
    /// What a refusal says to the host.
    pub refused: fn(&Refusal) -> Glance,
}

/// What a format may look at in a glance: no store, no lock.
#[derive(Clone, Copy)]
pub struct Look<'a> {
    /// The project's files.
    pub files: &'a dyn Files,
    /// The rest.
    pub probes: &'a dyn Probes,
}

/// What a format shows or says at an event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Glance {
    /// Text for the host to inject.
    pub text: Option<Injected>,
    /// A message that the host shows to the person.
    pub message: Option<String>,
    /// Lines on standard error.
    pub notes: Vec<String>,
    /// Lines of the status line.
    pub lines: Vec<String>,
    /// Why the act is not allowed: up to three lines (what, rule, fix).
    pub denied: Option<Vec<String>>,
}

/// Text that a host injects into the model's context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Injected {
    /// A line that stands by itself where no other format says anything, and inside a fence otherwise.
    Plain(String),
    /// A block that brings its own fence.
    Block(String),
}

impl Glance {
    /// Adds what another look at the same event says.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.text = other.text.or(self.text);
        self.message = other.message.or(self.message);
        self.denied = other.denied.or(self.denied);
        self.notes.extend(other.notes);
        self.lines.extend(other.lines);
        self
    }
}
