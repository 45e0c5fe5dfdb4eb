//! What the engine itself does over all formats: each deed is one thought, carried out like any request.
//!
//! A deed says what changes; the formats are asked what their rules add ([`format::Format::restored`]);
//! then it goes the way of a call: entry, images, commit, publishing.

use std::sync::Arc;

use format::{Draft, Format, View};
use model::{Change, Context, EntryCause, FolderMove, Object, Outcome, Refusal, Revision, Space, Warning};
use store::{Checkpoint, Reads};

use crate::checkpoint::CheckpointQuery;
use crate::engine::Engine;
use crate::exchange::Parcel;
use crate::rollback::RollbackQuery;
use crate::undo::UndoQuery;
use crate::{checkpoint, refusals, rollback, undo};

/// One thing that the engine does itself.
#[derive(Clone)]
pub(crate) enum Deed {
    /// Takes entries back.
    Undo(UndoQuery),
    /// Takes the latest undo back.
    Redo,
    /// Brings records back to a revision.
    Rollback(RollbackQuery),
    /// Names the present revision, or forgets a name.
    Checkpoint(CheckpointQuery),
    /// Brings in what was exported, record by record and entry by entry.
    Import(Arc<Parcel>),
    /// Lays exported records over those that are there.
    Merge(Arc<Parcel>),
    /// Nothing of its own: heals, takes in, publishes.
    Settle,
}

/// What a deed came to. Nothing has happened yet.
pub(crate) struct Thought {
    pub(crate) changes: Vec<Change>,
    pub(crate) moves: Vec<FolderMove>,
    pub(crate) cause: EntryCause,
    pub(crate) takes_back: Vec<Revision>,
    pub(crate) checkpoints: Checkpoints,
    /// The changes stand in the journal already.
    pub(crate) is_entered: bool,
    /// What could not be done.
    pub(crate) warnings: Vec<Warning>,
    pub(crate) reply: Answering,
}

/// Makes the reply from the entry's revision, or the newest one without an entry, and its changes.
pub(crate) type Answering = Box<dyn FnOnce(Revision, &[Change]) -> Object>;

/// Checkpoints that a deed makes and forgets.
#[derive(Default)]
pub(crate) struct Checkpoints {
    pub(crate) put: Vec<Checkpoint>,
    pub(crate) dropped: Vec<String>,
}

impl Thought {
    /// One that changes no record.
    pub(crate) fn idle(reply: Answering) -> Self {
        Self {
            changes: Vec::new(),
            moves: Vec::new(),
            cause: EntryCause::Call,
            takes_back: Vec::new(),
            checkpoints: Checkpoints::default(),
            is_entered: false,
            warnings: Vec::new(),
            reply,
        }
    }
}

impl Deed {
    /// The word under which it stands in the journal.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Self::Undo(_) => "undo",
            Self::Redo => "redo",
            Self::Rollback(_) => "rollback",
            Self::Checkpoint(_) => "checkpoint",
            Self::Import(_) | Self::Merge(_) => "import",
            Self::Settle => "settle",
        }
    }

    /// Decides what changes.
    pub(crate) fn think(
        &self,
        engine: &Engine,
        reads: &dyn Reads,
        view: &View<'_>,
        ctx: &Context,
    ) -> Result<Thought, Refusal> {
        match self {
            Self::Undo(query) => undo::undo(engine, query, reads, view),
            Self::Redo => undo::redo(engine, reads, view),
            Self::Rollback(query) => rollback::rollback(engine, query, reads, ctx),
            Self::Checkpoint(query) => checkpoint::checkpoint(engine, query, reads, ctx),
            Self::Import(parcel) => Ok(parcel.imported(view)),
            Self::Merge(parcel) => Ok(parcel.merged(view)),
            Self::Settle => Ok(Thought::idle(Box::new(|_, _| Object::new()))),
        }
    }

    /// Spaces that it changes and that no format may know of now, since nothing is left in them.
    ///
    /// A look ahead without locks; what it misses is found when the deed is thought about.
    pub(crate) fn spaces(&self, engine: &Engine, reads: Option<&dyn Reads>) -> Vec<Space> {
        let parcel = match self {
            Self::Import(parcel) | Self::Merge(parcel) => return parcel.spaces().to_vec(),
            Self::Checkpoint(_) | Self::Settle => return Vec::new(),
            Self::Undo(_) | Self::Redo | Self::Rollback(_) => self,
        };
        let Some(reads) = reads else { return Vec::new() };
        let records = crate::records::StoreRecords::new(Some(reads));
        let view = View { records: &records, files: engine.files(), probes: engine.probes() };
        let Ok(ctx) = engine.bare_context(model::Origin::Command) else { return Vec::new() };
        let changes = parcel.think(engine, reads, &view, &ctx).map(|thought| thought.changes).unwrap_or_default();
        let mut spaces: Vec<Space> = changes.into_iter().map(|change| change.key.space).collect();
        spaces.sort_unstable();
        spaces.dedup();
        spaces
    }
}

/// The changes with what the formats add to them, one change for each record.
pub(crate) fn with_restored(
    formats: &[&'static dyn Format],
    changes: &[Change],
    moves: Vec<FolderMove>,
    view: &View<'_>,
    ctx: &Context,
) -> Result<Outcome, Refusal> {
    let mut outcome = Outcome { moves, ..Outcome::default() };
    let mut draft = Draft::new(view.records);
    draft.lay(changes);
    for format in formats {
        let is_own = |change: &&Change| change.key.space.format() == format.name();
        let own: Vec<Change> = changes.iter().filter(is_own).cloned().collect();
        if own.is_empty() {
            continue;
        }
        let added = format.restored(&own, view, ctx)?;
        draft.lay(&added.changes);
        outcome.moves.extend(added.moves);
        outcome.files.extend(added.files);
        outcome.reply.warnings.extend(added.reply.warnings);
    }
    outcome.changes = draft.into_changes();
    Ok(outcome)
}

/// The space under which changes are entered: theirs, or their format's, or the first one's.
pub(crate) fn spanning(changes: &[Change]) -> Space {
    let mut spaces = changes.iter().map(|change| &change.key.space);
    let Some(first) = spaces.next() else { return Space::known("") };
    let (mut same, mut of_one) = (true, true);
    for space in spaces {
        same &= space == first;
        of_one &= space.format() == first.format();
    }
    if same || !of_one { first.clone() } else { Space::new(first.format()) }
}

/// The refusal of a deed about a format that is not on.
pub(crate) fn format_off(space: &Space) -> Refusal {
    let format = space.format();
    refusals::format_off(format, format!("{space} changes too, and the format {format} is off"))
}
