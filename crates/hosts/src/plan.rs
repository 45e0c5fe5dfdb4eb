//! What one order does to which files, thought out before the first of them is touched.

use format::line_diff;
use model::{Object, Refusal, Value};

use crate::host::Host;
use crate::json::{self, Edited};
use crate::part::{Base, Part, Piece, Scope};
use crate::{section, toml_table};

/// What those are told who wire both of two hosts of which one reads the hooks of the other.
const TWICE: &str = "VS Code and Copilot CLI run the hooks of claude and of copilot: each event is told twice there, \
                     until .claude/settings.json is switched off in chat.hookFilesLocations or one of the two is unwired";

/// What a person asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Put everything in.
    Install,
    /// Take everything out.
    Uninstall,
}

/// What stands at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// Nothing.
    Absent,
    /// A file of these bytes.
    Bytes(Vec<u8>),
}

/// What a plan may look at.
pub trait Folders {
    /// Whether a variable of the person's names a folder.
    fn is_named(&self, variable: &'static str) -> bool;

    /// What stands at a path beneath a folder, and the path of the file itself, where a link leads to it.
    ///
    /// Asked again for a file, it answers the same.
    ///
    /// **Errors**: `path_outside_project`, `config_invalid`, whatever keeps the file from being read.
    fn look(&mut self, base: Base, path: &str) -> Result<(String, Seen), Refusal>;
}

/// What becomes of one file.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The folder.
    pub base: Base,
    /// The path beneath it.
    pub path: String,
    /// What it is for, and for which host.
    pub what: Vec<(&'static str, &'static str)>,
    /// What stands there; nothing where there is no file.
    pub before: Option<String>,
    /// What shall stand there; nothing where there shall be no file.
    pub after: Option<String>,
    /// What a person should know: a code and a sentence each.
    pub notes: Vec<(&'static str, String)>,
}

/// What becomes of all files.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    order: Order,
    scope: Scope,
    hosts: Vec<&'static Host>,
    /// The files, in the order in which they were met.
    pub changes: Vec<Change>,
}

impl PartialEq for Host {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// Thinks an order through for some hosts.
///
/// **Errors**: those of the edits, each with the member `path`; nothing is changed then.
pub fn plan(order: Order, scope: Scope, hosts: &[&'static Host], folders: &mut dyn Folders) -> Result<Plan, Refusal> {
    let mut plan = Plan { order, scope, hosts: Vec::new(), changes: Vec::new() };
    for host in hosts {
        if plan.hosts.contains(host) {
            continue;
        }
        plan.hosts.push(host);
        for part in (host.parts)(scope) {
            let change = met(&mut plan.changes, &part, folders)?;
            let edited = edit(order, host, &part, change.after.as_deref()).map_err(|refusal| {
                let refusal = located(refusal, change);
                if order == Order::Uninstall && hosts.len() > 1 { beside(refusal, host) } else { refusal }
            })?;
            change.what.push((host.name, part.what));
            change.after = edited.text;
            change.notes.extend(edited.notes);
        }
    }
    Ok(plan)
}

// Two names may be one file, as where AGENTS.md is a link to CLAUDE.md.
fn met<'a>(changes: &'a mut Vec<Change>, part: &Part, folders: &mut dyn Folders) -> Result<&'a mut Change, Refusal> {
    let (base, path, seen) = found(part, folders)?;
    if let Some(number) = changes.iter().position(|change| change.base == base && change.path == path) {
        return Ok(&mut changes[number]);
    }
    let before = match seen {
        Seen::Absent => None,
        Seen::Bytes(bytes) => Some(String::from_utf8(bytes).map_err(|_| {
            let why = format!("{path} is not UTF-8 text");
            Refusal::config("path", why).with("path", path.as_str()).hint("nothing was changed")
        })?),
    };
    let after = before.clone();
    changes.push(Change { base, path, what: Vec::new(), before, after, notes: Vec::new() });
    Ok(changes.last_mut().expect("it was just added"))
}

// A variable that names the host's folder counts; of two names for a file, the one that exists.
fn found(part: &Part, folders: &mut dyn Folders) -> Result<(Base, String, Seen), Refusal> {
    let moved = part.moved.filter(|moved| folders.is_named(moved.variable));
    let (base, path) = moved.map_or((part.base, part.path), |moved| (Base::Variable(moved.variable), moved.path));
    let mut found = folders.look(base, path)?;
    if let Some(other) = part.other.filter(|_| found.1 == Seen::Absent) {
        let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
        let other = folders.look(base, &path.replace(&name(path), &name(other)))?;
        if other.1 != Seen::Absent {
            found = other;
        }
    }
    Ok((base, found.0, found.1))
}

fn edit(order: Order, host: &Host, part: &Part, text: Option<&str>) -> Result<Edited, Refusal> {
    let of_text = |text| Edited { text, notes: Vec::new() };
    match (order, &part.piece, text) {
        (Order::Install, Piece::Json { entries, companion }, text) => json::put(text, entries, companion.as_ref()),
        (Order::Install, Piece::Toml { body, table, remarks }, text) => {
            toml_table::put(text, body, *table, host.name, remarks)
        }
        (Order::Install, Piece::Section { comment, body }, text) => {
            section::put(text, *comment, body, host.name).map(|text| of_text(Some(text)))
        }
        (Order::Uninstall, _, None) => Ok(Edited::default()),
        (Order::Uninstall, Piece::Json { entries, companion }, Some(text)) => {
            json::take(text, entries, companion.as_ref())
        }
        (Order::Uninstall, Piece::Toml { table, .. }, Some(text)) => toml_table::take(text, *table, host.name),
        (Order::Uninstall, Piece::Section { comment, .. }, Some(text)) => {
            section::take(text, *comment, host.name).map(of_text)
        }
    }
}

fn located(refusal: Refusal, change: &Change) -> Refusal {
    let message = format!("{}: {}", change.path, refusal.message);
    let field = refusal.field.clone().filter(|field| field != "path").unwrap_or_else(|| change.path.clone());
    Refusal { message, ..refusal.field(field).with("path", change.path.as_str()) }
}

fn beside(refusal: Refusal, host: &Host) -> Refusal {
    let hint = format!("{}; the other hosts go without --host {}", refusal.hint.clone().unwrap_or_default(), host.name);
    refusal.hint(hint.trim_start_matches("; "))
}

impl Change {
    /// The file as people are told of it.
    pub fn shown(&self) -> String {
        match self.base {
            Base::Project => self.path.clone(),
            Base::Home => format!("~/{}", self.path),
            Base::Variable(name) => format!("${name}/{}", self.path),
        }
    }

    /// The word for what happens.
    pub fn action(&self) -> &'static str {
        match (&self.before, &self.after) {
            (before, after) if before == after => "kept",
            (None, _) => "created",
            (_, None) => "removed",
            _ => "changed",
        }
    }

    /// The lines that differ, as `diff -u` shows them; empty where none do.
    pub fn diff(&self) -> String {
        line_diff::unified(&self.path, self.before.as_deref(), self.after.as_deref())
    }
}

impl Plan {
    /// What is told about it.
    ///
    /// **Shape**: `{"scope","hosts","files":[{"path","action","for","diff"?}],"notes":[{"code","message"}]}`;
    /// differences only where nothing is done yet.
    pub fn report(&self, with_diffs: bool) -> Object {
        let text = |text: &str| Value::from(text);
        let mut report = Object::new();
        report.insert("scope".into(), text(if self.scope == Scope::Project { "project" } else { "global" }));
        report.insert("hosts".into(), self.hosts.iter().map(|host| text(host.name)).collect());
        let file = |change: &Change| {
            let mut file = Object::new();
            file.insert("path".into(), text(&change.shown()));
            file.insert("action".into(), text(change.action()));
            let what = change.what.iter().map(|(host, what)| text(&format!("{host}: {what}")));
            file.insert("for".into(), what.collect());
            if with_diffs {
                file.insert("diff".into(), text(&change.diff()));
            }
            Value::Object(file)
        };
        report.insert("files".into(), self.changes.iter().map(file).collect());
        report.insert("notes".into(), self.notes());
        report
    }

    fn notes(&self) -> Value {
        let note = |code: &str, message: String| {
            Value::Object(Object::from_iter([("code".to_owned(), code.into()), ("message".to_owned(), message.into())]))
        };
        let of_files = self.changes.iter().flat_map(|change| {
            change.notes.iter().map(move |(code, said)| note(code, format!("{}: {said}", change.shown())))
        });
        let is_new = self.order == Order::Install && self.changes.iter().any(|change| change.action() != "kept");
        let hosts = self.hosts.iter().filter(|_| is_new);
        let then = hosts.flat_map(|host| host.then.iter().map(move |said| note("then", (*said).to_owned())));
        let has = |name: &str| self.hosts.iter().any(|host| host.name == name);
        let twice = (is_new && has("claude") && has("copilot")).then(|| note("fires_twice", TWICE.to_owned()));
        of_files.chain(twice).chain(then).collect()
    }
}
