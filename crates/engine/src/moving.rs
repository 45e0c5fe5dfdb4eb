//! Folder moves that are committed and have not happened yet, as they bear on the files in them.

use format::Files;
use model::{FolderMove, ProjectPath, Refusal};
use store::{PendingMove, Reads};

use crate::refusals;

/// The pending moves, in order.
#[derive(Default)]
pub(crate) struct Moving {
    pending: Vec<PendingMove>,
    /// Those that are yet to happen and can.
    ahead: Vec<FolderMove>,
}

impl Moving {
    /// Those of the store, held against the folders as they stand.
    pub(crate) fn of(files: &dyn Files, reads: &dyn Reads) -> Result<Self, Refusal> {
        let pending = reads.pending_moves().map_err(|error| refusals::of_store(&error))?;
        Ok(Self::against(files, pending))
    }

    /// The same, of moves that are known.
    pub(crate) fn against(files: &dyn Files, pending: Vec<PendingMove>) -> Self {
        let mut ahead: Vec<FolderMove> = Vec::new();
        for one in &pending {
            let stands = |path| origin(&ahead, path).is_some_and(|origin| files.is_folder(&origin));
            if stands(&one.step.from) && !stands(&one.step.to) {
                ahead.push(one.step.clone());
            }
        }
        Self { pending, ahead }
    }

    /// Where the file stands now that the moves will bring to `path`.
    ///
    /// A file that a move takes away, so that nothing stands at `path` afterwards, is at `path` now.
    pub(crate) fn origin(&self, path: &ProjectPath) -> ProjectPath {
        origin(&self.ahead, path).unwrap_or_else(|| path.clone())
    }

    /// Whether `path` lies in a folder that is to come or to go.
    pub(crate) fn touches(&self, path: &ProjectPath) -> bool {
        self.pending.iter().any(|one| beneath(path, &one.step.from).or(beneath(path, &one.step.to)).is_some())
    }
}

/// Whether one move must not overtake the other.
pub(crate) fn depends(one: &FolderMove, other: &FolderMove) -> bool {
    let overlaps = |a: &ProjectPath, b: &ProjectPath| beneath(a, b).or(beneath(b, a)).is_some();
    [&one.from, &one.to].into_iter().any(|a| overlaps(a, &other.from) || overlaps(a, &other.to))
}

// From the last move back to the first; none, if a move takes away what is there.
fn origin(moves: &[FolderMove], path: &ProjectPath) -> Option<ProjectPath> {
    let mut path = path.clone();
    for step in moves.iter().rev() {
        if let Some(rest) = beneath(&path, &step.to) {
            path = ProjectPath::new(format!("{}{rest}", step.from)).expect("parts of valid paths make a valid path");
        } else if beneath(&path, &step.from).is_some() {
            return None;
        }
    }
    Some(path)
}

// The rest of a path past a folder: empty, or from a slash on.
fn beneath<'a>(path: &'a ProjectPath, folder: &ProjectPath) -> Option<&'a str> {
    path.as_str().strip_prefix(folder.as_str()).filter(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::Moving;
    use format::{FileState, Files};
    use model::{FolderMove, ProjectPath, Revision};
    use store::PendingMove;

    struct Folders(&'static [&'static str]);

    impl Files for Folders {
        fn read(&self, _path: &ProjectPath, _limit: u64) -> FileState {
            FileState::Absent
        }

        fn list(&self, _folder: &ProjectPath) -> Vec<String> {
            Vec::new()
        }

        fn is_folder(&self, path: &ProjectPath) -> bool {
            self.0.contains(&path.as_str())
        }
    }

    fn check(
        folders: &'static [&'static str],
        moves: &[(&'static str, &'static str)],
        expected: &[(&'static str, &str)],
    ) {
        let pending = |(from, to): &(&'static str, &'static str)| PendingMove {
            revision: Revision::default(),
            ordinal: 0,
            step: FolderMove { from: ProjectPath::known(from), to: ProjectPath::known(to) },
        };
        let moving = Moving::against(&Folders(folders), moves.iter().map(pending).collect());
        for (path, origin) in expected {
            assert_eq!(moving.origin(&ProjectPath::known(path)).as_str(), *origin, "{path} with {moves:?}");
        }
    }

    #[test]
    fn files_are_found_where_they_stand_before_the_moves() {
        check(&["a"], &[("a", "b")], &[("b/x", "a/x"), ("a/x", "a/x"), ("bc/x", "bc/x"), ("b", "a")]);
        check(&["a"], &[("a", "b"), ("b", "c")], &[("c/x", "a/x")]);
        check(&["a", "b"], &[("a", "t"), ("b", "a"), ("t", "b")], &[("a/x", "b/x"), ("b/x", "a/x")]);
        check(&["a", "a/in"], &[("a", "b"), ("b/in", "d")], &[("d/x", "a/in/x")]);
        check(&["b"], &[("a", "b")], &[("b/x", "b/x")]);
        check(&["a", "b"], &[("a", "b")], &[("b/x", "b/x")]);
    }
}
