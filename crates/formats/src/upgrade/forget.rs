//! Taking tasks out of everything that knows them.

use std::collections::HashSet;

use format::{Draft, Records};
use model::Space;

use super::records::Kind;
use super::scenario_json;
use super::state::State;

/// Removes tasks with their records; what stood beneath them is not removed by itself.
pub(super) fn forget(state: &mut State, draft: &mut Draft<'_>, space: &Space, ids: &[String]) {
    let gone: HashSet<&String> = ids.iter().collect();
    let mut tasks = std::mem::take(&mut state.tasks);
    tasks.append(&mut state.hidden);
    tasks.retain(|task| !gone.contains(&task.id));
    for id in ids {
        state.pending.forget(id);
        if state.watched.remove(id) {
            let key = Kind::TaskMd.key(space, id.as_str());
            if draft.get(&key).is_some() {
                draft.delete(key);
            }
        }
    }
    if let Some(object) = &mut state.json {
        scenario_json::forget(object, &gone);
    }
    state.arrange(tasks);
}
