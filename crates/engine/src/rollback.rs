//! `rollback`: records as they stood at a revision, brought back by a new entry.

use model::{Change, Context, EntryCause, FolderMove, Object, Refusal, Revision, Space, Value};
use store::Reads;

use crate::deed::{Checkpoints, Thought};
use crate::engine::Engine;
use crate::moment::checkpoint_of;
use crate::moves_back::{self, Way, moves_back};
use crate::past::{self, Adopted, Since};
use crate::records::StoreRecords;
use crate::tell::{Teller, is_wanted};
use crate::{checkpoint, refusals};

/// What `rollback` brings back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RollbackQuery {
    /// A checkpoint's id or label, or a revision.
    pub to: String,
    /// Only this space or what lies beneath it.
    pub space: Option<String>,
}

/// Where a rollback leads.
pub(crate) struct Goal {
    revision: Revision,
    space: Option<Space>,
}

impl Goal {
    /// Finds the revision, and the space that the checkpoint or the query restricts it to.
    ///
    /// **Errors**: `unknown_checkpoint`, `checkpoint_of_other_space`, `invalid_argument`.
    pub(crate) fn of(engine: &Engine, query: &RollbackQuery, reads: &dyn Reads) -> Result<Self, Refusal> {
        query.space.as_deref().map_or(Ok(()), |space| engine.check_space(space))?;
        let asked = query.space.clone().map(Space::new);
        if let Some(found) = checkpoint_of(reads, &query.to)? {
            let space = match (&found.space, asked) {
                (Some(own), Some(asked)) if !asked.is_within(own.as_str()) => {
                    let message = format!("the checkpoint {} is of {own}, not of {asked}", found.id);
                    return Err(Refusal::refused("checkpoint_of_other_space", message)
                        .field("space")
                        .allowed(own.as_str()));
                }
                (own, asked) => asked.or_else(|| own.clone()),
            };
            return Ok(Self { revision: found.revision, space });
        }
        if let Ok(revision) = query.to.parse() {
            return Ok(Self { revision: Revision(revision), space: asked });
        }
        let all = reads.checkpoints().map_err(|error| refusals::of_store(&error))?;
        Err(checkpoint::unknown(&query.to, &all))
    }

    /// Whether records of a space go back.
    pub(crate) fn wants(&self, space: &Space) -> bool {
        is_wanted(self.space.as_ref().map(Space::as_str), space)
    }

    /// What has come since.
    pub(crate) fn since(&self, engine: &Engine, reads: &dyn Reads) -> Result<Since, Refusal> {
        past::since(engine, reads, self.revision, Adopted::Stood, &|space| self.wants(space))
    }
}

/// Decides a rollback; what was there before it gets a checkpoint of its own.
pub(crate) fn rollback(
    engine: &Engine,
    query: &RollbackQuery,
    reads: &dyn Reads,
    ctx: &Context,
) -> Result<Thought, Refusal> {
    let goal = Goal::of(engine, query, reads)?;
    let Since { changes, back } = goal.since(engine, reads)?;
    let records = StoreRecords::new(Some(reads));
    let view = format::View { records: &records, files: engine.files(), probes: engine.probes() };
    let (moves, warnings) = moves_back(&view, back, Way::Rollback)?;
    let told = Teller::of(engine);
    if changes.is_empty() && moves.is_empty() {
        let thought = Thought::idle(Box::new(|revision, _| reply(revision, None, Value::Array(Vec::new()), &[])));
        return Ok(Thought { warnings, ..thought });
    }
    let label = format!("before rollback to {}", query.to);
    let saved = checkpoint::fresh(reads, Some(label), goal.space, ctx)?;
    let (id, moving) = (saved.id.clone(), moves.clone());
    Ok(Thought {
        changes: changes.into_iter().map(Change::inverse).collect(),
        moves,
        warnings,
        cause: EntryCause::Call,
        takes_back: Vec::new(),
        checkpoints: Checkpoints { put: vec![saved], dropped: Vec::new() },
        is_entered: false,
        reply: Box::new(move |revision, changes| reply(revision, Some(&id), told.changes(changes), &moving)),
    })
}

/// **Shape**: `{revision,saved,changes}`, and `moves:[{from,to}]` where folders move.
pub(crate) fn reply(revision: Revision, saved: Option<&str>, changes: Value, moves: &[FolderMove]) -> Object {
    let mut object = Object::new();
    object.insert("revision".into(), revision.0.into());
    object.insert("saved".into(), saved.map_or(Value::Null, Value::from));
    object.insert("changes".into(), changes);
    if !moves.is_empty() {
        object.insert("moves".into(), moves_back::told(moves));
    }
    object
}
