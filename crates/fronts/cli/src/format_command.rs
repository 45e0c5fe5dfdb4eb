//! `mainstay FORMAT …`: reads the line by the format's data, calls its tool, prints the reply.

use format::{Command, Format};
use model::{Call, Object, Origin, Refusal};

use crate::errors::OK;
use crate::grammar::{self, Asked};
use crate::project::Project;
use crate::server_process;
use crate::terminal::{Mode, Terminal};
use crate::{help, printable};

/// Carries out one command of a format.
pub(crate) fn run(
    terminal: &mut Terminal,
    project: Project,
    format: &'static dyn Format,
    tokens: &[String],
) -> Result<u8, Refusal> {
    let commands = all(format);
    let typed = grammar::read(format.name(), &commands, tokens);
    if typed.json {
        terminal.mode = Mode::Json;
    }
    match typed.asked? {
        Asked::Help(None) => terminal.print(&help::of_format(format.name(), &commands)),
        Asked::Help(Some(command)) => terminal.print(&help::of_command(format.name(), command)),
        Asked::Run(command, typed) => match server_process::verb(command) {
            Some(verb) => server_process::run(terminal, project, format, verb)?,
            None => call(terminal, project, command, typed)?,
        },
    }
    Ok(OK)
}

/// The commands of a format, and those of its server where it has one.
pub(crate) fn all(format: &'static dyn Format) -> Vec<&'static Command> {
    let surface = format.surface();
    let own = surface.commands.iter();
    let server = server_process::COMMANDS.iter().filter(|_| surface.server_name.is_some());
    own.chain(server).collect()
}

fn call(terminal: &mut Terminal, project: Project, command: &Command, typed: Object) -> Result<(), Refusal> {
    let mut arguments = (command.arguments)(typed)?;
    for (name, value) in command.fixed {
        arguments.insert((*name).to_owned(), (*value).into());
    }
    let tool = command.text_tool.filter(|_| terminal.mode == Mode::Text).unwrap_or(command.tool);
    let call = Call::new(tool, arguments);
    let identity = project.identity(Origin::Command);
    let reply = project.open()?.call(&call, &identity)?;
    terminal.warn_of(&reply);
    let object = reply.to_object();
    if terminal.mode == Mode::Text {
        terminal.print(&printable::text(&(command.print)(&call, &object)));
    } else {
        terminal.print_object(&object);
    }
    Ok(())
}
