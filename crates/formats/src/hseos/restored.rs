//! What undo and rollback add: history is kept, and each field that they change gets a new row.

use format::{Draft, View};
use model::{Change, Context, Outcome, Reply};

use super::history::{self, Appender};
use super::records::{Field, HistoryRow, Kind};

/// Changes to be laid over those that undo or rollback made.
///
/// Only fields and tasks go back; what they would do to records of other kinds is taken back.
pub(super) fn restored(changes: &[Change], view: &View<'_>, ctx: &Context) -> Outcome {
    let goes_back = |change: &&Change| [Kind::State, Kind::Task].iter().any(|kind| change.key.kind == kind.word());
    // From here on the records are as they stand once undo is done and everything else is kept.
    let mut draft = Draft::new(view.records);
    draft.lay(changes);
    let mut kept: Vec<Change> =
        changes.iter().filter(|change| !goes_back(change)).cloned().map(Change::inverse).collect();
    draft.lay(&kept);
    let records = draft;
    let mut draft = Draft::new(&records);
    let mut history = Appender::default();
    history.reserve(history::highest(view.records));
    for change in changes.iter().filter(|change| change.key.kind == Kind::State.word()) {
        let value = |side: &Option<_>| side.as_ref().map(|value| Field::from_value(value).value);
        let (before, after) = (value(&change.before), value(&change.after));
        if before == after {
            continue;
        }
        // A row's new value is a text: a field that goes away is empty from then on.
        let new_value = after.unwrap_or_default();
        let row = HistoryRow {
            key: change.key.id.as_str().to_owned(),
            old_value: before,
            new_value,
            changed_by: ctx.actor.clone(),
            changed_at: ctx.now.to_millis_text(),
        };
        history.append(&mut draft, &row);
    }
    for change in draft.into_changes() {
        // One change for each key: what is kept first, then what is new.
        match kept.iter_mut().find(|kept| kept.key == change.key) {
            Some(kept) => kept.after = change.after,
            None => kept.push(change),
        }
    }
    Outcome { changes: kept, reply: Reply::default(), ..Outcome::default() }
}
