//! Replies that were too large to keep: thinking is pure, so they are thought again.

use std::ops::ControlFlow;

use format::{Draft, Format, View};
use model::{Call, Change, Context, Entry, Refusal, Reply};
use store::{EntryPage, Reads, Receipt, Unwinder};

use crate::engine::Engine;
use crate::records::StoreRecords;
use crate::{receipts, refusals};

/// Thinks about a call once more, over the records as they stood before its entry.
pub(crate) fn reply(
    engine: &Engine,
    format: &dyn Format,
    reads: &dyn Reads,
    call: &Call,
    ctx: &Context,
    receipt: &Receipt,
) -> Result<Reply, Refusal> {
    let mut ctx = Context { now: receipt.at, ..ctx.clone() };
    let mut back: Vec<Change> = Vec::new();
    let page = EntryPage { before: None, down_to: receipt.revision };
    let mut take_back = |entry: Entry| {
        // A request that changed nothing has no entry; then the head it saw stays.
        let own = entry.request_id.as_deref() == Some(&receipt.request_id) && entry.call == receipt.tool;
        if entry.revision > receipt.revision || own {
            if own {
                ctx.actor = entry.actor;
                ctx.now = entry.at;
            }
            back.extend(entry.changes.into_iter().map(Change::inverse));
        }
        ControlFlow::Continue(())
    };
    Unwinder::new(reads)
        .walk(&page, &|_| ControlFlow::Continue(true), &mut take_back)
        .map_err(|error| refusals::of_store(&error))?;
    let records = StoreRecords::new(Some(reads));
    let mut draft = Draft::new(&records);
    draft.lay(&back);
    let view = View { records: &draft, files: engine.files(), probes: engine.probes() };
    let thought = format.handle(call, &view, &ctx);
    records.check()?;
    Ok(receipts::replayed(thought?.reply.to_object()))
}
