//! A project on which the program is tried.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

use serde_json::Value;
use testkit::process::{DEADLINE, Finished, Sandbox, finish};

use crate::product::Product;

/// A temporary project and the program that works on it.
pub(crate) struct Project<'a> {
    sandbox: Sandbox,
    pub(crate) product: &'a Product,
}

impl<'a> Project<'a> {
    /// An empty project.
    pub(crate) fn new(product: &'a Product) -> Result<Self, String> {
        Ok(Self { sandbox: Sandbox::new().map_err(|error| error.to_string())?, product })
    }

    /// An empty project that no disk slows down, where there is memory for files.
    pub(crate) fn in_memory(product: &'a Product) -> Result<Self, String> {
        let memory = Path::new("/dev/shm");
        let sandbox = if memory.is_dir() { Sandbox::within(memory) } else { Sandbox::new() };
        Ok(Self { sandbox: sandbox.map_err(|error| error.to_string())?, product })
    }

    /// Another project with the same files.
    pub(crate) fn copy(&self) -> Result<Self, String> {
        self.copied_to(Self::new(self.product)?)
    }

    /// The same, in memory.
    pub(crate) fn copy_in_memory(&self) -> Result<Self, String> {
        self.copied_to(Self::in_memory(self.product)?)
    }

    /// Copies the files into another project, which is empty.
    pub(crate) fn copy_into(&self, other: &Self) -> Result<(), String> {
        copy_folder(&self.root(), &other.root()).map_err(|error| format!("copying the project: {error}"))
    }

    fn copied_to(&self, copy: Self) -> Result<Self, String> {
        self.copy_into(&copy)?;
        Ok(copy)
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.sandbox.root()
    }

    /// The program under another one, such as strace, and with its arguments still to come.
    pub(crate) fn under(&self, wrapper: &[String]) -> Command {
        let mut words = wrapper.iter();
        let mut command = match words.next() {
            Some(program) => {
                let mut command = self.sandbox.command(program);
                command.args(words).arg(&self.product.binary).arg("--project").arg(self.root());
                command
            }
            None => self.sandbox.mainstay(&self.product.binary),
        };
        if let Some(mutant) = &self.product.mutant {
            command.env("MAINSTAY_MUTANT", mutant);
        }
        if let Some(patience) = self.product.patience {
            command.env("MAINSTAY_LOCK_WAIT_MS", patience.to_string());
        }
        command
    }

    /// Runs the program, whatever comes of it.
    pub(crate) fn run(&self, words: &[&str]) -> Result<Finished, String> {
        end(self.under(&[]).args(words))
    }

    /// Runs the program, which must succeed, and reads its reply.
    pub(crate) fn reply(&self, words: &[&str]) -> Result<Value, String> {
        let finished = self.run(words)?;
        let shown = words.join(" ");
        if !finished.status.success() {
            return Err(format!("`{shown}` ended with {}: {}{}", finished.exit(), finished.stdout, finished.stderr));
        }
        serde_json::from_str(&finished.stdout).map_err(|error| format!("`{shown}` answered no JSON ({error})"))
    }

    /// The paths of all files, those aside that `SQLite` makes and removes as it likes.
    pub(crate) fn files(&self) -> Result<BTreeSet<String>, String> {
        let mut found = BTreeSet::new();
        list(&self.root(), &self.root(), &mut found).map_err(|error| format!("listing the project: {error}"))?;
        found.retain(|path| !["-wal", "-shm", "-journal"].iter().any(|suffix| path.ends_with(suffix)));
        Ok(found)
    }
}

/// Runs a command to its end.
pub(crate) fn end(command: &mut Command) -> Result<Finished, String> {
    finish(command, "", DEADLINE).map_err(|error| format!("{command:?}: {error}"))
}

fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            fs::create_dir(&target)?;
            copy_folder(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), &target)?;
            fs::File::options().append(true).open(&target)?.set_modified(entry.metadata()?.modified()?)?;
        }
    }
    Ok(())
}

fn list(root: &Path, folder: &Path, found: &mut BTreeSet<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            list(root, &path, found)?;
        } else {
            found.insert(path.strip_prefix(root).unwrap_or(&path).display().to_string());
        }
    }
    Ok(())
}
