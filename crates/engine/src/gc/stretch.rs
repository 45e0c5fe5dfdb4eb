//! A stretch of the journal that is folded into one entry.

use std::collections::BTreeMap;

use model::{EntryCause, FolderMove, ProjectPath, RecordKey, Refusal};
use store::{Splice, StoredChange, StoredEntry};

use crate::refusals::failed;

/// Where folders go that entries remove.
const TRASH: &str = ".mainstay/trash/";

/// Entries that become one.
pub(super) struct Stretch {
    /// Nothing before it is left.
    is_first: bool,
    /// How many entries it stands for in the store.
    pub(super) count: usize,
    last: Option<StoredEntry>,
    /// The texts before the stretch, of the records that it changes.
    before: BTreeMap<RecordKey, Option<String>>,
    moves: Vec<FolderMove>,
    /// The folders that went to the trash, where nobody can go back to before it.
    pub(super) trashed: Vec<ProjectPath>,
}

impl Stretch {
    pub(super) fn new(is_first: bool) -> Self {
        let (before, moves, trashed) = Default::default();
        Self { is_first, count: 0, last: None, before, moves, trashed }
    }

    /// Adds the entry that follows.
    pub(super) fn add(&mut self, entry: StoredEntry, state: &mut BTreeMap<RecordKey, String>) -> Result<(), Refusal> {
        for change in &entry.changes {
            let before = state.remove(&change.key);
            let after = change.splice.apply(before.as_deref()).map_err(|error| failed(error.into()))?;
            self.before.entry(change.key.clone()).or_insert(before);
            if let Some(after) = after {
                state.insert(change.key.clone(), after);
            }
        }
        self.moves.extend(entry.moves.iter().cloned());
        self.count += 1;
        self.last = Some(entry);
        Ok(())
    }

    /// Takes in the entries that follow.
    pub(super) fn absorb(&mut self, next: Self) {
        for (key, before) in next.before {
            self.before.entry(key).or_insert(before);
        }
        if self.is_first {
            // Nobody can go back to before it: what went to the trash stays away.
            let gone = next.moves.into_iter().filter(|step| step.to.as_str().starts_with(TRASH));
            self.trashed.extend(gone.map(|step| step.to));
        } else {
            self.moves.extend(next.moves);
        }
        self.count += next.count;
        self.last = next.last.or_else(|| self.last.take());
    }

    /// One entry for all; a single one stays as it is.
    pub(super) fn baseline(&self, state: &BTreeMap<RecordKey, String>) -> Option<StoredEntry> {
        let last = self.last.as_ref().filter(|_| self.count > 1)?;
        let changes = self.before.iter().filter_map(|(key, before)| {
            let after = state.get(key).map(String::as_str);
            let splice = Splice::between(before.as_deref(), after);
            (before.as_deref() != after).then(|| StoredChange { key: key.clone(), splice })
        });
        Some(StoredEntry {
            revision: last.revision,
            at: last.at,
            actor: "gc".to_owned(),
            session: None,
            request_id: None,
            space: last.space.clone(),
            call: "gc".to_owned(),
            cause: EntryCause::Baseline,
            changes: changes.collect(),
            moves: self.moves.clone(),
            takes_back: Vec::new(),
        })
    }
}
