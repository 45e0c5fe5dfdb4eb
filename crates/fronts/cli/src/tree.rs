//! The command tree of clap: the generic commands, and the formats from the roll-call.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgGroup, Command, ValueHint, value_parser};
use format::{Format, Opt, Takes};

use crate::{back, format_command, machine, upkeep};

const EXAMPLES: &str = "\
Examples:
  mainstay init --format hseos
  mainstay hseos tasks add T5 GHOST \"Implement the login\"
  mainstay call tasks_list '{\"status\":\"pending\"}'
  mainstay up

Exit codes: 0 done, 1 refused or findings, 2 usage or configuration,
3 busy or unavailable, 4 state that cannot be read.";

/// The tree that parses: format commands are one open list of words, read by the grammar.
pub(crate) fn parsing(formats: &[&'static dyn Format]) -> Command {
    let mut root = generic(formats);
    for format in formats {
        let words = Arg::new("words").num_args(0..).trailing_var_arg(true).allow_hyphen_values(true);
        let words = words.value_parser(value_parser!(OsString)).action(ArgAction::Append);
        root = root.subcommand(of_format(*format).disable_help_flag(true).arg(words));
    }
    root
}

/// The tree that completions show: format commands word by word, with their options.
pub(crate) fn complete(formats: &[&'static dyn Format]) -> Command {
    // What these may be is checked where the words are read; here it is to be offered.
    let hosts = hosts::ALL.map(|host| host.name);
    let names: Vec<&'static str> = formats.iter().map(|format| format.name()).collect();
    let mut root = generic(formats).mut_subcommand("init", |init| {
        init.mut_arg("host", |host| host.value_parser(hosts)).mut_arg("format", |format| format.value_parser(names))
    });
    for format in formats {
        let mut branch = of_format(*format);
        for command in format_command::all(*format) {
            branch = grow(branch, command.words, command);
        }
        root = root.subcommand(branch);
    }
    root
}

/// The help of the program and of each command that belongs to no format.
pub(crate) fn pages(formats: &[&'static dyn Format]) -> Vec<(String, String)> {
    let mut root = generic(formats);
    root.build();
    let page = |command: &Command| command.clone().render_help().to_string().trim_end().to_owned();
    let mut pages = vec![(root.get_name().to_owned(), page(&root))];
    pages.extend(root.get_subcommands().map(|command| (command.get_name().to_owned(), page(command))));
    pages
}

fn of_format(format: &dyn Format) -> Command {
    Command::new(format.name()).about(format!("Commands of the format {}", format.name()))
}

/// Adds a command beneath `branch`, word by word.
fn grow(branch: Command, words: &'static [&'static str], command: &format::Command) -> Command {
    let Some((first, rest)) = words.split_first() else {
        return branch.about(command.about).args(command.options.iter().map(argument));
    };
    if branch.find_subcommand(first).is_some() {
        branch.mut_subcommand(first, |found| grow(found, rest, command))
    } else {
        branch.subcommand(grow(Command::new(*first), rest, command))
    }
}

fn argument(opt: &Opt) -> Arg {
    let mut arg = Arg::new(opt.name).help(opt.about);
    arg = match opt.takes {
        Takes::Nothing => arg.action(ArgAction::SetTrue),
        Takes::Value | Takes::ValueOrStdin => arg.action(ArgAction::Set),
        Takes::Path => arg.action(ArgAction::Set).value_hint(ValueHint::FilePath),
        Takes::Values => arg.action(ArgAction::Append),
        Takes::Rest => arg.action(ArgAction::Append).num_args(0..).trailing_var_arg(true),
    };
    match opt.flags.split_first() {
        Some((flag, others)) if !opt.positional => arg.long(*flag).aliases(others.to_vec()),
        _ => arg.required(opt.required),
    }
}

fn generic(formats: &[&'static dyn Format]) -> Command {
    let names: Vec<&'static str> = formats.iter().map(|format| format.name()).collect();
    Command::new("mainstay")
        .about("Keeps the working state of a coding-agent project")
        .version(env!("CARGO_PKG_VERSION"))
        .after_help(EXAMPLES)
        .term_width(80)
        .max_term_width(80)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
        .args_override_self(true)
        .args([
            global("project", "DIR", "The project's root [env: MAINSTAY_PROJECT]").value_parser(value_parser!(PathBuf)),
            global("actor", "NAME", "Who acts (history: who acted) [env: MAINSTAY_ACTOR]"),
            global("session", "ID", "The session it belongs to [env: MAINSTAY_SESSION]"),
            global("request-id", "ID", "Makes a repeat safe [env: MAINSTAY_REQUEST_ID]"),
            Arg::new("json").long("json").global(true).action(ArgAction::SetTrue).help("Answers and errors as JSON"),
        ])
        .subcommands([init(&names), up(), serve(), status(), history(), call()])
        .subcommands(back::commands())
        .subcommands(upkeep::commands())
        .subcommands([hook(), statusline()])
        .subcommands(machine::commands())
}

fn global(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name(value).global(true).help(help)
}

const INIT_EXAMPLES: &str = "\
With --host the files of that host are edited, and nothing else; what is not
Mainstay's in them stays, byte by byte.
Hosts: claude, codex, gemini, opencode, copilot, cursor.

Examples:
  mainstay init --format hseos
  mainstay init --host claude --host codex --dry-run
  mainstay init --host cursor --global
  mainstay init --host cursor --global --uninstall";

fn init(names: &[&'static str]) -> Command {
    let with_host = |name: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue).requires("host");
    Command::new("init")
        .about("Write what a project needs, or wire a host to Mainstay")
        .arg(
            Arg::new("format")
                .long("format")
                .value_name("F")
                .action(ArgAction::Append)
                .value_parser(PossibleValuesParser::new(names.to_vec()))
                .hide_possible_values(true)
                .help("A format to begin with; repeat for more"),
        )
        .arg(
            Arg::new("host")
                .long("host")
                .value_name("HOST")
                .action(ArgAction::Append)
                .help("A host to wire; repeat for more"),
        )
        .arg(with_host("global").conflicts_with("format").help("For all projects of this person"))
        .arg(with_host("dry-run").conflicts_with("format").help("Only show what would change"))
        .arg(with_host("uninstall").conflicts_with("format").help("Take out what was put in"))
        .after_help(INIT_EXAMPLES)
}

fn up() -> Command {
    Command::new("up").about("Serve the project to agents over HTTP, after init where needed").arg(
        Arg::new("port")
            .long("port")
            .value_name("N")
            .value_parser(value_parser!(u16).range(1..))
            .help("The port on 127.0.0.1 instead of the configured one"),
    )
}

fn serve() -> Command {
    let http_only = |name: &'static str| Arg::new(name).long(name).requires("http").conflicts_with("stdio");
    Command::new("serve")
        .about("Serve the project's tools over MCP")
        .arg(Arg::new("stdio").long("stdio").action(ArgAction::SetTrue).help("Over standard input and output"))
        .arg(Arg::new("http").long("http").value_name("ADDR").help("Over HTTP, as 127.0.0.1:3100"))
        .group(ArgGroup::new("transport").args(["stdio", "http"]).required(true))
        .arg(
            http_only("token-file")
                .value_name("F")
                .value_parser(value_parser!(PathBuf))
                .help("File of the bearer token [env: MAINSTAY_TOKEN]"),
        )
        .arg(
            http_only("allow-origin")
                .value_name("O")
                .action(ArgAction::Append)
                .help("A web origin that may call; repeat"),
        )
        .arg(
            Arg::new("tool-names")
                .long("tool-names")
                .value_name("STYLE")
                .value_parser(["underscores", "seed"])
                .default_value("underscores")
                .hide_default_value(true)
                .hide_possible_values(true)
                .help("How tools are listed: underscores or seed"),
        )
}

fn status() -> Command {
    Command::new("status").about("Show the project on one screen")
}

fn history() -> Command {
    Command::new("history")
        .about("List what changed, newest first; --actor names whose")
        .arg(Arg::new("space").value_name("SPACE").help("Only this space or what lies beneath it"))
        .arg(Arg::new("key").long("key").value_name("K").help("Only entries that changed this record"))
        .arg(
            Arg::new("since")
                .long("since")
                .value_name("T|REV")
                .help("Only since a time, date, span back (3d) or revision"),
        )
        .arg(
            Arg::new("limit")
                .short('n')
                .value_name("N")
                .value_parser(value_parser!(u32).range(1..))
                .default_value("20")
                .help("At most so many"),
        )
        .arg(Arg::new("all").long("all").action(ArgAction::SetTrue).help("Minor entries too"))
}

fn call() -> Command {
    Command::new("call")
        .about("Call a tool and print its reply as JSON")
        .arg(Arg::new("tool").value_name("TOOL").required(true).help("The tool's name"))
        .arg(
            Arg::new("arguments")
                .value_name("JSON")
                .allow_hyphen_values(true)
                .help("Its arguments as a JSON object; - reads them from standard input"),
        )
}

fn hook() -> Command {
    Command::new("hook")
        .about("Answer a host's event; its JSON comes on standard input")
        .arg(Arg::new("event").value_name("EVENT").required(true).help("As session-start, stop, pre-tool-use"))
        .arg(Arg::new("host").long("host").value_name("HOST").help("Whose event it is, and in whose words to answer"))
        .after_help("Example:\n  echo '{\"session_id\":\"s1\"}' | mainstay hook session-start")
}

fn statusline() -> Command {
    Command::new("statusline").about("Print the status line; the host's JSON comes on standard input")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::FORMATS;

    #[test]
    fn the_trees_hold_together() {
        parsing(FORMATS).debug_assert();
        complete(FORMATS).debug_assert();
    }

    #[test]
    fn help_fits_eighty_columns() {
        let mut root = parsing(FORMATS);
        root.build();
        let pages =
            std::iter::once(&root).chain(root.get_subcommands()).map(|page| page.clone().render_help().to_string());
        for page in pages {
            let long: Vec<&str> = page.lines().filter(|line| line.chars().count() > 80).collect();
            assert!(long.is_empty(), "{long:#?}");
        }
    }

    #[test]
    fn completions_know_format_commands() {
        let tree = complete(FORMATS);
        let hseos = tree.find_subcommand("hseos").unwrap();
        assert!(hseos.find_subcommand("detect").is_some());
        assert!(hseos.find_subcommand("state").unwrap().find_subcommand("start").is_some());
    }
}
