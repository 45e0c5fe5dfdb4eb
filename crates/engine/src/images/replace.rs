//! Replacing a file atomically: temporary file, fsync, rename, fsync of the folder.

use std::io::{self, Write as _};
use std::path::Path;

use cap_std::fs::{OpenOptions, OpenOptionsExt as _, Permissions, PermissionsExt as _};
use model::ProjectPath;
use rustix::fs::OFlags;

use super::files::{FileStamp, ProjectFiles};
use crate::mutants::planted;

/// Bytes that are safe on disk under a temporary name beside their target.
///
/// The temporary file lies in the target's folder, so that the rename never crosses file systems.
/// Its name is the same every time: whoever holds the locks is the only writer, and a leftover of a
/// killed one is found and removed by name.
pub(crate) struct Prepared {
    target: ProjectPath,
    temporary: ProjectPath,
}

fn temporary_of(target: &ProjectPath) -> ProjectPath {
    // With one name for all, writers outside the lock would only take each other's files away.
    let writer = if planted("images_outside_lock") { std::process::id().to_string() } else { String::new() };
    target.beside(&format!(".mainstay-{}{writer}.tmp", target.name())).expect("a name beside a valid path is valid")
}

impl Prepared {
    /// Writes and fsyncs the temporary file, making the folders on the way.
    pub(crate) fn write(files: &ProjectFiles, target: &ProjectPath, bytes: &[u8]) -> io::Result<Self> {
        make_folders(files, target)?;
        let temporary = temporary_of(target);
        let prepared = Self { target: target.clone(), temporary };
        let written = prepared.fill(files, bytes);
        if written.is_err() {
            prepared.abandon(files);
        }
        written.map(|()| prepared)
    }

    fn fill(&self, files: &ProjectFiles, bytes: &[u8]) -> io::Result<()> {
        let mut file = open_new(files, &self.temporary)?;
        if let Ok(metadata) = files.dir().symlink_metadata(self.target.as_str())
            && metadata.is_file()
        {
            file.set_permissions(Permissions::from_mode(metadata.permissions().mode() & 0o777))?;
        }
        file.write_all(bytes)?;
        file.sync_all()
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
        let renamed = files.dir().rename(self.temporary.as_str(), files.dir(), self.target.as_str());
        if renamed.is_err() {
            self.abandon(files);
        }
        renamed.map(|()| true)
    }

    /// Removes the temporary file again.
    pub(crate) fn abandon(&self, files: &ProjectFiles) {
        // A leftover is swept by the next writer; there is nothing better to do with an error here.
        drop(files.dir().remove_file(self.temporary.as_str()));
    }
}

/// Removes what a killed writer left beside `target`.
pub(crate) fn sweep(files: &ProjectFiles, target: &ProjectPath) {
    drop(files.dir().remove_file(temporary_of(target).as_str()));
}

/// Creates a file that must not exist yet, fsynced, with its folders.
pub(crate) fn create_new(files: &ProjectFiles, path: &ProjectPath, bytes: &[u8]) -> io::Result<()> {
    make_folders(files, path)?;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).custom_flags(OFlags::NOFOLLOW.bits().cast_signed());
    let mut file = files.dir().open_with(path.as_str(), &options)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    if written.is_err() {
        drop(files.dir().remove_file(path.as_str()));
    }
    written
}

fn open_new(files: &ProjectFiles, path: &ProjectPath) -> io::Result<cap_std::fs::File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).custom_flags(OFlags::NOFOLLOW.bits().cast_signed());
    match files.dir().open_with(path.as_str(), &options) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            files.dir().remove_file(path.as_str())?;
            files.dir().open_with(path.as_str(), &options)
        }
        opened => opened,
    }
}

// A folder that had to be made is safe only after its parent's fsync, so that happens at once.
fn make_folders(files: &ProjectFiles, path: &ProjectPath) -> io::Result<()> {
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
    let folder = path.parent();
    let folder = folder.as_ref().map_or(Path::new("."), |folder| Path::new(folder.as_str()));
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(OFlags::DIRECTORY.bits().cast_signed());
    files.dir().open_with(folder, &options)?.sync_all()
}

/// Removes a file, unless it is no longer what was seen; answers whether it is gone.
pub(crate) fn remove(files: &ProjectFiles, path: &ProjectPath, seen: Option<FileStamp>) -> io::Result<bool> {
    if files.stamp(path) != seen {
        return Ok(false);
    }
    match files.dir().remove_file(path.as_str()) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(true),
    }
}

/// Adds a line to a log and keeps the last `keep` lines.
pub(crate) fn append_line(files: &ProjectFiles, path: &ProjectPath, line: &str, keep: usize) -> io::Result<()> {
    use std::io::Read as _;
    make_folders(files, path)?;
    // A pipe in its place must neither block nor be written to.
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true).custom_flags(flags.bits().cast_signed());
    let mut file = files.dir().open_with(path.as_str(), &options)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"));
    }
    file.write_all(format!("{line}\n").as_bytes())?;
    let mut bytes = Vec::new();
    files.dir().open(path.as_str())?.read_to_end(&mut bytes)?;
    let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    if lines.len() > keep {
        let kept = lines[lines.len() - keep..].concat();
        let stamp = files.stamp(path);
        Prepared::write(files, path, &kept)?.publish(files, stamp)?;
    }
    Ok(())
}
