//! Which commit stood when a space was last written, and whether git has moved the files since.
//!
//! An image that differs after a move was changed by a checkout or a pull. A commit of one's own moves
//! nothing: it says what the files already are. So the log of HEAD decides, which tells the one from the
//! other; where there is none, it counts whether HEAD names another commit.

use std::path::Path;

use model::{Refusal, Space};
use store::{Reads, Txn};

use crate::engine::Engine;
use crate::git_head::{self, Since};
use crate::refusals;

/// Under which name the commit of a space is remembered. **Shape**: `SHA` or `SHA SIZE`, of the log of HEAD.
fn name(space: &Space) -> String {
    format!("commit/{space}")
}

/// Whether git has moved the files since the space was last written.
pub(crate) fn has_moved(engine: &Engine, reads: &dyn Reads, space: &Space) -> Result<bool, Refusal> {
    let remembered = reads.meta(&name(space)).map_err(|error| refusals::of_store(&error))?;
    let (Some(remembered), Some(repository)) = (remembered, repository(engine.root())) else { return Ok(false) };
    let (commit, size) = match remembered.split_once(' ') {
        Some((commit, size)) => (commit, size.parse().ok()),
        None => (remembered.as_str(), None),
    };
    Ok(match size.map_or(Since::Unknown, |size| git_head::since(repository, size)) {
        Since::Moved => true,
        Since::Committed => false,
        Since::Unknown => git_head::read(repository).is_some_and(|now| now != commit),
    })
}

/// Remembers which commit stands now, for spaces that are about to be written.
pub(crate) fn remember<'a>(
    engine: &Engine,
    txn: &mut dyn Txn,
    spaces: impl Iterator<Item = &'a Space>,
) -> Result<(), Refusal> {
    let Some(repository) = repository(engine.root()) else { return Ok(()) };
    let Some(mut now) = git_head::read(repository) else { return Ok(()) };
    if let Some(size) = git_head::log_size(repository) {
        now = format!("{now} {size}");
    }
    for space in spaces {
        let name = name(space);
        let remembered = txn.meta(&name).map_err(|error| refusals::of_store(&error))?;
        if remembered.as_ref() != Some(&now) {
            txn.put_meta(&name, Some(&now)).map_err(|error| refusals::of_store(&error))?;
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
    git_head::read(repository(root)?)
}

fn repository(root: &Path) -> Option<&Path> {
    root.ancestors().find(|folder| folder.join(".git").exists())
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
