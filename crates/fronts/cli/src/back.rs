//! The commands that look back and lead back: show, diff, blame, checkpoint, rollback, undo, redo.

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use engine::{CheckpointQuery, RollbackQuery, UndoQuery};
use model::{Object, Origin, Refusal, Reply, Revision};

use crate::errors::OK;
use crate::generic::{show, text};
use crate::project::Project;
use crate::screens;
use crate::terminal::{Mode, Terminal};

/// The commands as clap reads them.
pub(crate) fn commands() -> [Command; 7] {
    [show_command(), diff_command(), blame_command(), checkpoint_command(), rollback_command(), undo_command(), {
        Command::new("redo").about("Take the latest undo back").after_help("Example:\n  mainstay redo")
    }]
}

/// Carries out one of them; nothing for another command's name.
pub(crate) fn run(terminal: &mut Terminal, project: Project, name: &str, matches: &ArgMatches) -> Result<u8, Refusal> {
    let identity = project.identity(Origin::Command);
    let palette = terminal.palette();
    match name {
        "show" => {
            let report = project.open()?.show(text(matches, "space").as_deref(), text(matches, "at").as_deref())?;
            show(terminal, &report, |report| screens::records::render(report, palette));
        }
        "diff" => {
            let (space, since) = (text(matches, "space"), text(matches, "since").unwrap_or_default());
            let report = project.open()?.diff(space.as_deref(), &since, matches.get_flag("all"))?;
            show(terminal, &report, |report| screens::changes::diff(report, palette));
        }
        "blame" => {
            let (space, key) = (text(matches, "space").unwrap_or_default(), text(matches, "key"));
            let report = project.open()?.blame(&space, key.as_deref())?;
            show(terminal, &report, |report| screens::blame::render(report, palette));
        }
        "checkpoint" => checkpoint(terminal, project, matches)?,
        "rollback" => {
            let query = RollbackQuery { to: text(matches, "to").unwrap_or_default(), space: text(matches, "space") };
            if matches.get_flag("dry-run") {
                let report = project.open()?.rollback_ahead(&query)?;
                show(terminal, &report, |report| screens::changes::rollback(report, palette));
            } else {
                let reply = project.open()?.rollback(query, &identity)?;
                answer(terminal, &reply, |report| screens::changes::rollback(report, palette));
            }
        }
        "undo" => {
            let revision = matches.get_one::<u64>("revision").copied().map(Revision);
            // Without a revision the options say whose entries are meant.
            let filter = |option: &Option<String>| option.clone().filter(|_| revision.is_none());
            let query = UndoQuery {
                revision,
                session: filter(&project.globals.session),
                actor: filter(&project.globals.actor),
                force: matches.get_flag("force"),
            };
            // Whoever takes back is not the one whose entries are taken back.
            let identity = match revision {
                None => crate::Globals { actor: None, session: None, ..project.globals.clone() }
                    .identity(&project.setup.env, Origin::Command),
                Some(_) => identity,
            };
            let reply = project.open()?.undo(query, &identity)?;
            answer(terminal, &reply, |report| screens::changes::undone(report, palette));
        }
        _ => {
            let reply = project.open()?.redo(&identity)?;
            answer(terminal, &reply, |report| screens::changes::undone(report, palette));
        }
    }
    Ok(OK)
}

fn checkpoint(terminal: &mut Terminal, project: Project, matches: &ArgMatches) -> Result<(), Refusal> {
    let identity = project.identity(Origin::Command);
    let palette = terminal.palette();
    if matches.get_flag("list") {
        let report = project.open()?.checkpoints()?;
        show(terminal, &report, |report| screens::checkpoints::list(report, palette));
        return Ok(());
    }
    let query = match text(matches, "drop") {
        Some(id) => CheckpointQuery::Drop { id },
        None => CheckpointQuery::Make { label: text(matches, "label"), space: text(matches, "space") },
    };
    let reply = project.open()?.checkpoint(query, &identity)?;
    answer(terminal, &reply, screens::checkpoints::one);
    Ok(())
}

/// Shows the reply of a command that writes.
pub(crate) fn answer(terminal: &mut Terminal, reply: &Reply, render: impl FnOnce(&Object) -> String) {
    terminal.warn_of(reply);
    if terminal.mode == Mode::Text {
        terminal.print(&render(&reply.body));
    } else {
        terminal.print_object(&reply.to_object());
    }
}

fn space() -> Arg {
    Arg::new("space").value_name("SPACE").help("Only this space or what lies beneath it")
}

fn show_command() -> Command {
    Command::new("show")
        .about("Show the records as they stand, or stood")
        .arg(space())
        .arg(
            Arg::new("at").long("at").value_name("REV|T").help("As of a revision, checkpoint, time, date or span back"),
        )
        .after_help("Examples:\n  mainstay show hseos\n  mainstay show --at 17\n  mainstay show hseos --at 2h")
}

fn diff_command() -> Command {
    Command::new("diff")
        .about("Show what was added, changed and removed since then")
        .arg(space())
        .arg(
            Arg::new("since")
                .long("since")
                .value_name("REV|T|CHECKPOINT")
                .required(true)
                .help("Since a revision, checkpoint, time, date or span back"),
        )
        .arg(Arg::new("all").long("all").action(ArgAction::SetTrue).help("The bookkeeping of formats too"))
        .after_help("Examples:\n  mainstay diff --since 1h\n  mainstay diff hseos --since before-release")
}

fn blame_command() -> Command {
    Command::new("blame")
        .about("Show who gave each field its present value, and when")
        .arg(space().required(true))
        .arg(Arg::new("key").value_name("KEY").help("Only this record: its id, or kind/id"))
        .after_help("Examples:\n  mainstay blame hseos\n  mainstay blame hseos task/T5")
}

fn checkpoint_command() -> Command {
    let alone = |name: &'static str| Arg::new(name).long(name).conflicts_with_all(["label", "space"]);
    Command::new("checkpoint")
        .about("Name the present revision, to come back to it")
        .arg(Arg::new("label").value_name("LABEL").help("What to call it"))
        .arg(Arg::new("space").value_name("SPACE").help("The space that it is for; all without it"))
        .arg(alone("list").action(ArgAction::SetTrue).help("List the checkpoints"))
        .arg(alone("drop").value_name("ID").conflicts_with("list").help("Forget a checkpoint; changes nothing else"))
        .after_help("Examples:\n  mainstay checkpoint before-release\n  mainstay checkpoint --list")
}

fn rollback_command() -> Command {
    Command::new("rollback")
        .about("Bring the records back to a checkpoint or revision")
        .arg(Arg::new("to").value_name("ID|REV").required(true).help("A checkpoint's id or label, or a revision"))
        .arg(space())
        .arg(Arg::new("dry-run").long("dry-run").action(ArgAction::SetTrue).help("Show what would change"))
        .after_help("Examples:\n  mainstay rollback c3 --dry-run\n  mainstay rollback before-release hseos")
}

fn undo_command() -> Command {
    Command::new("undo")
        .about("Take back the newest entry, or others, as a new entry")
        .arg(Arg::new("revision").value_name("REV").value_parser(value_parser!(u64)).help("This entry"))
        .arg(
            Arg::new("force")
                .long("force")
                .action(ArgAction::SetTrue)
                .help("What later entries changed stays; the rest goes back"),
        )
        .after_help(
            "Without REV, --actor and --session say whose entries are meant: the newest of\n\
             the actor, all of the session. Repeating it walks further back. What stood\n\
             there before Mainstay came stays, unless REV names it and --force is given.\n\n\
             Examples:\n  mainstay undo\n  mainstay undo 17\n  mainstay undo --session s-42",
        )
}
