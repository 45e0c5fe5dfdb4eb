//! Where a command line goes, found by one look at its first words.
//!
//! Format commands and `call` are on the path of every agent's every step, so they are recognised
//! without building the generic command tree. Everything else, and everything odd, goes to the tree.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use engine::Identity;
use format::{BinaryName, Format};
use model::{Environment, Origin, Refusal};

use crate::hosts;

/// The options that every command takes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Globals {
    /// `--project`.
    pub(crate) project: Option<PathBuf>,
    /// `--actor`.
    pub(crate) actor: Option<String>,
    /// `--session`.
    pub(crate) session: Option<String>,
    /// `--request-id`.
    pub(crate) request_id: Option<String>,
    /// `--json`.
    pub(crate) json: bool,
}

impl Globals {
    /// Who calls through `origin`: the options, else the environment.
    pub(crate) fn identity(&self, env: &Environment, origin: Origin) -> Identity {
        let or_env = |option: &Option<String>, name: &str| {
            option.clone().or_else(|| env.get(name).cloned()).filter(|text| !text.is_empty())
        };
        Identity {
            actor: or_env(&self.actor, "MAINSTAY_ACTOR"),
            session: or_env(&self.session, "MAINSTAY_SESSION"),
            request_id: or_env(&self.request_id, "MAINSTAY_REQUEST_ID"),
            origin,
        }
    }
}

/// Who reads a command line.
#[derive(Clone)]
pub(crate) enum Route {
    /// The grammar of format commands: the format and the tokens behind its name.
    Format(&'static dyn Format, Vec<String>),
    /// What a host asks.
    Host(hosts::Asked),
    /// `call` with nothing but a tool and perhaps its arguments.
    Call(Vec<String>),
    /// Works out one question for a server of ours.
    Ponder,
    /// The generic command tree, with the whole line behind the program's name.
    Generic(Vec<String>),
}

/// Finds the way of a command line, its first word being the program's name.
///
/// **Errors**: `invalid_argument` for a word that is not UTF-8.
pub(crate) fn find(arguments: &[OsString], formats: &[&'static dyn Format]) -> Result<(Globals, Route), Refusal> {
    let mut words = Vec::with_capacity(arguments.len());
    for (place, argument) in arguments.iter().enumerate().skip(1) {
        let word = argument.to_str().ok_or_else(|| {
            Refusal::invalid(
                "arguments",
                format!("argument {place} is not valid UTF-8: {}", argument.to_string_lossy()),
            )
        })?;
        words.push(word.to_owned());
    }
    let named = arguments.first().and_then(|program| called_as(program, formats));
    let Some((globals, taken)) = leading(&words) else {
        return Ok((Globals::default(), Route::Generic(words)));
    };
    let rest = &words[taken..];
    let first = rest.first().map(String::as_str);
    let format = || formats.iter().find(|format| Some(format.name()) == first);
    let route = if let Some((format, name)) = named.filter(|_| !matches!(first, Some("--version" | "-V"))) {
        Route::Format(format, name.words.iter().map(|word| (*word).to_owned()).chain(rest.to_vec()).collect())
    } else if words == ["ponder"] {
        Route::Ponder
    } else if let Some(asked) = host_words(rest) {
        Route::Host(asked)
    } else if first == Some("call") && is_plain_call(&rest[1..]) {
        Route::Call(rest[1..].to_vec())
    } else if let Some(format) = format() {
        Route::Format(*format, rest[1..].to_vec())
    } else {
        Route::Generic(words)
    };
    Ok((globals, route))
}

/// The format, and the name of its own, that the program's name is; endings `.sh` and `.exe` do not count.
fn called_as(program: &OsString, formats: &[&'static dyn Format]) -> Option<(&'static dyn Format, BinaryName)> {
    let name = Path::new(program).file_name()?.to_str()?.trim_end_matches(".exe").trim_end_matches(".sh");
    formats.iter().find_map(|format| {
        let own = format.surface().binary_names.iter().find(|own| own.name == name)?;
        Some((*format, *own))
    })
}

/// The options at the front and how many words they take; nothing where the tree must explain a fault.
fn leading(words: &[String]) -> Option<(Globals, usize)> {
    let mut globals = Globals::default();
    let mut taken = 0;
    while let Some(name) = words.get(taken).and_then(|word| word.strip_prefix("--")) {
        let (name, joined) = name.split_once('=').map_or((name, None), |(name, value)| (name, Some(value)));
        if name == "json" && joined.is_none() {
            globals.json = true;
            taken += 1;
            continue;
        }
        if !matches!(name, "project" | "actor" | "session" | "request-id") {
            break;
        }
        let value = match joined {
            Some(value) => value,
            None => words.get(taken + 1)?,
        };
        match name {
            "project" => globals.project = Some(value.into()),
            "actor" => globals.actor = Some(value.into()),
            "session" => globals.session = Some(value.into()),
            _ => globals.request_id = Some(value.into()),
        }
        taken += if joined.is_some() { 1 } else { 2 };
    }
    Some((globals, taken))
}

/// What a line, the program's name aside, asks of the doors for hosts.
pub(crate) fn host(words: &[String]) -> Option<hosts::Asked> {
    host_words(&words[leading(words)?.1..])
}

fn host_words(words: &[String]) -> Option<hosts::Asked> {
    let (name, rest) = words.split_first()?;
    let rest: Vec<&String> = rest.iter().filter(|word| *word != "--json").collect();
    match (name.as_str(), rest.as_slice()) {
        ("hook", [event, host @ ..]) if !event.starts_with('-') => {
            let host = match host {
                [] => None,
                [flag, name] if *flag == "--host" => Some((*name).clone()),
                [joined] => Some(joined.strip_prefix("--host=")?.to_owned()),
                _ => return None,
            };
            Some(hosts::Asked::Hook((*event).clone(), host))
        }
        ("statusline", []) => Some(hosts::Asked::Statusline),
        _ => None,
    }
}

/// Whether the words behind `call` are a tool and at most one more, and none of them an option.
fn is_plain_call(words: &[String]) -> bool {
    matches!(words.len(), 1 | 2) && words.iter().all(|word| word == "-" || !word.starts_with('-'))
}

#[cfg(test)]
mod tests;
