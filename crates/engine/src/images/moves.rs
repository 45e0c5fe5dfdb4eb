//! Moving folders of the project, to the trash and back.

use std::io;

use model::{FolderMove, ProjectPath};

use super::files::ProjectFiles;
use super::replace::sync_folder_of;

/// What became of a folder move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MoveOutcome {
    /// It is done, now or already before a crash.
    Done,
    /// Neither end holds the folder, or both do: someone else moved it; it is left alone.
    Impossible,
}

/// Carries a move out, or finds that it has already happened; safe on disk before it returns.
///
/// A rename within one file system; across file systems the folder is copied, made safe, and then
/// removed at its old place, so that it exists at one place at least at every moment.
pub(crate) fn carry_out(files: &ProjectFiles, step: &FolderMove) -> io::Result<MoveOutcome> {
    let dir = files.dir();
    let stands = |path: &ProjectPath| dir.symlink_metadata(path.as_str()).is_ok_and(|metadata| metadata.is_dir());
    match (stands(&step.from), stands(&step.to)) {
        (false, true) => return Ok(MoveOutcome::Done),
        (true, false) => {}
        _ => return Ok(MoveOutcome::Impossible),
    }
    if let Some(parent) = step.to.parent() {
        dir.create_dir_all(parent.as_str())?;
        sync_folder_of(files, &parent)?;
    }
    match dir.rename(step.from.as_str(), dir, step.to.as_str()) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => copy_over(files, step)?,
        Err(error) => return Err(error),
    }
    sync_folder_of(files, &step.to)?;
    sync_folder_of(files, &step.from)?;
    Ok(MoveOutcome::Done)
}

// The copy grows under a name of its own and gets its real one when it is complete.
fn copy_over(files: &ProjectFiles, step: &FolderMove) -> io::Result<()> {
    let dir = files.dir();
    let growing = step.to.beside(&format!(".mainstay-{}.tmp", step.to.name())).map_err(|_| invalid_name())?;
    if dir.symlink_metadata(growing.as_str()).is_ok() {
        dir.remove_dir_all(growing.as_str())?;
    }
    copy_folder(files, &step.from, &growing)?;
    dir.rename(growing.as_str(), dir, step.to.as_str())?;
    sync_folder_of(files, &step.to)?;
    dir.remove_dir_all(step.from.as_str())
}

fn copy_folder(files: &ProjectFiles, from: &ProjectPath, to: &ProjectPath) -> io::Result<()> {
    let dir = files.dir();
    dir.create_dir(to.as_str())?;
    for entry in dir.read_dir(from.as_str())? {
        let entry = entry?;
        let name = entry.file_name().into_string().map_err(|_| invalid_name())?;
        let (source, target) =
            (from.join(&name).map_err(|_| invalid_name())?, to.join(&name).map_err(|_| invalid_name())?);
        let kind = entry.file_type()?;
        if kind.is_dir() {
            copy_folder(files, &source, &target)?;
        } else if kind.is_symlink() {
            dir.symlink_contents(dir.read_link_contents(source.as_str())?, target.as_str())?;
        } else {
            dir.copy(source.as_str(), dir, target.as_str())?;
            dir.open(target.as_str())?.sync_all()?;
        }
    }
    sync_folder_of(files, &to.join(".mainstay").map_err(|_| invalid_name())?)
}

fn invalid_name() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "a name in the folder cannot be moved")
}
