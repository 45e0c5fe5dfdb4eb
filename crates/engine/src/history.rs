//! The journal, newest first.

use std::ops::ControlFlow;

use model::{Entry, EntryCause, Object, Refusal, Revision, Value};
use store::{EntryPage, StoredEntry, Unwinder};

use crate::engine::Engine;
use crate::moment::Moment;
use crate::tell::Teller;
use crate::{refusals, tell};

/// Which entries `history` shows.
#[derive(Clone, Debug, Default)]
pub struct HistoryQuery {
    /// Only this space or what lies beneath it.
    pub space: Option<String>,
    /// Only entries that changed a record of this id.
    pub key: Option<String>,
    /// Only entries of this actor.
    pub actor: Option<String>,
    /// Only entries since: RFC 3339, a date, a span back (`2h`, `3d`), or a revision.
    pub since: Option<String>,
    /// At most so many; the commands' default is 20.
    pub limit: usize,
    /// No more once they take so much as JSON. **Units**: bytes.
    pub room: Option<usize>,
    /// Minor entries (touches) and the bookkeeping of formats too.
    pub all: bool,
}

impl Engine {
    /// The journal, newest first.
    ///
    /// **Shape**: `{entries:[{revision,at,actor,session,space,call,changes:[{key,before,after}]}]}`.
    /// **Errors**: `invalid_argument` (field `since`).
    pub fn history(&self, query: &HistoryQuery) -> Result<Object, Refusal> {
        let since = query.since.as_deref().map(|text| self.moment(text, "since")).transpose()?;
        let told = Teller::of(self);
        let mut entries = Vec::new();
        if let Some(store) = self.opened_store()? {
            let reads = store.read().map_err(|error| refusals::of_store(&error))?;
            let (from, down_to) = match since {
                Some(Moment::Revision(revision)) => (None, revision),
                Some(Moment::Time(from)) => (Some(from), Revision(0)),
                None => (None, Revision(0)),
            };
            let choose = |stored: &StoredEntry| match from {
                Some(from) if stored.at < from => ControlFlow::Break(()),
                _ => ControlFlow::Continue(query.wants(stored)),
            };
            let mut room = query.room.unwrap_or(usize::MAX);
            let mut show = |entry| {
                if entries.len() >= query.limit {
                    return ControlFlow::Break(());
                }
                let mut entry: Entry = entry;
                entry.changes.retain(|change| query.all || told.tells(&change.key));
                let shown = Value::Object(tell::entry(&entry));
                let left = query.room.map_or(Some(room), |_| room.checked_sub(shown.to_string().len()));
                entries.push(shown);
                match left {
                    Some(left) => room = left,
                    None => return ControlFlow::Break(()),
                }
                ControlFlow::Continue(())
            };
            Unwinder::new(reads.as_ref())
                .walk(&EntryPage { before: None, down_to }, &choose, &mut show)
                .map_err(|error| refusals::of_store(&error))?;
        }
        Ok(Object::from_iter([("entries".to_owned(), Value::Array(entries))]))
    }
}

impl HistoryQuery {
    fn wants(&self, entry: &StoredEntry) -> bool {
        let minor = entry.cause == EntryCause::Minor;
        let in_space = |filter: &String| entry.changes.iter().any(|change| change.key.space.is_within(filter));
        let has_key = |key: &String| entry.changes.iter().any(|change| change.key.id.as_str() == key);
        (self.all || !minor)
            && self.space.as_ref().is_none_or(|filter| entry.space.is_within(filter) || in_space(filter))
            && self.key.as_ref().is_none_or(has_key)
            && self.actor.as_ref().is_none_or(|actor| entry.actor == *actor)
    }
}
