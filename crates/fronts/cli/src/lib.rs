//! The command line: turns words into calls, replies into text, refusals into exit codes.
//!
//! Format commands and `call` are routed by their first words and read by one grammar that is driven
//! by the formats' own data; the generic commands are parsed by clap. This front decides nothing: what
//! a call may do is the engine's and the formats' business.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod back;
mod call;
mod demo;
mod errors;
#[cfg(test)]
mod fixture;
mod format_command;
mod generic;
mod grammar;
mod help;
mod hosts;
mod input;
mod machine;
mod platform;
mod printable;
mod project;
mod route;
mod screens;
mod serve;
mod server_process;
mod servers;
mod terminal;
mod tree;
mod upkeep;
mod wiring;

use std::ffi::OsString;
use std::process::ExitCode;

use engine::Setup;
use format::{Command, Format};
use model::{Environment, Refusal, RefusalClass};

pub use hosts::{HostAnswer, Hosts};
pub use servers::{Listening, ServeHttp, ServeStdio, Servers, Serving, ToolNames, server_failure};

use project::Project;
use route::{Globals, Route};
use terminal::{Mode, Terminal};

/// The doors that a program has beside the command line.
#[derive(Clone, Copy, Debug)]
pub struct Doors {
    /// The servers that it can start.
    pub servers: Servers,
    /// The doors for hosts.
    pub hosts: Hosts,
}

/// Carries out one command line, its first word being the program's name; a refused setup is reported instead.
///
/// Output that cannot be written because its reader is gone changes nothing; any other failure of
/// standard output ends an otherwise successful command with the code for what is unavailable.
pub fn run(arguments: &[OsString], setup: Result<Setup, Refusal>, doors: Doors) -> ExitCode {
    let mut terminal = Terminal::standard(setup.as_ref().map_or(&Environment::new(), |setup| &setup.env));
    let code = match dispatch(&mut terminal, arguments, setup, doors) {
        Ok(code) => code,
        Err(refusal) => match hosts::asked(arguments) {
            Some(asked) => hosts::excuse(&mut terminal, &asked, &refusal),
            None => errors::report(&mut terminal, &refusal),
        },
    };
    let unwritten = terminal.failure().map(|error| format!("error: standard output cannot be written: {error}"));
    match unwritten {
        Some(line) => {
            terminal.note(&line);
            ExitCode::from(code.max(errors::exit_code(RefusalClass::Unavailable)))
        }
        None => ExitCode::from(code),
    }
}

/// What `mainstay FORMAT COMMAND --help` prints.
pub fn command_help(format: &'static dyn Format, command: &Command) -> String {
    help::of_command(format.name(), command, &format_command::all(format))
}

/// What `mainstay COMMAND --help` prints, for `mainstay` itself and each of its own commands.
pub fn generic_help(formats: &[&'static dyn Format]) -> Vec<(String, String)> {
    tree::pages(formats)
}

/// Every command with its options, as completions and man pages show them.
pub fn command_tree(formats: &[&'static dyn Format]) -> clap::Command {
    tree::complete(formats)
}

fn dispatch(
    terminal: &mut Terminal,
    arguments: &[OsString],
    setup: Result<Setup, Refusal>,
    doors: Doors,
) -> Result<u8, Refusal> {
    if arguments.iter().any(|argument| argument == "--json") {
        // Until the line is understood, so that faults in it are answered in JSON too.
        terminal.mode = Mode::Json;
    }
    let setup = setup?;
    let (globals, route) = route::find(arguments, setup.formats)?;
    terminal.mode = if globals.json { Mode::Json } else { Mode::Text };
    let Doors { servers, hosts } = doors;
    let formats = setup.formats;
    let project = |globals: Globals| Project { setup, servers, hosts, globals };
    match route {
        Route::Format(format, words) => format_command::run(terminal, project(globals), format, &words),
        Route::Ponder => Ok(engine::ponder(formats)),
        Route::Host(asked) => Ok(hosts::run(terminal, project(globals), &asked)),
        Route::Call(words) => {
            let (tool, rest) = words.split_first().expect("the way of `call` holds a tool");
            call::run(terminal, project(globals), tool, rest.first().map(String::as_str))
        }
        Route::Generic(words) => generic::run(terminal, project(globals), &words),
    }
}
