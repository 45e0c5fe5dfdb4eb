//! `checkpoint`: a name for the present revision.

use model::{Context, Object, Refusal, Revision, Space, Value};
use store::{Checkpoint, Reads};

use crate::deed::Thought;
use crate::engine::Engine;
use crate::{moment, refusals};

/// The longest label. **Units**: bytes.
const LABEL_LIMIT: usize = 256;

/// What `checkpoint` is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckpointQuery {
    /// Names the present revision.
    Make {
        /// What to call it.
        label: Option<String>,
        /// The space that it is for; all of them without one.
        space: Option<String>,
    },
    /// Forgets a checkpoint.
    Drop {
        /// Its id.
        id: String,
    },
}

/// Decides about a checkpoint.
pub(crate) fn checkpoint(
    engine: &Engine,
    query: &CheckpointQuery,
    reads: &dyn Reads,
    ctx: &Context,
) -> Result<Thought, Refusal> {
    match query {
        CheckpointQuery::Make { label, space } => {
            check_label(label.as_deref())?;
            space.as_deref().map_or(Ok(()), |space| engine.check_space(space))?;
            let made = fresh(reads, label.clone(), space.clone().map(Space::new), ctx)?;
            let told = object(&made);
            let mut thought = Thought::idle(Box::new(move |_, _| told));
            thought.checkpoints.put.push(made);
            Ok(thought)
        }
        CheckpointQuery::Drop { id } => {
            let all = reads.checkpoints().map_err(|error| refusals::of_store(&error))?;
            let Some(found) = all.iter().find(|checkpoint| checkpoint.id == *id) else { return Err(unknown(id, &all)) };
            let mut told = object(found);
            told.insert("dropped".into(), true.into());
            let mut thought = Thought::idle(Box::new(move |_, _| told));
            thought.checkpoints.dropped.push(id.clone());
            Ok(thought)
        }
    }
}

/// A new checkpoint on the newest revision; its id was never used before.
pub(crate) fn fresh(
    reads: &dyn Reads,
    label: Option<String>,
    space: Option<Space>,
    ctx: &Context,
) -> Result<Checkpoint, Refusal> {
    let of_store = |error| refusals::of_store(&error);
    let number = reads.meta(LAST).map_err(of_store)?.and_then(|text| text.parse::<u64>().ok()).unwrap_or_default();
    let taken = reads.checkpoints().map_err(of_store)?.iter().filter_map(|one| number_of(&one.id)).max();
    let number = number.max(taken.unwrap_or_default()).saturating_add(1);
    let revision = reads.head().map_err(of_store)?;
    Ok(Checkpoint { id: format!("c{number}"), revision, label, space, at: ctx.now, actor: ctx.actor.clone() })
}

/// Where the highest number of a checkpoint is kept.
pub(crate) const LAST: &str = "last_checkpoint";

/// The number in a checkpoint's id.
pub(crate) fn number_of(id: &str) -> Option<u64> {
    id.strip_prefix('c')?.parse().ok()
}

// A label must not be taken for an id, a revision or a time.
fn check_label(label: Option<&str>) -> Result<(), Refusal> {
    let Some(label) = label else { return Ok(()) };
    let is_name =
        number_of(label).is_none() && !label.bytes().all(|byte| byte.is_ascii_digit()) && !moment::is_time(label);
    if is_name && label.len() <= LABEL_LIMIT && !label.chars().any(char::is_control) {
        return Ok(());
    }
    let message =
        format!("a label has 1 to {LABEL_LIMIT} bytes, no control characters, and is no number, no id and no time");
    Err(Refusal::invalid("label", message))
}

/// **Shape**: `{id,revision,label,space,at,actor}`.
pub(crate) fn object(checkpoint: &Checkpoint) -> Object {
    let mut object = Object::new();
    object.insert("id".into(), checkpoint.id.as_str().into());
    object.insert("revision".into(), checkpoint.revision.0.into());
    object.insert("label".into(), checkpoint.label.clone().map_or(Value::Null, Value::String));
    let space = checkpoint.space.as_ref().map(|space| Value::from(space.as_str()));
    object.insert("space".into(), space.unwrap_or_default());
    object.insert("at".into(), checkpoint.at.to_millis_text().into());
    object.insert("actor".into(), checkpoint.actor.as_str().into());
    object
}

/// The refusal of a checkpoint that there is none of.
pub(crate) fn unknown(id: &str, all: &[Checkpoint]) -> Refusal {
    let ids: Vec<Value> = all.iter().map(|checkpoint| checkpoint.id.as_str().into()).collect();
    Refusal::refused("unknown_checkpoint", format!("there is no checkpoint {id:?}"))
        .field("checkpoint")
        .allowed(ids)
        .hint("mainstay checkpoint --list shows them")
}

impl Engine {
    /// The checkpoints, oldest revision first.
    ///
    /// **Shape**: `{checkpoints:[{id,revision,label,space,at,actor}]}`.
    pub fn checkpoints(&self) -> Result<Object, Refusal> {
        let of_store = |error| refusals::of_store(&error);
        let mut all = Vec::new();
        if let Some(store) = self.opened_store()? {
            let found = store.read().and_then(|reads| reads.checkpoints()).map_err(of_store)?;
            all.extend(found.iter().map(|checkpoint| Value::Object(object(checkpoint))));
        }
        Ok(Object::from_iter([("checkpoints".to_owned(), Value::Array(all))]))
    }

    /// Refuses a space of no format that this program speaks.
    pub(crate) fn check_space(&self, space: &str) -> Result<(), Refusal> {
        let format = Space::new(space).format().to_owned();
        if self.formats().iter().any(|known| known.name() == format) {
            return Ok(());
        }
        let known: Vec<Value> = self.formats().iter().map(|format| format.name().into()).collect();
        Err(Refusal::invalid("space", format!("there is no space {space:?}")).allowed(known))
    }

    /// The newest revision; 0 where nothing was recorded yet.
    pub(crate) fn newest(&self) -> Result<Revision, Refusal> {
        let of_store = |error| refusals::of_store(&error);
        let Some(store) = self.opened_store()? else { return Ok(Revision(0)) };
        store.read().and_then(|reads| reads.head()).map_err(of_store)
    }
}
