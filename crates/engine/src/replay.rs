//! Replies that were too large to keep: thinking is pure, so they are thought again.

use std::ops::ControlFlow;

use format::{Draft, View};
use model::{Change, Context, Entry, EntryCause, Object, Refusal, Reply, Revision};
use store::{EntryPage, Reads, Receipt, Unwinder};

use crate::batch::{Asked, Thinker};
use crate::engine::Engine;
use crate::ponder::Desk;
use crate::records::StoreRecords;
use crate::tell::Teller;
use crate::{receipts, refusals, rollback, undo};

/// Thinks about a call once more, over the records as they stood before its entry.
pub(crate) fn reply(engine: &Engine, reads: &dyn Reads, asked: &Asked, receipt: &Receipt) -> Result<Reply, Refusal> {
    let Asked { call, ctx, .. } = asked;
    let Thinker::Format(format) = asked.thinker else { return own(engine, reads, receipt) };
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
    let desk = Desk::hurried(engine, format, &asked.slate);
    let view = View { records: &draft, files: engine.files(), probes: &desk };
    let thought = format.handle(call, &view, &ctx);
    records.check()?;
    Ok(receipts::replayed(thought?.reply.to_object()))
}

// What the engine did itself is told from its entry.
fn own(engine: &Engine, reads: &dyn Reads, receipt: &Receipt) -> Result<Reply, Refusal> {
    let Some(entry) = entry_at(reads, receipt.revision)? else {
        return Ok(receipts::replayed(Object::new()));
    };
    let changes = Teller::of(engine).changes(&entry.changes);
    let body = match entry.cause {
        EntryCause::Undo => undo::reply("undone", &entry.takes_back, entry.revision, changes),
        EntryCause::Redo => {
            let undo = entry.takes_back.first().map(|revision| entry_at(reads, *revision)).transpose()?.flatten();
            let redone = undo.map(|undo| undo.takes_back).unwrap_or_default();
            undo::reply("redone", &redone, entry.revision, changes)
        }
        _ => {
            let all = reads.checkpoints().map_err(|error| refusals::of_store(&error))?;
            let before = Revision(entry.revision.0 - 1);
            let saved = all.iter().rev().find(|checkpoint| checkpoint.revision == before);
            rollback::reply(entry.revision, saved.map(|saved| saved.id.as_str()), changes, &entry.moves)
        }
    };
    Ok(receipts::replayed(body))
}

fn entry_at(reads: &dyn Reads, revision: Revision) -> Result<Option<Entry>, Refusal> {
    let mut found = None;
    let mut keep = |entry| {
        found = Some(entry);
        ControlFlow::Break(())
    };
    let page = EntryPage { before: Some(Revision(revision.0 + 1)), down_to: revision };
    Unwinder::new(reads)
        .walk(&page, &|_| ControlFlow::Continue(true), &mut keep)
        .map_err(|error| refusals::of_store(&error))?;
    Ok(found)
}
