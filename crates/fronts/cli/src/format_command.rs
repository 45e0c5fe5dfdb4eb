//! `mainstay FORMAT …`: reads the line by the format's data, calls its tool, prints the reply.

use format::{Command, Format, Printed, Speech, Takes, Tool};
use model::{Call, Object, Origin, Refusal};

use crate::errors::OK;
use crate::grammar::{self, Asked};
use crate::project::Project;
use crate::server_process;
use crate::terminal::{Mode, Terminal};
use crate::{help, input, printable};

/// Carries out one command of a format.
pub(crate) fn run(
    terminal: &mut Terminal,
    mut project: Project,
    format: &'static dyn Format,
    tokens: &[String],
) -> Result<u8, Refusal> {
    let commands = all(format);
    let mut tokens = tokens.to_vec();
    terminal.faults_in_json = takes_switch(&mut tokens, format.surface().error_switch);
    let typed = grammar::read(format, &commands, &tokens);
    if typed.json || format.surface().speech == Speech::Json {
        terminal.mode = Mode::Json;
    }
    match typed.asked? {
        Asked::Help(None) => terminal.print(&help::of_format(format.name(), &commands)),
        Asked::Help(Some(command)) => terminal.print(&help::of_command(format.name(), command, &commands)),
        Asked::Run(command, mut typed) => {
            if let Some(verb) = server_process::verb(command) {
                server_process::run(terminal, project, format, verb)?;
                return Ok(OK);
            }
            read_input(command, &mut typed)?;
            let named = format.surface().root_option.and_then(|name| Some((name, typed.shift_remove(name)?)));
            if let Some((_, root)) = &named {
                project.globals.project = root.as_str().map(Into::into);
            }
            return call(terminal, project, format, command, &typed).map_err(|mut refusal| {
                // What is wrong with the root is wrong with the option that named it.
                if let Some((name, _)) = named.filter(|_| refusal.field.as_deref() == Some("project")) {
                    refusal.field = Some(name.into());
                }
                refusal
            });
        }
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

// Takes a switch out of the line, wherever before `--` it stands; says whether it was there.
fn takes_switch(tokens: &mut Vec<String>, name: Option<&str>) -> bool {
    let Some(name) = name else { return false };
    let end = tokens.iter().position(|token| token == "--").unwrap_or(tokens.len());
    let is_it = |token: &String| token.strip_prefix("--") == Some(name);
    let at = tokens[..end].iter().position(is_it);
    at.map(|at| tokens.remove(at)).is_some()
}

// `-` stands for what comes on standard input.
fn read_input(command: &Command, typed: &mut Object) -> Result<(), Refusal> {
    for opt in command.options.iter().filter(|opt| opt.takes == Takes::ValueOrStdin) {
        if let Some(value) = typed.get_mut(opt.name).filter(|value| value.as_str() == Some("-")) {
            *value = input::text(opt.name)?.into();
        }
    }
    Ok(())
}

fn call(
    terminal: &mut Terminal,
    project: Project,
    format: &dyn Format,
    command: &Command,
    typed: &Object,
) -> Result<u8, Refusal> {
    let mut arguments = (command.arguments)(typed.clone())?;
    for (name, value) in command.fixed {
        arguments.insert((*name).to_owned(), (*value).into());
    }
    let tool = command.text_tool.filter(|_| terminal.mode == Mode::Text).unwrap_or(command.tool);
    let call = Call::new(tool, arguments);
    let identity = project.identity(Origin::Command);
    let reply = project.open_for_one_answer()?.call(&call, &identity)?;
    terminal.warn_of(&reply);
    let object = reply.into_object();
    let printed = Printed { call: &call, typed, reply: &object };
    if let Some(refusal) = (command.misprint)(&printed) {
        if format.surface().tool(tool).is_some_and(Tool::is_read) {
            return Err(refusal);
        }
        // What was done is done.
        terminal.warn(&refusal.message);
    }
    match (format.surface().speech, &terminal.mode) {
        (Speech::Json, _) => terminal.print(&(command.print)(&printed)),
        (Speech::Text, Mode::Text) => terminal.print(&printable::text(&(command.print)(&printed))),
        (Speech::Text, _) => terminal.print_object(&object),
    }
    Ok((command.exit)(&object))
}
