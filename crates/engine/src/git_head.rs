//! The commit that HEAD names, read from the repository's own files.
//!
//! No git is started: status lines and every write ask for it.
//! **Source**: gitrepository-layout(5), git-pack-refs(1).

use std::fs;
use std::io::{self, Read as _, Seek as _, SeekFrom};
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

/// What the log of HEAD tells of the time since it had some size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Since {
    /// A checkout, a pull, a reset: the files are others.
    Moved,
    /// Commits of what stood in the files, and nothing else.
    Committed,
    /// There is no log, or nothing new in it, or it was cut.
    Unknown,
}

/// The size of the log of HEAD, if git keeps one. **Units**: bytes.
pub(crate) fn log_size(root: &Path) -> Option<u64> {
    let found = fs::metadata(log(root)?).ok()?;
    found.is_file().then_some(found.len())
}

/// What has been logged behind the first `size` bytes.
pub(crate) fn since(root: &Path, size: u64) -> Since {
    let Some(path) = log(root).filter(|_| log_size(root).is_some_and(|now| now > size)) else { return Since::Unknown };
    let read = || {
        let mut file = fs::File::open(path)?;
        file.seek(SeekFrom::Start(size))?;
        let mut news = Vec::new();
        file.take(LIMIT).read_to_end(&mut news)?;
        io::Result::Ok(news)
    };
    let Ok(news) = read() else { return Since::Unknown };
    let news = String::from_utf8_lossy(&news);
    if news.lines().all(keeps_files) { Since::Committed } else { Since::Moved }
}

// **Shape** of a line: `OLD NEW NAME <MAIL> TIME ZONE\tWHAT`. A commit that ends a merge or a picking was
// preceded by changes that git made.
fn keeps_files(line: &str) -> bool {
    let Some((who, what)) = line.split_once('\t') else { return false };
    let mut commits = who.split(' ');
    let stays = commits.next() == commits.next();
    ["commit: ", "commit (initial): ", "commit (amend): ", "Branch: "].iter().any(|start| what.starts_with(start))
        || (stays && what.starts_with("checkout: "))
}

// A worktree has a log of its own.
fn log(root: &Path) -> Option<PathBuf> {
    Some(git_folder(root)?.join("logs/HEAD"))
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

    use super::Since;

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
    fn the_log_tells_commits_from_moves() {
        let line = |old: &str, new: &str, what: &str| format!("{old} {new} A B <a@b> 1 +0000\t{what}\n");
        let first = line("0", "1", "commit (initial): x");
        let check = |news: &[(&str, &str, &str)], expected: Since| {
            let folder = tempfile::tempdir().unwrap();
            let news: String = news.iter().map(|(old, new, what)| line(old, new, what)).collect();
            write(folder.path(), ".git/logs/HEAD", &format!("{first}{news}"));
            assert_eq!(super::since(folder.path(), first.len() as u64), expected, "{news}");
        };
        check(&[], Since::Unknown);
        check(&[("1", "2", "commit: y"), ("2", "3", "commit (amend): z")], Since::Committed);
        check(&[("1", "2", "commit: y"), ("2", "1", "checkout: moving from main to HEAD~1")], Since::Moved);
        check(&[("1", "1", "checkout: moving from main to new")], Since::Committed);
        check(&[("1", "1", "reset: moving to HEAD")], Since::Moved);
        check(&[("1", "2", "pull: Fast-forward")], Since::Moved);
        check(&[("1", "2", "commit (merge): Merge branch 'x'")], Since::Moved);
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), ".git/logs/HEAD", &first);
        assert_eq!(super::since(folder.path(), first.len() as u64 + 1), Since::Unknown);
        assert_eq!(super::log_size(folder.path()), Some(first.len() as u64));
        check(&[("1", "2", "commit: torn\nline without a tab")], Since::Moved);
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
