//! GitHub Copilot: VS Code and Copilot CLI, which spell names in two ways.
//!
//! Where a hook ends with another code than 0, Copilot CLI denies the tool and keeps the reason from the model.
//!
//! **Source**: <https://code.visualstudio.com/docs/agent-customization/hooks>,
//! <https://docs.github.com/en/copilot/reference/hooks-reference>, 2026-12-01.

use model::{Object, Value};

use super::{Speech, Wire, claude, denied_in_words, line};
use crate::Said;
use crate::spoken::Spoken;

/// GitHub Copilot.
pub(super) static WIRE: Wire = Wire { host: "copilot", names: NAMES, tools: TOOLS, seekers: &[], says };

const NAMES: &[(&str, &str)] = &[
    ("sessionId", "session_id"),
    ("agentId", "agent_id"),
    ("agentType", "agent_type"),
    ("toolName", "tool_name"),
    ("toolArgs", "tool_input"),
    ("response", "last_assistant_message"),
];

const TOOLS: &[(&str, &str)] = &[
    ("bash", "Bash"),
    ("powershell", "Bash"),
    ("run_in_terminal", "Bash"),
    ("runInTerminal", "Bash"),
    ("create", "Write"),
    ("create_file", "Write"),
    ("createFile", "Write"),
    ("str_replace_editor", "Edit"),
    ("replace_string_in_file", "Edit"),
    ("insert_edit_into_file", "Edit"),
    ("edit_notebook_file", "NotebookEdit"),
    ("editFiles", "Edit"),
    ("multi_replace_string_in_file", "Edit"),
    ("multiReplaceString", "Edit"),
    ("apply_patch", "Edit"),
    ("applyPatch", "Edit"),
];

// VS Code reads what is nested, Copilot CLI what is not.
fn says(event: &str, spoken: &Spoken, _: Speech) -> Said {
    let name = claude::host_name(event);
    if let Some(reason) = spoken.reason() {
        let decision = Object::from_iter([
            ("permissionDecision".to_owned(), "deny".into()),
            ("permissionDecisionReason".to_owned(), Value::from(reason)),
        ]);
        let mut nested = Object::from_iter([("hookEventName".to_owned(), Value::from(name))]);
        nested.extend(decision.clone());
        let mut object = decision;
        object.insert("hookSpecificOutput".to_owned(), Value::Object(nested));
        return denied_in_words(spoken, object);
    }
    let mut object = claude::object(&name, spoken);
    if let Some(context) = spoken.context() {
        object.insert("additionalContext".to_owned(), context.into());
    }
    Said { out: line(object), notes: spoken.notes.clone(), code: 0 }
}
