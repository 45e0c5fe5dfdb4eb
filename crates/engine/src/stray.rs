//! Servers that hosts start in no project: they answer, and keep nothing.

use std::path::Path;
use std::sync::OnceLock;

use model::Refusal;

use crate::engine::Engine;

/// How a process came by its folder.
pub(crate) struct Stray {
    /// The option or `MAINSTAY_PROJECT` names it.
    is_named: bool,
    /// It is the home, or above it.
    is_home: OnceLock<()>,
}

impl Stray {
    pub(crate) fn of(is_named: bool) -> Self {
        Self { is_named, is_home: OnceLock::new() }
    }
}

impl Engine {
    /// Makes no project of a folder that is nobody's: of `home`, or of one above it.
    ///
    /// Hosts start a person's servers there. State in it would become the state of every folder beneath.
    pub fn spare(&self, home: &Path) {
        if let Ok(home) = home.canonicalize()
            && !self.stray.is_named
            && home.starts_with(self.root())
        {
            // Told twice, it is the same home.
            let _ = self.stray.is_home.set(());
        }
    }

    /// Why calls of clients are refused, where nobody made a project of the folder.
    ///
    /// **Errors**: the refusal is `no_project`.
    pub fn no_project(&self) -> Option<Refusal> {
        self.stray.is_home.get()?;
        let is_ours = self.home().path().is_dir() || self.root().join("mainstay.toml").is_file();
        if is_ours || !self.formats_marked().is_empty() {
            return None;
        }
        let said = format!("the server runs in {}, which is no project", self.root().display());
        let hint = "start the host in a project's folder, or name one with --project; \
                    mainstay init makes a project of the folder that it runs in";
        Some(Refusal::refused("no_project", said).hint(hint))
    }
}
