//! The generic commands that write: each is one deed, carried out under the locks of all formats.

use format::Format;
use model::{Call, Object, Refusal, Reply, Value};

use crate::batch::{Asked, Thinker, write_own};
use crate::checkpoint::CheckpointQuery;
use crate::deed::Deed;
use crate::engine::{Engine, Identity};
use crate::locks::WAIT;
use crate::ponder::Slate;
use crate::rollback::RollbackQuery;
use crate::undo::{self, UndoQuery};

impl Engine {
    /// Takes back one entry, or all of a session, as a new entry.
    ///
    /// **Shape**: `{undone:[rev],revision,changes:[{change,space,key,before,after}]}`.
    /// **Errors**: `nothing_to_undo`, `already_undone`, `undo_of_adoption`, `undo_conflict`, `unknown_revision`,
    /// `revision_folded`, `format_off`.
    pub fn undo(&self, query: UndoQuery, identity: &Identity) -> Result<Reply, Refusal> {
        let text = |text: &Option<String>| text.clone().map_or(Value::Null, Value::String);
        let arguments = Object::from_iter([
            ("revision".to_owned(), query.revision.map(|revision| revision.0).into()),
            ("session".to_owned(), text(&query.session)),
            ("actor".to_owned(), text(&query.actor)),
            ("force".to_owned(), query.force.into()),
        ]);
        if self.newest()?.0 == 0 {
            return Err(query.revision.map_or_else(
                || undo::nothing_to_undo(&query, None),
                |it| crate::past::unknown(it, model::Revision(0)),
            ));
        }
        self.perform(Deed::Undo(query), arguments, identity)
    }

    /// Takes the latest undo back.
    ///
    /// **Shape**: `{redone:[rev],revision,changes}`. **Errors**: `nothing_to_redo`, `undo_conflict`.
    pub fn redo(&self, identity: &Identity) -> Result<Reply, Refusal> {
        if self.newest()?.0 == 0 {
            return Err(undo::nothing_to_redo());
        }
        self.perform(Deed::Redo, Object::new(), identity)
    }

    /// Brings records back to a revision, as a new entry; a checkpoint is made before.
    ///
    /// **Shape**: `{revision,saved,changes}`; `saved` is null where nothing changed.
    /// **Errors**: `unknown_checkpoint`, `checkpoint_of_other_space`, `unknown_revision`,
    /// `revision_folded`, `rollback_conflict`, `format_off`.
    pub fn rollback(&self, query: RollbackQuery, identity: &Identity) -> Result<Reply, Refusal> {
        let arguments = Object::from_iter([
            ("to".to_owned(), query.to.as_str().into()),
            ("space".to_owned(), query.space.clone().map_or(Value::Null, Value::String)),
        ]);
        self.perform(Deed::Rollback(query), arguments, identity)
    }

    /// Names the present revision, or forgets a name.
    ///
    /// **Shape**: `{id,revision,label,space,at,actor}`, with `dropped` for one that is forgotten.
    /// **Errors**: `invalid_argument` (field `label` or `space`), `unknown_checkpoint`.
    pub fn checkpoint(&self, query: CheckpointQuery, identity: &Identity) -> Result<Reply, Refusal> {
        let arguments = match &query {
            CheckpointQuery::Make { label, space } => Object::from_iter([
                ("label".to_owned(), label.clone().map_or(Value::Null, Value::String)),
                ("space".to_owned(), space.clone().map_or(Value::Null, Value::String)),
            ]),
            CheckpointQuery::Drop { id } => Object::from_iter([("drop".to_owned(), id.as_str().into())]),
        };
        self.perform(Deed::Checkpoint(query), arguments, identity)
    }

    /// Heals, takes in and publishes whatever waits.
    pub(crate) fn settle(&self, identity: &Identity) -> Result<Reply, Refusal> {
        self.perform(Deed::Settle, Object::new(), identity)
    }

    pub(crate) fn perform(&self, deed: Deed, arguments: Object, identity: &Identity) -> Result<Reply, Refusal> {
        let formats = self.formats_of(&deed)?;
        self.perform_over(&formats, deed, arguments, identity)
    }

    /// Performs a deed over these formats.
    pub(crate) fn perform_over(
        &self,
        formats: &[&'static dyn Format],
        deed: Deed,
        arguments: Object,
        identity: &Identity,
    ) -> Result<Reply, Refusal> {
        let ctx = self.own_context(identity)?;
        let call = Call::new(deed.word(), arguments);
        let asked =
            Asked { thinker: Thinker::Own(deed), call, applied: ctx.now, ctx, reads: false, slate: Slate::default() };
        write_own(self, formats, asked, self.lock_wait(WAIT))
    }

    // Those that are on, and those that a deed turns on again, where the settings leave that open.
    pub(crate) fn formats_of(&self, deed: &Deed) -> Result<Vec<&'static dyn Format>, Refusal> {
        let on = self.formats_on();
        if self.formats_listed().is_some() {
            return Ok(on);
        }
        let store = self.opened_store()?;
        let snapshot = store.as_deref().and_then(|store| store.read().ok());
        let spaces = deed.spaces(self, snapshot.as_deref());
        let is_meant = |format: &&dyn Format| {
            on.iter().any(|known| known.name() == format.name())
                || spaces.iter().any(|space| space.format() == format.name())
        };
        Ok(self.formats().iter().copied().filter(is_meant).collect())
    }
}
