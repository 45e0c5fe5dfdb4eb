//! The journal, newest first.

use std::ops::ControlFlow;

use model::{Entry, EntryCause, Object, RecordKey, Refusal, Revision, Value};
use store::{EntryPage, StoredEntry, Unwinder};

use crate::engine::Engine;
use crate::moment::Moment;
use crate::tell::Teller;
use crate::{past, refusals, tell};

/// Which entries `history` shows.
#[derive(Clone, Debug, Default)]
pub struct HistoryQuery {
    /// Only this space or what lies beneath it.
    pub space: Option<String>,
    /// Only entries that changed a record of this id, or `kind/id` as entries show it.
    pub key: Option<String>,
    /// Only entries of this actor.
    pub actor: Option<String>,
    /// Only entries since: RFC 3339, a date, a span back (`2h`, `3d`), or a revision.
    pub since: Option<String>,
    /// At most so many; the commands' default is 20.
    pub limit: usize,
    /// Minor entries (touches) and the bookkeeping of formats too.
    pub all: bool,
}

impl Engine {
    /// The journal, newest first.
    ///
    /// **Shape**: `{entries:[{revision,at,actor,session,space,call,changes:[{key,before,after}]}]}`.
    /// **Errors**: `invalid_argument` (field `since`), `unknown_revision` for one that is still to come.
    pub fn history(&self, query: &HistoryQuery) -> Result<Object, Refusal> {
        let (entries, _) = self.entries_within(query, usize::MAX)?;
        Ok(Object::from_iter([("entries".to_owned(), Value::Array(entries))]))
    }

    /// The entries that a query asks for, as many as fit into so many bytes, and whether more were left out.
    ///
    /// Older entries are not even read once the room is full. The newest is there however large it is: its reader has
    /// nothing else to go on.
    pub(crate) fn entries_within(&self, query: &HistoryQuery, room: usize) -> Result<(Vec<Value>, bool), Refusal> {
        let since = query.since.as_deref().map(|text| self.moment(text, "since")).transpose()?;
        let told = Teller::of(self);
        let (mut entries, mut left_out) = (Vec::new(), false);
        let mut taken: usize = 0;
        if let Some(store) = self.opened_store()? {
            let reads = store.read().map_err(|error| refusals::of_store(&error))?;
            let head = reads.head().map_err(|error| refusals::of_store(&error))?;
            let (from, down_to) = match since {
                Some(Moment::Revision(revision)) if revision > head => return Err(past::unknown(revision, head)),
                Some(Moment::Revision(revision)) => (None, revision),
                Some(Moment::Time(from)) => (Some(from), Revision(0)),
                None => (None, Revision(0)),
            };
            let choose = |stored: &StoredEntry| match from {
                Some(from) if stored.at < from => ControlFlow::Break(()),
                _ => ControlFlow::Continue(query.wants(stored)),
            };
            let mut show = |entry| {
                let mut entry: Entry = entry;
                entry.changes.retain(|change| query.all || told.tells(&change.key));
                let shown = Value::Object(tell::entry(&entry));
                if room < usize::MAX {
                    taken = taken.saturating_add(shown.to_string().len());
                }
                left_out = entries.len() >= query.limit || (taken > room && !entries.is_empty());
                if left_out {
                    return ControlFlow::Break(());
                }
                entries.push(shown);
                ControlFlow::Continue(())
            };
            Unwinder::new(reads.as_ref())
                .walk(&EntryPage { before: None, down_to }, &choose, &mut show)
                .map_err(|error| refusals::of_store(&error))?;
        }
        Ok((entries, left_out))
    }
}

impl HistoryQuery {
    fn wants(&self, entry: &StoredEntry) -> bool {
        let minor = entry.cause == EntryCause::Minor;
        let in_space = |filter: &String| entry.changes.iter().any(|change| change.key.space.is_within(filter));
        let is_key = |one: &RecordKey, key: &str| one.id.as_str() == key || tell::short(one) == key;
        let has_key = |key: &String| entry.changes.iter().any(|change| is_key(&change.key, key));
        (self.all || !minor)
            && self.space.as_ref().is_none_or(|filter| entry.space.is_within(filter) || in_space(filter))
            && self.key.as_ref().is_none_or(has_key)
            && self.actor.as_ref().is_none_or(|actor| entry.actor == *actor)
    }
}
