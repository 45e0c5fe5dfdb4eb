//! The engine's own folder, `.mainstay/`.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read, Seek as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use model::Refusal;
use rustix::fs::OFlags;

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

    /// Where events wait.
    pub(crate) fn spool(&self) -> PathBuf {
        self.0.join("spool")
    }

    /// Makes sure that nothing below leads out of the project; to be asked before anything is opened.
    ///
    /// **Errors**: `path_outside_project` when something else stands where a folder of ours belongs.
    pub(crate) fn check(&self) -> Result<(), Refusal> {
        for (shown, folder) in [
            (".mainstay", self.0.clone()),
            (".mainstay/locks", self.0.join("locks")),
            (".mainstay/spool", self.spool()),
        ] {
            match folder.symlink_metadata() {
                Ok(metadata) if !metadata.is_dir() => {
                    let what = if metadata.is_symlink() { "a symbolic link" } else { "no folder" };
                    return Err(refusals::outside(shown, what));
                }
                // What cannot be looked at cannot be opened either, and tells why then.
                _ => {}
            }
        }
        Ok(())
    }

    /// A folder of that name beneath it, made where there is none, safe on disk.
    ///
    /// **Errors**: `path_outside_project` when something else stands there, `write_failed`.
    pub(crate) fn folder(&self, name: &str) -> Result<PathBuf, Refusal> {
        let folder = self.0.join(name);
        match DirBuilder::new().mode(0o700).create(&folder) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                if !folder.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()) {
                    return Err(refusals::outside(&format!(".mainstay/{name}"), "no folder"));
                }
            }
            made => {
                made.and_then(|()| File::open(&self.0)?.sync_all())
                    .map_err(|error| refusals::of_io(&folder, &error))?;
            }
        }
        Ok(folder)
    }

    /// Makes the folder, readable by its owner alone and ignored by git.
    ///
    /// **Errors**: those of [`Home::check`], `write_failed`.
    pub(crate) fn make(&self) -> Result<(), Refusal> {
        self.check()?;
        if self.0.join("locks").is_dir() {
            return Ok(());
        }
        self.build().map_err(|error| refusals::of_io(&self.0, &error))
    }

    fn build(&self) -> io::Result<()> {
        let mut builder = DirBuilder::new();
        builder.recursive(true).mode(0o700).create(&self.0)?;
        let ignored = self.0.join(".gitignore");
        let mut file = open_plain(OpenOptions::new().read(true).write(true).create(true).truncate(false), &ignored)?;
        let mut begin = Vec::new();
        Read::by_ref(&mut file).take(2).read_to_end(&mut begin)?;
        // One that is empty, or zeros, is what a power failure left of ours.
        if begin.iter().all(|byte| *byte == 0) {
            file.set_len(0)?;
            file.rewind()?;
            file.write_all(b"*\n")?;
            file.sync_all()?;
        }
        // The names have to outlive a power failure before anything beneath them counts.
        File::open(&self.0)?.sync_all()?;
        self.0.parent().map_or(Ok(()), |root| File::open(root)?.sync_all())?;
        // Last, since it tells that the rest stands.
        builder.create(self.0.join("locks"))
    }
}

/// Opens a regular file; a link is not followed, and a pipe does not hold anybody up.
pub(crate) fn open_plain(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = options.custom_flags(flags.bits().cast_signed()).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("it is no regular file")) }
}
