//! Adding history rows: each number is used once, and each field knows its newest row.

use format::{Draft, Records};
use model::{RecordId, Scan, Value};

use super::records::{HistoryRow, Kind, SPACE, object};

/// The highest number that is taken from outside.
///
/// Our own rows go on behind it, and still have 10^17 numbers before those that are no canonical
/// record ids any more.
pub(super) const HIGHEST_ID: i64 = 899_999_999_999_999_999;

/// Adds rows behind every number that was ever used.
#[derive(Debug, Default)]
pub(super) struct Appender {
    next: Option<i64>,
    floor: i64,
}

impl Appender {
    /// Uses no number up to `used`.
    pub(super) fn reserve(&mut self, used: i64) {
        self.floor = self.floor.max(used.min(HIGHEST_ID));
    }

    /// The highest number that was reserved.
    pub(super) fn reserved(&self) -> i64 {
        self.floor
    }

    /// Adds a row.
    pub(super) fn append(&mut self, draft: &mut Draft<'_>, row: &HistoryRow) {
        let next = self.next.unwrap_or_else(|| highest(draft).max(counter(draft)) + 1).max(self.floor + 1);
        self.next = Some(next + 1);
        draft.put(Kind::History.key(next), row.to_value());
        note_latest(draft, &row.key, next);
    }
}

/// The highest number of a row that stands there now; 0 without one.
pub(super) fn highest(records: &dyn Records) -> i64 {
    let mut scan = Scan::last(1);
    loop {
        let Some((id, _)) = records.scan(&SPACE, Kind::History.word(), &scan).into_iter().next() else { return 0 };
        if let Some(number) = id.as_number() {
            return number;
        }
        scan.after = Some(id);
    }
}

/// The number up to which rows were used and deleted again.
pub(super) fn counter(records: &dyn Records) -> i64 {
    records.get(&Kind::Counter.key("history")).and_then(|value| value.as_i64()).unwrap_or_default()
}

/// Remembers that numbers up to `used` are used, where no standing row says so.
pub(super) fn note_used(draft: &mut Draft<'_>, used: i64) {
    if used > counter(draft) && used > highest(draft) {
        draft.put(Kind::Counter.key("history"), used.into());
    }
}

/// The newest history row of a field, by its number.
pub(super) fn newest_row(records: &dyn Records, key: &str) -> Option<HistoryRow> {
    let id = records.get(&Kind::Latest.key(key))?.get("id")?.as_i64()?;
    let row = row(records, id)?;
    (row.key == key).then_some(row)
}

/// Remembers the row as its field's newest, unless a newer one stands.
pub(super) fn note_latest(draft: &mut Draft<'_>, key: &str, id: i64) {
    let known = draft.get(&Kind::Latest.key(key)).and_then(|value| value.get("id").and_then(Value::as_i64));
    let newer =
        known.filter(|known| *known >= id).and_then(|known| row(draft, known)).is_some_and(|row| row.key == key);
    if !newer {
        draft.put(Kind::Latest.key(key), object([("id", id.into())]));
    }
}

fn row(records: &dyn Records, id: i64) -> Option<HistoryRow> {
    records.get(&Kind::History.key(RecordId::from(id))).map(|value| HistoryRow::from_value(&value))
}
