//! `hook` and `statusline`: what hosts call, answered by the front that whoever puts the program together hands in.
//!
//! A host is never broken: whatever is wrong here ends with exit code 0 and a line on standard error,
//! unless the line itself is no command.

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};

use engine::{Engine, Identity};
use model::{Origin, Refusal};

use crate::errors::OK;
use crate::printable;
use crate::project::Project;
use crate::route;
use crate::terminal::Terminal;

/// What a host gets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostAnswer {
    /// Standard output, its newlines included.
    pub out: String,
    /// Lines of standard error.
    pub notes: Vec<String>,
    /// The exit code.
    pub code: u8,
}

/// The doors for hosts that this program has.
#[derive(Clone, Copy, Debug)]
pub struct Hosts {
    /// Reads what the host sends and answers an event; the host's name may be left out.
    pub hook: fn(&Engine, &str, Option<&str>, &Identity) -> Result<HostAnswer, Refusal>,
    /// Reads what the host sends and makes the status line.
    pub statusline: fn(&Engine) -> Result<HostAnswer, Refusal>,
    /// A variable that says where a host keeps its files.
    pub variable: fn(&str) -> Option<OsString>,
}

/// What a host asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// An event, and of which host if the line says so.
    Hook(String, Option<String>),
    /// The status line.
    Statusline,
}

/// Answers a host.
pub(crate) fn run(terminal: &mut Terminal, project: Project, asked: &Asked) -> u8 {
    let hosts = project.hosts;
    let answer = quietly(|| {
        let globals = project.globals.clone();
        let env = project.setup.env.clone();
        let engine = project.open_for_host()?;
        let mut answer = match asked {
            Asked::Hook(event, host) => {
                let identity = globals.identity(&env, Origin::Hook(event.clone()));
                (hosts.hook)(engine, event, host.as_deref(), &identity)?
            }
            Asked::Statusline => (hosts.statusline)(engine)?,
        };
        answer.notes.extend(engine.broken().map(|broken| format!("mainstay: {broken}")));
        Ok(answer)
    });
    match answer {
        Ok(answer) => {
            terminal.print_raw(&answer.out);
            answer.notes.iter().for_each(|note| terminal.note(&printable::line(note)));
            answer.code
        }
        Err(refusal) => excuse(terminal, asked, &refusal),
    }
}

/// Answers a host that cannot be answered.
pub(crate) fn excuse(terminal: &mut Terminal, asked: &Asked, refusal: &Refusal) -> u8 {
    if matches!(asked, Asked::Hook(..)) {
        terminal.print_raw("{}\n");
    }
    terminal.note(&format!("mainstay: {}", printable::line(&refusal.to_string())));
    OK
}

/// What a line asks of the doors for hosts, however the rest of it reads.
pub(crate) fn asked(arguments: &[OsString]) -> Option<Asked> {
    let words: Vec<String> = arguments.iter().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    route::host(&words)
}

// A fault of ours is told in one line, without a trace.
fn quietly(answer: impl FnOnce() -> Result<HostAnswer, Refusal>) -> Result<HostAnswer, Refusal> {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let answer = catch_unwind(AssertUnwindSafe(answer));
    std::panic::set_hook(usual);
    let broken = || Refusal::new(model::RefusalClass::Unavailable, "internal_error", "the event could not be handled");
    answer.unwrap_or_else(|_| Err(broken()))
}
