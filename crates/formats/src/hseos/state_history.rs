//! `state_history`: the newest changes of fields.

use std::borrow::Cow;

use format::Records;
use model::{Object, Refusal, Reply, Scan, Value};

use super::records::{HistoryRow, Kind, SPACE, members, object};
use super::times;

/// The most rows that one call gives.
pub(super) const MOST: i64 = 1000;
const DEFAULT: i64 = 20;

/// The tool: `{n?}` to `{history:[{id,key,old_value,new_value,changed_by,changed_at}], count}`.
pub(super) fn state_history(arguments: &Object, records: &dyn Records) -> Result<Reply, Refusal> {
    list(arguments, records, times::shown)
}

/// The unlisted tool behind the text of `history`: the same, times as stored.
pub(super) fn history_table(arguments: &Object, records: &dyn Records) -> Result<Reply, Refusal> {
    list(arguments, records, |text| Cow::Borrowed(text))
}

fn list(arguments: &Object, records: &dyn Records, time: fn(&str) -> Cow<'_, str>) -> Result<Reply, Refusal> {
    let n = arguments.get("n").map_or(Some(DEFAULT), Value::as_i64).filter(|n| (1..=MOST).contains(n));
    let n = n.and_then(|n| usize::try_from(n).ok());
    let n = n.ok_or_else(|| Refusal::invalid("n", "n is a whole number").allowed(format!("1 to {MOST}")))?;
    let rows = records.scan(&SPACE, Kind::History.word(), &Scan::last(n));
    let shown: Vec<Value> = rows
        .iter()
        .map(|(id, value)| {
            let row = HistoryRow::from_value(value);
            object([
                ("id", id.as_number().map_or_else(|| id.as_str().into(), Value::from)),
                ("key", row.key.into()),
                ("old_value", row.old_value.map_or(Value::Null, Value::String)),
                ("new_value", row.new_value.into()),
                ("changed_by", row.changed_by.into()),
                ("changed_at", time(&row.changed_at).into()),
            ])
        })
        .collect();
    let count = shown.len();
    let body = members([("history", Value::Array(shown)), ("count", count.into())]);
    Ok(Reply::new(body, Vec::new()))
}
