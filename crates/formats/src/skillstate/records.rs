//! The records of a scope: their keys and what each holds.
//!
//! The state stands in a record of its own, without its seq: a change of one field then costs the
//! journal that field. Each change of that record is one version: seq counts them.

use format::{Draft, Records};
use model::{Object, RecordId, RecordKey, Space, Value};

use super::scope::Scope;

/// The kinds of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The state: an object.
    State,
    /// The version of the state. **Shape**: `{"seq","at"}`.
    Seq,
    /// The members of the state file that we do not know: an object.
    Envelope,
    /// The state as it was adopted from a file, at seq 1: an object.
    Origin,
    /// What a copy was forked from or last merged as. **Shape**: `{"seq","state"}`.
    Base,
    /// In main, one for each copy that was forked here. **Shape**: `{}`.
    Agent,
    /// What a reader saw last: an object; its id is the reader.
    Baseline,
    /// The seq of that; its id is the reader.
    Reader,
    /// A checkpoint; its id is the checkpoint's.
    Checkpoint,
    /// The session meta, without its last activity: an object.
    Meta,
    /// When the session was last active: a text.
    Activity,
    /// How the session before the server's own start ended, until a host's session is told. A text.
    Previous,
    /// The last response block handled; its id is the session. **Shape**: `{"action"?,"message"}`.
    Response,
    /// A response block that was rejected and not yet told; its id is the scope's name.
    Rejected,
    /// Why the state file could not be read when it was last taken in: a reason to look at it again.
    ///
    /// **Shape**: `{"code","message"}`.
    Trouble,
}

/// The kinds that are the format's own books: history leaves them out, undo leaves them alone.
pub(super) const BOOKKEEPING: &[&str] =
    &["seq", "origin", "agent", "baseline", "reader", "activity", "previous", "response", "rejected", "trouble"];

impl Kind {
    /// The word under which stores know it.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::State => "state",
            Self::Seq => "seq",
            Self::Envelope => "envelope",
            Self::Origin => "origin",
            Self::Base => "base",
            Self::Agent => "agent",
            Self::Baseline => "baseline",
            Self::Reader => "reader",
            Self::Checkpoint => "checkpoint",
            Self::Meta => "meta",
            Self::Activity => "activity",
            Self::Previous => "previous",
            Self::Response => "response",
            Self::Rejected => "rejected",
            Self::Trouble => "trouble",
        }
    }

    /// The key of the only record of the kind in a scope.
    pub(super) fn only(self, scope: &Scope) -> RecordKey {
        RecordKey::new(scope.space(), self.word(), self.word())
    }

    /// The key of one of several records of the kind in a space.
    pub(super) fn one(self, space: Space, id: impl Into<RecordId>) -> RecordKey {
        RecordKey::new(space, self.word(), id)
    }
}

/// An object with members in the order given.
pub(super) fn members<const N: usize>(members: [(&str, Value); N]) -> Object {
    members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// The object that a record holds.
pub(super) fn object(records: &dyn Records, key: &RecordKey) -> Option<Object> {
    match records.get(key)? {
        Value::Object(object) => Some(object),
        _ => None,
    }
}

/// The state of a scope, where one is stored.
pub(super) fn state(records: &dyn Records, scope: &Scope) -> Option<Object> {
    object(records, &Kind::State.only(scope))
}

/// The version of a state. **Order**: 0 while nothing is stored.
pub(super) fn seq(records: &dyn Records, scope: &Scope) -> u64 {
    records.get(&Kind::Seq.only(scope)).as_ref().map_or(0, seq_of)
}

/// The version of a state as the store has it.
///
/// An outside edit that was only seen does not count, but for a file that was never adopted.
pub(super) fn stored_seq(records: &dyn Records, scope: &Scope) -> u64 {
    let stored = records.earlier(&Kind::Seq.only(scope), &mut |_| true);
    stored.as_ref().map_or_else(|| seq(records, scope), seq_of)
}

/// The `seq` member of a value.
pub(super) fn seq_of(value: &Value) -> u64 {
    value.get("seq").and_then(Value::as_u64).unwrap_or(0)
}

/// Stores the next version of a state.
pub(super) fn put_state(draft: &mut Draft<'_>, scope: &Scope, state: Object, now: &str) -> u64 {
    let next = seq(draft, scope) + 1;
    draft.put(Kind::State.only(scope), Value::Object(state));
    draft.put(Kind::Seq.only(scope), Value::Object(members([("seq", next.into()), ("at", now.into())])));
    next
}
