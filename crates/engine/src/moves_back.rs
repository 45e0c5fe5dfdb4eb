//! Folder moves on the way back: those that can happen, and what is said of the others.

use format::View;
use model::{FolderMove, ProjectPath, Refusal, Warning};

/// What leads back, and so what is done about a folder that is not where it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// `undo` and `redo`; what cannot be taken back is left out under `force`.
    Undo { force: bool },
    /// `rollback`, which brings back what is there.
    Rollback,
}

/// The moves that can happen, and a warning for each that cannot.
///
/// A folder that already stands where it should, and nowhere else, needs no move.
/// **Errors**: `undo_conflict` or `rollback_conflict`, when folders stand at both ends, or at none.
pub(crate) fn moves_back(
    view: &View<'_>,
    moves: Vec<FolderMove>,
    way: Way,
) -> Result<(Vec<FolderMove>, Vec<Warning>), Refusal> {
    let mut possible: Vec<FolderMove> = Vec::new();
    let mut skipped = Vec::new();
    for step in moves {
        // Folders as they will stand once the moves before this one have happened.
        let stands = |path: &ProjectPath| {
            let last = possible.iter().rev().find(|earlier| earlier.from == *path || earlier.to == *path);
            last.map_or_else(|| view.files.is_folder(path), |earlier| earlier.to == *path)
        };
        match (stands(&step.from), stands(&step.to), way) {
            (true, false, _) => possible.push(step),
            (false, true, _) => {}
            (true, true, Way::Undo { force: true }) => {
                skipped.push(skip(&step, &format!("a folder stands at {} again, and {} stays", step.to, step.from)));
            }
            (false, false, Way::Undo { force: true } | Way::Rollback) => {
                skipped.push(skip(&step, &format!("the folder {} is not there any more", step.from)));
            }
            (true, true, _) => {
                let hint = match way {
                    Way::Undo { .. } => "move that folder away, or take back the rest with --force",
                    Way::Rollback => "move that folder away and repeat the command",
                };
                return Err(refused(way, &step, &format!("a folder stands at {} again", step.to)).hint(hint));
            }
            (false, false, _) => {
                let message = format!("the folder {}, which belongs at {}, is not there any more", step.from, step.to);
                return Err(refused(way, &step, &message).hint("--force takes back the rest"));
            }
        }
    }
    Ok((possible, skipped))
}

fn refused(way: Way, step: &FolderMove, message: &str) -> Refusal {
    let code = if way == Way::Rollback { "rollback_conflict" } else { "undo_conflict" };
    Refusal::refused(code, message).with("path", step.to.as_str()).with("from", step.from.as_str())
}

fn skip(step: &FolderMove, message: &str) -> Warning {
    Warning::new("move_skipped", message).with("from", step.from.as_str()).with("path", step.to.as_str())
}

/// The moves as a reply tells them. **Shape**: `[{from,to}]`.
pub(crate) fn told(moves: &[FolderMove]) -> model::Value {
    let pair = |step: &FolderMove| {
        model::Value::Object(model::Object::from_iter([
            ("from".to_owned(), step.from.as_str().into()),
            ("to".to_owned(), step.to.as_str().into()),
        ]))
    };
    moves.iter().map(pair).collect()
}
