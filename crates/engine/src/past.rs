//! What the records were: looking back through the journal.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use model::{Change, Entry, EntryCause, FolderMove, RecordKey, Refusal, Revision, Space, Value};
use store::{EntryPage, Reads, StoredEntry, Unwinder};

use crate::engine::Engine;
use crate::refusals;

/// What entries newer than a revision came to.
#[derive(Default)]
pub(crate) struct Since {
    /// From the value then to the value now, sorted by key; nothing that is as it was.
    pub(crate) changes: Vec<Change>,
    /// The folder moves that lead back, in order.
    pub(crate) back: Vec<FolderMove>,
}

/// What stood in files before Mainstay first saw them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Adopted {
    /// It was no record before that, so it came then.
    Came,
    /// It stood there all along, so what goes back behind it leaves it.
    Stood,
}

/// What entries newer than `revision` came to, in the spaces that are wanted.
///
/// A folder move that no format knows goes with the entry that it stands in.
///
/// **Errors**: `unknown_revision`, `revision_folded`.
pub(crate) fn since(
    engine: &Engine,
    reads: &dyn Reads,
    revision: Revision,
    adopted: Adopted,
    wanted: &dyn Fn(&Space) -> bool,
) -> Result<Since, Refusal> {
    must_stand(reads, revision)?;
    let of_store = |error| refusals::of_store(&error);
    let mut then: BTreeMap<RecordKey, Option<Value>> = BTreeMap::new();
    let mut back = Vec::new();
    let touches =
        |stored: &StoredEntry| wanted(&stored.space) || stored.changes.iter().any(|change| wanted(&change.key.space));
    let space_of = |step: &FolderMove| engine.formats().iter().find_map(|format| format.space_of_move(step));
    let is_wanted = |step: &FolderMove| space_of(step).is_none_or(|space| wanted(&space));
    let mut visit = |entry: Entry| {
        if entry.cause == EntryCause::Adoption && adopted == Adopted::Stood {
            return ControlFlow::Continue(());
        }
        back.extend(entry.moves.into_iter().rev().filter(is_wanted).map(FolderMove::inverse));
        for change in entry.changes.into_iter().filter(|change| wanted(&change.key.space)) {
            then.insert(change.key, change.before);
        }
        ControlFlow::Continue(())
    };
    let page = EntryPage { before: None, down_to: Revision(revision.0 + 1) };
    let choose = |stored: &StoredEntry| ControlFlow::Continue(touches(stored));
    Unwinder::new(reads).walk(&page, &choose, &mut visit).map_err(of_store)?;
    let mut changes = Vec::new();
    for (key, before) in then {
        let after = reads.record(&key).map_err(of_store)?.map(|record| record.value);
        if before != after {
            changes.push(Change { key, before, after });
        }
    }
    Ok(Since { changes, back: without_detours(back) })
}

// A folder that went and came back was never away.
fn without_detours(moves: Vec<FolderMove>) -> Vec<FolderMove> {
    let mut left: Vec<FolderMove> = Vec::new();
    for step in moves {
        if left.last().is_some_and(|last| last.from == step.to && last.to == step.from) {
            left.pop();
        } else {
            left.push(step);
        }
    }
    left
}

/// Makes sure that the journal still tells how things stood at a revision.
///
/// **Errors**: `unknown_revision`, `revision_folded`.
pub(crate) fn must_stand(reads: &dyn Reads, revision: Revision) -> Result<(), Refusal> {
    let of_store = |error| refusals::of_store(&error);
    let head = reads.head().map_err(of_store)?;
    if revision > head {
        return Err(unknown(revision, head));
    }
    // Before the first entry there was nothing, whatever has become of it.
    if revision == head || revision == Revision(0) {
        return Ok(());
    }
    // Between two entries that are there lies nothing, unless the later one stands for what lay there.
    let next = reads.entries_after(revision, 1).map_err(of_store)?.pop();
    let Some(next) = next.filter(|next| next.cause == EntryCause::Baseline) else { return Ok(()) };
    let page = EntryPage { before: Some(next.revision), down_to: revision };
    let mut is_there = false;
    let mut see = |entry: StoredEntry| {
        is_there = entry.revision == revision;
        ControlFlow::Break(())
    };
    reads.entries(&page, &mut see).map_err(of_store)?;
    if is_there { Ok(()) } else { Err(folded(revision, next.revision)) }
}

/// The refusal of a revision that the journal does not have.
pub(crate) fn unknown(revision: Revision, head: Revision) -> Refusal {
    Refusal::refused("unknown_revision", format!("there is no revision {revision}; the newest is {head}"))
        .field("revision")
        .with("revision", revision.0)
        .with("newest", head.0)
        .hint("mainstay history lists the revisions")
}

/// The refusal of a revision that was folded into a later one.
pub(crate) fn folded(revision: Revision, baseline: Revision) -> Refusal {
    let message = format!("what came before revision {baseline} was folded by gc, so nobody knows revision {revision}");
    Refusal::refused("revision_folded", message)
        .field("revision")
        .with("revision", revision.0)
        .with("oldest", baseline.0)
}
