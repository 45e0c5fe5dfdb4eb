//! `backup`: a consistent copy of the store in one file, while others write.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use model::{Object, Refusal, RefusalClass, Revision};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;
use store::{Store, StoreError};

use crate::engine::Engine;
use crate::{clock, refusals};

impl Engine {
    /// Copies the store into a new file, which was opened and looked through when this returns.
    ///
    /// **Shape**: `{path,bytes,revision}`.
    /// **Errors**: `file_exists`, `nothing_to_back_up`, `write_failed`, and what the store refuses.
    pub fn backup(&self, file: &Path) -> Result<Object, Refusal> {
        if file.symlink_metadata().is_ok() {
            return Err(exists(file));
        }
        let Some(store) = self.opened_store()? else {
            return Err(Refusal::refused("nothing_to_back_up", "nothing has been recorded in this project yet"));
        };
        let (bytes, revision) = copy(store.as_ref(), file)?;
        let mut object = Object::new();
        object.insert("path".into(), file.display().to_string().into());
        object.insert("bytes".into(), bytes.into());
        object.insert("revision".into(), revision.0.into());
        Ok(object)
    }
}

/// Copies a store into a new file; answers its size and revision. A copy that fails leaves nothing.
pub(crate) fn copy(store: &dyn Store, file: &Path) -> Result<(u64, Revision), Refusal> {
    let growing = beside(file)?;
    let refused = |error: &io::Error| refusals::of_io(&growing, error);
    let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&growing).map_err(|e| refused(&e))?;
    drop(made);
    let copied = store.backup(&growing).map_err(|error| match error {
        StoreError::Io(why) => refused(&io::Error::other(why)),
        other => refusals::of_store(&other),
    });
    let placed = copied.and_then(|revision| {
        let bytes = growing.metadata().map_err(|error| refused(&error))?.len();
        place(&growing, file)?;
        Ok((bytes, revision))
    });
    if placed.is_err() {
        // There is nothing better to do with an error here.
        drop(fs::remove_file(&growing));
    }
    placed
}

// In the same folder, so that it can get its name in one step.
fn beside(file: &Path) -> Result<PathBuf, Refusal> {
    let name = file.file_name().ok_or_else(|| Refusal::invalid("file", "the backup needs the name of a file"))?;
    let mut growing = std::ffi::OsString::from(".");
    growing.push(name);
    growing.push(format!(".{}.tmp", clock::random()));
    Ok(file.with_file_name(growing))
}

// What has come to stand there meanwhile is left alone.
fn place(growing: &Path, file: &Path) -> Result<(), Refusal> {
    let placed = match renameat_with(CWD, growing, CWD, file, RenameFlags::NOREPLACE) {
        // Not every file system can do it in one step; a second name is never made over another.
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
            fs::hard_link(growing, file).and_then(|()| fs::remove_file(growing))
        }
        renamed => renamed.map_err(io::Error::from),
    };
    match placed {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(exists(file)),
        placed => placed.map_err(|error| refusals::of_io(file, &error))?,
    }
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(|error| refusals::of_io(file, &error))
}

fn exists(file: &Path) -> Refusal {
    let message = format!("{} stands there already; a backup replaces no file", file.display());
    Refusal::new(RefusalClass::Refused, "file_exists", message)
        .field("file")
        .with("path", file.display().to_string())
        .hint("name a file that does not exist yet")
}
