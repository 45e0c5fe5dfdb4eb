//! Files of hosts, beneath the project or the person's home, looked at and replaced with the care of images.

use std::fs::File;
use std::path::{Component, Path, PathBuf};

use format::FileState;
use model::{ProjectPath, Refusal};

use crate::images::{self, FileStamp, Prepared, ProjectFiles};
use crate::{locks, refusals};

/// Largest file that is read. **Units**: bytes.
const LIMIT: u64 = 16 << 20;

/// How many links are followed for one path, as systems do.
const MOST_LINKS: usize = 40;

/// A folder of which nothing outside is read or written.
pub struct HostFiles {
    root: PathBuf,
    files: ProjectFiles,
    // Held for its lock alone.
    _lock: Option<File>,
}

/// A file as it was looked at.
#[derive(Clone, Debug)]
pub struct HostFile {
    path: ProjectPath,
    stamp: Option<FileStamp>,
    bytes: Option<Vec<u8>>,
    /// So many of its folders stand there because a link leads to them.
    linked_folders: usize,
}

/// The names that lead to a file without a link.
#[derive(Default)]
struct Way {
    names: Vec<String>,
    linked_folders: usize,
}

/// Where a name on the way comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Asked,
    OfLink,
}

/// What a link says.
struct Target {
    is_from_root: bool,
    names: Vec<String>,
}

impl HostFile {
    /// The path of the file itself, to which links lead.
    pub fn path(&self) -> &str {
        self.path.as_str()
    }

    /// Its bytes; nothing where there is no file.
    pub fn bytes(&self) -> Option<&[u8]> {
        self.bytes.as_deref()
    }
}

impl HostFiles {
    /// Opens the folder.
    ///
    /// **Errors**: `write_failed` where it is none or cannot be opened.
    pub fn open(root: &Path) -> Result<Self, Refusal> {
        let files = ProjectFiles::open(root).map_err(|error| refusals::of_io(root, &error))?;
        Ok(Self { root: root.to_owned(), files, _lock: None })
    }

    /// Opens the folder for replacing files in it: no other process does until this is dropped.
    ///
    /// **Errors**: those of [`HostFiles::open`], `store_busy`.
    pub fn open_alone(root: &Path) -> Result<Self, Refusal> {
        Ok(Self { _lock: Some(locks::lock_folder(root)?), ..Self::open(root)? })
    }

    /// Looks at what stands at a path. Links that stay in the folder are followed, of files as of folders.
    ///
    /// **Errors**: `path_outside_project` for a link that leads out, nowhere, in a circle, or into what git and
    /// Mainstay keep; `config_invalid` for what cannot be read.
    pub fn look(&self, path: &str) -> Result<HostFile, Refusal> {
        let way = self.follow(path)?;
        let resolved = way.names.join("/");
        let shown = self.root.join(&resolved).display().to_string();
        let path = ProjectPath::new(resolved.as_str())
            .map_err(|_| Refusal::config("path", format!("{shown} is no path of a file")))?;
        let (state, stamp) = self.files.read_stamped(&path, LIMIT);
        let bytes = match state {
            FileState::Absent => None,
            FileState::Bytes(bytes) => Some(bytes),
            FileState::Irregular(format::Irregular::Link) => return Err(elsewhere(&shown, "is a link now")),
            FileState::Irregular(why) => {
                return Err(Refusal::config("path", format!("{shown} cannot be read: it {why}"))
                    .with("path", shown)
                    .hint("mend it or move it away; nothing was changed"));
            }
        };
        Ok(HostFile { path, stamp: bytes.as_ref().and(stamp), bytes, linked_folders: way.linked_folders })
    }

    // Every step is taken beneath the folder that is held open, and whoever opens what it ends at follows no link:
    // one that is put there meanwhile leads nowhere.
    fn follow(&self, path: &str) -> Result<Way, Refusal> {
        let mut way = Way::default();
        let mut todo: Vec<(String, Part)> = path.rsplit('/').map(|name| (name.to_owned(), Part::Asked)).collect();
        let mut link = None;
        let mut links = 0;
        while let Some((name, part)) = todo.pop() {
            let refused = |link: &Option<String>, why| {
                let shown = self.root.join(link.as_deref().unwrap_or(path)).display().to_string();
                Err(elsewhere(&shown, why))
            };
            if name == ".." {
                if way.names.pop().is_none() {
                    return refused(&link, "is a symbolic link that leads elsewhere");
                }
                continue;
            }
            way.names.push(name);
            let so_far = way.names.join("/");
            match self.files.dir().symlink_metadata(&so_far) {
                Ok(metadata) if metadata.is_symlink() => {
                    links += 1;
                    let target = self.target(&so_far);
                    way.names.pop();
                    link = Some(so_far);
                    let Some(target) = target.filter(|_| links <= MOST_LINKS) else {
                        return refused(&link, "is a symbolic link that leads elsewhere");
                    };
                    if target.is_from_root {
                        way.names.clear();
                    }
                    todo.extend(target.names.into_iter().rev().map(|name| (name, Part::OfLink)));
                    continue;
                }
                Err(_) if part == Part::OfLink => return refused(&link, "is a symbolic link that leads nowhere"),
                _ => {}
            }
            if part == Part::OfLink && todo.last().is_none_or(|(_, next)| *next == Part::Asked) {
                way.linked_folders = way.names.len();
            }
        }
        if link.is_some() && way.names.iter().any(|name| name == ".git" || name == ".mainstay") {
            let shown = self.root.join(link.unwrap_or_default()).display().to_string();
            return Err(elsewhere(&shown, "is a symbolic link into what is not for people to edit"));
        }
        Ok(way)
    }

    // What a link says; nothing where that is outside for certain.
    fn target(&self, link: &str) -> Option<Target> {
        let target = self.files.dir().read_link_contents(link).ok()?;
        let mut rest = target.as_path();
        if target.is_absolute() {
            // The folder may have other names, by links above it.
            let root = self.root.canonicalize().ok()?;
            let top = target.ancestors().find(|above| above.canonicalize().is_ok_and(|above| above == root))?;
            rest = target.strip_prefix(top).ok()?;
        }
        let mut names = Vec::new();
        for part in rest.components().filter(|part| *part != Component::CurDir) {
            match part {
                Component::Normal(name) => names.push(name.to_str()?.to_owned()),
                Component::ParentDir => names.push("..".to_owned()),
                _ => return None,
            }
        }
        Some(Target { is_from_root: target.is_absolute(), names })
    }

    /// Puts other bytes in the place of what was looked at, in one step.
    ///
    /// Without bytes the file goes, and so do folders that are empty then.
    ///
    /// **Errors**: `conflict` where it is no longer what was looked at, `write_failed`.
    pub fn replace(&self, seen: &HostFile, bytes: Option<&[u8]>) -> Result<(), Refusal> {
        let path = &seen.path;
        let failed = |error| refusals::of_io(self.root.join(path.as_str()), &error);
        let is_done = match bytes {
            Some(bytes) => Prepared::write(&self.files, path, bytes)
                .and_then(|prepared| prepared.publish(&self.files, seen.stamp))
                .map_err(failed)?,
            None => images::remove(&self.files, path, seen.stamp).map_err(failed)?,
        };
        if !is_done {
            let shown = self.root.join(path.as_str()).display().to_string();
            return Err(Refusal::refused("conflict", format!("{shown} changed in this very moment"))
                .with("path", shown)
                .hint("repeat the command"));
        }
        images::sync_folder_of(&self.files, path).map_err(failed)?;
        if bytes.is_none() {
            self.remove_empty_folders(seen);
        }
        Ok(())
    }

    /// Removes what a killed process left beside a file.
    pub fn sweep(&self, seen: &HostFile) {
        images::sweep(&self.files, &seen.path, false);
    }

    // What cannot be removed is in nobody's way. A folder that a link leads to was somebody's before.
    fn remove_empty_folders(&self, seen: &HostFile) {
        let is_ours = |folder: &ProjectPath| folder.as_str().split('/').count() > seen.linked_folders;
        let mut folder = seen.path.parent();
        while let Some(path) = folder.filter(is_ours) {
            drop(images::remove_empty_folder(&self.files, &path));
            folder = path.parent();
        }
    }
}

fn elsewhere(shown: &str, why: &str) -> Refusal {
    Refusal::refused("path_outside_project", format!("{shown} {why}"))
        .with("path", shown.to_owned())
        .hint("put a file or folder there, or a link that stays in the same folder; nothing was changed")
}

#[cfg(test)]
mod tests {
    use super::HostFiles;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_file_is_replaced_and_taken_away_as_a_whole() {
        let root = tempfile::tempdir().unwrap();
        let files = HostFiles::open_alone(root.path()).unwrap();
        let nothing = files.look("a/b/c.json").unwrap();
        files.replace(&nothing, Some(b"one")).unwrap();
        assert_eq!(fs::read(root.path().join("a/b/c.json")).unwrap(), b"one");
        assert_eq!(files.replace(&nothing, Some(b"two")).unwrap_err().code, "conflict");
        let one = files.look("a/b/c.json").unwrap();
        assert_eq!(one.bytes(), Some(&b"one"[..]));
        fs::write(root.path().join("a/b/c.json"), "another").unwrap();
        assert_eq!(files.replace(&one, Some(b"two")).unwrap_err().code, "conflict");
        assert_eq!(files.replace(&one, None).unwrap_err().code, "conflict");
        assert_eq!(fs::read(root.path().join("a/b/c.json")).unwrap(), b"another");
        files.replace(&files.look("a/b/c.json").unwrap(), None).unwrap();
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 0, "nothing is left");
    }

    #[test]
    fn links_are_followed_only_within_the_folder() {
        let (root, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let here = |path: &str| root.path().join(path);
        for folder in ["real", ".git", ".mainstay"] {
            fs::create_dir(here(folder)).unwrap();
        }
        fs::write(here("real/file"), "ours").unwrap();
        fs::write(here(".git/config"), "git's").unwrap();
        fs::write(other.path().join("file"), "theirs").unwrap();
        symlink("real/file", here("inside")).unwrap();
        symlink(".git/config", here("git")).unwrap();
        symlink(other.path().join("file"), here("outside")).unwrap();
        symlink("nowhere", here("dangling")).unwrap();
        symlink("loop", here("loop")).unwrap();
        symlink(other.path(), here("folder")).unwrap();
        let files = HostFiles::open_alone(root.path()).unwrap();
        files.replace(&files.look("inside").unwrap(), Some(b"new")).unwrap();
        assert_eq!(fs::read(here("real/file")).unwrap(), b"new");
        assert!(here("inside").symlink_metadata().unwrap().is_symlink());
        for path in ["git", "outside", "dangling", "loop", "folder/file"] {
            assert_eq!(files.look(path).unwrap_err().code, "path_outside_project", "{path}");
        }
        assert_eq!(files.look("real").unwrap_err().code, "config_invalid");
        assert_eq!(fs::read(other.path().join("file")).unwrap(), b"theirs");
        assert_eq!(fs::read(here(".git/config")).unwrap(), b"git's");
    }

    #[test]
    fn links_as_keepers_of_dotfiles_make_them_are_followed() {
        let (home, names) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (here, alias) = (|path: &str| home.path().join(path), names.path().join("home"));
        fs::create_dir_all(here("dot/tool")).unwrap();
        fs::write(here("dot/file"), "old").unwrap();
        symlink(home.path(), &alias).unwrap();
        symlink(here("dot/file"), here("whole")).unwrap();
        symlink(alias.join("dot/file"), here("aliased")).unwrap();
        symlink(here("dot/tool"), here("folder")).unwrap();
        fs::create_dir(here("deep")).unwrap();
        symlink("../folder", here("deep/again")).unwrap();
        symlink("../folder/../file", here("deep/beside")).unwrap();
        symlink("../../etc", here("deep/out")).unwrap();
        symlink(names.path(), here("away")).unwrap();
        symlink(here("none"), here("dangling")).unwrap();
        let files = HostFiles::open_alone(home.path()).unwrap();
        for (path, real) in [
            ("whole", "dot/file"),
            ("aliased", "dot/file"),
            ("folder/a/b", "dot/tool/a/b"),
            ("deep/again/c", "dot/tool/c"),
            ("deep/beside", "dot/file"),
            ("none/at/all", "none/at/all"),
        ] {
            assert_eq!(files.look(path).unwrap().path(), real);
        }
        for (path, link) in [
            ("deep/out/x", "deep/out"),
            ("away/x", "away"),
            ("dangling", "dangling"),
            ("dangling/x", "dangling"),
            ("../x", "../x"),
        ] {
            let refusal = files.look(path).unwrap_err();
            assert!(refusal.message.starts_with(here(link).to_str().unwrap()), "{}", refusal.message);
            assert_eq!(refusal.code, "path_outside_project");
        }
        files.replace(&files.look("deep/again/a/b").unwrap(), Some(b"new")).unwrap();
        assert_eq!(fs::read(here("dot/tool/a/b")).unwrap(), b"new");
        files.replace(&files.look("folder/a/b").unwrap(), None).unwrap();
        assert!(here("dot/tool").is_dir() && !here("dot/tool/a").exists(), "no link is left without its folder");
    }

    #[test]
    fn a_link_that_appears_after_the_look_is_not_followed() {
        let (home, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let here = |path: &str| home.path().join(path);
        fs::create_dir_all(here("dot")).unwrap();
        symlink(here("dot"), here("tool")).unwrap();
        let files = HostFiles::open_alone(home.path()).unwrap();
        let seen = files.look("tool/file").unwrap();
        fs::remove_dir(here("dot")).unwrap();
        symlink(other.path(), here("dot")).unwrap();
        assert!(files.replace(&seen, Some(b"new")).is_err());
        assert_eq!(fs::read_dir(other.path()).unwrap().count(), 0);
    }
}
