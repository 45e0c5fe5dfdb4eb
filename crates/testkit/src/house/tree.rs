//! The text files of the tree.

use std::path::{Path, PathBuf};
use std::{fs, io};

const NOT_OURS: &[&str] = &["target", ".git", ".mainstay", "node_modules"];

/// One text file.
pub(super) struct File {
    /// The path from the root, with forward slashes.
    pub(super) path: String,
    /// Its text.
    pub(super) text: String,
}

impl File {
    /// Whether it is Rust written by hand.
    pub(super) fn is_rust(&self) -> bool {
        let written_by_hand = !self.path.split('/').any(|part| part == "fixtures" || part == "generated");
        written_by_hand && Path::new(&self.path).extension().is_some_and(|extension| extension == "rs")
    }
}

/// Reads every file that is UTF-8.
///
/// **Order**: by path.
pub(super) fn read(root: &Path) -> io::Result<Vec<File>> {
    let mut files = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let kind = entry.file_type()?;
            if NOT_OURS.iter().any(|name| entry.file_name() == *name) {
                continue;
            }
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() {
                files.extend(file(root, &entry.path()));
            }
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

fn file(root: &Path, path: &Path) -> Option<File> {
    // A file that went away meanwhile, or that is not text, is none to look at.
    let text = fs::read_to_string(path).ok()?;
    let relative: PathBuf = path.strip_prefix(root).ok()?.into();
    let parts: Vec<_> = relative.iter().map(|part| part.to_string_lossy()).collect();
    Some(File { path: parts.join("/"), text })
}
