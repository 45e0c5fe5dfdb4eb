//! The door of hosts: an event and its JSON come in, the host's JSON or plain lines go out.
//!
//! Nothing that comes in can break the host: what is not one JSON object is an event about nothing,
//! and only a gate's refusal ends with another exit code than 0.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod input;
mod kept;
mod spoken;
mod wires;

use engine::{Engine, Identity};
use format::{HookEvent, redaction};
use model::{Object, Origin, Refusal};

use spoken::Spoken;
use wires::{Speech, Wire};

pub use input::{Missing, read};

/// The exit code that tells the host that an act is not allowed.
const DENIED: u8 = 2;

/// The name under which formats are asked for their status lines.
const STATUSLINE: &str = "statusline";

/// The event at which a gate is asked.
const PRE_TOOL_USE: &str = "pre-tool-use";

/// Why a tool with more input than is read may not run.
const TOO_LARGE: [&str; 3] = [
    "mainstay: too_large: the tool's input is larger than 6 MiB",
    "what a tool writes is looked at before it runs",
    "take it apart into several",
];

/// What the host gets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// Standard output, its newlines included.
    pub out: String,
    /// Lines of standard error.
    pub notes: Vec<String>,
    /// The exit code.
    pub code: u8,
}

/// Answers a host's event.
///
/// `host` names it; without a name it is Claude Code.
///
/// **Shape**: one line of compact JSON in the host's words, `{}` where there is nothing to say; for Claude Code the
/// bare line, or nothing, where the only format that listens speaks plainly.
/// **Errors**: `invalid_argument` for a host that nobody knows.
pub fn answer(
    engine: &Engine,
    event: &str,
    host: Option<&str>,
    input: Result<Object, Missing>,
    identity: &Identity,
) -> Result<Said, Refusal> {
    let wire = Wire::of(host)?;
    let speech = match wire.reads_bare_lines() {
        false => Speech::Json,
        true if engine.speaks_plainly(event) => Speech::Plain,
        true => Speech::Mixed,
    };
    let mut spoken = Spoken::default();
    match input {
        Ok(input) => {
            let event = HookEvent { name: event.to_owned(), input: wire.reads(input) };
            spoken.add(engine.hook(&event, &with_session(identity, &event))?);
        }
        // What a gate cannot look at it does not allow.
        Err(Missing::TooLarge) if event == PRE_TOOL_USE && engine.is_heard(event) => {
            spoken.denied = Some(TOO_LARGE.map(str::to_owned).to_vec());
        }
        Err(missing) => spoken.notes.extend(missing.note().map(|note| format!("mainstay: {note}"))),
    }
    Ok((wire.says)(event, &spoken, speech))
}

/// The status line: the lines of all formats, in roll-call order.
pub fn statusline(engine: &Engine, input: Result<Object, Missing>) -> Result<Said, Refusal> {
    let event = HookEvent { name: STATUSLINE.to_owned(), input: input.unwrap_or_default() };
    let origin = Origin::Hook(STATUSLINE.to_owned());
    let identity = Identity { actor: None, session: None, request_id: None, origin };
    let mut out = String::new();
    for line in engine.hook(&event, &identity)?.heard.into_iter().flat_map(|heard| heard.glance.lines) {
        out.push_str(&redaction::masked(&line));
        out.push('\n');
    }
    Ok(Said { out, ..Said::default() })
}

// A hook is its host's session, unless the call says whose it is.
fn with_session(identity: &Identity, event: &HookEvent) -> Identity {
    let session = identity.session.clone().or_else(|| event.text("session_id").map(str::to_owned));
    Identity { session, ..identity.clone() }
}
