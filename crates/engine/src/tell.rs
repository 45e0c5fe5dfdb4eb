//! How entries and changes are told, as JSON.

use std::collections::HashSet;

use model::{Change, Entry, Object, RecordKey, Space, Value};

use crate::engine::Engine;

/// An entry. Records of other spaces than the entry's own are named with theirs.
///
/// **Shape**: `{revision,at,actor,session,space,call,changes:[{key,before,after}]}`; what an entry
/// takes back stands in `takes_back`, where there is anything.
pub(crate) fn entry(entry: &Entry) -> Object {
    let name = |key: &RecordKey| if key.space == entry.space { short(key) } else { key.to_string() };
    let changes = entry.changes.iter().map(|change| {
        let mut object = Object::new();
        object.insert("key".into(), name(&change.key).into());
        values(&mut object, change);
        Value::Object(object)
    });
    let changes = changes.collect();
    let mut object = Object::new();
    object.insert("revision".into(), entry.revision.0.into());
    object.insert("at".into(), entry.at.to_millis_text().into());
    object.insert("actor".into(), entry.actor.as_str().into());
    object.insert("session".into(), entry.session.clone().map_or(Value::Null, Value::String));
    object.insert("space".into(), entry.space.as_str().into());
    object.insert("call".into(), entry.call.as_str().into());
    if !entry.takes_back.is_empty() {
        object.insert("takes_back".into(), entry.takes_back.iter().map(|revision| Value::from(revision.0)).collect());
    }
    object.insert("changes".into(), changes);
    object
}

/// A record's name. **Shape**: `{space,key}`.
pub(crate) fn key(key: &RecordKey) -> Object {
    Object::from_iter([("space".to_owned(), key.space.as_str().into()), ("key".to_owned(), short(key).into())])
}

/// A record's name within its space.
pub(crate) fn short(key: &RecordKey) -> String {
    format!("{}/{}", key.kind, key.id)
}

/// A change that stands alone. **Shape**: `{change:"added"|"changed"|"removed",space,key,before,after}`.
pub(crate) fn change(change: &Change) -> Object {
    let word = match (&change.before, &change.after) {
        (None, _) => "added",
        (_, None) => "removed",
        _ => "changed",
    };
    let mut object = Object::from_iter([("change".to_owned(), Value::from(word))]);
    object.extend(key(&change.key));
    values(&mut object, change);
    object
}

fn values(object: &mut Object, change: &Change) {
    object.insert("before".into(), change.before.clone().unwrap_or_default());
    object.insert("after".into(), change.after.clone().unwrap_or_default());
}

/// Tells changes without the bookkeeping of formats: people ask what changed, not how books are kept.
pub(crate) struct Teller {
    bookkeeping: HashSet<(&'static str, &'static str)>,
}

impl Teller {
    /// With the kinds that the engine's formats call bookkeeping.
    pub(crate) fn of(engine: &Engine) -> Self {
        let kinds = engine
            .formats()
            .iter()
            .flat_map(|format| format.surface().bookkeeping.iter().map(|kind| (format.name(), *kind)));
        Self { bookkeeping: kinds.collect() }
    }

    /// Whether a record is worth telling about.
    pub(crate) fn tells(&self, key: &RecordKey) -> bool {
        !self.bookkeeping.contains(&(key.space.format(), key.kind.as_ref()))
    }

    /// A list of changes.
    pub(crate) fn changes(&self, changes: &[Change]) -> Value {
        changes.iter().filter(|one| self.tells(&one.key)).map(|one| Value::Object(change(one))).collect()
    }
}

/// Whether a space is asked for.
pub(crate) fn is_wanted(filter: Option<&str>, space: &Space) -> bool {
    filter.is_none_or(|filter| space.is_within(filter))
}
