//! Gemini CLI, which warns of a hook that failed where it ends with another code than 0.
//!
//! **Source**: <https://geminicli.com/docs/hooks/reference>, 2026-12-01.

use model::Value;

use super::{Speech, Wire, claude, denied_in_words, line};
use crate::Said;
use crate::spoken::Spoken;

/// Gemini CLI.
pub(super) static WIRE: Wire = Wire {
    host: "gemini",
    names: &[("prompt_response", "last_assistant_message")],
    tools: &[("run_shell_command", "Bash"), ("replace", "Edit"), ("write_file", "Write")],
    seekers: &["replace"],
    says,
};

fn says(event: &str, spoken: &Spoken, _: Speech) -> Said {
    if let Some(reason) = spoken.reason() {
        let members = [("decision", "deny".into()), ("reason", Value::from(reason))];
        return denied_in_words(spoken, members.map(|(name, value)| (name.to_owned(), value)).into_iter().collect());
    }
    let name = if event == "user-prompt-submit" { "BeforeAgent".to_owned() } else { claude::host_name(event) };
    Said { out: line(claude::object(&name, spoken)), notes: spoken.notes.clone(), code: 0 }
}
