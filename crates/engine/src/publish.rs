//! The moment at which files change: after the commit, under the locks.

use std::io;

use format::Files as _;
use model::{ExtraFile, FolderMove, ImageContent, ProjectPath, Warning};
use store::{PendingMove, Store};

use crate::images::{self, MoveOutcome, ProjectFiles};
use crate::moving::{Moving, depends};
use crate::plan::Step;

/// Replaces or removes one file, or makes or removes a folder, unless it is no longer what was seen; answers whether it happened.
pub(crate) fn step(files: &ProjectFiles, step: &mut Step) -> io::Result<bool> {
    let path = &step.state.path;
    match (step.prepared.take(), &step.content) {
        (Some(prepared), _) => prepared.publish(files, step.stamp),
        (None, ImageContent::Absent) => images::remove(files, path, step.stamp),
        (None, ImageContent::Folder) => images::make_folder(files, path).map(|()| true),
        (None, ImageContent::NoFolder) => images::remove_empty_folder(files, path).map(|()| true),
        (None, ImageContent::Bytes(_)) => Ok(false),
    }
}

/// Writes a file without a record; into a folder that still waits to be moved at its old place.
pub(crate) fn extra(files: &ProjectFiles, file: &ExtraFile, waiting: &Moving) -> Result<(), (ProjectPath, io::Error)> {
    let (path, written) = match file {
        ExtraFile::Create { path, bytes } => {
            let path = waiting.origin(path);
            let written = images::create(files, &path, bytes).map(drop);
            (path, written)
        }
        ExtraFile::AppendLine { path, line, keep } => {
            let path = waiting.origin(path);
            let written = images::append_line(files, &path, line, *keep);
            (path, written)
        }
    };
    written.map_err(|error| (path, error))
}

/// The folder moves that are committed; none and a warning, if they cannot be read.
pub(crate) fn pending(store: &dyn Store, warnings: &mut Vec<Warning>) -> Option<Vec<PendingMove>> {
    let why = match store.read().and_then(|reads| reads.pending_moves()) {
        Ok(pending) => return Some(pending),
        Err(why) => why,
    };
    let message = format!("folders are not yet moved ({why}); the next command moves them");
    warnings.push(Warning::new("move_pending", message));
    None
}

/// Carries out folder moves in their order; answers those that have come to their end.
///
/// One that cannot happen now stays pending, with those that build on it, and stops no others.
pub(crate) fn moves(
    files: &ProjectFiles,
    pending: Vec<PendingMove>,
    warnings: &mut Vec<Warning>,
) -> (Vec<PendingMove>, Moving) {
    let (mut settled, mut waiting): (Vec<PendingMove>, Vec<PendingMove>) = Default::default();
    for one in pending {
        let outcome = match waiting.iter().find(|before| depends(&before.step, &one.step)) {
            Some(before) => Err(format!("it waits for the move of {}", before.step.from)),
            None => images::carry_out(files, &one.step).map_err(|error| error.to_string()),
        };
        match outcome {
            Ok(MoveOutcome::Done) => settled.push(one),
            Ok(MoveOutcome::Impossible) => {
                warnings.push(impossible(files, &one.step));
                settled.push(one);
            }
            Err(why) => {
                let message = format!(
                    "the folder {} is not yet moved to {} ({why}); the next command tries again",
                    one.step.from, one.step.to
                );
                warnings.push(about("move_pending", message, &one.step));
                waiting.push(one);
            }
        }
    }
    (settled, Moving::against(files, waiting))
}

fn impossible(files: &ProjectFiles, step: &FolderMove) -> Warning {
    let why = if files.is_folder(&step.from) { "there are folders at both places" } else { "there is no such folder" };
    let message = format!("the folder {} was not moved to {}: {why}", step.from, step.to);
    about("move_impossible", message, step)
}

fn about(code: &'static str, message: String, step: &FolderMove) -> Warning {
    Warning::new(code, message).with("from", step.from.as_str()).with("to", step.to.as_str())
}
