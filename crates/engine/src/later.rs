//! What later entries did to a record that an undo is to bring back.

use model::Revision;

/// An entry that stays, newer than those that are looked at.
#[derive(Clone, Copy)]
pub(crate) struct Later {
    pub(crate) revision: Revision,
    /// The oldest entry that it takes back, if it takes any.
    pub(crate) oldest: Option<Revision>,
}

/// How many are named at most, entries as well as records.
pub(crate) const NAMED: usize = 5;

/// Later entries of one record, newest first: enough of them to name, and all that decide.
#[derive(Default)]
pub(crate) struct Notes {
    /// Those that take nothing back: in the way of everything older.
    writers: Vec<Revision>,
    /// Those that take entries back, each reaching deeper than the ones before it.
    undoing: Vec<Later>,
}

impl Notes {
    /// Notes an entry that is older than all that are noted.
    pub(crate) fn note(&mut self, later: Later) {
        match later.oldest {
            None if self.writers.len() < NAMED => self.writers.push(later.revision),
            None => {}
            // One that reaches no deeper than a newer one is in nobody's way but that one's.
            Some(_) if self.undoing.last().is_some_and(|deepest| deepest.oldest <= later.oldest) => {}
            Some(_) => self.undoing.push(later),
        }
    }

    /// The newest that changed the record after an entry; what takes back only newer ones did not.
    pub(crate) fn in_the_way_of(&self, revision: Revision) -> Vec<Revision> {
        let reaching = self.undoing.iter().filter(|later| later.oldest.is_some_and(|oldest| oldest < revision));
        let mut all: Vec<Revision> = self.writers.iter().copied().chain(reaching.map(|later| later.revision)).collect();
        all.sort_unstable_by(|one, other| other.cmp(one));
        all.truncate(NAMED);
        all
    }
}
