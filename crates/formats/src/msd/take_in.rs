//! Outside edits: a document is its file, byte for byte.

use format::{Draft, FileState, Records as _, Seen, Taken, View};
use model::{Space, Warning};

use super::documents::{self, ALL, Place, STATE};

/// Takes every edited document in as it stands; one that is gone has no record any more.
pub(super) fn take_in(space: &Space, seen: &[Seen], view: &View<'_>) -> Taken {
    let place = Place::of(space);
    let mut draft = Draft::new(view.records);
    let mut taken = Taken::default();
    for seen in seen {
        let Seen::File(seen) = seen else { continue };
        let Some((name, _)) = ALL.iter().find(|(name, _)| *name == seen.path.name()) else { continue };
        let key = place.key(name);
        match &seen.now {
            FileState::Bytes(bytes) => draft.put(key, documents::value_of(bytes)),
            FileState::Absent => {
                if draft.get(&key).is_some() {
                    draft.delete(key);
                }
            }
            FileState::Irregular(what) => {
                let refusal = documents::unusable(&seen.path, *what);
                taken.warnings.push(
                    Warning::new(refusal.code.clone(), refusal.message.as_str()).with("path", seen.path.as_str()),
                );
                if *name == STATE {
                    taken.blocked.get_or_insert(refusal);
                }
            }
        }
    }
    taken.changes = draft.into_changes();
    taken
}
