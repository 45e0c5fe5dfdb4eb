//! Keeping outside bytes that were not understood beside their file.

use std::io;

use format::FileState;
use model::{ProjectPath, Timestamp};

use super::files::ProjectFiles;
use super::replace::{create_copy, rename_new, sync_folder_of};

/// How many names are tried; past that something is badly wrong with the folder.
const TRIES: u32 = 1000;

/// Writes `bytes` to `NAME.conflict-<UTC stamp>` beside `path`, safe on disk before it returns.
///
/// A taken name gets a suffix (`-2`, `-3`, …); one that already holds these bytes is used as it is,
/// so that a request that is repeated after a crash leaves one copy.
pub(crate) fn keep_aside(
    files: &ProjectFiles,
    path: &ProjectPath,
    bytes: &[u8],
    now: Timestamp,
) -> io::Result<ProjectPath> {
    use format::Files as _;
    for copy in names(path, now) {
        match create_copy(files, path, &copy, bytes) {
            Ok(()) => {
                sync_folder_of(files, &copy)?;
                return Ok(copy);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                if files.read(&copy, bytes.len() as u64) == FileState::Bytes(bytes.to_vec()) {
                    return Ok(copy);
                }
            }
            Err(error) => return Err(error),
        }
    }
    Err(no_name())
}

/// Renames what stands at `path`, whatever it is, to a name as a copy of it would have; `None` where nothing does.
///
/// The folder still has to be fsynced.
pub(crate) fn set_aside(files: &ProjectFiles, path: &ProjectPath, now: Timestamp) -> io::Result<Option<ProjectPath>> {
    for copy in names(path, now) {
        match rename_new(files, path, &copy) {
            Ok(()) => return Ok(Some(copy)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(no_name())
}

fn names(path: &ProjectPath, now: Timestamp) -> impl Iterator<Item = ProjectPath> {
    let base = format!("{}.conflict-{}", path.name(), now.to_stamp());
    (1..=TRIES).map(move |number| {
        let name = if number == 1 { base.clone() } else { format!("{base}-{number}") };
        path.beside(&name).expect("a name beside a valid path is valid")
    })
}

fn no_name() -> io::Error {
    io::Error::other("no free name for a conflict copy")
}
