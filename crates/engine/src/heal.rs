//! Healing what a crash left between commit and publishing.
//!
//! Image files heal by themselves: a file that stands behind its intended mark is rendered again.
//! Table rows heal when the file is surveyed. Folder moves heal here, before anything is taken in.

use model::{Refusal, Warning};
use mutants::planted;
use store::Txn;

use crate::engine::Engine;
use crate::{images, publish, refusals};

/// Carries out the folder moves that are still pending. Answers whether any came to its end.
///
/// One that cannot happen now is told and stays pending: it is no reason to refuse a request.
pub(crate) fn moves(engine: &Engine, txn: &mut dyn Txn, warnings: &mut Vec<Warning>) -> Result<bool, Refusal> {
    if planted("move_not_healed") {
        return Ok(false);
    }
    let pending = txn.pending_moves().map_err(|error| refusals::of_store(&error))?;
    if !pending.is_empty() {
        images::sweep_apart(engine.files());
    }
    let (settled, _) = publish::moves(engine.files(), pending, warnings);
    for one in &settled {
        txn.settle_move(one).map_err(|error| refusals::of_store(&error))?;
    }
    Ok(!settled.is_empty())
}
