//! Cursor.
//!
//! **Source**: <https://cursor.com/docs/agent/hooks>, 2026-12-01.

use model::{Object, Value};

use super::{Speech, Wire, denied, line};
use crate::Said;
use crate::spoken::Spoken;

/// Cursor.
pub(super) static WIRE: Wire = Wire { host: "cursor", names: NAMES, tools: TOOLS, seekers: &[], says };

const NAMES: &[(&str, &str)] = &[
    ("conversation_id", "session_id"),
    ("subagent_id", "agent_id"),
    ("subagent_type", "agent_type"),
    ("text", "last_assistant_message"),
    ("summary", "last_assistant_message"),
    ("result", "last_assistant_message"),
];

const TOOLS: &[(&str, &str)] =
    &[("Shell", "Bash"), ("StrReplace", "Edit"), ("Delete", "Write"), ("EditNotebook", "NotebookEdit")];

fn says(event: &str, spoken: &Spoken, _: Speech) -> Said {
    let mut object = Object::new();
    if let Some(reason) = spoken.reason() {
        object.insert("permission".to_owned(), "deny".into());
        object.insert("user_message".to_owned(), reason.as_str().into());
        object.insert("agent_message".to_owned(), Value::from(reason));
        return denied(spoken, line(object));
    }
    // At other events it has no member for either.
    if event == "session-start"
        && let Some(context) = spoken.context()
    {
        object.insert("additional_context".to_owned(), context.into());
    }
    if event == "pre-compact"
        && let Some(message) = spoken.message()
    {
        object.insert("user_message".to_owned(), message.into());
    }
    let mut notes = spoken.notes.clone();
    if event != "pre-compact" {
        notes.extend(spoken.messages.iter().cloned());
    }
    Said { out: line(object), notes, code: 0 }
}
