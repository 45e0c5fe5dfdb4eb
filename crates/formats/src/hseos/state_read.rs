//! `state_read`: every field, and the tables of STATE.md as lists.

use std::collections::BTreeMap;

use format::{Records, natural};
use model::{Object, RecordId, Reply, Value};

use super::records::{Field, Kind, members, object};
use super::times;

/// The three columns after the name in the features table.
pub(super) const FEATURE_PARTS: [&str; 3] = ["name", "status", "branch"];
/// The three columns after the name in the deployment table.
pub(super) const DEPLOYMENT_PARTS: [&str; 3] = ["version", "status", "last_deploy"];
/// The environments that are always shown, in this order.
pub(super) const ENVIRONMENTS: [&str; 3] = ["dev", "staging", "prod"];

/// The tool.
pub(super) fn state_read(records: &dyn Records) -> Reply {
    let state = State::load(records);
    let fields: Object = state.fields.iter().map(|(key, field)| (key.clone(), field.value.as_str().into())).collect();
    let updated_at = state.updated_at().map_or(Value::Null, |text| times::shown(text).into());
    let list = |rows: Vec<Row<'_>>, name: &str, parts: [&str; 3]| -> Value {
        rows.into_iter().map(|row| row.to_value(name, parts)).collect()
    };
    let body = members([
        ("state", Value::Object(fields)),
        ("updated_at", updated_at),
        ("features", list(state.features(), "id", FEATURE_PARTS)),
        ("deployment", list(state.deployment(), "environment", DEPLOYMENT_PARTS)),
        ("notes", state.value("notes").unwrap_or_default().into()),
    ]);
    Reply::new(body, Vec::new())
}

/// The unlisted tool behind the text of `state read`: `{rows:[{key,value,updated_at}]}`, times as stored.
pub(super) fn state_table(records: &dyn Records) -> Reply {
    let state = State::load(records);
    let row = |(key, field): (&String, &Field)| {
        let members = [("key", key.as_str()), ("value", &field.value), ("updated_at", &field.updated_at)];
        object(members.map(|(name, text)| (name, text.into())))
    };
    Reply::new(members([("rows", state.fields.iter().map(row).collect())]), Vec::new())
}

/// Every field, by key.
#[derive(Debug)]
pub(super) struct State {
    fields: BTreeMap<String, Field>,
}

/// One line of the features or deployment table.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Row<'a> {
    pub(super) name: &'a str,
    pub(super) parts: [Option<&'a str>; 3],
}

impl Row<'_> {
    fn to_value(&self, name: &str, parts: [&str; 3]) -> Value {
        let mut row = members([(name, self.name.into())]);
        for (part, value) in parts.into_iter().zip(self.parts) {
            row.insert(part.to_owned(), value.map_or(Value::Null, Value::from));
        }
        Value::Object(row)
    }
}

impl State {
    /// Reads every field.
    pub(super) fn load(records: &dyn Records) -> Self {
        let field = |(id, value): (RecordId, Value)| (id.as_str().to_owned(), Field::from_value(&value));
        Self { fields: Kind::State.all(records).into_iter().map(field).collect() }
    }

    /// The value of a field.
    pub(super) fn value(&self, key: &str) -> Option<&str> {
        self.fields.get(key).map(|field| field.value.as_str())
    }

    /// The newest time of all fields, as stored.
    pub(super) fn updated_at(&self) -> Option<&str> {
        times::newest(self.fields.values().map(|field| field.updated_at.as_str()))
    }

    /// The features, in natural order.
    pub(super) fn features(&self) -> Vec<Row<'_>> {
        let mut rows = self.rows("feature.", FEATURE_PARTS);
        rows.sort_by(|a, b| natural::compare(a.name, b.name));
        rows
    }

    /// The environments: the three that always are, then others by bytes.
    pub(super) fn deployment(&self) -> Vec<Row<'_>> {
        let mut rows = self.rows("deployment.", DEPLOYMENT_PARTS);
        for name in ENVIRONMENTS {
            if rows.iter().all(|row| row.name != name) {
                rows.push(Row { name, parts: [None; 3] });
            }
        }
        let rank = |name: &str| ENVIRONMENTS.iter().position(|known| *known == name).unwrap_or(ENVIRONMENTS.len());
        rows.sort_by_key(|row| (rank(row.name), row.name));
        rows
    }

    fn rows(&self, prefix: &str, parts: [&str; 3]) -> Vec<Row<'_>> {
        let mut rows: BTreeMap<&str, [Option<&str>; 3]> = BTreeMap::new();
        for (key, field) in self.fields.range(prefix.to_owned()..).take_while(|(key, _)| key.starts_with(prefix)) {
            let Some((name, part)) = key[prefix.len()..].rsplit_once('.').filter(|(name, _)| !name.is_empty()) else {
                continue;
            };
            if let Some(column) = parts.iter().position(|known| *known == part) {
                rows.entry(name).or_default()[column] = Some(&field.value);
            }
        }
        rows.into_iter().map(|(name, parts)| Row { name, parts }).collect()
    }
}
