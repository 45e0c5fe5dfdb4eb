//! `init --host`: wires hosts to Mainstay and takes that back.
//!
//! Everything is thought out before the first file is touched; then one file after the other is replaced
//! as a whole. Several files are no transaction: what a killed command left undone, its repeat does.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::PathBuf;

use clap::ArgMatches;
use engine::{HostFile, HostFiles};
use hosts::{Base, Change, Folders, Host, Order, Scope, Seen, plan};
use model::{Object, Refusal, Value};

use crate::errors::OK;
use crate::generic::show;
use crate::project::Project;
use crate::screens;
use crate::terminal::Terminal;

/// Carries out `init` with hosts.
pub(crate) fn run(
    terminal: &mut Terminal,
    project: Project,
    formats: &[String],
    matches: &ArgMatches,
) -> Result<u8, Refusal> {
    let names = matches.get_many::<String>("host").unwrap_or_default();
    let hosts = names.map(|name| Host::named(name)).collect::<Result<Vec<_>, _>>()?;
    let scope = if matches.get_flag("global") { Scope::Global } else { Scope::Project };
    let order = if matches.get_flag("uninstall") { Order::Uninstall } else { Order::Install };
    let is_rehearsal = matches.get_flag("dry-run");
    let mut places = Places {
        variable: project.hosts.variable,
        project: None,
        is_rehearsal,
        open: HashMap::new(),
        seen: HashMap::new(),
    };
    let mut report = Object::new();
    let mut has_state = true;
    if scope == Scope::Project {
        let engine = project.open()?;
        if !formats.is_empty() {
            report = engine.init(formats)?;
        }
        has_state = !engine.formats_on().is_empty();
        places.project = Some(engine.root().to_owned());
    }
    let plan = plan(order, scope, &hosts, &mut places)?;
    if !is_rehearsal {
        carry_out(&plan.changes, &mut places)?;
    }
    report.extend(plan.report(is_rehearsal));
    if !has_state && order == Order::Install {
        let said = "the project keeps no state yet: mainstay init --format F begins it";
        let note = [("code".to_owned(), "no_format".into()), ("message".to_owned(), said.into())];
        if let Some(Value::Array(notes)) = report.get_mut("notes") {
            notes.push(Value::Object(note.into_iter().collect()));
        }
    }
    show(terminal, &report, screens::wiring::render);
    Ok(OK)
}

fn carry_out(changes: &[Change], places: &mut Places) -> Result<(), Refusal> {
    let mut done: Vec<Value> = Vec::new();
    for change in changes {
        let key = (change.base, change.path.clone());
        let seen = places.seen.remove(&key).expect("what is in a plan was looked at");
        let folder = places.folder(change.base)?;
        if change.before == change.after {
            folder.sweep(&seen);
            continue;
        }
        folder.replace(&seen, change.after.as_deref().map(str::as_bytes)).map_err(|refusal| {
            if done.is_empty() {
                return refusal;
            }
            let done = std::mem::take(&mut done);
            refusal.with("done", done).hint("mend that and repeat the command: it goes on where it stopped")
        })?;
        done.push(change.shown().into());
    }
    Ok(())
}

/// The folders that hosts keep their files in, opened when they are asked for.
struct Places {
    variable: fn(&str) -> Option<OsString>,
    project: Option<PathBuf>,
    is_rehearsal: bool,
    /// By their own paths: a folder that has two names is held once.
    open: HashMap<PathBuf, HostFiles>,
    seen: HashMap<(Base, String), HostFile>,
}

impl Places {
    fn folder(&mut self, base: Base) -> Result<&HostFiles, Refusal> {
        let path = match base {
            Base::Project => self.project.clone().ok_or("project"),
            Base::Home => self.named("HOME").or_else(|| self.named("USERPROFILE")).ok_or("HOME"),
            Base::Variable(name) => self.named(name).ok_or(name),
        };
        let path = path.map_err(|name| {
            Refusal::config(name, format!("{name} names no folder with its whole path"))
                .hint(format!("set {name}, or leave out --global"))
        })?;
        if let Base::Variable(name) = base
            && !path.exists()
        {
            return Err(Refusal::config(name, format!("{name} names {}, which does not exist", path.display()))
                .hint(format!("make that folder, or unset {name}; nothing was changed")));
        }
        let path = path.canonicalize().unwrap_or(path);
        if !self.open.contains_key(&path) {
            let open = if self.is_rehearsal { HostFiles::open } else { HostFiles::open_alone };
            self.open.insert(path.clone(), open(&path)?);
        }
        Ok(&self.open[&path])
    }

    fn named(&self, variable: &str) -> Option<PathBuf> {
        (self.variable)(variable).map(PathBuf::from).filter(|path| path.is_absolute())
    }
}

impl Folders for Places {
    fn is_named(&self, variable: &'static str) -> bool {
        (self.variable)(variable).is_some_and(|value| !value.is_empty())
    }

    fn look(&mut self, base: Base, path: &str) -> Result<(String, Seen), Refusal> {
        let file = self.folder(base)?.look(path)?;
        let path = file.path().to_owned();
        // What is replaced is the file as it was when it was first looked at.
        let file = self.seen.entry((base, path.clone())).or_insert(file);
        Ok((path, file.bytes().map_or(Seen::Absent, |bytes| Seen::Bytes(bytes.to_vec()))))
    }
}
