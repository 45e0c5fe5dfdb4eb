//! GitHub Copilot: VS Code and Copilot CLI, which spell names in two ways.
//!
//! Where a hook ends with another code than 0, Copilot CLI denies the tool and keeps the reason from the model.
//!
//! **Source**: <https://code.visualstudio.com/docs/agent-customization/hooks>,
//! <https://docs.github.com/en/copilot/reference/hooks-reference>, 2026-12-01.

use model::{Object, Value};

use super::{Speech, Wire, about_files, claude, denied_in_words, line, patch, rename, rename_tool};
use crate::Said;
use crate::spoken::Spoken;

/// GitHub Copilot.
pub(super) static WIRE: Wire = Wire { host: "copilot", reads, says };

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
];

fn reads(event: &str, mut input: Object) -> Object {
    for (theirs, ours) in NAMES {
        rename(&mut input, theirs, ours);
    }
    // Copilot CLI may send arguments as a text that holds JSON.
    if let Some(Value::String(text)) = input.get("tool_input")
        && let Ok(arguments @ Value::Object(_)) = serde_json::from_str(text)
    {
        input.insert("tool_input".to_owned(), arguments);
    }
    if event == "pre-tool-use"
        && let Some(paths) = several(&input)
    {
        return about_files(input, "Edit", paths);
    }
    rename_tool(&mut input, TOOLS);
    input
}

// The files of tools that change several at once.
fn several(input: &Object) -> Option<Vec<String>> {
    let arguments = input.get("tool_input")?;
    let tool = input.get("tool_name")?.as_str()?;
    if ["apply_patch", "applyPatch"].contains(&tool) || (tool == "Edit" && arguments.is_string()) {
        let text = ["input", "patch", "command"].iter().find_map(|name| arguments.get(name)?.as_str());
        return Some(patch::paths(text.or(arguments.as_str())?));
    }
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let many = arguments
        .get("replacements")
        .and_then(Value::as_array)
        .map(|many| many.iter().filter_map(|one| text(one.get("filePath")?)).collect());
    let is_edit = tool.to_ascii_lowercase().contains("edit");
    many.or_else(|| {
        arguments.get("files").filter(|_| is_edit)?.as_array().map(|files| files.iter().filter_map(text).collect())
    })
}

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
