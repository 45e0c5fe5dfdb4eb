//! The gate before a host's tools: what the phase allows, and files that only verbs may write.

mod find;
mod globs;
mod options;
mod place;
mod quoting;
mod shell;
#[cfg(test)]
mod tests;
mod wrappers;
mod writes;

use format::{Files, Glance, HookEvent};
use model::{Context, Object, Value};

use super::config::Config;
use super::{config, mirror};
use globs::Glob;
use place::Place;
use writes::Write;

/// The longest command that is read: what Linux takes as one argument of a shell. **Units**: bytes.
const LONGEST: usize = 128 << 10;

/// What one look at a tool's input is held against.
struct Rules<'a> {
    phase: &'a str,
    tests: Vec<Glob>,
    source: Vec<Glob>,
    protect_wave: bool,
    root: &'a str,
    files: &'a dyn Files,
}

/// Says why a tool may not run; nothing where it may.
pub(super) fn glance(event: &HookEvent, files: &dyn Files, ctx: &Context) -> Glance {
    let tool = event.text("tool_name").unwrap_or_default();
    let input = event.input.get("tool_input").and_then(Value::as_object);
    let empty = Object::new();
    let input = input.unwrap_or(&empty);
    let is_long =
        tool == "Bash" && input.get("command").and_then(Value::as_str).is_some_and(|text| text.len() > LONGEST);
    let writes = if is_long { vec![Write::Unread] } else { writes_of(tool, input) };
    if writes.is_empty() {
        return Glance::default();
    }
    // A gate with a setting that cannot be read is the usual gate.
    let config = config::read(ctx).or_else(|_| config::read(&Context { settings: Object::new(), ..ctx.clone() }));
    let Ok(config) = config else { return Glance::default() };
    let rules = Rules::new(mirror::effective(files), &config, &ctx.root, files);
    Glance { denied: writes.iter().find_map(|write| rules.refusal(write)), ..Glance::default() }
}

fn writes_of(tool: &str, input: &Object) -> Vec<Write> {
    let text = |name: &str| input.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    let unlisted = input.contains_key("is_cut").then_some(Write::Unlisted);
    if tool == "Bash" {
        return text("command").map(writes::of_shell).into_iter().flatten().chain(unlisted).collect();
    }
    let lower = tool.to_ascii_lowercase();
    if !["edit", "write", "patch"].iter().any(|word| lower.contains(word)) {
        return Vec::new();
    }
    let listed = input.get("file_paths").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let is_sought = input.contains_key("is_sought");
    let files = listed.flat_map(|path| {
        let sought = (is_sought && !path.starts_with('/')).then(|| Write::Sought(path.to_owned()));
        [Some(Write::File(path.to_owned())), sought].into_iter().flatten()
    });
    files.chain(unlisted).collect()
}

fn say(what: &str, rule: &str, fix: &str) -> Vec<String> {
    vec![format!("[eneo-gate] {what}"), rule.to_owned(), fix.to_owned()]
}

impl<'a> Rules<'a> {
    fn new(phase: &'a str, config: &Config, root: &'a str, files: &'a dyn Files) -> Self {
        let globs = |globs: &[String]| globs.iter().map(|glob| Glob::new(glob)).collect();
        let (tests, source) = (globs(&config.tests), globs(&config.source));
        Self { phase, tests, source, protect_wave: config.protect_wave, root, files }
    }

    fn refusal(&self, write: &Write) -> Option<Vec<String>> {
        match write {
            Write::Unread => Some(say(
                "the command is nested too deeply, or comes to too much, to be read",
                "what a command writes is looked at before it runs",
                "take it apart into several commands",
            )),
            Write::Unlisted => Some(say(
                "too_large: the tool names more files, or longer paths, than are looked at",
                "what a tool writes is looked at before it runs",
                "take it apart into several",
            )),
            Write::Mention(text) => self
                .protected()
                .any(|name| text.contains(name))
                .then(|| Self::of_state("task state may not be written")),
            Write::File(path) => self.of_path(path, Extent::File),
            Write::Sought(path) => self.of_sought(path),
            Write::Removed(path) => self.of_path(path, Extent::Removed),
            Write::Moved(path) => self.of_path(path, Extent::Moved),
            Write::Into { folder, name } => {
                let is_folder = folder.ends_with('/') || Place::of(folder, self.root).is_folder(self.files);
                let path = format!("{}/{name}", folder.trim_end_matches('/'));
                if is_folder { self.of_path(&path, Extent::File) } else { None }
            }
            Write::Found { start, name } => {
                let (place, glob) = (Place::of(start, self.root), Glob::new(name));
                let is_hit =
                    |path: &str| place.holds(path) && path.split('/').any(|part| glob.matches(&globs::names(part)));
                if self.protected().any(|path| is_hit(path.trim_end_matches('/'))) {
                    return Some(Self::of_state(&format!(
                        "{} beneath {} may not be written",
                        shown(name),
                        shown(start)
                    )));
                }
                self.of_path(&format!("{start}/{name}"), Extent::File)
            }
        }
    }

    fn of_state(what: &str) -> Vec<String> {
        say(what, "task state is written by mainstay alone", "use mainstay eneo task-update or phase-set")
    }

    fn of_path(&self, path: &str, extent: Extent) -> Option<Vec<String>> {
        let place = Place::of(path, self.root);
        let what = format!("{} may not be written", shown(path));
        if place.is_protected(self.protect_wave) || (extent != Extent::File && place.holds_protected()) {
            return Some(Self::of_state(&what));
        }
        if extent == Extent::Removed && place.is_test_folder() {
            return Some(say(&what, "folders of tests are not removed", "remove single files, or ask the person"));
        }
        if !matches!(self.phase, "GREEN" | "RED") {
            return None;
        }
        let names = globs::names(place.path());
        let is_test = self.tests.iter().any(|glob| glob.matches(&names));
        match self.phase {
            "GREEN" if is_test => Some(say(
                &what,
                "phase GREEN: tests are frozen until they pass",
                "change the source, or go on with mainstay eneo phase-set REFACTOR",
            )),
            "RED" if !is_test && self.source.iter().any(|glob| glob.matches(&names)) => Some(say(
                &what,
                "phase RED: source is frozen until a test fails",
                "write the test, then mainstay eneo phase-set GREEN",
            )),
            _ => None,
        }
    }

    // The host takes the one file beneath the root that ends so, wherever it stands.
    fn of_sought(&self, path: &str) -> Option<Vec<String>> {
        let place = Place::of(path, self.root);
        if place.is_there(self.files) {
            return None;
        }
        let end = Place::of(path, "").path().trim_start_matches('/').to_owned();
        let name = end.rsplit('/').next().unwrap_or_default();
        let is_ours = self.protected().any(|known| match known.strip_suffix('/') {
            Some(folder) => place::holds_name(folder, name, self.files),
            None => known.ends_with(&end),
        });
        if is_ours {
            return Some(Self::of_state(&format!("{} may not be written", shown(path))));
        }
        matches!(self.phase, "GREEN" | "RED").then(|| {
            say(
                &format!("no file stands at {}, and the host looks for one of that name elsewhere", shown(path)),
                &format!("phase {}: some files are frozen", self.phase),
                "name the file by its whole path",
            )
        })
    }

    fn protected(&self) -> impl Iterator<Item = &'static str> {
        let wave = self.protect_wave.then_some(".claude/state/wave.json");
        [".claude/state/current-task.json", ".claude/state/phase", ".claude/state/.locks/", ".mainstay/"]
            .into_iter()
            .chain(wave)
    }
}

/// How much of a place a command touches.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// The file there.
    File,
    /// Everything in it, which is gone then.
    Removed,
    /// Everything in it, which stands elsewhere then.
    Moved,
}

// A path comes from a program's input and goes to a terminal.
fn shown(path: &str) -> String {
    path.chars().filter(|letter| !letter.is_control()).take(200).collect()
}
