//! The commit that HEAD names, read from the repository's own files.
//!
//! No git is started: status lines and every write ask for it.
//! **Source**: gitrepository-layout(5), git-pack-refs(1).

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Largest file of a repository that is read. **Units**: bytes; packed references of large projects fit.
const LIMIT: u64 = 16 << 20;

/// How many references may stand behind each other.
const DEPTH: usize = 5;

/// The commit, as full hexadecimal digits.
///
/// `None` where the root holds no repository of its own, or HEAD names no commit yet.
pub(crate) fn read(root: &Path) -> Option<String> {
    let folder = git_folder(root)?;
    let common = text(&folder.join("commondir")).map(|path| folder.join(path.trim()));
    let mut name = "HEAD".to_owned();
    for _ in 0..DEPTH {
        let loose = text(&folder.join(&name)).or_else(|| text(&common.as_ref()?.join(&name)));
        let Some(loose) = loose else {
            return packed(common.as_ref().unwrap_or(&folder), &name);
        };
        match loose.trim().strip_prefix("ref:") {
            Some(next) => next.trim().clone_into(&mut name),
            None => return commit(loose.trim()),
        }
        if !is_reference(&name) {
            return None;
        }
    }
    None
}

/// `.git` itself, or the folder that the link of a worktree names.
fn git_folder(root: &Path) -> Option<PathBuf> {
    let git = root.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    let link = text(&git)?;
    Some(root.join(link.trim().strip_prefix("gitdir:")?.trim()))
}

fn packed(common: &Path, name: &str) -> Option<String> {
    let text = text(&common.join("packed-refs"))?;
    let found = text.lines().filter_map(|line| line.split_once(' ')).find(|(_, packed)| packed.trim_end() == name);
    commit(found?.0)
}

fn commit(text: &str) -> Option<String> {
    let is_commit = matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_commit.then(|| text.to_ascii_lowercase())
}

// A reference is a path beneath the repository.
fn is_reference(name: &str) -> bool {
    name.starts_with("refs/") && name.split('/').all(|part| !matches!(part, "" | "." | "..")) && !name.contains('\\')
}

// Only regular files: a pipe would be waited for.
fn text(path: &Path) -> Option<String> {
    if !fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    fs::File::open(path).ok()?.take(LIMIT).read_to_string(&mut text).ok()?;
    Some(text)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    const SHA: &str = "7a1b2c3d4e5f60718293a4b5c6d7e8f901234567";

    fn write(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn check(files: &[(&str, &str)], root: &str, expected: Option<&str>) {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            write(folder.path(), path, text);
        }
        assert_eq!(super::read(&folder.path().join(root)).as_deref(), expected, "{files:?}");
    }

    #[test]
    fn head_is_read_in_every_form() {
        let (head, packed) = ("ref: refs/heads/main\n", format!("# pack-refs\n{SHA} refs/heads/main\n^{SHA}\n"));
        check(&[(".git/HEAD", head), (".git/refs/heads/main", &format!("{SHA}\n"))], "", Some(SHA));
        check(&[(".git/HEAD", head), (".git/packed-refs", &packed)], "", Some(SHA));
        check(&[(".git/HEAD", &SHA.to_uppercase())], "", Some(SHA));
        check(&[(".git/HEAD", "ref: refs/a\n"), (".git/refs/a", "ref: refs/b\n"), (".git/refs/b", SHA)], "", Some(SHA));
        let worktree = [
            ("tree/.git", "gitdir: ../main/.git/worktrees/tree\n"),
            ("main/.git/worktrees/tree/HEAD", head),
            ("main/.git/worktrees/tree/commondir", "../..\n"),
            ("main/.git/packed-refs", &packed),
        ];
        check(&worktree, "tree", Some(SHA));
    }

    #[test]
    fn what_names_no_commit_is_none() {
        check(&[("x", "")], "", None);
        check(&[(".git/HEAD", "ref: refs/heads/new\n")], "", None);
        check(&[(".git/HEAD", "ref: refs/../../secret\n"), ("secret", SHA)], "", None);
        check(&[(".git/HEAD", "ref: refs/a\n"), (".git/refs/a", "ref: refs/a\n")], "", None);
        check(&[(".git/HEAD", "7a1b2c3\n")], "", None);
        check(&[("sub/x", ""), (".git/HEAD", SHA)], "sub", None);
    }
}
