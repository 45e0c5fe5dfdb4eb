//! Warnings when two agents write one field within a minute; the write lands all the same.
//!
//! **Source**: seed, section 9.

use format::Records;
use model::{Context, Value, Warning};

use super::{history, times};

/// How long a write by another agent counts as being at the same time. **Units**: milliseconds.
const WINDOW: i64 = 60_000;

/// What to warn about a write of `value` to `key` by `agent`.
pub(super) fn check(records: &dyn Records, key: &str, value: &str, agent: &str, ctx: &Context) -> Option<Warning> {
    let other = history::newest_row(records, key).filter(|row| row.changed_by != agent)?;
    let at = times::parse(&other.changed_at)?;
    if ctx.now.as_millis() - at.as_millis() >= WINDOW {
        return None;
    }
    let (code, what) = if other.new_value == value {
        ("concurrent_write", "the same value")
    } else {
        ("write_conflict", "another value")
    };
    let message = format!("{} gave {key} {what} less than a minute before {agent}", other.changed_by);
    let pair = |earlier: &str, later: &str| Value::Array(vec![earlier.into(), later.into()]);
    let warning = Warning::new(code, message)
        .with("key", key)
        .with("agents", pair(&other.changed_by, agent))
        .with("values", pair(&other.new_value, value))
        .with("times", pair(&at.to_millis_text(), &ctx.now.to_millis_text()));
    Some(warning)
}
