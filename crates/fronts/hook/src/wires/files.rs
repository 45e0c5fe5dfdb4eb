//! The files that a tool's arguments name, in the words of all hosts at once.
//!
//! An agent chooses the arguments of its tools, and a host passes over one that a tool does not know. So every argument
//! that names a file in some host counts in each: one that a tool does not know must not hide one that it does. So do
//! all readings of one name that some host has.

use std::borrow::Cow;
use std::collections::HashSet;

use format::patch;
use model::{Object, Value};

use crate::kept::{self, Kept, MOST};

/// Arguments that name one file.
pub(super) const PATHS: &[&str] =
    &["file_path", "path", "notebook_path", "absolute_path", "target_file", "filePath", "dirPath", "notebookPath"];

/// Arguments that list files, or objects that name one.
pub(super) const LISTS: &[&str] = &["files", "replacements", "edits"];

/// Arguments that may hold a patch, as a text or a list of words; the first is a shell's text too.
pub(super) const TEXTS: &[&str] = &["command", "input", "patch", "patchText"];

/// The longest path that a system opens (`PATH_MAX`), and how much all paths of a tool may come to. **Units**: bytes.
pub(super) const LONGEST: usize = 4096;
pub(super) const MOST_BYTES: usize = 256 << 10;

/// What is kept of a tool's arguments.
pub(super) fn kept(name: &str) -> Option<Kept> {
    static FILE: Kept = Kept::Members(|name| PATHS.contains(&name).then_some(Kept::Plain));
    match () {
        () if PATHS.contains(&name) => Some(Kept::Plain),
        () if TEXTS.contains(&name) => Some(Kept::Items(&Kept::Plain)),
        () if LISTS.contains(&name) => Some(Kept::Items(&FILE)),
        () => None,
    }
}

/// A tool's arguments in our words.
///
/// Where a host sends them as a text, that is JSON or a patch.
pub(super) fn arguments(tool: &str, theirs: Value) -> Object {
    let theirs = match theirs {
        Value::Object(theirs) => theirs,
        Value::String(text) => kept::object(text.as_bytes(), kept)
            .unwrap_or_else(|| Object::from_iter([(TEXTS[0].to_owned(), text.into())])),
        _ => Object::new(),
    };
    let mut ours = Object::new();
    let mut is_cut = theirs.values().filter_map(Value::as_array).any(|list| list.len() > MOST);
    if tool == "Bash" {
        let in_words = |command: &Value| command.as_array().map(|words| in_shell(words));
        let command = theirs.get(TEXTS[0]).map(|command| in_words(command).unwrap_or_else(|| command.clone()));
        ours.extend(command.map(|command| (TEXTS[0].to_owned(), command)));
    } else {
        let (paths, has_more) = paths(&theirs);
        ours.insert("file_paths".to_owned(), paths.into_iter().map(Value::from).collect());
        is_cut |= has_more;
    }
    if is_cut {
        ours.insert("is_cut".to_owned(), true.into());
    }
    ours
}

// A command as a list of words, as a shell would be told of it.
fn in_shell(words: &[Value]) -> Value {
    let words = words.iter().filter_map(Value::as_str).map(|word| format!("'{}'", word.replace('\'', "'\\''")));
    words.collect::<Vec<_>>().join(" ").into()
}

// The path of a `file:` URI; any other is one already.
fn path(named: &str) -> Cow<'_, str> {
    let Some(rest) = named.strip_prefix("file:") else { return named.into() };
    let rest = rest.strip_prefix("//").map_or(rest, |rest| rest.find('/').map_or("", |root| &rest[root..]));
    let mut bytes = Vec::with_capacity(rest.len());
    let mut left = rest.as_bytes();
    while let Some((first, behind)) = left.split_first() {
        let escaped = behind.get(..2).filter(|_| *first == b'%').and_then(|digits| std::str::from_utf8(digits).ok());
        let escaped = escaped.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(escaped.unwrap_or(*first));
        left = if escaped.is_some() { &behind[2..] } else { behind };
    }
    String::from_utf8_lossy(&bytes).into_owned().into()
}

/// The files that a name may stand for.
///
/// Hosts drop letters that are none, white space around it, and a `@` before it with the root behind that.
fn meant(named: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let path = path(named);
    let plain = without_controls(&path);
    let bare = plain.trim();
    let marked = bare.strip_prefix('@').map(|rest| rest.trim_start_matches(['/', '\\']));
    let others = [Some(plain.as_str()), Some(bare), bare.strip_prefix('@'), marked];
    let others = others.map(|other| other.filter(|other| *other != path).map(str::to_owned));
    std::iter::once(path).chain(others.into_iter().flatten().map(Cow::Owned))
}

fn without_controls(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).collect()
}

/// All files, each once, and whether there are more, or longer ones than any system opens.
fn paths(arguments: &Object) -> (Vec<Cow<'_, str>>, bool) {
    let of = |name: &&str| arguments.get(*name);
    let listed = LISTS.iter().filter_map(of).filter_map(Value::as_array).flatten();
    let in_lists = listed.flat_map(|item| {
        let inner = item.as_object().into_iter().flat_map(|item| PATHS.iter().filter_map(|name| item.get(*name)));
        inner.chain([item]).filter_map(Value::as_str)
    });
    let texts = TEXTS.iter().filter_map(of).flat_map(|text| text.as_array().into_iter().flatten().chain([text]));
    let in_patches = texts.filter_map(Value::as_str).flat_map(patch::paths);
    let named = PATHS.iter().filter_map(of).filter_map(Value::as_str).chain(in_lists).chain(in_patches);
    let (mut paths, mut known, mut left) = (Vec::new(), HashSet::new(), MOST_BYTES);
    let mut listed = HashSet::new();
    for name in named.filter(|name| !name.is_empty()) {
        if known.contains(name) {
            continue;
        }
        let after = left.checked_sub(name.len()).filter(|_| name.len() <= LONGEST && known.len() < MOST);
        let Some(after) = after else { return (paths, true) };
        left = after;
        known.insert(name);
        paths.extend(meant(name).filter(|path| !path.is_empty() && listed.insert(path.clone())));
    }
    (paths, false)
}
