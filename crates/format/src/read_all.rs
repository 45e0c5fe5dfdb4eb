//! Many records of one kind as a type of the format's own, without a value between text and type.

use model::{RecordId, Space, Value, json};
use serde::de::DeserializeOwned;

use crate::Records;

/// Every record of one kind, in the order of [`RecordId`].
///
/// `lenient` reads what the type does not: its members may be missing or of another kind where a record came from
/// elsewhere.
pub fn read_all<T: DeserializeOwned>(
    records: &dyn Records,
    space: &Space,
    kind: &'static str,
    lenient: impl Fn(&Value) -> T,
) -> Vec<(RecordId, T)> {
    let mut all = Vec::new();
    records.texts(space, kind, &mut |id, text| {
        let read = match serde_json::from_str(text) {
            // A type would take its members from a list as well.
            Ok(read) if text.starts_with('{') => read,
            _ => lenient(&json::read(text.as_bytes())?),
        };
        all.push((id, read));
        Ok(())
    });
    all
}
