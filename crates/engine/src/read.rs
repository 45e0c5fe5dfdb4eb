//! A read: no lock, nothing written; outside edits count in memory.

use format::{Draft, Format, View};
use model::{Call, Context, Refusal, Reply, Space, Warning};
use store::{Reads, Store};

use crate::engine::Engine;
use crate::ground::Ground;
use crate::records::StoreRecords;
use crate::take_in::{outside_context, take_in};
use crate::{refusals, tables};

/// How far a read got.
pub(crate) enum Read {
    /// It is answered.
    Answer(Reply),
    /// Something waits that this format's reads take in for good: run it as a write.
    Waiting,
}

/// Answers a reading call without a lock.
pub(crate) fn read(
    engine: &Engine,
    store: Option<&dyn Store>,
    format: &dyn Format,
    call: &Call,
    ctx: &Context,
) -> Result<Read, Refusal> {
    let snapshot = store.map(Store::read).transpose().map_err(|error| refusals::of_store(&error))?;
    let reads = snapshot.as_deref();
    let records = StoreRecords::new(reads);
    let view = View { records: &records, files: engine.files(), probes: engine.probes() };
    let mut draft = Draft::new(&records);
    let mut warnings = Vec::new();
    for space in format.spaces(Some(call), &view, ctx)? {
        let ground = survey(engine, reads, format, space, &view, ctx)?;
        if is_waiting(engine, reads, &ground)? {
            return Ok(Read::Waiting);
        }
        let taken = take_in(format, &ground, None, reads, &view.over(&draft), &outside_context(ctx))?;
        draft.lay(&taken.changes);
        warnings.extend(taken.warnings);
    }
    let answered = format.handle(call, &view.over(&draft), ctx);
    records.check()?;
    let mut reply = answered?.reply;
    warnings.append(&mut reply.warnings);
    reply.warnings = warnings;
    Ok(Read::Answer(reply))
}

/// Answers a reading call from the images alone: the store is there and cannot be opened.
pub(crate) fn read_from_images(
    engine: &Engine,
    format: &dyn Format,
    call: &Call,
    ctx: &Context,
    why: &Refusal,
) -> Result<Reply, Refusal> {
    let records = StoreRecords::new(None);
    let view = View { records: &records, files: engine.files(), probes: engine.probes() };
    let mut draft = Draft::new(&records);
    let message = format!("{}; answered from the files alone", why.message);
    let mut warnings = vec![Warning::new(why.code.clone(), message)];
    for space in format.spaces(Some(call), &view, ctx)? {
        let ground = survey(engine, None, format, space, &view, ctx)?;
        let taken = take_in(format, &ground, None, None, &view.over(&draft), &outside_context(ctx))?;
        draft.lay(&taken.changes);
        warnings.extend(taken.warnings);
    }
    let mut reply = format.handle(call, &view.over(&draft), ctx)?.reply;
    warnings.append(&mut reply.warnings);
    reply.warnings = warnings;
    Ok(reply)
}

pub(crate) fn survey(
    engine: &Engine,
    reads: Option<&dyn Reads>,
    format: &dyn Format,
    space: Space,
    view: &View<'_>,
    ctx: &Context,
) -> Result<Ground, Refusal> {
    let sources = format.sources(&space, view, ctx)?;
    Ground::survey(engine.files(), reads, space, sources)
}

/// Whether something of the space is for a writing request to settle.
pub(crate) fn is_waiting(engine: &Engine, reads: Option<&dyn Reads>, ground: &Ground) -> Result<bool, Refusal> {
    if ground.sources.take_in != format::TakeIn::Always {
        return Ok(false);
    }
    if ground.files.iter().any(crate::ground::Inspected::waits) {
        return Ok(true);
    }
    let Some(source) = &ground.sources.table else {
        return Ok(false);
    };
    let place = tables::locate(engine.root(), source)?;
    let state = match reads {
        Some(reads) => reads.table(&ground.space).map_err(|error| refusals::of_store(&error))?,
        None => None,
    };
    Ok(tables::look(&place, source, state.as_ref())? == tables::Presence::Waiting)
}
