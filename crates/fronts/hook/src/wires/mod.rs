//! The wire forms of hosts: each turns what its host sends into our words, and what we say into its host's.
//!
//! In between there is one internal event for all, with the names of Claude Code's JSON: `session_id`, `agent_id`,
//! `agent_type`, `prompt`, `tool_name`, `tool_input`, `last_assistant_message`, `source`. A tool that changes several
//! files has `file_paths` in its `tool_input`, and `is_cut` where they are not all there.

mod claude;
mod codex;
mod copilot;
mod cursor;
mod gemini;
mod opencode;
mod patch;

use model::{Object, Refusal, Value};

use crate::spoken::Spoken;
use crate::{DENIED, Said};

/// The most files of one tool that formats are asked about.
const MOST: usize = 4096;

/// The wire form of one host.
pub(crate) struct Wire {
    /// The host's name.
    pub(crate) host: &'static str,
    /// What the host sent, in our words.
    pub(crate) reads: fn(&str, Object) -> Object,
    /// What the host gets for an event.
    pub(crate) says: fn(&str, &Spoken, Speech) -> Said,
}

/// Whether the formats that listen speak in bare lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Speech {
    /// All of them: nothing to say is no output.
    Plain,
    /// Not all: nothing to say is `{}`, and one bare line stands alone all the same.
    Mixed,
    /// The host understands nothing but JSON.
    Json,
}

static WIRES: [&Wire; 6] = [&claude::WIRE, &codex::WIRE, &gemini::WIRE, &opencode::WIRE, &copilot::WIRE, &cursor::WIRE];

impl Wire {
    /// The wire form of a host; Claude Code's where none is named.
    ///
    /// **Errors**: `invalid_argument` (field `host`).
    pub(crate) fn of(host: Option<&str>) -> Result<&'static Self, Refusal> {
        let name = hosts::Host::named(host.unwrap_or(claude::WIRE.host))?.name;
        Ok(WIRES.into_iter().find(|wire| wire.host == name).expect("every host has a wire form"))
    }

    /// Whether the host reads bare lines.
    pub(crate) fn reads_bare_lines(&self) -> bool {
        self.host == claude::WIRE.host
    }
}

/// A gate's no: exit code 2, the reason on standard error, and `out` for hosts that read it.
fn denied(spoken: &Spoken, out: String) -> Said {
    let reasons = spoken.denied.iter().flatten().cloned();
    Said { out, notes: spoken.notes.iter().cloned().chain(reasons).collect(), code: DENIED }
}

/// A gate's no for hosts that take another code than 0 for a hook that failed: they read `out` alone.
fn denied_in_words(spoken: &Spoken, out: Object) -> Said {
    Said { out: line(out), code: 0, ..denied(spoken, String::new()) }
}

/// An object as one line.
fn line(object: Object) -> String {
    format!("{}\n", Value::Object(object))
}

/// Gives a member another name, unless that name is taken.
fn rename(input: &mut Object, from: &str, to: &str) {
    if !input.contains_key(to)
        && let Some(value) = input.get(from).cloned()
    {
        input.insert(to.to_owned(), value);
    }
}

/// Calls a tool by the name that rules know, and its path and command too.
///
/// `names` holds the host's words and ours; a name that is not there stays.
fn rename_tool(input: &mut Object, names: &[(&str, &str)]) {
    let tool = input.get("tool_name").and_then(Value::as_str).unwrap_or_default();
    if let Some((_, ours)) = names.iter().find(|(theirs, _)| *theirs == tool) {
        input.insert("tool_name".to_owned(), (*ours).into());
    }
    if let Some(Value::Object(arguments)) = input.get_mut("tool_input") {
        for path in ["filePath", "absolute_path", "target_file", "dirPath"] {
            rename(arguments, path, "file_path");
        }
        rename(arguments, "notebookPath", "notebook_path");
    }
}

/// An event about a tool of ours that changes several files.
fn about_files(mut input: Object, tool: &str, mut paths: Vec<String>) -> Object {
    let mut about = Object::new();
    if paths.len() > MOST {
        paths.truncate(MOST);
        about.insert("is_cut".to_owned(), true.into());
    }
    about.insert("file_paths".to_owned(), paths.into());
    input.insert("tool_name".to_owned(), tool.into());
    input.insert("tool_input".to_owned(), about.into());
    input
}

#[cfg(test)]
mod tests;
