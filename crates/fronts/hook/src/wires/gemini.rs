//! Gemini CLI.
//!
//! **Source**: <https://geminicli.com/docs/hooks/reference>, 2026-12-01.

use model::Object;

use super::{Speech, Wire, claude, denied, line, rename, rename_tool};
use crate::Said;
use crate::spoken::Spoken;

/// Gemini CLI.
pub(super) static WIRE: Wire = Wire { host: "gemini", reads, says };

const TOOLS: &[(&str, &str)] = &[("run_shell_command", "Bash"), ("replace", "Edit"), ("write_file", "Write")];

fn reads(_: &str, mut input: Object) -> Object {
    rename(&mut input, "prompt_response", "last_assistant_message");
    rename_tool(&mut input, TOOLS);
    input
}

fn says(event: &str, spoken: &Spoken, _: Speech) -> Said {
    if spoken.denied.is_some() {
        return denied(spoken, String::new());
    }
    let name = if event == "user-prompt-submit" { "BeforeAgent".to_owned() } else { claude::host_name(event) };
    Said { out: line(claude::object(&name, spoken)), notes: spoken.notes.clone(), code: 0 }
}
