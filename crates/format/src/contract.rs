//! The contract that every format meets.

use model::{
    Call, Change, Context, Finding, FolderMove, Image, Object, Outcome, ProjectPath, Refusal, Space, TableRows, Value,
    WorkItem,
};

use crate::{Effort, Files, Glance, HookEvent, Look, Seen, Sheet, Sources, Surface, Taken, Tool, View};

/// A format: names its tools, says where the outside writes, decides calls, renders images.
///
/// Every function is pure. None of them may fail because of what stands in a file: what cannot be
/// read is reported, not raised.
pub trait Format: Sync {
    /// The name: one lower-case word, the first part of its spaces.
    fn name(&self) -> &'static str;

    /// Tools, commands and hook events, as data.
    fn surface(&self) -> &'static Surface;

    /// Whether the project already uses this format: its marker stands.
    fn is_used(&self, files: &dyn Files) -> bool;

    /// The spaces that a call is about; every space for `None`, as the generic commands ask.
    fn spaces(&self, call: Option<&Call>, view: &View<'_>, ctx: &Context) -> Result<Vec<Space>, Refusal>;

    /// Those of a call's `spaces` that it may change: only what is wrong with these stands in its way.
    fn writes<'s>(&self, _call: &Call, spaces: &'s [Space]) -> &'s [Space] {
        spaces
    }

    /// What outside may have changed in a space.
    ///
    /// **Errors**: only what the configuration says (`config_invalid`, `path_outside_project`).
    fn sources(&self, space: &Space, view: &View<'_>, ctx: &Context) -> Result<Sources, Refusal>;

    /// Turns outside edits of a space into changes; all sources that differ are shown together.
    fn take_in(&self, space: &Space, seen: &[Seen], view: &View<'_>, ctx: &Context) -> Taken;

    /// Decides a call. Hooks that write are calls too.
    fn handle(&self, call: &Call, view: &View<'_>, ctx: &Context) -> Result<Outcome, Refusal>;

    /// Works out a question that the format asked by [`Probes::ponder`](crate::Probes::ponder).
    ///
    /// The same question has the same answer. `None` where more than a brief effort is needed, or where
    /// there is no such question.
    fn ponder(&self, _question: &[Value], _effort: Effort<'_>) -> Option<Sheet> {
        None
    }

    /// A refusal as the format shows it.
    ///
    /// With the members that stand beside the error of its tool, whoever refused the call.
    fn refused(&self, _tool: &Tool, refusal: Refusal) -> Refusal {
        refusal
    }

    /// What becomes of an event, before it is kept and any lock is waited for.
    fn spooling(&self, _call: &Call, _look: &Look<'_>) -> Spooling {
        Spooling::Keep(Object::new())
    }

    /// The file images of a space that `touched` may have changed.
    ///
    /// A file that is not returned stays as it is.
    fn render(&self, space: &Space, touched: &Touched<'_>, view: &View<'_>, ctx: &Context) -> Vec<Image>;

    /// The rows that changes of a space mean for its table image.
    fn rows(&self, _changes: &[Change]) -> TableRows {
        TableRows::default()
    }

    /// What undo and rollback must add to the `changes` that they make.
    ///
    /// `view` shows the records before those changes. The answer's changes are laid over them: a
    /// record that stands in both takes the answer's value, so a format can also keep what it says
    /// never goes back.
    ///
    /// **Errors**: why they must not be made, where a file that they would write over cannot be used.
    fn restored(&self, _changes: &[Change], _view: &View<'_>, _ctx: &Context) -> Result<Outcome, Refusal> {
        Ok(Outcome::default())
    }

    /// The space whose folder a move is about; none where it is not one of this format's.
    ///
    /// An entry that takes others back spans spaces, and a move says nothing but its paths.
    fn space_of_move(&self, _step: &FolderMove) -> Option<Space> {
        None
    }

    /// Gates, status lines and injected lines that read files only: no store, no lock.
    ///
    /// Asked at the events of [`Surface::hooks`].
    fn glance(&self, _event: &HookEvent, _look: &Look<'_>, _ctx: &Context) -> Glance {
        Glance::default()
    }

    /// The member of a warning that says where a file's outside bytes are kept.
    fn kept_as(&self) -> &'static str {
        "kept_as"
    }

    /// The work of the format, in the one shape of `status` and `next`.
    fn work(&self, _view: &View<'_>, _ctx: &Context) -> Vec<WorkItem> {
        Vec::new()
    }

    /// One line about the format for `status`.
    fn summary(&self, _view: &View<'_>, _ctx: &Context) -> String {
        String::new()
    }

    /// What is wrong with the format's own state.
    fn doctor(&self, _view: &View<'_>, _ctx: &Context) -> Vec<Finding> {
        Vec::new()
    }

    /// What `init` writes for this format, as files that are created only where nothing stands.
    fn init(&self, _view: &View<'_>, _ctx: &Context) -> Vec<(ProjectPath, Vec<u8>)> {
        Vec::new()
    }
}

/// What changed in a space since its images were last rendered.
#[derive(Clone, Copy, Debug)]
pub struct Touched<'a> {
    /// The changes that were committed or are about to be.
    pub changes: &'a [Change],
    /// Files that are to be rendered whatever changed: gone, stale, or edited outside.
    pub paths: &'a [ProjectPath],
}

/// What becomes of an event.
#[derive(Clone, Debug, PartialEq)]
pub enum Spooling {
    /// It is kept, with what only this moment knows: its call's [`noted`](Call::noted).
    Keep(Object),
    /// It means nothing here; this is its reply.
    Ignore(Object),
}
