//! Marks that someone set by hand, accepted or discarded.

use format::task_graph::Status;

use super::{Applied, Kind, Statuses};
use crate::upgrade::turn::Turn;

/// Does with the marks as the caller says.
pub(super) fn settle(turn: &mut Turn<'_>, wanted: Statuses, applied: &mut Applied) {
    if wanted == Statuses::Wait {
        return;
    }
    let edits = std::mem::take(&mut turn.state.pending.status_edits);
    if wanted == Statuses::Discard {
        return;
    }
    let (now, caller) = (turn.ctx.now.to_millis_text(), turn.caller());
    for (id, to) in edits {
        let Some(at) = turn.state.place(&id) else { continue };
        if !turn.state.children(at).is_empty() || turn.state.tasks[at].status == to {
            continue;
        }
        let task = &mut turn.state.tasks[at];
        task.set_status(to);
        match to {
            Status::Completed => task.completed_at = Some(now.clone()),
            Status::InProgress => task.owner = Some(caller.clone()),
            _ => {}
        }
        applied.add(Kind::Status, id);
    }
}
