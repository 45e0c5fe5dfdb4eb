//! Outside rows that we cannot read: open until a readable change, a deletion or a call settles them.

use format::{Draft, Records};
use model::{Object, Refusal, Value, Warning};

use super::records::{Kind, object};

/// One number in the inbox and why that change was refused.
pub(super) type Verdict = (i64, String);

/// Records that the change number `seq` of a row was refused.
///
/// `was` is the key under which a record still shows the row, where the change renamed it.
pub(super) fn open(draft: &mut Draft<'_>, table: &str, key: &str, reason: &str, seq: i64, was: Option<String>) {
    let record = Kind::Invalid.key(format!("{table}/{key}"));
    let known = draft.get(&record).filter(is_open);
    let mut verdicts = known.as_ref().map(verdicts).unwrap_or_default();
    verdicts.push((seq, reason.to_owned()));
    let mut now = value(table, key, reason, &verdicts);
    if let Some(was) = was.or_else(|| known.as_ref().and_then(was_of)) {
        draft.put(Kind::Renamed.key(format!("{table}/{was}")), key.into());
        now["was"] = was.into();
    }
    draft.put(record, now);
}

/// The key of the record that shows an open row under its former name.
pub(super) fn former(records: &dyn Records, table: &str, key: &str) -> Option<String> {
    let open = records.get(&Kind::Invalid.key(format!("{table}/{key}"))).filter(is_open)?;
    let was = was_of(&open)?;
    let shows = records.get(&Kind::Renamed.key(format!("{table}/{was}")))?;
    (shows.as_str() == Some(key)).then_some(was)
}

/// The record of `key` was written or deleted: it shows no row of another name any more.
pub(super) fn forget(draft: &mut Draft<'_>, table: &str, key: &str) {
    let record = Kind::Renamed.key(format!("{table}/{key}"));
    if draft.get(&record).is_some() {
        draft.delete(record);
    }
}

fn was_of(value: &Value) -> Option<String> {
    value.get("was").and_then(Value::as_str).map(str::to_owned)
}

/// Settles what is open about a row, if anything is.
///
/// A record that was opened or extended in the same draft stays as `closed`, so that the inbox
/// still learns its verdicts.
pub(super) fn close(draft: &mut Draft<'_>, beneath: &dyn Records, table: &str, key: &str) {
    let record = Kind::Invalid.key(format!("{table}/{key}"));
    let Some(mut now) = draft.get(&record).filter(is_open) else { return };
    if beneath.get(&record).is_some_and(|before| verdicts(&before) == verdicts(&now)) {
        draft.delete(record);
    } else {
        now["closed"] = true.into();
        draft.put(record, now);
    }
}

/// Settles what is open about a row because a call wrote its record.
///
/// The record stays as `closed` with what the row is to show: the call may have written what the
/// record held already, and the row is to be written all the same.
pub(super) fn close_by_call(draft: &mut Draft<'_>, table: &str, key: &str, shown: Option<Value>) {
    forget(draft, table, key);
    let record = Kind::Invalid.key(format!("{table}/{key}"));
    let Some(mut now) = draft.get(&record).filter(is_open) else { return };
    now["closed"] = true.into();
    now["shown"] = shown.unwrap_or(Value::Null);
    draft.put(record, now);
}

/// The members that replies and `doctor` show of each open row.
///
/// **Shape**: `{"table","key","reason"}`. **Order**: by table and key.
pub(super) fn all_open(records: &dyn Records) -> Vec<Object> {
    let open = Kind::Invalid.all(records).into_iter().map(|(_, value)| value).filter(is_open);
    let member = |value: &Value, name: &str| (name.to_owned(), value.get(name).cloned().unwrap_or(Value::Null));
    open.map(|value| ["table", "key", "reason"].into_iter().map(|name| member(&value, name)).collect()).collect()
}

/// One warning for each open row.
pub(super) fn warnings(records: &dyn Records) -> Vec<Warning> {
    let warn = |details: Object| Warning { code: "outside_row_invalid".into(), message: message(&details), details };
    all_open(records).into_iter().map(warn).collect()
}

/// One sentence about an open row.
pub(super) fn message(details: &Object) -> String {
    let text = |name| details.get(name).and_then(Value::as_str).unwrap_or_default();
    format!(
        "the row {:?} of table {} was changed outside and cannot be read: {}",
        text("key"),
        text("table"),
        text("reason")
    )
}

/// The refusal of a call about a task that exists only as an invalid row.
pub(super) fn refuse_if_only_invalid(records: &dyn Records, id: &str) -> Result<(), Refusal> {
    let known = records.get(&Kind::Invalid.key(format!("tasks/{id}"))).filter(is_open);
    let Some(value) = known else { return Ok(()) };
    let reason = value.get("reason").cloned().unwrap_or(Value::Null);
    let message =
        format!("task {id:?} was written outside and cannot be read: {}", reason.as_str().unwrap_or_default());
    let refusal = Refusal::refused("outside_row_invalid", message).hint("mend or delete the row in the tasks table");
    Err(refusal.with("table", "tasks").with("key", id).with("reason", reason))
}

/// The verdicts that an invalid record holds.
pub(super) fn verdicts(value: &Value) -> Vec<Verdict> {
    let pairs = value.get("seqs").and_then(Value::as_array);
    let pair = |pair: &Value| Some((pair.get(0)?.as_i64()?, pair.get(1)?.as_str()?.to_owned()));
    pairs.map(|pairs| pairs.iter().filter_map(pair).collect()).unwrap_or_default()
}

/// Whether an invalid record still waits.
pub(super) fn is_open(value: &Value) -> bool {
    value.get("closed").is_none()
}

fn value(table: &str, key: &str, reason: &str, verdicts: &[Verdict]) -> Value {
    let seqs = verdicts.iter().map(|(seq, reason)| Value::Array(vec![(*seq).into(), reason.as_str().into()]));
    object([("table", table.into()), ("key", key.into()), ("reason", reason.into()), ("seqs", seqs.collect())])
}
