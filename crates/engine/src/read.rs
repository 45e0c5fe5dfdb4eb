//! A read: no lock, nothing written; outside edits count in memory.

use format::{Draft, Format, View};
use model::{Call, Context, Outcome, Refusal, Reply, Space, Warning};
use store::{Reads, Store};

use crate::engine::Engine;
use crate::ground::{Ground, Inspected};
use crate::outset::Sourced;
use crate::ponder::Desk;
use crate::records::StoreRecords;
use crate::take_in::{outside_context, take_in};
use crate::{refusals, tables};

/// How far a read got.
pub(crate) enum Read {
    /// It is answered.
    Answer(Reply),
    /// It is to be run as a write.
    ///
    /// Something waits that this format's reads take in for good, or the answer notes something down.
    Waiting,
}

/// How often a read looks again because a writer came between its snapshot and the files.
const LOOKS: usize = 8;

/// Answers a reading call without a lock.
pub(crate) fn read(
    engine: &Engine,
    store: Option<&dyn Store>,
    format: &'static dyn Format,
    call: &Call,
    ctx: &Context,
) -> Result<Read, Refusal> {
    let Some(store) = store else { return Ok(look(engine, None, format, call, ctx)?.0) };
    let of_store = |error| refusals::of_store(&error);
    for _ in 1..LOOKS {
        let snapshot = store.read().map_err(of_store)?;
        let (read, edited) = look(engine, Some(snapshot.as_ref()), format, call, ctx)?;
        // A file that a writer published after the snapshot looks like an outside edit.
        let settled = !edited || {
            let now = store.read().and_then(|reads| reads.head()).map_err(of_store)?;
            snapshot.head().map_err(of_store)? == now
        };
        if settled {
            return Ok(read);
        }
    }
    // Writers never pause: their queue has a place for this read too.
    Ok(Read::Waiting)
}

// Answers, and whether a file differed from what the snapshot remembers of it.
fn look(
    engine: &Engine,
    reads: Option<&dyn Reads>,
    format: &'static dyn Format,
    call: &Call,
    ctx: &Context,
) -> Result<(Read, bool), Refusal> {
    let records = StoreRecords::new(reads);
    let desk = Desk::free(engine, format);
    let view = View { records: &records, files: engine.files(), probes: &desk };
    let mut grounds = Vec::new();
    for space in format.spaces(Some(call), &view, ctx)? {
        let ground = survey(engine, reads, format, space, &view, ctx)?;
        if is_waiting(engine, reads, &ground)? {
            return Ok((Read::Waiting, false));
        }
        grounds.push(ground);
    }
    let outcome = answer(format, &grounds, reads, call, &view, ctx);
    records.check()?;
    let outcome = outcome?;
    if !outcome.changes.is_empty() {
        return Ok((Read::Waiting, false));
    }
    let edited = grounds.iter().flat_map(|ground| &ground.files).any(Inspected::differs);
    Ok((Read::Answer(outcome.reply), edited))
}

/// Answers a reading call although nothing can be written, or the store cannot even be opened.
///
/// What waits to be taken in counts in memory, as far as files go. `why` becomes the first warning.
pub(crate) fn read_in_memory(
    engine: &Engine,
    store: Option<&dyn Store>,
    format: &'static dyn Format,
    call: &Call,
    ctx: &Context,
    why: Warning,
) -> Result<Reply, Refusal> {
    let snapshot = store.map(Store::read).transpose().map_err(|error| refusals::of_store(&error))?;
    let reads = snapshot.as_deref();
    let records = StoreRecords::new(reads);
    let desk = Desk::free(engine, format);
    let view = View { records: &records, files: engine.files(), probes: &desk };
    let mut grounds = Vec::new();
    for space in format.spaces(Some(call), &view, ctx)? {
        grounds.push(survey(engine, reads, format, space, &view, ctx)?);
    }
    let outcome = answer(format, &grounds, reads, call, &view, ctx);
    records.check()?;
    let mut reply = outcome?.reply;
    reply.warnings.insert(0, why);
    Ok(reply)
}

/// Why a read is answered although nothing can be written.
pub(crate) fn unwritable(why: &Refusal, store: Option<&dyn Store>) -> Warning {
    let from = if store.is_some() { "in memory" } else { "from the files alone" };
    Warning::new(why.code.clone(), format!("{}; answered {from}", why.message))
}

// Outside edits count in the answer, in memory.
fn answer(
    format: &'static dyn Format,
    grounds: &[Ground],
    reads: Option<&dyn Reads>,
    call: &Call,
    view: &View<'_>,
    ctx: &Context,
) -> Result<Outcome, Refusal> {
    let mut draft = Draft::new(view.records);
    let mut warnings = Vec::new();
    for ground in grounds {
        let taken = take_in(ground, None, reads, &view.over(&draft), &outside_context(ctx))?;
        draft.lay(&taken.changes);
        draft.lay(&taken.aside);
        warnings.extend(taken.warnings);
    }
    let mut outcome = format.handle(call, &view.over(&draft), ctx)?;
    warnings.append(&mut outcome.reply.warnings);
    outcome.reply.warnings = warnings;
    Ok(outcome)
}

pub(crate) fn survey(
    engine: &Engine,
    reads: Option<&dyn Reads>,
    format: &'static dyn Format,
    space: Space,
    view: &View<'_>,
    ctx: &Context,
) -> Result<Ground, Refusal> {
    let sources = format.sources(&space, view, ctx)?;
    Ground::survey(engine.files(), reads, Sourced { format, space, sources })
}

/// Whether something of the space is for a writing request to settle.
pub(crate) fn is_waiting(engine: &Engine, reads: Option<&dyn Reads>, ground: &Ground) -> Result<bool, Refusal> {
    if ground.sources.take_in != format::TakeIn::Always {
        return Ok(ground.files.iter().any(Inspected::is_to_be_restored));
    }
    if ground.files.iter().any(Inspected::waits) {
        return Ok(true);
    }
    let Some(source) = &ground.sources.table else {
        return Ok(false);
    };
    let place = tables::locate(engine.root(), source)?;
    let (mut states, mut mark) = (Vec::new(), None);
    if let Some(reads) = reads {
        states = reads.tables(&ground.space).map_err(|error| refusals::of_store(&error))?;
        mark = reads.meta(&tables::mark_name(&place)).map_err(|error| refusals::of_store(&error))?;
    }
    Ok(tables::look(&place, source, &states, mark.as_deref())? == tables::Presence::Waiting)
}
