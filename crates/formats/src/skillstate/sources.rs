//! Where the outside may have written: the files of a scope, or its checkpoints.

use format::{FileSource, Restore, Sources, View};
use model::{ProjectPath, Scan, Space};

use super::checkpoints;
use super::present::LIMIT;
use super::records::Kind;
use super::scope::{Place, Scope};

/// The largest session meta that is read. **Units**: bytes.
const META_LIMIT: u64 = 256 * 1024;

/// The sources of a space.
pub(super) fn sources(space: &Space, view: &View<'_>) -> Sources {
    let files = match Place::of(space) {
        Some(Place::State(scope)) => {
            vec![file(scope.state_path(), LIMIT, Restore::Always), file(scope.meta_path(), META_LIMIT, Restore::Never)]
        }
        Some(Place::Checkpoints(scope)) => {
            let paths = checkpoint_paths(&scope, view).into_iter();
            paths.map(|path| file(path, checkpoints::LIMIT, Restore::Never)).collect()
        }
        None => Vec::new(),
    };
    Sources { files, ..Sources::default() }
}

fn file(path: ProjectPath, limit: u64, restore: Restore) -> FileSource {
    FileSource { path, keeps_base: false, limit, restore }
}

// Those that stand there, and those that stood there once.
fn checkpoint_paths(scope: &Scope, view: &View<'_>) -> Vec<ProjectPath> {
    let names = view.files.list(&scope.checkpoint_folder());
    let standing = names.iter().filter_map(|name| checkpoints::id_of(name)).map(str::to_owned);
    let stored = view.records.scan(&scope.checkpoint_space(), Kind::Checkpoint.word(), &Scan::all());
    let stored = stored.into_iter().map(|(id, _)| id.as_str().to_owned());
    let mut paths: Vec<ProjectPath> = standing.chain(stored).filter_map(|id| checkpoints::path(scope, &id)).collect();
    paths.sort_unstable();
    paths.dedup();
    paths
}
