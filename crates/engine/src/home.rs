//! The engine's own folder, `.mainstay/`.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use model::Refusal;

use crate::refusals;

/// `.mainstay/` beneath a project root.
#[derive(Clone, Debug)]
pub(crate) struct Home(PathBuf);

impl Home {
    /// Of a project; creates nothing.
    pub(crate) fn of(root: &Path) -> Self {
        Self(root.join(".mainstay"))
    }

    /// The folder.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// The lock file of a format, or of the queue.
    pub(crate) fn lock(&self, name: &str) -> PathBuf {
        self.0.join("locks").join(format!("{name}.lock"))
    }

    /// Makes the folder, readable by its owner alone and ignored by git.
    ///
    /// **Errors**: `path_outside_project` when a link stands in its place, `write_failed`.
    pub(crate) fn make(&self) -> Result<(), Refusal> {
        match self.0.symlink_metadata() {
            Ok(metadata) if metadata.is_symlink() => {
                return Err(Refusal::refused("path_outside_project", ".mainstay is a symbolic link")
                    .with("path", ".mainstay")
                    .hint("remove the link; Mainstay keeps a project's state in the project"));
            }
            Ok(_) if self.0.join("locks").is_dir() => return Ok(()),
            _ => {}
        }
        self.build().map_err(|error| refusals::of_io(&self.0, &error))
    }

    fn build(&self) -> io::Result<()> {
        let mut builder = DirBuilder::new();
        builder.recursive(true).mode(0o700).create(&self.0)?;
        match OpenOptions::new().write(true).create_new(true).open(self.0.join(".gitignore")) {
            Ok(mut file) => file.write_all(b"*\n")?,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
        // The folder's name has to outlive a power failure before anything in it counts.
        self.0.parent().map_or(Ok(()), |root| File::open(root)?.sync_all())?;
        // Last, since it tells that the rest stands.
        builder.create(self.0.join("locks"))
    }
}
