//! What undo and rollback add: the scenario's time moves, as with every other change.

use std::collections::BTreeSet;

use format::{Draft, View};
use model::{Change, Context, Outcome, Space};

use super::records::{Kind, Scenario};
use super::state::State;

/// Changes to be laid over those that undo or rollback made.
pub(super) fn restored(changes: &[Change], view: &View<'_>, ctx: &Context) -> Outcome {
    let mut draft = Draft::new(view.records);
    draft.lay(changes);
    let spaces: BTreeSet<&Space> = changes.iter().map(|change| &change.key.space).collect();
    let mut added = Vec::new();
    for space in spaces.into_iter().filter(|space| State::is_known(&draft, space)) {
        let Some(scenario) = Scenario::get(&draft, space) else { continue };
        let key = Kind::Scenario.only(space);
        let before = changes.iter().find(|change| change.key == key);
        let before = before.map_or_else(|| format::Records::get(view.records, &key), |change| change.before.clone());
        let after = Scenario { updated_at: ctx.now.to_millis_text(), ..scenario }.to_value();
        added.push(Change { key, before, after: Some(after) });
    }
    Outcome { changes: added, ..Outcome::default() }
}
