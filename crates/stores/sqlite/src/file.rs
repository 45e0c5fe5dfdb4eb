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

/// Makes the name of a log that holds nothing yet safe on disk; answers whether it holds nothing.
///
/// The caller has the write transaction.
///
/// Invariant: a log that holds anything has a name that is safe, so what is synced into it is found again.
/// `SQLite` would see to that once in each connection; here it is done once in the life of a log. Whoever
/// is killed in between leaves an empty log, and the next does it again.
pub(crate) fn secure_log(database: &Path) -> Outcome<bool> {
    if length(&log_of(database))? > 0 {
        return Ok(false);
    }
    sync(database.parent().unwrap_or(Path::new(".")))?;
    Ok(true)
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
/// short, and for a log whose file is empty or gone: opening that would throw away the log.
pub(crate) fn holds_bytes(path: &Path) -> Outcome<bool> {
    let mut found = match fs::symlink_metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            // Who takes a store away may begin with its database; what counts is the second look.
            if length(&log_of(path))? > 0 && identity(path).is_none() && length(&log_of(path))? > 0 {
                return Err(Fault::corrupt(format!("{NAME} is gone and its log is not")));
            }
            return Ok(false);
        }
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
            sync(above)?;
        }
    }
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Ok(_) => sync(folder),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// The names of all files of a store; the log and its index may not be there.
const NAMES: [&str; 3] = [NAME, "state.db-wal", "state.db-shm"];

/// Gives a database, which is all that its store has, the name of another one.
pub(crate) fn take_place(folder: &Path, with: &Path) -> Outcome<()> {
    let (old, new) = (folder.join(NAME), with.join(NAME));
    if old.is_dir() {
        return Err(Fault::io(format!("{NAME} is a folder")));
    }
    // A log that stays behind would be taken for that of the new database.
    for beside in &NAMES[1..] {
        remove(&with.join(beside))?;
        remove(&folder.join(beside))?;
    }
    fs::rename(new, old)?;
    sync(folder)
}

fn remove(path: &Path) -> Outcome<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

/// Copies the files of a store; the copies and their names are safe on disk.
pub(crate) fn copy_all(folder: &Path, to: &Path) -> Outcome<()> {
    for name in NAMES {
        let from = folder.join(name);
        if !fs::symlink_metadata(&from).is_ok_and(|found| found.is_file()) {
            continue;
        }
        let target = to.join(name);
        fs::copy(&from, &target)?;
        sync(&target)?;
    }
    sync(to)
}

/// Makes the bytes of a file, or the names in a folder, durable.
pub(crate) fn sync(path: &Path) -> Outcome<()> {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    Ok(File::open(path)?.sync_all()?)
}
