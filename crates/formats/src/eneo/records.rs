//! The records of the format: task, wave, mirror, agents, and the counter of generations.

use format::{Draft, Records};
use model::{Object, RecordKey, Scan, Space, Value};

/// The one space of the format.
pub(super) const SPACE: Space = Space::known("eneo");

/// The kinds of records that are the format's own bookkeeping.
pub(super) const BOOKKEEPING: &[&str] = &["mirror", "agent", "counter"];

fn key(kind: &'static str, id: &str) -> RecordKey {
    RecordKey::new(SPACE, kind, id)
}

/// The key of the task document.
pub(super) fn task_key() -> RecordKey {
    key("task", "current")
}

/// The key of the wave document.
pub(super) fn wave_key() -> RecordKey {
    key("wave", "current")
}

/// The key of the word that stands in the mirror while there is no task.
pub(super) fn mirror_key() -> RecordKey {
    key("mirror", "current")
}

/// The key of an agent's registration.
pub(super) fn agent_key(id: &str) -> RecordKey {
    key("agent", id)
}

/// The key of the counter of generations.
pub(super) fn counter_key() -> RecordKey {
    key("counter", "generation")
}

fn object(records: &dyn Records, key: &RecordKey) -> Option<Object> {
    match records.get(key)? {
        Value::Object(object) => Some(object),
        _ => None,
    }
}

/// The task document.
pub(super) fn task(records: &dyn Records) -> Option<Object> {
    object(records, &task_key())
}

/// The wave document.
pub(super) fn wave(records: &dyn Records) -> Option<Object> {
    object(records, &wave_key())
}

/// The highest generation that any wave ever had.
pub(super) fn generation(records: &dyn Records) -> i64 {
    records.get(&counter_key()).and_then(|value| value.as_i64()).unwrap_or_default()
}

/// Counts a new generation.
pub(super) fn next_generation(draft: &mut Draft<'_>) -> i64 {
    let next = generation(draft).saturating_add(1);
    draft.put(counter_key(), next.into());
    next
}

/// Drops the agents that went out for a wave before a generation.
pub(super) fn forget_agents(draft: &mut Draft<'_>, records: &dyn Records, before: i64) {
    if before <= 0 {
        return;
    }
    let is_old = |agent: &Value| agent.get("generation").and_then(Value::as_i64).is_none_or(|own| own < before);
    for (id, _) in records.scan(&SPACE, "agent", &Scan::all()).into_iter().filter(|(_, agent)| is_old(agent)) {
        draft.delete(RecordKey { space: SPACE, kind: "agent".into(), id });
    }
}

/// Puts the word for the mirror; it counts only while there is no task.
pub(super) fn put_mirror(draft: &mut Draft<'_>, word: &str) {
    draft.put(mirror_key(), word.into());
}
