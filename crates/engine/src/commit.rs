//! Which commit stood when a space was last written, and whether it still does.
//!
//! An image that differs after the commit has changed was changed by a checkout or a pull.

use std::path::Path;

use model::{Refusal, Space};
use store::{Reads, Txn};

use crate::engine::Engine;
use crate::{git_head, refusals};

/// Under which name the commit of a space is remembered.
fn name(space: &Space) -> String {
    format!("commit/{space}")
}

/// Whether another commit stands than when the space was last written.
pub(crate) fn has_moved(engine: &Engine, reads: &dyn Reads, space: &Space) -> Result<bool, Refusal> {
    let remembered = reads.meta(&name(space)).map_err(|error| refusals::of_store(&error))?;
    let Some(remembered) = remembered else { return Ok(false) };
    Ok(checked_out(engine.root()).is_some_and(|commit| commit != remembered))
}

/// Remembers which commit stands now, for spaces that are about to be written.
pub(crate) fn remember<'a>(
    engine: &Engine,
    txn: &mut dyn Txn,
    spaces: impl Iterator<Item = &'a Space>,
) -> Result<(), Refusal> {
    let Some(commit) = checked_out(engine.root()) else { return Ok(()) };
    for space in spaces {
        let name = name(space);
        let remembered = txn.meta(&name).map_err(|error| refusals::of_store(&error))?;
        if remembered.as_ref() != Some(&commit) {
            txn.put_meta(&name, Some(&commit)).map_err(|error| refusals::of_store(&error))?;
        }
    }
    Ok(())
}

/// Who made the edits of a checkout or a pull. **Shape**: `git:1a2b3c4`.
pub(crate) fn actor(engine: &Engine) -> String {
    let commit = checked_out(engine.root()).unwrap_or_default();
    format!("git:{}", commit.get(..7).unwrap_or_default())
}

/// The commit of the repository that the project lies in, whether it is its root or not.
fn checked_out(root: &Path) -> Option<String> {
    git_head::read(root.ancestors().find(|folder| folder.join(".git").exists())?)
}

#[cfg(test)]
mod tests {
    use super::checked_out;
    use std::fs;

    const SHA: &str = "7a1b2c3d4e5f60718293a4b5c6d7e8f901234567";

    #[test]
    fn a_project_may_lie_deep_in_a_repository() {
        let top = tempfile::tempdir().unwrap();
        let root = top.path().join("part/project");
        fs::create_dir_all(&root).unwrap();
        assert_eq!(checked_out(&root), None);
        fs::create_dir(top.path().join(".git")).unwrap();
        fs::write(top.path().join(".git/HEAD"), SHA).unwrap();
        assert_eq!(checked_out(&root).as_deref(), Some(SHA));
        // The nearest one counts, though it has no commit yet.
        fs::create_dir(root.join(".git")).unwrap();
        assert_eq!(checked_out(&root), None);
    }
}
