//! The commands about this machine, not about a project: completions, shims, demo.

use std::env;
use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use clap_complete::aot::{Shell, generate};
use engine::{make_shims, remove_shims};
use format::Format;
use model::{Refusal, RefusalClass};

use crate::errors::OK;
use crate::generic::{show, text};
use crate::project::Project;
use crate::terminal::Terminal;
use crate::{demo, screens, tree};

/// The commands as clap reads them.
pub(crate) fn commands() -> [Command; 3] {
    [completions_command(), shims_command(), demo_command()].map(|command| command.args(meaningless()))
}

// Options of every command that say nothing to these; they are taken and not offered.
fn meaningless() -> [Arg; 4] {
    let hidden = |name| Arg::new(name).long(name).hide(true);
    let project = hidden("project").value_parser(value_parser!(PathBuf));
    [project, hidden("actor"), hidden("session"), hidden("request-id")]
}

/// Carries out one of them.
pub(crate) fn run(terminal: &mut Terminal, project: &Project, name: &str, matches: &ArgMatches) -> Result<u8, Refusal> {
    match name {
        "shims" => shims(terminal, project, matches),
        "demo" if project.globals.json => Err(Refusal::invalid("json", "the demo is a story for people")
            .hint("leave out --json; its exit code tells whether anything was lost")),
        "demo" => demo::run(terminal, matches.get_flag("fast"), matches.get_flag("keep")),
        _ => {
            let shell = text(matches, "shell").unwrap_or_default();
            Ok(completions(terminal, project.setup.formats, &shell))
        }
    }
}

fn shims(terminal: &mut Terminal, project: &Project, matches: &ArgMatches) -> Result<u8, Refusal> {
    let program = env::current_exe().map_err(|error| {
        Refusal::new(RefusalClass::Unavailable, "program_unknown", format!("this program is not found: {error}"))
    })?;
    let folder = project.setup.cwd.join(matches.get_one::<PathBuf>("folder").cloned().unwrap_or_default());
    let act = if matches.get_flag("remove") { remove_shims } else { make_shims };
    let report = act(project.setup.formats, &program, &folder)?;
    show(terminal, &report, screens::upkeep::shims);
    Ok(OK)
}

fn completions(terminal: &mut Terminal, formats: &[&'static dyn Format], shell: &str) -> u8 {
    let shell = match shell {
        "zsh" => Shell::Zsh,
        "fish" => Shell::Fish,
        "powershell" => Shell::PowerShell,
        _ => Shell::Bash,
    };
    let mut script = Vec::new();
    generate(shell, &mut tree::complete(formats), "mainstay", &mut script);
    terminal.print(String::from_utf8_lossy(&script).trim_end());
    OK
}

fn completions_command() -> Command {
    Command::new("completions")
        .about("Print a completion script for a shell")
        .arg(
            Arg::new("shell")
                .value_name("SHELL")
                .required(true)
                .value_parser(["bash", "zsh", "fish", "powershell"])
                .help("The shell"),
        )
        .after_help("Example:\n  mainstay completions fish > ~/.config/fish/completions/mainstay.fish")
}

fn shims_command() -> Command {
    Command::new("shims")
        .about("Make links for other names of the program, as msd-tools")
        .arg(
            Arg::new("folder")
                .value_name("DIR")
                .required(true)
                .value_parser(value_parser!(PathBuf))
                .help("Where the links go; best on your PATH"),
        )
        .arg(Arg::new("remove").long("remove").action(ArgAction::SetTrue).help("Take them out again"))
        .after_help("Example:\n  mainstay shims ~/.local/bin")
}

fn demo_command() -> Command {
    Command::new("demo")
        .about("Play two agents and a crash, and show that nothing is lost")
        .arg(Arg::new("fast").long("fast").action(ArgAction::SetTrue).help("Without pauses for reading"))
        .arg(Arg::new("keep").long("keep").action(ArgAction::SetTrue).help("Leave the project for a closer look"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::FORMATS;
    use crate::terminal::Mode;
    use crate::terminal::tests::caught;

    #[test]
    fn every_shell_gets_a_script() {
        for shell in ["bash", "zsh", "fish", "powershell"] {
            let (mut terminal, out, _) = caught(Mode::Text);
            assert_eq!(completions(&mut terminal, FORMATS, shell), OK);
            assert!(out.text().contains("detect"), "{shell}");
            // It offers no values of options.
            assert!(shell == "powershell" || out.text().contains("opencode"), "{shell}");
        }
    }
}
