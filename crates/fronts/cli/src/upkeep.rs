//! The commands that follow a project and keep it: next, watch, doctor, backup, export, import, gc.

use std::io::Write;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use engine::GcQuery;
use model::{Object, Origin, Refusal, Value};

use crate::back::answer;
use crate::errors::{FINDINGS, OK};
use crate::generic::{show, text};
use crate::project::Project;
use crate::screens;
use crate::terminal::{Mode, Terminal};

/// The commands as clap reads them.
pub(crate) fn commands() -> [Command; 7] {
    [
        next_command(),
        watch_command(),
        doctor_command(),
        backup_command(),
        export_command(),
        import_command(),
        gc_command(),
    ]
}

/// Carries out one of them.
pub(crate) fn run(terminal: &mut Terminal, project: Project, name: &str, matches: &ArgMatches) -> Result<u8, Refusal> {
    let identity = project.identity(Origin::Command);
    let file = |project: &Project| project.setup.cwd.join(text(matches, "file").unwrap_or_default());
    match name {
        "next" => {
            let report = project.open()?.next()?;
            let palette = terminal.palette();
            let blocked = matches.get_flag("blocked");
            show(terminal, &report, |report| screens::next::render(report, blocked, palette));
        }
        "watch" => watch(terminal, project, matches)?,
        "doctor" => return doctor(terminal, project, matches.get_flag("fix")),
        "backup" => {
            let file = file(&project);
            let report = project.open()?.backup(&file)?;
            show(terminal, &report, screens::upkeep::backup);
        }
        "export" => {
            let engine = project.open()?;
            let mut lines = Lines(terminal);
            engine.export(text(matches, "space").as_deref(), &mut lines)?;
        }
        "import" => {
            let file = file(&project);
            let reply = project.open()?.import(&file, matches.get_flag("merge"), &identity)?;
            answer(terminal, &reply, screens::upkeep::import);
        }
        _ => {
            let query =
                GcQuery { keep: text(matches, "keep").unwrap_or_default(), dry_run: matches.get_flag("dry-run") };
            let report = project.open()?.gc(&query, &identity)?;
            show(terminal, &report, screens::upkeep::gc);
        }
    }
    Ok(OK)
}

fn doctor(terminal: &mut Terminal, project: Project, fix: bool) -> Result<u8, Refusal> {
    let identity = project.identity(Origin::Command);
    let engine = project.open()?;
    let report = if fix {
        let plan = |terminal: &mut Terminal, steps: &[&str]| {
            if terminal.mode == Mode::Text && !steps.is_empty() {
                terminal.print(&screens::doctor::plan(steps));
            }
        };
        engine.repair(&identity, &mut |steps| plan(terminal, steps))?
    } else {
        engine.doctor()?
    };
    let palette = terminal.palette();
    show(terminal, &report, |report| screens::doctor::render(report, palette));
    Ok(if report.get("ok") == Some(&Value::Bool(true)) { OK } else { FINDINGS })
}

/// Shows entries until so many were shown, or nobody listens any more.
fn watch(terminal: &mut Terminal, project: Project, matches: &ArgMatches) -> Result<(), Refusal> {
    let mut left = matches.get_one::<u64>("limit").copied().unwrap_or(u64::MAX);
    let engine = project.open()?;
    let (space, since) = (text(matches, "space"), text(matches, "since"));
    let mut follower = engine.follow(space.as_deref(), since.as_deref(), matches.get_flag("all"))?;
    let palette = terminal.palette();
    while left > 0 && !terminal.is_deserted() {
        for entry in follower.wait_for_entries()?.into_iter().take(usize::try_from(left).unwrap_or(usize::MAX)) {
            left -= 1;
            if terminal.mode == Mode::Text {
                let one = Object::from_iter([("entries".to_owned(), Value::Array(vec![Value::Object(entry)]))]);
                terminal.print(&screens::history::render(&one, palette));
            } else {
                terminal.print_line(&entry);
            }
        }
    }
    Ok(())
}

/// Standard output as something to write lines of JSON to.
struct Lines<'a>(&'a mut Terminal);

impl Write for Lines<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.write_raw(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn space() -> Arg {
    Arg::new("space").value_name("SPACE").help("Only this space or what lies beneath it")
}

fn file(help: &'static str) -> Arg {
    Arg::new("file").value_name("FILE").required(true).help(help)
}

fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
}

fn next_command() -> Command {
    Command::new("next")
        .about("List the work that is ready, over all formats")
        .arg(flag("blocked", "List the blocked work instead, with what blocks it"))
        .after_help("Examples:\n  mainstay next\n  mainstay next --blocked")
}

fn watch_command() -> Command {
    Command::new("watch")
        .about("Follow the entries as they are made, until stopped")
        .arg(space())
        .arg(Arg::new("since").long("since").value_name("REV|T").help("Begin with this revision or time"))
        .arg(
            Arg::new("limit")
                .short('n')
                .value_name("N")
                .value_parser(value_parser!(u64).range(1..))
                .help("Stop after so many entries"),
        )
        .arg(flag("all", "Minor entries too"))
        .after_help("Examples:\n  mainstay watch\n  mainstay watch hseos --json\n  mainstay watch -n 1")
}

fn doctor_command() -> Command {
    Command::new("doctor")
        .about("Look for what is wrong; exit code 1 when it finds something")
        .arg(flag("fix", "Say the plan, keep a copy, mend what is safe"))
        .after_help("Examples:\n  mainstay doctor\n  mainstay doctor --fix")
}

fn backup_command() -> Command {
    Command::new("backup")
        .about("Copy the store into a new file while others write")
        .arg(file("A file that does not exist yet"))
        .after_help(
            "To go back to it, stop everything that uses the project and put the copy in the\n\
             place of .mainstay/state.db, without the files state.db-wal and state.db-shm.\n\
             The files that agents see are as new as before, and the next command takes\n\
             them in; `mainstay rollback REVISION`, with the revision that backup told,\n\
             brings them back too.\n\n\
             Example:\n  mainstay backup ~/backups/project.db",
        )
}

fn export_command() -> Command {
    Command::new("export")
        .about("Write records and entries as lines of JSON")
        .arg(space())
        .after_help("Examples:\n  mainstay export > project.jsonl\n  mainstay export hseos > hseos.jsonl")
}

fn import_command() -> Command {
    Command::new("import")
        .about("Bring in what export wrote, into a project without entries")
        .arg(file("A file that export wrote"))
        .arg(flag("merge", "Lay its records over those of any project, as one entry"))
        .after_help("Examples:\n  mainstay import project.jsonl\n  mainstay import hseos.jsonl --merge")
}

fn gc_command() -> Command {
    Command::new("gc")
        .about("Fold old entries into one and give back their room")
        .arg(
            Arg::new("keep")
                .long("keep")
                .value_name("SPAN")
                .default_value("90d")
                .help("Younger entries stay as they are"),
        )
        .arg(flag("dry-run", "Only say how many entries would be folded"))
        .after_help(
            "What a checkpoint stands on stays; `checkpoint --drop ID` lets go of it.\n\n\
             Examples:\n  mainstay gc\n  mainstay gc --keep 30d --dry-run",
        )
}
