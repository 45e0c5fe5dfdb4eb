//! The moment at which files change: after the commit, under the locks.

use std::io;

use model::{ExtraFile, ProjectPath, Warning};
use store::{PendingMove, Store};

use crate::images::{self, MoveOutcome, ProjectFiles};
use crate::plan::{Step, stale};

/// Replaces or removes one file, unless it is no longer what was seen; answers whether it happened.
pub(crate) fn step(files: &ProjectFiles, step: &mut Step) -> io::Result<bool> {
    match step.prepared.take() {
        Some(prepared) => prepared.publish(files, step.stamp),
        None if step.removes() => images::remove(files, &step.state.path, step.stamp),
        None => Ok(false),
    }
}

/// Writes a file without a record.
pub(crate) fn extra(files: &ProjectFiles, file: &ExtraFile) -> Result<(), (ProjectPath, io::Error)> {
    match file {
        ExtraFile::Create { path, bytes } => match images::create_new(files, path, bytes) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            Err(error) => Err((path.clone(), error)),
            Ok(()) => images::sync_folder_of(files, path).map_err(|error| (path.clone(), error)),
        },
        ExtraFile::AppendLine { path, line, keep } => {
            images::append_line(files, path, line, *keep).map_err(|error| (path.clone(), error))
        }
    }
}

/// Carries out the folder moves that are committed; answers those that have come to their end.
pub(crate) fn moves(files: &ProjectFiles, store: &dyn Store, warnings: &mut Vec<Warning>) -> Vec<PendingMove> {
    let pending = match store.read().and_then(|reads| reads.pending_moves()) {
        Ok(pending) => pending,
        Err(error) => {
            let message = format!("folders are not yet moved ({error}); the next command moves them");
            warnings.push(Warning::new("image_stale", message));
            return Vec::new();
        }
    };
    let mut settled = Vec::new();
    for one in pending {
        match images::carry_out(files, &one.step) {
            Ok(MoveOutcome::Done | MoveOutcome::Impossible) => settled.push(one),
            // Moves depend on the ones before them.
            Err(error) => {
                warnings.push(stale(&one.step.from, &error.to_string()));
                break;
            }
        }
    }
    settled
}
