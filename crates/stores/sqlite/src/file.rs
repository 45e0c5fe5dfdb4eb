//! The files of a store: `state.db`, and its log beside it.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::error::{Fault, Outcome};

/// The name of the database within its folder.
pub(crate) const NAME: &str = "state.db";

/// How many bytes every database has at least.
const HEADER: u64 = 100;

/// The write-ahead log of a database.
pub(crate) fn log_of(database: &Path) -> PathBuf {
    let mut name = OsString::from(database);
    name.push("-wal");
    name.into()
}

/// How many bytes a file has; 0 when there is none.
pub(crate) fn length(path: &Path) -> Outcome<u64> {
    match fs::metadata(path) {
        Ok(found) => Ok(found.len()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(0),
        Err(error) => Err(error.into()),
    }
}

/// What tells one file from another under the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    device: u64,
    inode: u64,
}

/// Which file stands at `path`.
pub(crate) fn identity(path: &Path) -> Option<Identity> {
    let found = fs::symlink_metadata(path).ok()?;
    Some(Identity { device: found.dev(), inode: found.ino() })
}

/// Whether bytes of a database stand at `path`.
///
/// **Errors**: [`store::StoreError::Corrupt`] for anything but a plain file, for one that is too
/// short, and for an empty file with a log: opening that would throw away the log.
pub(crate) fn holds_bytes(path: &Path) -> Outcome<bool> {
    let mut found = match fs::symlink_metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error.into()),
    };
    if !found.is_file() {
        return Err(Fault::corrupt(format!("{NAME} is not a plain file")));
    }
    if found.len() == 0 && length(&log_of(path))? > 0 {
        // The database gets its first bytes before its log does, so this look is the one that counts.
        found = fs::symlink_metadata(path)?;
        if found.len() == 0 {
            return Err(Fault::corrupt(format!("{NAME} is empty and its log is not")));
        }
    }
    // `SQLite` takes a file of one byte for an empty one and would write over it.
    if (1..HEADER).contains(&found.len()) {
        return Err(Fault::corrupt(format!("{NAME} is cut off")));
    }
    Ok(found.len() > 0)
}

/// Makes an empty file that only its owner may read, and the folder for it; keeps what is there.
pub(crate) fn make(path: &Path) -> Outcome<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    if !folder.is_dir() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        if let Some(above) = folder.parent() {
            sync_folder(above)?;
        }
    }
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Ok(_) => sync_folder(folder),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// The names of all files of a store; the log and its index may not be there.
const NAMES: [&str; 3] = [NAME, "state.db-wal", "state.db-shm"];

/// Moves the files of a store to another folder: they are copied, made safe, and then removed.
///
/// So they stand in one of the two folders whole, whenever this is cut short.
pub(crate) fn move_all(folder: &Path, to: &Path) -> Outcome<()> {
    copy_all(folder, to)?;
    sync_folder(to)?;
    // A database without its log is what others may find; a log without its database is not.
    for name in NAMES.into_iter().rev() {
        match fs::remove_file(folder.join(name)) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
    }
    sync_folder(folder)
}

/// Copies the files of a store; the copies are safe on disk.
pub(crate) fn copy_all(folder: &Path, to: &Path) -> Outcome<()> {
    for name in NAMES {
        let from = folder.join(name);
        if !fs::symlink_metadata(&from).is_ok_and(|found| found.is_file()) {
            continue;
        }
        let target = to.join(name);
        fs::copy(&from, &target)?;
        File::open(&target)?.sync_all()?;
    }
    Ok(())
}

/// Makes the names in a folder durable.
fn sync_folder(folder: &Path) -> Outcome<()> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    Ok(File::open(folder)?.sync_all()?)
}
