//! The generic commands: parsed by clap, answered by the engine, shown by a screen.

use std::ffi::OsString;

use clap::error::{ContextKind, ErrorKind};
use clap::{ArgMatches, Error};
use engine::{Engine, HistoryQuery};
use model::{Object, Refusal};

use crate::errors::OK;
use crate::project::Project;
use crate::route::Globals;
use crate::serve::{self, Transport};
use crate::servers::ToolNames;
use crate::terminal::{Mode, Terminal};
use crate::{back, call, format_command, hosts, machine, screens, tree, upkeep, wiring};

/// Parses a whole line with the command tree and carries it out.
pub(crate) fn run(terminal: &mut Terminal, mut project: Project, words: &[String]) -> Result<u8, Refusal> {
    let formats = project.setup.formats;
    if words.iter().take_while(|word| *word != "--").any(|word| word == "--json") {
        terminal.mode = Mode::Json;
    }
    let line = std::iter::once("mainstay").chain(words.iter().map(String::as_str));
    let matches = match tree::parsing(formats).try_get_matches_from(line) {
        Ok(matches) => matches,
        Err(error) => return explain(terminal, &error),
    };
    let (name, matches) = matches.subcommand().expect("the tree requires a command");
    project.globals = globals(matches);
    match name {
        "init" => init(terminal, project, matches),
        "up" => serve::up(terminal, project, matches.get_one("port").copied()),
        "serve" => serve::serve(terminal, project, transport(matches), tool_names(matches)),
        "status" => status(terminal, project),
        "history" => history(terminal, project, matches),
        "show" | "diff" | "blame" | "checkpoint" | "rollback" | "undo" | "redo" => {
            back::run(terminal, project, name, matches)
        }
        "next" | "watch" | "doctor" | "backup" | "export" | "import" | "gc" => {
            upkeep::run(terminal, project, name, matches)
        }
        "hook" => {
            let event = text(matches, "event").unwrap_or_default();
            Ok(hosts::run(terminal, project, &hosts::Asked::Hook(event, text(matches, "host"))))
        }
        "statusline" => Ok(hosts::run(terminal, project, &hosts::Asked::Statusline)),
        "completions" | "shims" | "demo" => machine::run(terminal, &project, name, matches),
        "call" => {
            let tool = text(matches, "tool").unwrap_or_default();
            call::run(terminal, project, &tool, text(matches, "arguments").as_deref())
        }
        format => {
            let format = formats.iter().find(|known| known.name() == format).expect("the tree holds only known names");
            let words = matches.get_many::<OsString>("words").unwrap_or_default();
            let words: Vec<String> = words.map(|word| word.to_string_lossy().into_owned()).collect();
            format_command::run(terminal, project, *format, &words)
        }
    }
}

/// Help and version are answers; everything else clap says is a usage error.
fn explain(terminal: &mut Terminal, error: &Error) -> Result<u8, Refusal> {
    let said = error.render().to_string();
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            terminal.print(said.trim_end());
            return Ok(OK);
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            return Err(Refusal::invalid("command", "a command is needed").hint("mainstay --help lists them"));
        }
        _ => {}
    }
    // The first paragraph names the fault, the others advise.
    let (fault, advice) = said.split_once("\n\n").unwrap_or((&said, ""));
    let fault = fault.trim_start_matches("error: ").split_whitespace().collect::<Vec<_>>().join(" ");
    let argument = error.get(ContextKind::InvalidArg).map_or_else(|| "command".to_owned(), ToString::to_string);
    let field = argument.trim_start_matches(['-', '<', '[']).split([' ', '=', '|', '>', ']']).next();
    let field = field.unwrap_or_default().to_lowercase();
    let hint = advice.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n");
    let refusal = Refusal::invalid(field, fault);
    Err(if hint.is_empty() { refusal } else { refusal.hint(hint) })
}

fn globals(matches: &ArgMatches) -> Globals {
    Globals {
        project: matches.get_one("project").cloned(),
        actor: text(matches, "actor"),
        session: text(matches, "session"),
        request_id: text(matches, "request-id"),
        json: matches.get_flag("json"),
    }
}

fn init(terminal: &mut Terminal, project: Project, matches: &ArgMatches) -> Result<u8, Refusal> {
    let formats: Vec<String> = matches.get_many("format").unwrap_or_default().cloned().collect();
    if matches.contains_id("host") {
        return wiring::run(terminal, project, &formats, matches);
    }
    let report = project.open()?.init(&formats)?;
    show(terminal, &report, screens::init::render);
    Ok(OK)
}

fn status(terminal: &mut Terminal, project: Project) -> Result<u8, Refusal> {
    let engine = project.open()?;
    let report = engine.status()?;
    let palette = terminal.palette();
    show(terminal, &report, |report| screens::status::render(report, &root(&engine), palette));
    Ok(OK)
}

fn history(terminal: &mut Terminal, project: Project, matches: &ArgMatches) -> Result<u8, Refusal> {
    let limit: u32 = matches.get_one("limit").copied().unwrap_or(20);
    let query = HistoryQuery {
        space: text(matches, "space"),
        key: text(matches, "key"),
        // `--actor` names whose entries to list: nobody acts here.
        actor: project.globals.actor.clone(),
        since: text(matches, "since"),
        limit: usize::try_from(limit).unwrap_or(usize::MAX),
        all: matches.get_flag("all"),
    };
    let report = project.open()?.history(&query)?;
    let palette = terminal.palette();
    let watched = terminal.is_watched();
    show(terminal, &report, |report| match screens::history::render(report, palette) {
        // A script that counts lines counts none.
        lines if lines.is_empty() && watched => "No entries.".to_owned(),
        lines => lines,
    });
    Ok(OK)
}

/// Shows the report of a command that reads.
pub(crate) fn show(terminal: &mut Terminal, report: &Object, render: impl FnOnce(&Object) -> String) {
    terminal.warn_listed(report.get("warnings"));
    if terminal.mode == Mode::Text {
        terminal.print(&render(report));
    } else {
        terminal.print_object(report);
    }
}

fn transport(matches: &ArgMatches) -> Transport {
    match text(matches, "http") {
        None => Transport::Stdio,
        Some(address) => Transport::Http {
            address,
            token_file: matches.get_one("token-file").cloned(),
            origins: matches.get_many("allow-origin").unwrap_or_default().cloned().collect(),
        },
    }
}

fn tool_names(matches: &ArgMatches) -> ToolNames {
    if text(matches, "tool-names").as_deref() == Some("seed") { ToolNames::Seed } else { ToolNames::Underscores }
}

/// The text of an argument.
pub(crate) fn text(matches: &ArgMatches, name: &str) -> Option<String> {
    matches.get_one::<String>(name).cloned()
}

fn root(engine: &Engine) -> String {
    engine.root().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::FORMATS;
    use crate::terminal::tests::caught;

    fn fault(line: &[&str]) -> Refusal {
        let error = tree::parsing(FORMATS).try_get_matches_from(line).unwrap_err();
        explain(&mut caught(Mode::Text).0, &error).unwrap_err()
    }

    #[test]
    fn usage_errors_are_refusals() {
        let cases: &[(&[&str], &str)] = &[
            (&["mainstay"], "command"),
            (&["mainstay", "frobnicate"], "command"),
            (&["mainstay", "status", "--nope"], "nope"),
            (&["mainstay", "history", "-n", "0"], "n"),
            (&["mainstay", "serve"], "stdio"),
            (&["mainstay", "serve", "--stdio", "--http", "x"], "stdio"),
            (&["mainstay", "serve", "--stdio", "--token-file", "t"], "stdio"),
            (&["mainstay", "serve", "--stdio", "--allow-origin", "http://a"], "stdio"),
            (&["mainstay", "init", "--format", "nope"], "format"),
            (&["mainstay", "call"], "tool"),
        ];
        for (line, field) in cases {
            let refusal = fault(line);
            assert_eq!((refusal.code.as_ref(), refusal.class), ("invalid_argument", model::RefusalClass::Usage));
            assert_eq!(refusal.field.as_deref(), Some(*field), "{line:?}: {refusal:?}");
            assert!(!refusal.message.contains('\n') && !refusal.message.starts_with("error"), "{refusal:?}");
        }
    }

    #[test]
    fn options_may_follow_the_command() {
        let line = ["mainstay", "history", "hseos", "--actor", "GHOST", "--json", "--project", "/x", "-n", "5"];
        let matches = tree::parsing(FORMATS).try_get_matches_from(line).unwrap();
        let (_, matches) = matches.subcommand().unwrap();
        let globals = globals(matches);
        assert_eq!(globals.project.as_deref(), Some(std::path::Path::new("/x")));
        assert_eq!((globals.actor.as_deref(), globals.json), (Some("GHOST"), true));
        assert_eq!(text(matches, "space").as_deref(), Some("hseos"));
    }
}
