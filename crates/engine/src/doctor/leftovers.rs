//! What killed writers left behind: it is in nobody's way, and nobody else takes it away.

use std::collections::BTreeSet;

use format::Files as _;
use model::{Finding, ProjectPath, Refusal, Severity, Timestamp};

use super::rebuild::YARD;
use super::{FIX, finding};
use crate::engine::Engine;
use crate::ground::Ground;
use crate::images::remove;
use crate::locks::{Deadline, FileLock, WAIT};
use crate::refusals;

/// The code of what was left behind.
pub(super) const CODE: &str = "leftover";

/// How old a temporary file is at least that its writer is not waited for. **Units**: milliseconds.
const AGE: i64 = 60_000;

impl Engine {
    /// What is left in the engine's own folder.
    pub(super) fn leftovers(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        // While the lock is held the folder is being worked in.
        let yard = self.home().path().join(YARD);
        if yard.symlink_metadata().is_ok() && FileLock::holder(&self.home().lock("gc")).is_none() {
            let message = "a rebuilding of the store was cut short; what it made is not needed".to_owned();
            findings.push(finding(CODE, Severity::Warning, ".mainstay/rebuild", message, Some(FIX)));
        }
        let folders = [".mainstay", ".mainstay/backups"].map(|folder| Some(ProjectPath::known(folder)));
        findings.extend(self.temporaries(&folders));
        findings
    }

    /// What is left beside the images of a space.
    pub(super) fn left_beside(&self, ground: &Ground) -> Vec<Finding> {
        let paths = ground.files.iter().map(|file| &file.source.path).chain(ground.states.iter().map(|it| &it.path));
        let folders: BTreeSet<Option<ProjectPath>> = paths.map(ProjectPath::parent).collect();
        self.temporaries(&folders)
    }

    // Without a name a folder is the project's root.
    fn temporaries<'a>(&self, folders: impl IntoIterator<Item = &'a Option<ProjectPath>>) -> Vec<Finding> {
        let Ok(now) = self.now() else { return Vec::new() };
        let mut findings = Vec::new();
        for folder in folders {
            let folder = folder.as_ref();
            for name in self.files().names(folder).into_iter().filter(|name| is_temporary(folder, name)) {
                let path = folder.map_or_else(|| ProjectPath::new(name.as_str()), |folder| folder.join(&name));
                let Ok(path) = path else { continue };
                let is_old = |at: Timestamp| now.as_millis().saturating_sub(at.as_millis()) >= AGE;
                if !self.files().is_folder(&path) && self.files().modified(&path).is_some_and(is_old) {
                    let message = format!("{path} is a temporary file whose writer is gone");
                    findings.push(finding(CODE, Severity::Warning, path.as_str(), message, Some(FIX)));
                }
            }
        }
        findings
    }

    /// Takes away what was found.
    pub(super) fn clear(&self, found: &[Finding]) -> Result<(), Refusal> {
        let deadline = Deadline::within(self.lock_wait(WAIT));
        let held = ["gc", "queue"].map(|name| FileLock::acquire(&self.home().lock(name), deadline));
        let _held = held.into_iter().collect::<Result<Vec<_>, Refusal>>()?;
        self.clear_yard()?;
        for one in found.iter().filter(|one| one.code == CODE) {
            let Ok(path) = ProjectPath::new(one.place.clone()) else { continue };
            if is_temporary(path.parent().as_ref(), path.name()) {
                let seen = self.files().stamp(&path);
                remove(self.files(), &path, seen).map_err(|error| refusals::of_io(path.as_str(), &error))?;
            }
        }
        Ok(())
    }
}

// Names that nobody but this program gives.
fn is_temporary(folder: Option<&ProjectPath>, name: &str) -> bool {
    let folder = folder.map_or("", ProjectPath::as_str);
    let is_between = |start: &str, name: &str| name.starts_with(start) && name.strip_suffix(".tmp").is_some();
    let of_backup = |name: &str| is_between(".doctor-", name.strip_suffix("-journal").unwrap_or(name));
    is_between(".mainstay-", name)
        || (folder == ".mainstay" && name.starts_with(".mainstay-image-"))
        || (folder == ".mainstay/backups" && of_backup(name))
}
