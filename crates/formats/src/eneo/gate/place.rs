//! Paths as rules see them.

use format::{FileState, Files, Irregular};
use model::ProjectPath;

/// `/` and the path from the root, or an absolute path outside of it.
pub(super) struct Place {
    path: String,
    /// Whether the root lies in it.
    holds_root: bool,
    /// The path from the root, where it lies there.
    inner: Option<ProjectPath>,
}

impl Place {
    pub(super) fn of(path: &str, root: &str) -> Self {
        let whole = if path.starts_with('/') { path.to_owned() } else { format!("{root}/{path}") };
        let mut parts: Vec<&str> = Vec::new();
        for part in whole.split('/') {
            match part {
                "" | "." => {}
                ".." => drop(parts.pop()),
                part => parts.push(part),
            }
        }
        let clean = format!("/{}", parts.join("/"));
        let root = root.trim_end_matches('/');
        match clean.strip_prefix(root) {
            Some(inner) if inner.starts_with('/') => {
                let known = ProjectPath::new(&inner[1..]).ok();
                Self { path: inner.to_owned(), holds_root: false, inner: known }
            }
            Some("") => Self { path: "/".to_owned(), holds_root: true, inner: None },
            _ => {
                let folder = whole_folder(&clean);
                let holds_root =
                    root.strip_prefix(folder).is_some_and(|rest| folder.is_empty() || rest.starts_with('/'));
                Self { path: clean, holds_root, inner: None }
            }
        }
    }

    pub(super) fn path(&self) -> &str {
        &self.path
    }

    pub(super) fn is_protected(&self, with_wave: bool) -> bool {
        let ends = |name: &str| self.path.ends_with(name) && self.path[..self.path.len() - name.len()].ends_with('/');
        let lies = |folder: &str| {
            self.path.match_indices(folder).any(|(at, _)| {
                let behind = &self.path[at + folder.len()..];
                self.path[..at].ends_with('/') && (behind.is_empty() || behind.starts_with('/'))
            })
        };
        ends(".claude/state/current-task.json")
            || ends(".claude/state/phase")
            || lies(".claude/state/.locks")
            || lies(".mainstay")
            || (with_wave && ends(".claude/state/wave.json"))
    }

    /// Whether protected files stand in it.
    pub(super) fn holds_protected(&self) -> bool {
        self.holds_root || matches!(whole_folder(&self.path), "" | "/.claude" | "/.claude/state")
    }

    /// Whether a path from the root lies in it.
    pub(super) fn holds(&self, path: &str) -> bool {
        let folder = whole_folder(&self.path).trim_start_matches('/');
        self.holds_root || folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
    }

    pub(super) fn is_test_folder(&self) -> bool {
        matches!(self.path.rsplit('/').next(), Some("tests" | "__tests__"))
    }

    /// Whether anything stands there; a link may lead nowhere.
    pub(super) fn is_there(&self, files: &dyn Files) -> bool {
        let stands = |inner: &ProjectPath| {
            !matches!(files.read(inner, 0), FileState::Absent | FileState::Irregular(Irregular::Link))
        };
        self.holds_root || self.inner.as_ref().is_some_and(stands)
    }

    pub(super) fn is_folder(&self, files: &dyn Files) -> bool {
        self.holds_root || self.inner.as_ref().is_some_and(|inner| files.is_folder(inner))
    }
}

/// How deep folders of ours are looked into.
const DEPTH: usize = 3;

/// Whether something in a folder, or in the folders in it, has a name.
pub(super) fn holds_name(folder: &str, name: &str, files: &dyn Files) -> bool {
    fn beneath(folder: &ProjectPath, name: &str, depth: usize, files: &dyn Files) -> bool {
        files.list(folder).iter().any(|found| {
            let inner = || folder.join(found).ok().filter(|inner| depth > 0 && files.is_folder(inner));
            found == name || inner().is_some_and(|inner| beneath(&inner, name, depth - 1, files))
        })
    }
    ProjectPath::new(folder).is_ok_and(|folder| beneath(&folder, name, DEPTH, files))
}

// `folder/*` is everything in the folder.
fn whole_folder(path: &str) -> &str {
    path.trim_end_matches("/*").trim_end_matches('/')
}
