//! The wire forms of hosts: each turns what its host sends into our words, and what we say into its host's.
//!
//! In between there is one internal event for all, with the names of Claude Code's JSON: `session_id`, `agent_id`,
//! `agent_type`, `prompt`, `tool_name`, `tool_input`, `last_assistant_message`, `source`, and what a status line is
//! told. The `tool_input` of a shell has its `command`; that of any other tool has `file_paths`, all files that an
//! argument of it may name, `is_cut` where they are not all there, and `is_sought` where the host looks for one that is
//! not at its relative path elsewhere. Nothing else of what a host sends is in it.

mod claude;
mod codex;
mod copilot;
mod cursor;
mod files;
mod gemini;
mod opencode;

use model::{Object, Refusal, Value};

use crate::kept::Kept;
use crate::spoken::Spoken;
use crate::{DENIED, Said};

/// The wire form of one host.
pub(crate) struct Wire {
    /// The host's name.
    pub(crate) host: &'static str,
    /// Its names of members, and ours.
    names: &'static [(&'static str, &'static str)],
    /// Its names of tools, and those that rules know.
    tools: &'static [(&'static str, &'static str)],
    /// Its tools that look for a file that does not stand at a relative path anywhere beneath the root.
    seekers: &'static [&'static str],
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

    /// What the host sent, in our words.
    pub(crate) fn reads(&self, mut input: Object) -> Object {
        for (theirs, ours) in self.names {
            if let Some(value) = input.shift_remove(*theirs) {
                input.entry(*ours).or_insert(value);
            }
        }
        let tool = input.get("tool_name").and_then(Value::as_str).unwrap_or_default();
        let is_seeker = self.seekers.contains(&tool);
        let tool = self.tools.iter().find(|(theirs, _)| *theirs == tool).map_or(tool, |(_, ours)| ours).to_owned();
        if let Some(arguments) = input.get_mut("tool_input") {
            let mut ours = files::arguments(&tool, arguments.take());
            if is_seeker {
                ours.insert("is_sought".to_owned(), true.into());
            }
            *arguments = Value::Object(ours);
        }
        if let Some(name) = input.get_mut("tool_name") {
            *name = tool.into();
        }
        input
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

/// What is kept of a host's event, whichever host it is.
pub(crate) fn kept(name: &str) -> Option<Kept> {
    let theirs = WIRES.iter().flat_map(|wire| wire.names).find(|(theirs, _)| *theirs == name);
    match theirs.map_or(name, |(_, ours)| ours) {
        "tool_input" => Some(Kept::Members(files::kept)),
        "model" | "workspace" | "context_window" | "rate_limits" | "cost" => Some(Kept::Members(kept_of_status)),
        "session_id"
        | "session_name"
        | "agent_id"
        | "agent_type"
        | "prompt"
        | "user_prompt"
        | "source"
        | "cwd"
        | "tool_name"
        | "last_assistant_message"
        | "stop_hook_active" => Some(Kept::Plain),
        _ => None,
    }
}

fn kept_of_status(name: &str) -> Option<Kept> {
    match name {
        "five_hour" | "seven_day" => Some(Kept::Members(kept_of_status)),
        "display_name" | "current_dir" | "git_worktree" | "used_percentage" | "total_duration_ms"
        | "total_cost_usd" => Some(Kept::Plain),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
