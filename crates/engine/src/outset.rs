//! Before any lock: whether a batch needs a store at all, and which spaces it is about.

use format::{DatabaseProbe, Draft, Format, Sources, TakeIn, View};
use model::{Context, Refusal, Reply, Space};
use store::Store;

use crate::batch::{Answer, Asked};
use crate::engine::Engine;
use crate::ground::Inspected;
use crate::read::{is_waiting, survey};
use crate::records::StoreRecords;
use crate::take_in::{outside_context, take_in};
use crate::{refusals, tables};

/// Thinks about a batch in a project that has no store yet.
///
/// It gets one only for a request that is accepted. Answers nothing when there is a store, or need
/// of one: thinking is pure, so it can be done once more under the locks.
pub(crate) fn rehearse(engine: &Engine, format: &dyn Format, batch: &[Asked]) -> Option<Vec<Answer>> {
    match engine.opened_store() {
        Ok(Some(_)) => return None,
        Ok(None) => {}
        Err(refusal) => return Some(vec![Err(refusal); batch.len()]),
    }
    batch.iter().map(|asked| rehearse_one(engine, format, asked).transpose()).collect()
}

fn rehearse_one(engine: &Engine, format: &dyn Format, asked: &Asked) -> Result<Option<Reply>, Refusal> {
    let Asked { call, ctx, reads, .. } = asked;
    let records = StoreRecords::new(None);
    let view = View { records: &records, files: engine.files(), probes: engine.probes() };
    // What waits outside counts in memory, where only a change takes it in.
    let mut draft = Draft::new(&records);
    let mut warnings = Vec::new();
    for space in format.spaces(Some(call), &view, ctx)? {
        let ground = survey(engine, None, format, space, &view, ctx)?;
        let in_memory = ground.sources.take_in == TakeIn::OnChange;
        if !in_memory && (ground.files.iter().any(Inspected::waits) || is_waiting(engine, None, &ground)?) {
            return Ok(None);
        }
        let taken = take_in(format, &ground, None, None, &view, &outside_context(ctx))?;
        if in_memory {
            draft.lay(&taken.changes);
            draft.lay(&taken.aside);
            warnings.extend(taken.warnings);
        }
        if let (false, Some(refusal)) = (*reads, taken.blocked) {
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
    warnings.append(&mut outcome.reply.warnings);
    outcome.reply.warnings = warnings;
    Ok(is_empty.then_some(outcome.reply))
}

/// What a batch is about.
#[derive(Default)]
pub(crate) struct About {
    /// The spaces, each once.
    pub(crate) spaces: Vec<(Space, Sources)>,
    /// For each request, why it cannot be about anything.
    pub(crate) refused: Vec<Option<Refusal>>,
}

/// Asks which spaces a batch is about; one request's refusal is nobody else's.
pub(crate) fn spaces_of(
    engine: &Engine,
    format: &dyn Format,
    batch: &[Asked],
    ctx: &Context,
) -> Result<About, Refusal> {
    let store = engine.opened_store()?;
    let snapshot = store.as_deref().map(Store::read).transpose().map_err(|error| refusals::of_store(&error))?;
    let records = StoreRecords::new(snapshot.as_deref());
    let view = View { records: &records, files: engine.files(), probes: engine.probes() };
    let mut about = About::default();
    for asked in batch {
        let refused = about.add(format, asked, &view, ctx).err();
        about.refused.push(refused);
    }
    records.check()?;
    Ok(about)
}

impl About {
    fn add(&mut self, format: &dyn Format, asked: &Asked, view: &View<'_>, ctx: &Context) -> Result<(), Refusal> {
        let mut new = Vec::new();
        for space in format.spaces(Some(&asked.call), view, &asked.ctx)? {
            if self.spaces.iter().all(|(known, _)| *known != space) {
                let sources = format.sources(&space, view, ctx)?;
                new.push((space, sources));
            }
        }
        self.spaces.append(&mut new);
        Ok(())
    }

    /// The refusals, when there is nothing but refusals.
    pub(crate) fn all_refused(&self) -> Option<Vec<Answer>> {
        self.refused.iter().map(|refused| refused.clone().map(Err)).collect()
    }
}
