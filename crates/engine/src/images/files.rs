//! Reading project files through a handle on the root that cannot be left.
//!
//! What cannot be looked at is told from what is absent, and is looked at once more: the failure may be of a moment.

use std::io::{self, Read as _};
use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, Metadata, MetadataExt as _, OpenOptions, OpenOptionsExt as _};
use format::{FileState, Files, Irregular};
use model::{ProjectPath, Timestamp};
use rustix::fs::{AtFlags, FileType, Mode, OFlags};

/// The project root as a capability: every path is resolved beneath it.
pub(crate) struct ProjectFiles {
    dir: Dir,
}

/// What tells that a file is still the one that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileStamp {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl ProjectFiles {
    /// Opens the root.
    pub(crate) fn open(root: &Path) -> io::Result<Self> {
        Ok(Self { dir: Dir::open_ambient_dir(root, ambient_authority())? })
    }

    /// The handle.
    pub(crate) fn dir(&self) -> &Dir {
        &self.dir
    }

    /// Reads a file and its stamp. The stamp is of the very file that was read, and taken before it.
    pub(crate) fn read_stamped(&self, path: &ProjectPath, limit: u64) -> (FileState, Option<FileStamp>) {
        match self.read_once(path, limit) {
            (FileState::Irregular(Irregular::Unreadable), _) => self.read_once(path, limit),
            read => read,
        }
    }

    fn read_once(&self, path: &ProjectPath, limit: u64) -> (FileState, Option<FileStamp>) {
        let mut file = match self.open_regular(path) {
            Ok(file) => file,
            Err(state) => return (state, None),
        };
        let Ok(metadata) = file.metadata() else {
            return (FileState::Irregular(Irregular::Unreadable), None);
        };
        if metadata.len() > limit {
            return (FileState::Irregular(Irregular::TooLarge), None);
        }
        let stamp = FileStamp::of(&metadata);
        let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or_default());
        match file.by_ref().take(limit + 1).read_to_end(&mut bytes) {
            Err(_) => (FileState::Irregular(Irregular::Unreadable), None),
            Ok(_) if bytes.len() as u64 > limit => (FileState::Irregular(Irregular::TooLarge), None),
            Ok(_) => (FileState::Bytes(bytes), Some(stamp)),
        }
    }

    /// The names in a folder, or in the root, sorted.
    pub(crate) fn names(&self, folder: Option<&ProjectPath>) -> Vec<String> {
        let place = folder.map_or(".", ProjectPath::as_str);
        let listed = || self.dir.read_dir(place)?.map(|entry| Ok(entry?.file_name())).collect::<io::Result<Vec<_>>>();
        let listed = twice(listed).unwrap_or_default().into_iter();
        let mut names: Vec<String> = listed.filter_map(|name| name.into_string().ok()).collect();
        names.sort_unstable();
        names
    }

    /// The stamp of what stands at a path now; `None` when there is no regular file.
    pub(crate) fn stamp(&self, path: &ProjectPath) -> Option<FileStamp> {
        let metadata = self.look(path).ok()??;
        metadata.is_file().then(|| FileStamp::of(&metadata))
    }

    /// What stands at a path, a link as itself; `None` where nothing of the project stands.
    ///
    /// **Errors**: it could not be looked at, so nobody knows.
    pub(crate) fn look(&self, path: &ProjectPath) -> io::Result<Option<Metadata>> {
        match twice(|| self.dir.symlink_metadata(path.as_str())) {
            Ok(metadata) => Ok(Some(metadata)),
            Err(error) if says_nothing_is_there(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    // The folders in a folder, each with those of the names that it holds.
    fn held(&self, folder: &ProjectPath, names: &[&'static str]) -> io::Result<Vec<(String, Vec<&'static str>)>> {
        let dir = self.dir.open_dir(folder.as_str())?;
        // The handle itself may be one that cannot be read from.
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let entries = rustix::fs::Dir::new(rustix::fs::openat(&dir, ".", flags, Mode::empty())?)?;
        let stands = |path: &str| twice(|| Ok(rustix::fs::statat(&dir, path, AtFlags::SYMLINK_NOFOLLOW)?));
        let mut folders = Vec::new();
        for entry in entries {
            let entry = entry?;
            let Ok(name) = entry.file_name().to_str() else { continue };
            let is_folder = match entry.file_type() {
                FileType::Unknown => {
                    stands(name).is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Directory)
                }
                kind => kind == FileType::Directory,
            };
            if is_folder && !matches!(name, "." | "..") {
                let held = names.iter().copied().filter(|held| stands(&format!("{name}/{held}")).is_ok());
                folders.push((name.to_owned(), held.collect()));
            }
        }
        folders.sort_unstable();
        Ok(folders)
    }

    // Neither follows a link in the last part nor waits for a pipe's other end.
    fn open_regular(&self, path: &ProjectPath) -> Result<File, FileState> {
        let mut options = OpenOptions::new();
        options.read(true).custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed());
        let file = self.dir.open_with(path.as_str(), &options).map_err(|error| self.why_not(path, &error))?;
        let kind = file.metadata().map_err(|_| FileState::Irregular(Irregular::Unreadable))?.file_type();
        if kind.is_file() {
            Ok(file)
        } else if kind.is_dir() {
            Err(FileState::Irregular(Irregular::Folder))
        } else {
            Err(FileState::Irregular(Irregular::Special))
        }
    }

    fn why_not(&self, path: &ProjectPath, error: &io::Error) -> FileState {
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => FileState::Absent,
            _ => match self.dir.symlink_metadata(path.as_str()) {
                Ok(metadata) if metadata.is_symlink() => FileState::Irregular(Irregular::Link),
                Ok(metadata) if !metadata.is_file() => FileState::Irregular(Irregular::Special),
                // The root cannot be left: a folder on the way is a link that leads outside.
                Err(inner) if inner.kind() == io::ErrorKind::PermissionDenied && error.raw_os_error().is_none() => {
                    FileState::Irregular(Irregular::Link)
                }
                _ => FileState::Irregular(Irregular::Unreadable),
            },
        }
    }
}

// Looks once more, unless it is plain that nothing is there.
fn twice<T>(look: impl Fn() -> io::Result<T>) -> io::Result<T> {
    look().or_else(|error| if says_nothing_is_there(&error) { Err(error) } else { look() })
}

// A way that leads out of the root leads to nothing of the project.
fn says_nothing_is_there(error: &io::Error) -> bool {
    let leads_out = || error.kind() == io::ErrorKind::PermissionDenied && error.raw_os_error().is_none();
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) || leads_out()
}

impl FileStamp {
    fn of(metadata: &Metadata) -> Self {
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.len(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }
}

impl Files for ProjectFiles {
    fn read(&self, path: &ProjectPath, limit: u64) -> FileState {
        self.read_stamped(path, limit).0
    }

    fn list(&self, folder: &ProjectPath) -> Vec<String> {
        self.names(Some(folder))
    }

    fn holding(&self, folder: &ProjectPath, names: &[&'static str]) -> Vec<(String, Vec<&'static str>)> {
        twice(|| self.held(folder, names)).unwrap_or_default()
    }

    fn is_folder(&self, path: &ProjectPath) -> bool {
        self.look(path).is_ok_and(|found| found.is_some_and(|metadata| metadata.is_dir()))
    }

    fn modified(&self, path: &ProjectPath) -> Option<Timestamp> {
        let is_kept = |metadata: &Metadata| metadata.is_file() || metadata.is_dir();
        let metadata = self.look(path).ok()?.filter(is_kept)?;
        Some(Timestamp::from_millis(metadata.mtime() * 1000 + metadata.mtime_nsec() / 1_000_000))
    }
}

#[cfg(test)]
mod tests {
    use super::{ProjectFiles, twice};
    use format::Files as _;
    use model::ProjectPath;
    use std::cell::Cell;
    use std::io;

    #[test]
    fn what_cannot_be_looked_at_is_looked_at_once_more() {
        let check = |kind: io::ErrorKind, failures: u32, expected: Option<u32>| {
            let looks = Cell::new(0);
            let found = twice(|| {
                looks.set(looks.get() + 1);
                if looks.get() > failures { Ok(looks.get()) } else { Err(kind.into()) }
            });
            assert_eq!(found.ok(), expected, "{kind} {failures} times");
        };
        check(io::ErrorKind::Other, 0, Some(1));
        check(io::ErrorKind::Other, 1, Some(2));
        check(io::ErrorKind::Other, 2, None);
        check(io::ErrorKind::NotFound, 1, None);
        check(io::ErrorKind::NotADirectory, 1, None);
    }

    #[test]
    fn what_cannot_be_looked_at_is_not_absent() {
        let root = tempfile::tempdir().unwrap();
        let files = ProjectFiles::open(root.path()).unwrap();
        std::fs::create_dir(root.path().join("folder")).unwrap();
        std::fs::write(root.path().join("file"), "").unwrap();
        std::os::unix::fs::symlink("loop", root.path().join("loop")).unwrap();
        std::os::unix::fs::symlink("..", root.path().join("out")).unwrap();
        let is_folder = |path| {
            let found = files.look(&ProjectPath::known(path)).map(|found| found.map(|metadata| metadata.is_dir()));
            found.map_err(|_| ())
        };
        assert_eq!(is_folder("folder"), Ok(Some(true)));
        assert_eq!(is_folder("loop"), Ok(Some(false)));
        assert_eq!(is_folder("none"), Ok(None));
        assert_eq!(is_folder("file/in"), Ok(None));
        assert_eq!(is_folder("out/in"), Ok(None));
        assert_eq!(is_folder("loop/in"), Err(()));
        assert!(!files.is_folder(&ProjectPath::known("loop/in")));
    }
}
