//! Files of hosts, beneath the project or the person's home, looked at and replaced with the care of images.

use std::fs::File;
use std::path::{Path, PathBuf};

use format::FileState;
use model::{ProjectPath, Refusal};

use crate::images::{self, FileStamp, Prepared, ProjectFiles};
use crate::{locks, refusals};

/// Largest file that is read. **Units**: bytes.
const LIMIT: u64 = 16 << 20;

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
}

impl HostFile {
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

    /// The path of the file itself: a link that stays in the folder is followed.
    ///
    /// **Errors**: `path_outside_project` for a link that leads out, nowhere, or into what git and Mainstay keep.
    pub fn resolve(&self, path: &str) -> Result<String, Refusal> {
        let Ok(metadata) = self.files.dir().symlink_metadata(path) else { return Ok(path.to_owned()) };
        if !metadata.is_symlink() {
            return Ok(path.to_owned());
        }
        let target = self.files.dir().canonicalize(path).ok().and_then(|target| target.to_str().map(str::to_owned));
        let is_kept = |target: &String| target.starts_with(".git/") || target.starts_with(".mainstay/");
        target.filter(|target| ProjectPath::new(target.as_str()).is_ok() && !is_kept(target)).ok_or_else(|| {
            let shown = self.root.join(path).display().to_string();
            Refusal::refused("path_outside_project", format!("{shown} is a symbolic link that leads elsewhere"))
                .with("path", shown)
                .hint("put a file there, or a link to a file in the same folder; nothing was changed")
        })
    }

    /// Looks at what stands at a path.
    ///
    /// **Errors**: `path_outside_project` for links, `config_invalid` for what cannot be read.
    pub fn look(&self, path: &str) -> Result<HostFile, Refusal> {
        let shown = self.root.join(path).display().to_string();
        let resolved = self.resolve(path)?;
        let path = ProjectPath::new(resolved.as_str())
            .map_err(|_| Refusal::config("path", format!("{shown} is no path of a file")))?;
        let (state, stamp) = self.files.read_stamped(&path, LIMIT);
        match state {
            FileState::Absent => Ok(HostFile { path, stamp: None, bytes: None }),
            FileState::Bytes(bytes) => Ok(HostFile { path, stamp, bytes: Some(bytes) }),
            FileState::Irregular(format::Irregular::Link) => Err(refusals::outside(&shown, "a symbolic link")),
            FileState::Irregular(why) => Err(Refusal::config("path", format!("{shown} cannot be read: it {why}"))
                .with("path", shown)
                .hint("mend it or move it away; nothing was changed")),
        }
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
            self.remove_empty_folders(path);
        }
        Ok(())
    }

    /// Removes what a killed process left beside a file.
    pub fn sweep(&self, seen: &HostFile) {
        images::sweep(&self.files, &seen.path, false);
    }

    // What cannot be removed is in nobody's way.
    fn remove_empty_folders(&self, path: &ProjectPath) {
        let mut folder = path.parent();
        while let Some(path) = folder {
            drop(images::remove_empty_folder(&self.files, &path));
            folder = path.parent();
        }
    }
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
}
