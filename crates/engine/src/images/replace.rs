//! Replacing a file atomically: temporary file, fsync, rename, fsync of the folder.

use std::io::{self, Write as _};
use std::path::Path;

use cap_std::fs::{Dir, File, OpenOptions, OpenOptionsExt as _, Permissions, PermissionsExt as _};
use format::Files as _;
use model::{ProjectPath, Timestamp};
use mutants::planted;
use rustix::fs::{OFlags, RenameFlags};
use rustix::io::Errno;

use super::files::{FileStamp, ProjectFiles};
use crate::{clock, faults};

/// How many names are tried for a temporary file; past that something is badly wrong with the folder.
const TRIES: u32 = 100;

/// The age from which a temporary file is nobody's any more. **Units**: milliseconds.
const ABANDONED: i64 = 60_000;

/// Bytes that are safe on disk under a temporary name.
///
/// The temporary file lies in the target's folder, so that the rename never crosses file systems.
/// Its name is the same every time: whoever holds the locks is the only writer, and a leftover of a
/// killed one is found and removed by name. Where the target's folder is yet to come or to go with
/// a folder move, the file lies in the engine's own folder instead: what is made in the target's
/// folder before the move would stand in the move's way, or go away with it.
pub(crate) struct Prepared {
    target: ProjectPath,
    temporary: ProjectPath,
}

// The names for the temporary file, best first: something that cannot be removed may stand there.
fn temporaries_of(target: &ProjectPath) -> impl Iterator<Item = ProjectPath> {
    // With one name for all, writers outside the lock would only take each other's files away.
    let writer = if planted("images_outside_lock") { std::process::id().to_string() } else { String::new() };
    (1..=TRIES).map(move |number| {
        let number = if number == 1 { String::new() } else { format!("-{number}") };
        let name = format!(".mainstay-{}{writer}{number}.tmp", target.name());
        target.beside(&name).expect("a name beside a valid path is valid")
    })
}

impl Prepared {
    /// Writes and fsyncs the temporary file, making the folders on the way.
    pub(crate) fn write(files: &ProjectFiles, target: &ProjectPath, bytes: &[u8]) -> io::Result<Self> {
        make_folders(files, target)?;
        Self::at(files, temporaries_of(target), target, target, bytes)
    }

    /// The same, where folder moves come before the publishing; until then the file stands at `origin`.
    pub(crate) fn write_apart(
        files: &ProjectFiles,
        target: &ProjectPath,
        origin: &ProjectPath,
        bytes: &[u8],
    ) -> io::Result<Self> {
        let home = apart();
        let number = super::digest(target.as_str().as_bytes());
        let apart = home.beside(&format!("image-{}", &number[..16])).expect("a valid name");
        Self::at(files, temporaries_of(&apart), target, origin, bytes)
    }

    fn at(
        files: &ProjectFiles,
        mut names: impl Iterator<Item = ProjectPath>,
        target: &ProjectPath,
        origin: &ProjectPath,
        bytes: &[u8],
    ) -> io::Result<Self> {
        let (temporary, file) = loop {
            let temporary = names.next().ok_or_else(|| io::Error::other("no free name for a temporary file"))?;
            match open_new(files, &temporary) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                opened => break (temporary, opened?),
            }
        };
        let prepared = Self { target: target.clone(), temporary };
        let written = fill(files, file, origin, bytes);
        if written.is_err() {
            prepared.abandon(files);
        }
        written.map(|()| prepared)
    }

    /// Whether it waits in another folder than its target's.
    pub(crate) fn is_apart(&self) -> bool {
        self.temporary.parent() != self.target.parent()
    }

    /// Renames the temporary file over its target, unless the target is no longer what was seen.
    ///
    /// Answers whether it happened. The folder still has to be fsynced.
    pub(crate) fn publish(self, files: &ProjectFiles, seen: Option<FileStamp>) -> io::Result<bool> {
        if files.stamp(&self.target) != seen && !planted("images_outside_lock") {
            self.abandon(files);
            return Ok(false);
        }
        if planted("overwrite_in_place") {
            let bytes = files.dir().read(self.temporary.as_str())?;
            files.dir().write(self.target.as_str(), bytes)?;
            self.abandon(files);
            return Ok(true);
        }
        if planted("temp_elsewhere") {
            let bytes = files.dir().read(self.temporary.as_str())?;
            self.abandon(files);
            return faults::rename_from_elsewhere(&bytes, &folder_of(files, &self.target)?, self.target.name());
        }
        let renamed = match seen {
            // Where nothing stood, something that came in this very moment stays.
            None if !planted("images_outside_lock") => {
                make_folders(files, &self.target).and_then(|()| rename_new(files, &self.temporary, &self.target))
            }
            _ => files.dir().rename(self.temporary.as_str(), files.dir(), self.target.as_str()),
        };
        if renamed.is_err() {
            self.abandon(files);
        }
        match renamed {
            Err(error) if seen.is_none() && error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            renamed => renamed.map(|()| true),
        }
    }

    /// Removes the temporary file again.
    pub(crate) fn abandon(&self, files: &ProjectFiles) {
        // A leftover is swept by the next writer; there is nothing better to do with an error here.
        drop(files.dir().remove_file(self.temporary.as_str()));
    }
}

// The file gets the permissions of the one that it replaces.
fn fill(files: &ProjectFiles, mut file: File, replaced: &ProjectPath, bytes: &[u8]) -> io::Result<()> {
    if let Ok(metadata) = files.dir().symlink_metadata(replaced.as_str())
        && metadata.is_file()
    {
        file.set_permissions(Permissions::from_mode(metadata.permissions().mode() & 0o777))?;
    }
    file.write_all(bytes)?;
    if planted("temp_not_synced") { Ok(()) } else { file.sync_all() }
}

/// Removes what a killed writer left beside `target`, of a copy too where there may be one.
pub(crate) fn sweep(files: &ProjectFiles, target: &ProjectPath, has_copies: bool) {
    if has_copies {
        drop(files.dir().remove_file(temporary_copy_of(target).as_str()));
    }
    for temporary in temporaries_of(target) {
        match files.dir().remove_file(temporary.as_str()) {
            // The next name was used where this one could not be.
            Err(error) if error.kind() != io::ErrorKind::NotFound => {}
            _ => break,
        }
    }
}

/// Removes temporary files of ours in a folder, whatever their target was, that are older than a minute.
///
/// Answers whether there were any at all, of whatever age.
pub(crate) fn sweep_folder(files: &ProjectFiles, folder: &ProjectPath, now: Timestamp) -> bool {
    let mut found = false;
    for name in files.list(folder).iter().filter(|name| name.starts_with(".mainstay-")) {
        found = true;
        let Ok(path) = folder.join(name) else { continue };
        let is_old = files.modified(&path).is_some_and(|at| now.as_millis() - at.as_millis() >= ABANDONED);
        // Of a folder nobody knows what it holds. What stays is in nobody's way.
        if is_old && !files.is_folder(&path) {
            drop(files.dir().remove_file(path.as_str()));
        }
    }
    found
}

/// A place in the engine's own folder, beside which files wait whose folders are yet to come.
pub(crate) fn apart() -> ProjectPath {
    ProjectPath::known(".mainstay/image")
}

/// Removes what a killed writer left in the engine's own folder.
pub(crate) fn sweep_apart(files: &ProjectFiles) {
    let home = ProjectPath::known(".mainstay");
    for name in files.list(&home).iter().filter(|name| name.starts_with(".mainstay-image-")) {
        drop(home.join(name).map(|path| files.dir().remove_file(path.as_str())));
    }
}

/// Creates a file where nothing stands, whole and safe on disk when it returns; answers whether it did.
///
/// By someone who holds the locks: a temporary file of its name is a leftover.
pub(crate) fn create(files: &ProjectFiles, path: &ProjectPath, bytes: &[u8]) -> io::Result<bool> {
    sweep(files, path, false);
    if files.dir().symlink_metadata(path.as_str()).is_ok() {
        return Ok(false);
    }
    let is_new = Prepared::write(files, path, bytes)?.publish(files, None)?;
    if is_new {
        sync_folder_of(files, path).inspect_err(|_| drop(files.dir().remove_file(path.as_str())))?;
    }
    Ok(is_new)
}

/// Creates a file that must not exist yet, fsynced, with its folders; no half of it is ever there.
///
/// Its temporary name is its own, since not everyone who creates a file holds a lock.
pub(crate) fn create_new(files: &ProjectFiles, path: &ProjectPath, bytes: &[u8]) -> io::Result<()> {
    let own = path.beside(&format!(".mainstay-{}.tmp", clock::random())).expect("a valid name");
    create_by(files, own, path, bytes)
}

/// The same of a copy beside `original`, by someone who holds the locks; [`sweep`] knows its temporary name.
pub(super) fn create_copy(
    files: &ProjectFiles,
    original: &ProjectPath,
    copy: &ProjectPath,
    bytes: &[u8],
) -> io::Result<()> {
    create_by(files, temporary_copy_of(original), copy, bytes)
}

fn temporary_copy_of(original: &ProjectPath) -> ProjectPath {
    original.beside(&format!(".mainstay-{}.conflict.tmp", original.name())).expect("a valid name")
}

fn create_by(files: &ProjectFiles, own: ProjectPath, path: &ProjectPath, bytes: &[u8]) -> io::Result<()> {
    make_folders(files, path)?;
    if files.dir().symlink_metadata(path.as_str()).is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    let prepared = Prepared::at(files, std::iter::once(own), path, path, bytes)?;
    if prepared.publish(files, None)? { Ok(()) } else { Err(io::ErrorKind::AlreadyExists.into()) }
}

fn open_new(files: &ProjectFiles, path: &ProjectPath) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).custom_flags(OFlags::NOFOLLOW.bits().cast_signed());
    match files.dir().open_with(path.as_str(), &options) {
        Err(error)
            if error.kind() == io::ErrorKind::AlreadyExists && files.dir().remove_file(path.as_str()).is_ok() =>
        {
            files.dir().open_with(path.as_str(), &options)
        }
        opened => opened,
    }
}

/// Renames within the project; what stands at `to` stays, and so does `from` then.
pub(super) fn rename_new(files: &ProjectFiles, from: &ProjectPath, to: &ProjectPath) -> io::Result<()> {
    let (from_folder, to_folder) = (folder_of(files, from)?, folder_of(files, to)?);
    match rustix::fs::renameat_with(&from_folder, from.name(), &to_folder, to.name(), RenameFlags::NOREPLACE) {
        // Not every file system can do it in one step.
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) if to_folder.symlink_metadata(to.name()).is_err() => {
            from_folder.rename(from.name(), &to_folder, to.name())
        }
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => Err(io::ErrorKind::AlreadyExists.into()),
        renamed => renamed.map_err(io::Error::from),
    }
}

// Through the handle on the root, which cannot be left.
fn folder_of(files: &ProjectFiles, path: &ProjectPath) -> io::Result<Dir> {
    match path.parent() {
        Some(folder) => files.dir().open_dir(folder.as_str()),
        None => files.dir().try_clone(),
    }
}

/// Makes the folders on the way to `path`.
///
/// A folder that had to be made is safe only after its parent's fsync, so that happens at once.
pub(super) fn make_folders(files: &ProjectFiles, path: &ProjectPath) -> io::Result<()> {
    let Some(folder) = path.parent() else { return Ok(()) };
    if files.dir().symlink_metadata(folder.as_str()).is_ok_and(|metadata| metadata.is_dir()) {
        return Ok(());
    }
    make_folders(files, &folder)?;
    match files.dir().create_dir(folder.as_str()) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    sync_folder_of(files, &folder)
}

/// Fsyncs the folder that holds `path`, so that names in it survive a power failure.
pub(crate) fn sync_folder_of(files: &ProjectFiles, path: &ProjectPath) -> io::Result<()> {
    if planted("folder_not_synced") {
        return Ok(());
    }
    let folder = path.parent();
    let folder = folder.as_ref().map_or(Path::new("."), |folder| Path::new(folder.as_str()));
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(OFlags::DIRECTORY.bits().cast_signed());
    files.dir().open_with(folder, &options)?.sync_all()
}

/// Makes a folder where nothing stands.
pub(crate) fn make_folder(files: &ProjectFiles, path: &ProjectPath) -> io::Result<()> {
    make_folders(files, path)?;
    match files.dir().create_dir(path.as_str()) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && files.is_folder(path) => Ok(()),
        made => made,
    }
}

/// Removes a folder that holds nothing; one that does stays.
pub(crate) fn remove_empty_folder(files: &ProjectFiles, path: &ProjectPath) -> io::Result<()> {
    use io::ErrorKind::{DirectoryNotEmpty, NotADirectory, NotFound};
    match files.dir().remove_dir(path.as_str()) {
        Err(error) if matches!(error.kind(), NotFound | DirectoryNotEmpty | NotADirectory) => Ok(()),
        removed => removed,
    }
}

/// Removes a file, unless it is no longer what was seen; answers whether it is gone.
pub(crate) fn remove(files: &ProjectFiles, path: &ProjectPath, seen: Option<FileStamp>) -> io::Result<bool> {
    match files.dir().symlink_metadata(path.as_str()) {
        // It may have gone with its folder.
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(true);
        }
        _ if files.stamp(path) != seen => return Ok(false),
        _ => {}
    }
    match files.dir().remove_file(path.as_str()) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(true),
    }
}

#[cfg(test)]
mod tests {
    use super::{Prepared, create_new, sweep};
    use crate::images::ProjectFiles;
    use model::ProjectPath;
    use std::fs;

    fn check(act: impl FnOnce(&ProjectFiles, &ProjectPath), expected: &[&str]) {
        let root = tempfile::tempdir().unwrap();
        act(&ProjectFiles::open(root.path()).unwrap(), &ProjectPath::known("file"));
        let mut names: Vec<String> =
            fs::read_dir(root.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort_unstable();
        assert_eq!(names, expected);
    }

    #[test]
    fn a_file_that_comes_at_the_last_moment_stays() {
        let act = |files: &ProjectFiles, path: &ProjectPath| {
            let prepared = Prepared::write(files, path, b"ours").unwrap();
            // Something without a stamp looks like nothing until the rename.
            files.dir().create_dir("file").unwrap();
            assert!(!prepared.publish(files, None).unwrap());
            assert!(files.dir().symlink_metadata("file").unwrap().is_dir());
        };
        check(act, &["file"]);
        let act = |files: &ProjectFiles, path: &ProjectPath| {
            files.dir().write("file", "theirs").unwrap();
            files.dir().write("new", "ours").unwrap();
            let error = super::rename_new(files, &ProjectPath::known("new"), path).unwrap_err();
            assert_eq!(error.kind(), std::io::ErrorKind::AlreadyExists);
            assert_eq!(files.dir().read_to_string("file").unwrap(), "theirs");
        };
        check(act, &["file", "new"]);
    }

    #[test]
    fn a_link_in_the_window_is_not_replaced() {
        let act = |files: &ProjectFiles, path: &ProjectPath| {
            let prepared = Prepared::write(files, path, b"ours").unwrap();
            files.dir().symlink("elsewhere", "file").unwrap();
            assert!(!prepared.publish(files, None).unwrap());
        };
        check(act, &["file"]);
    }

    #[test]
    fn something_in_the_temporary_files_place_is_passed_by() {
        let act = |files: &ProjectFiles, path: &ProjectPath| {
            files.dir().create_dir_all(".mainstay-file.tmp/theirs").unwrap();
            let prepared = Prepared::write(files, path, b"one").unwrap();
            assert!(prepared.publish(files, None).unwrap());
            assert_eq!(files.dir().read_to_string("file").unwrap(), "one");
            drop(Prepared::write(files, path, b"left by a killed writer").unwrap());
            sweep(files, path, false);
        };
        check(act, &[".mainstay-file.tmp", "file"]);
    }

    #[test]
    fn what_is_created_is_whole_and_replaces_nothing() {
        let act = |files: &ProjectFiles, path: &ProjectPath| {
            create_new(files, path, b"one").unwrap();
            let error = create_new(files, path, b"two").unwrap_err();
            assert_eq!(error.kind(), std::io::ErrorKind::AlreadyExists);
            assert_eq!(files.dir().read_to_string("file").unwrap(), "one");
        };
        check(act, &["file"]);
    }
}
