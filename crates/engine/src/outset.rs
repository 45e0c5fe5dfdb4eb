//! Before any lock: whether a batch needs a store at all, and which spaces it is about.

use format::{DatabaseProbe, Draft, Format, Sources, TakeIn, View};
use model::{Context, Refusal, Reply, Space};
use store::Store;

use crate::batch::{Answer, Asked, Thinker};
use crate::engine::Engine;
use crate::ground::Inspected;
use crate::ponder::Desk;
use crate::read::{is_waiting, survey};
use crate::records::StoreRecords;
use crate::take_in::{outside_context, take_in};
use crate::{refusals, tables};

/// Thinks about a batch in a project that has no store yet.
///
/// It gets one only for a request that is accepted. Answers nothing when there is a store, or need
/// of one: thinking is pure, so it can be done once more under the locks.
pub(crate) fn rehearse(engine: &Engine, batch: &[Asked]) -> Option<Vec<Answer>> {
    match engine.opened_store() {
        Ok(Some(_)) => return None,
        Ok(None) => {}
        Err(refusal) => return Some(vec![Err(refusal); batch.len()]),
    }
    batch.iter().map(|asked| rehearse_one(engine, asked).transpose()).collect()
}

fn rehearse_one(engine: &Engine, asked: &Asked) -> Result<Option<Reply>, Refusal> {
    let Asked { call, ctx, reads, .. } = asked;
    // What the engine does itself has been found to need a store.
    let Thinker::Format(format) = asked.thinker else { return Ok(None) };
    let records = StoreRecords::new(None);
    let desk = Desk::hurried(engine, format, &asked.slate);
    let view = View { records: &records, files: engine.files(), probes: &desk };
    // What waits outside counts in memory, where only a change takes it in.
    let mut draft = Draft::new(&records);
    let mut warnings = Vec::new();
    let spaces = format.spaces(Some(call), &view, ctx)?;
    let written = if *reads { &[] } else { format.writes(call, &spaces) };
    for space in &spaces {
        let ground = survey(engine, None, format, space.clone(), &view, ctx)?;
        let in_memory = ground.sources.take_in == TakeIn::OnChange;
        if !in_memory && (ground.files.iter().any(Inspected::waits) || is_waiting(engine, None, &ground)?) {
            return Ok(None);
        }
        let taken = take_in(&ground, None, None, &view, &outside_context(ctx))?;
        if in_memory {
            draft.lay(&taken.changes);
            draft.lay(&taken.aside);
            warnings.extend(taken.warnings);
        }
        if let Some(refusal) = taken.blocked.filter(|_| written.contains(space)) {
            return Err(refusal);
        }
        if let Some(source) = &ground.sources.table {
            let place = tables::locate(engine.root(), source)?;
            if tables::probe(&place) == DatabaseProbe::Impossible {
                return Err(refusals::table_impossible(&place));
            }
        }
    }
    let mut outcome = format.handle(call, &view.over(&draft), ctx)?;
    let is_empty = outcome.changes.is_empty() && outcome.moves.is_empty() && outcome.files.is_empty();
    let is_empty = is_empty && outcome.rewrites.is_empty();
    warnings.append(&mut outcome.reply.warnings);
    outcome.reply.warnings = warnings;
    Ok(is_empty.then_some(outcome.reply))
}

/// A space with its format and what outside may have changed in it.
pub(crate) struct Sourced {
    pub(crate) format: &'static dyn Format,
    pub(crate) space: Space,
    pub(crate) sources: Sources,
}

/// What a batch is about.
#[derive(Default)]
pub(crate) struct About {
    /// The spaces, each once, those of one format together, in the order of the roll-call.
    pub(crate) spaces: Vec<Sourced>,
    /// For each request, why it cannot be about anything.
    pub(crate) refused: Vec<Option<Refusal>>,
}

/// Asks which spaces a batch is about; one request's refusal is nobody else's.
pub(crate) fn spaces_of(
    engine: &Engine,
    formats: &[&'static dyn Format],
    batch: &[Asked],
    ctx: &Context,
) -> Result<About, Refusal> {
    let store = engine.opened_store()?;
    let snapshot = store.as_deref().map(Store::read).transpose().map_err(|error| refusals::of_store(&error))?;
    let records = StoreRecords::new(snapshot.as_deref());
    let view = View { records: &records, files: engine.files(), probes: engine.probes() };
    let mut about = About::default();
    for asked in batch {
        let refused = match &asked.thinker {
            Thinker::Format(format) => {
                let spaces = format.spaces(Some(&asked.call), &view, &asked.ctx);
                spaces.and_then(|spaces| about.add(*format, spaces, &view, ctx)).err()
            }
            Thinker::Own(deed) => {
                let wanted = deed.spaces(engine, snapshot.as_deref());
                formats.iter().find_map(|format| about.add_all(*format, &wanted, &view, &asked.ctx, ctx).err())
            }
        };
        about.refused.push(refused);
    }
    let place = |sourced: &Sourced| formats.iter().position(|format| format.name() == sourced.format.name());
    about.spaces.sort_by_key(place);
    records.check()?;
    Ok(about)
}

impl About {
    fn add(
        &mut self,
        format: &'static dyn Format,
        spaces: Vec<Space>,
        view: &View<'_>,
        ctx: &Context,
    ) -> Result<(), Refusal> {
        let mut new = Vec::new();
        for space in spaces {
            let known = |sourced: &Sourced| sourced.space == space;
            if !self.spaces.iter().any(known) && !new.iter().any(known) {
                let sources = format.sources(&space, view, ctx)?;
                new.push(Sourced { format, space, sources });
            }
        }
        self.spaces.append(&mut new);
        Ok(())
    }

    // Every space of a format, and those among the `wanted` that come back.
    fn add_all(
        &mut self,
        format: &'static dyn Format,
        wanted: &[Space],
        view: &View<'_>,
        ctx: &Context,
        outside: &Context,
    ) -> Result<(), Refusal> {
        let mut spaces = format.spaces(None, view, ctx)?;
        spaces.extend(wanted.iter().filter(|space| space.format() == format.name()).cloned());
        self.add(format, spaces, view, outside)
    }

    /// The refusals, when there is nothing but refusals.
    pub(crate) fn all_refused(&self) -> Option<Vec<Answer>> {
        self.refused.iter().map(|refused| refused.clone().map(Err)).collect()
    }
}
