//! The text form of values, and the check of a change against it; shared by all stores.

use std::collections::HashSet;

use model::{Change, RecordKey, Revision, Value, json};

use crate::{Checkpoint, Splice, StoreError, StoredChange, StoredEntry};

/// How deep a value may nest; the JSON reader refuses anything deeper.
const DEEPEST: usize = 127;

/// Names that the JSON library keeps for itself; an object that bears one is not read as an object.
const RESERVED: &str = "$serde_json::private::";

/// A value as the compact JSON text that stores keep.
///
/// The text is stable: reading it and writing the result gives the same text again.
///
/// **Errors**: [`StoreError::Unstorable`] for a value that could not be read back: nested too deep,
/// with a member name that the JSON library reserves, or with a number that is none.
pub fn to_text(value: &Value) -> Result<String, StoreError> {
    if !can_be_read_back(value, DEEPEST) {
        return Err(StoreError::Unstorable);
    }
    serde_json::to_string(value).map_err(|_| StoreError::Unstorable)
}

/// Reads the text that a store kept.
///
/// **Errors**: [`StoreError::Corrupt`] when it is not JSON.
pub fn from_text(text: &str) -> Result<Value, StoreError> {
    json::read(text.as_bytes()).map_err(|error| StoreError::Corrupt(format!("a stored value is not JSON: {error}")))
}

/// One change, checked and ready to be written.
#[derive(Clone, Debug, PartialEq)]
pub struct Weaving<'a> {
    /// The record.
    pub key: &'a RecordKey,
    /// The new text of its value.
    pub after: Option<String>,
    /// How the text changes.
    pub splice: Splice,
}

/// Checks the changes of one entry against the stored texts, before any of them is written.
///
/// **Errors**: [`StoreError::Conflict`] when a `before` is not what is stored, member order
/// included, or when one key is changed twice.
pub fn weave(
    changes: &[Change],
    mut stored: impl FnMut(&RecordKey) -> Result<Option<String>, StoreError>,
) -> Result<Vec<Weaving<'_>>, StoreError> {
    let mut seen = HashSet::new();
    let mut woven = Vec::with_capacity(changes.len());
    for Change { key, before, after } in changes {
        let stored = stored(key)?;
        let expected = before.as_ref().map(to_text).transpose()?;
        if !seen.insert(key) || stored != expected {
            return Err(StoreError::Conflict(key.to_string()));
        }
        let after = after.as_ref().map(to_text).transpose()?;
        let splice = Splice::between(stored.as_deref(), after.as_deref());
        woven.push(Weaving { key, after, splice });
    }
    Ok(woven)
}

/// The text of a value after one stored change, checked to be one that the store itself would keep.
///
/// **Errors**: [`StoreError::Conflict`] when the change does not fit, [`StoreError::Corrupt`] when
/// what comes of it is no value.
pub fn apply(change: &StoredChange, before: Option<&str>) -> Result<Option<String>, StoreError> {
    let after = change.splice.apply(before).map_err(|_| StoreError::Conflict(change.key.to_string()))?;
    if let Some(text) = &after
        && to_text(&from_text(text)?)? != *text
    {
        return Err(StoreError::Corrupt(format!("{}: the text of the value is not in its stored form", change.key)));
    }
    Ok(after)
}

/// Refuses an entry that is not newer than the newest one.
pub fn check_newer(entry: &StoredEntry, head: Revision) -> Result<(), StoreError> {
    if entry.revision > head {
        return Ok(());
    }
    Err(StoreError::Conflict(format!("revision {} is not newer than {head}", entry.revision)))
}

/// Checkpoints in the order in which stores answer them: by revision, then as they were made.
pub fn in_order(mut checkpoints: Vec<Checkpoint>) -> Vec<Checkpoint> {
    let number = |id: &str| id.trim_start_matches('c').parse::<u64>().unwrap_or(u64::MAX);
    checkpoints
        .sort_by(|a, b| (a.revision, number(&a.id), a.id.as_str()).cmp(&(b.revision, number(&b.id), b.id.as_str())));
    checkpoints
}

fn can_be_read_back(value: &Value, depth: usize) -> bool {
    match value {
        Value::Array(_) | Value::Object(_) if depth == 0 => false,
        Value::Array(items) => items.iter().all(|item| can_be_read_back(item, depth - 1)),
        Value::Object(members) => {
            let is_readable =
                |(name, member): (&String, &Value)| !name.starts_with(RESERVED) && can_be_read_back(member, depth - 1);
            members.iter().all(is_readable)
        }
        Value::Number(number) => json::is_number(number.as_str()),
        Value::Null | Value::Bool(_) | Value::String(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use model::Object;
    use proptest::prelude::*;
    use serde_json::Number;

    use super::*;

    #[track_caller]
    fn check_text(text: &str) {
        assert_eq!(to_text(&from_text(text).unwrap()).unwrap(), text);
    }

    #[test]
    fn number_text_and_member_order_survive() {
        for text in [
            "1.0",
            "0.10",
            "-0",
            "1e+400",
            "1e5",
            "1E5",
            "1e+5",
            "1e-7",
            "12345678901234567890123",
            r#"{"b":1.50,"a":[0.0]}"#,
        ] {
            check_text(text);
        }
    }

    fn nested(depth: usize) -> Value {
        (0..depth).fold(Value::Null, |inner, _| Value::Array(vec![inner]))
    }

    #[test]
    fn what_cannot_be_read_back_is_not_stored() {
        assert!(from_text(&to_text(&nested(DEEPEST)).unwrap()).is_ok());
        assert!(matches!(to_text(&nested(DEEPEST + 1)), Err(StoreError::Unstorable)));
        assert!(from_text(&serde_json::to_string(&nested(DEEPEST + 1)).unwrap()).is_err());
        let mut object = Object::new();
        object.insert(format!("{RESERVED}Number"), Value::Bool(true));
        assert!(matches!(to_text(&Value::Object(object)), Err(StoreError::Unstorable)));
    }

    #[test]
    fn numbers_made_from_text_are_stored_as_they_are() {
        let number = |text: &str| Value::Number(Number::from_string_unchecked(text.into()));
        assert_eq!(to_text(&Value::Array(vec![number("1e9"), number("1.0")])).unwrap(), "[1e9,1.0]");
        assert!(matches!(to_text(&number("NaN")), Err(StoreError::Unstorable)));
    }

    proptest! {
        #[test]
        fn floats_that_were_computed_keep_their_text(number in any::<f64>()) {
            let text = to_text(&Value::from(number)).unwrap();
            prop_assert_eq!(to_text(&from_text(&text).unwrap()).unwrap(), text);
        }
    }
}
