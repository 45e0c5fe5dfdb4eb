//! Taking in: outside edits become changes, before anything else is decided.

use std::collections::BTreeSet;

use format::{Conflict, Draft, RowsSeen, Seen, Taken, View};
use model::{Change, Context, ProjectPath, Refusal, RowImage, Warning};
use store::Reads;

use crate::ground::{Ground, Inspected};
use crate::tables::row_name;

/// The actor of entries that outside edits made.
pub(crate) const OUTSIDE: &str = "external";

/// The name under which taking in stands in the journal.
pub(crate) const CALL: &str = "take_in";

/// What taking in a space came to. Nothing has happened yet.
#[derive(Default)]
pub(crate) struct TakenIn {
    pub(crate) changes: Vec<Change>,
    pub(crate) conflicts: Vec<Conflict>,
    pub(crate) warnings: Vec<Warning>,
    /// Records that only this request sees.
    pub(crate) aside: Vec<Change>,
    /// Why writes of the space are refused for now.
    pub(crate) blocked: Option<Refusal>,
    /// Files that requests of the batch have written again.
    pub(crate) rewrites: Vec<ProjectPath>,
    /// Rows that stand in the table as the outside wrote them and are not written back.
    as_outside: BTreeSet<(String, String)>,
}

impl TakenIn {
    /// Whether a row is to be written into the table.
    pub(crate) fn writes(&self, row: &RowImage) -> bool {
        !self.as_outside.contains(&row_name(row.table, &row.key))
    }
}

/// Shows a format what was seen, rows before files, each upon what the last one made of it.
pub(crate) fn take_in(
    ground: &Ground,
    rows: Option<RowsSeen>,
    reads: Option<&dyn Reads>,
    view: &View<'_>,
    ctx: &Context,
) -> Result<TakenIn, Refusal> {
    let format = ground.format;
    let (frozen, blocked) = ground.frozen();
    let mut taken = TakenIn { warnings: ground.sources.warnings.clone(), blocked, ..TakenIn::default() };
    taken.warnings.extend(frozen);
    let mut draft = Draft::new(view.records);
    if let Some(rows) = rows {
        for row in &rows.rows {
            for key in row.old_key.iter().chain(&row.key) {
                taken.as_outside.insert(row_name(row.table, key));
            }
        }
        let part = format.take_in(&ground.space, &[Seen::Rows(rows)], &view.over(&draft), ctx);
        draft.lay(&part.changes);
        taken.join(part);
    }
    let files = ground.seen(reads)?;
    if !files.is_empty() {
        let part = format.take_in(&ground.space, &files, &view.over(&draft), ctx);
        // What a file says over a row has to reach the table again.
        for row in format.rows(&part.changes).rows {
            taken.as_outside.remove(&row_name(row.table, &row.key));
        }
        draft.lay(&part.changes);
        taken.join(part);
        taken.warnings.extend(ground.files.iter().filter_map(Inspected::buries));
    }
    taken.changes = draft.into_changes();
    Ok(taken)
}

impl TakenIn {
    // Its changes are laid over the others' apart.
    fn join(&mut self, part: Taken) {
        self.warnings.extend(part.warnings);
        self.conflicts.extend(part.conflicts);
        self.aside.extend(part.aside);
        self.blocked = self.blocked.take().or(part.blocked);
    }
}

/// The context in which outside edits are taken in: the request's clock, nobody's session.
pub(crate) fn outside_context(ctx: &Context) -> Context {
    Context { actor: OUTSIDE.to_owned(), session: None, request_id: None, ..ctx.clone() }
}
