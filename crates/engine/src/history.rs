//! The journal, newest first.

use std::ops::ControlFlow;

use model::{Entry, EntryCause, Object, Refusal, Revision, Timestamp, Value};
use store::{EntryPage, StoredEntry, Unwinder};

use crate::engine::Engine;
use crate::refusals;

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
    /// Minor entries (touches) and the bookkeeping of formats too.
    pub all: bool,
}

/// Where a stretch of the journal begins.
enum Since {
    Time(Timestamp),
    Revision(Revision),
}

impl Engine {
    /// The journal, newest first.
    ///
    /// **Shape**: `{entries:[{revision,at,actor,session,space,call,changes:[{key,before,after}]}]}`.
    /// **Errors**: `invalid_argument` (field `since`).
    pub fn history(&self, query: &HistoryQuery) -> Result<Object, Refusal> {
        let since = query.since.as_deref().map(|text| self.since(text)).transpose()?;
        let mut entries = Vec::new();
        if let Some(store) = self.opened_store()? {
            let reads = store.read().map_err(|error| refusals::of_store(&error))?;
            let (from, down_to) = match since {
                Some(Since::Revision(revision)) => (None, revision),
                Some(Since::Time(from)) => (Some(from), Revision(0)),
                None => (None, Revision(0)),
            };
            let choose = |stored: &StoredEntry| match from {
                Some(from) if stored.at < from => ControlFlow::Break(()),
                _ => ControlFlow::Continue(query.wants(stored)),
            };
            let mut show = |entry| {
                if entries.len() >= query.limit {
                    return ControlFlow::Break(());
                }
                entries.push(Value::Object(shown(&self.told(entry, query.all))));
                ControlFlow::Continue(())
            };
            Unwinder::new(reads.as_ref())
                .walk(&EntryPage { before: None, down_to }, &choose, &mut show)
                .map_err(|error| refusals::of_store(&error))?;
        }
        Ok(Object::from_iter([("entries".to_owned(), Value::Array(entries))]))
    }

    // People ask what changed, not how a format keeps its books.
    fn told(&self, mut entry: Entry, all: bool) -> Entry {
        let format = self.formats().iter().find(|format| format.name() == entry.space.format());
        if let (false, Some(format)) = (all, format) {
            let kinds = format.surface().bookkeeping;
            entry.changes.retain(|change| !kinds.contains(&change.key.kind.as_ref()));
        }
        entry
    }

    fn since(&self, text: &str) -> Result<Since, Refusal> {
        if let Ok(revision) = text.parse() {
            return Ok(Since::Revision(Revision(revision)));
        }
        let back = text.split_at_checked(text.len().saturating_sub(1)).and_then(|(count, unit)| {
            let unit = match unit {
                "s" => 1,
                "m" => 60,
                "h" => 60 * 60,
                "d" => 24 * 60 * 60,
                "w" => 7 * 24 * 60 * 60,
                _ => return None,
            };
            count.parse::<i64>().ok().filter(|count| *count >= 0)?.checked_mul(unit * 1000)
        });
        if let Some(back) = back {
            return Ok(Since::Time(Timestamp::from_millis(self.now()?.as_millis().saturating_sub(back))));
        }
        Timestamp::parse_rfc3339(text)
            .or_else(|| Timestamp::parse_rfc3339(&format!("{text}T00:00:00Z")))
            .map(Since::Time)
            .ok_or_else(|| {
                Refusal::invalid("since", format!("{text:?} is neither a time nor a revision")).allowed(vec![
                    "2026-01-02T03:04:05Z".into(),
                    "2026-01-02".into(),
                    "2h".into(),
                    Value::from(17),
                ])
            })
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

pub(crate) fn shown(entry: &Entry) -> Object {
    let changes = entry
        .changes
        .iter()
        .map(|change| {
            let mut object = Object::new();
            object.insert("key".into(), format!("{}/{}", change.key.kind, change.key.id).into());
            object.insert("before".into(), change.before.clone().unwrap_or(Value::Null));
            object.insert("after".into(), change.after.clone().unwrap_or(Value::Null));
            Value::Object(object)
        })
        .collect();
    let mut object = Object::new();
    object.insert("revision".into(), entry.revision.0.into());
    object.insert("at".into(), entry.at.to_millis_text().into());
    object.insert("actor".into(), entry.actor.as_str().into());
    object.insert("session".into(), entry.session.clone().map_or(Value::Null, Value::String));
    object.insert("space".into(), entry.space.as_str().into());
    object.insert("call".into(), entry.call.as_str().into());
    object.insert("changes".into(), Value::Array(changes));
    object
}
