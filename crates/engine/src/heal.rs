//! Healing what a crash left between commit and publishing.
//!
//! Image files heal by themselves: a file that stands behind its intended mark is rendered again.
//! Table rows heal when the file is surveyed. Folder moves heal here, before anything is taken in.

use model::Refusal;
use store::Txn;

use crate::engine::Engine;
use crate::{images, refusals};

/// Carries out the folder moves that are still pending. Answers whether any came to its end.
pub(crate) fn moves(engine: &Engine, txn: &mut dyn Txn) -> Result<bool, Refusal> {
    let pending = txn.pending_moves().map_err(|error| refusals::of_store(&error))?;
    let any = !pending.is_empty();
    for one in pending {
        images::carry_out(engine.files(), &one.step)
            .map_err(|error| refusals::of_io(one.step.from.as_str(), &error))?;
        txn.settle_move(&one).map_err(|error| refusals::of_store(&error))?;
    }
    Ok(any)
}
