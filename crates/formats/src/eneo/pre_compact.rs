//! A copy of the scratchpad, before the host forgets.

use std::path::Path;

use format::{FileState, Irregular, View};
use model::{Context, ExtraFile, Object, Outcome, ProjectPath, Value};

use super::document::{self, is_slug};
use super::refusals;
use super::task_init::nothing;

/// How much of one file is copied. **Units**: bytes.
const MOST: usize = 256 * 1024;

/// Largest file that is opened at all. **Units**: bytes.
const LIMIT: u64 = 64 * 1024 * 1024;

/// How many files are copied.
const FILES: usize = 200;

pub(super) fn pre_compact(view: &View<'_>, ctx: &Context) -> Outcome {
    let mut outcome = nothing(Object::from_iter([("copied".to_owned(), Value::Null)]));
    let task = refusals::readable_task(view);
    let Some(slug) = task.as_ref().and_then(document::slug_of).filter(|slug| is_slug(slug)) else { return outcome };
    let stamp = ctx.now.to_stamp();
    let mut text = format!("# {slug} {stamp}\n");
    let mut count = 0;
    for folder in folders(slug, view, ctx) {
        for name in folder.names(view) {
            if count < FILES && add(&mut text, &name, &folder.read(&name, view)) {
                count += 1;
            }
        }
    }
    let path = ProjectPath::new(format!(".claude/context/{slug}-{stamp}.md"));
    if let (true, Ok(path)) = (count > 0, path) {
        outcome.reply.body.insert("copied".into(), path.as_str().into());
        outcome.files.push(ExtraFile::Create { path, bytes: text.into_bytes() });
    }
    outcome
}

// The host's own scratchpad where there is one, else those of the task.
fn folders(slug: &str, view: &View<'_>, ctx: &Context) -> Vec<Pad> {
    if let Some(said) = ctx.var("CLAUDE_SCRATCHPAD_DIR") {
        let inner = Path::new(said).strip_prefix(&ctx.root).ok().and_then(Path::to_str);
        let pad = match inner.map(ProjectPath::normalise) {
            Some(Ok(folder)) => view.files.is_folder(&folder).then_some(Pad::Inside(folder)),
            _ => view.probes.folder(said).map(|names| Pad::Outside(said.to_owned(), names)),
        };
        if let Some(pad) = pad {
            return vec![pad];
        }
    }
    let Ok(phases) = ProjectPath::new(format!(".claude/phases/{slug}")) else { return Vec::new() };
    let is_pad = |name: &String| name == "scratchpad" || (name.starts_with("phase-") && name.ends_with("-scratchpad"));
    let mut names: Vec<String> = view.files.list(&phases).into_iter().filter(is_pad).collect();
    names.sort_by_key(|name| (name != "scratchpad", name.clone()));
    let folders = names.iter().filter_map(|name| phases.join(name).ok());
    folders.filter(|folder| view.files.is_folder(folder)).map(Pad::Inside).collect()
}

/// A folder whose files are copied.
enum Pad {
    /// One of the project's.
    Inside(ProjectPath),
    /// One that the host names, with its names.
    Outside(String, Vec<String>),
}

impl Pad {
    fn names(&self, view: &View<'_>) -> Vec<String> {
        match self {
            Self::Inside(folder) => view.files.list(folder),
            Self::Outside(_, names) => names.clone(),
        }
    }

    fn read(&self, name: &str, view: &View<'_>) -> FileState {
        match self {
            Self::Inside(folder) => folder.join(name).map_or(FileState::Absent, |path| view.files.read(&path, LIMIT)),
            Self::Outside(folder, _) => view.probes.file(&format!("{folder}/{name}"), LIMIT),
        }
    }
}

// Answers whether there was a regular file.
fn add(text: &mut String, name: &str, state: &FileState) -> bool {
    let bytes = match state {
        FileState::Bytes(bytes) => bytes,
        FileState::Irregular(Irregular::TooLarge) => &Vec::new(),
        _ => return false,
    };
    let shown: String = name.chars().filter(|letter| !letter.is_control()).collect();
    text.extend(["\n## ", &shown, "\n"]);
    if matches!(state, FileState::Irregular(_)) {
        text.push_str("\n(too large to be copied)\n");
        return true;
    }
    let Ok(content) = std::str::from_utf8(bytes) else {
        text.push_str("\n(no UTF-8 text)\n");
        return true;
    };
    let end = (0..=content.len().min(MOST)).rev().find(|end| content.is_char_boundary(*end)).unwrap_or_default();
    let part = &content[..end];
    let longest = part.split(|letter| letter != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    let newline = if part.ends_with('\n') { "" } else { "\n" };
    text.extend(["\n", &fence, "\n", part, newline, &fence, "\n"]);
    if end < content.len() {
        text.extend(["\n(cut after ", &MOST.to_string(), " bytes)\n"]);
    }
    true
}
