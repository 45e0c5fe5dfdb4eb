//! Outside edits: rows first, then files, over one draft.

use format::{Seen, Taken, View};
use model::Context;

pub(super) fn take_in(_seen: &[Seen], _view: &View<'_>, _ctx: &Context) -> Taken {
    Taken::default()
}
