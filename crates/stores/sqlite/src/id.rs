//! How ids, revisions and limits stand in columns.

use std::borrow::Cow;

use model::{RecordId, RecordKey, Revision, Space};
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};
use rusqlite::{Row, ToSql};

use crate::error::{Fault, Outcome};

/// An id as `SQLite` orders it: canonical decimals as integers, all others as text.
///
/// **Order**: `SQLite` puts integers before text and compares text by bytes, which is exactly the
/// order of [`RecordId`]; the column is `ANY` in a strict table, so neither becomes the other.
pub(crate) struct StoredId<'a>(pub(crate) &'a RecordId);

impl ToSql for StoredId<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self.0.as_number() {
            Some(number) => number.into(),
            None => self.0.as_str().into(),
        })
    }
}

/// An id that was read from a column.
pub(crate) struct LoadedId(pub(crate) RecordId);

impl FromSql for LoadedId {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        match value {
            ValueRef::Integer(number) => Ok(Self(number.into())),
            ValueRef::Text(_) => Ok(Self(value.as_str()?.into())),
            _ => Err(FromSqlError::InvalidType),
        }
    }
}

/// A key from three columns, the first of which is `first`.
pub(crate) fn load_key(row: &Row<'_>, first: usize) -> rusqlite::Result<RecordKey> {
    let kind: Cow<'static, str> = Cow::Owned(row.get(first + 1)?);
    Ok(RecordKey::new(Space::new(row.get::<_, String>(first)?), kind, row.get::<_, LoadedId>(first + 2)?.0))
}

/// A revision as a column or a bound; one that no journal reaches becomes the highest possible.
pub(crate) fn number(revision: Revision) -> i64 {
    i64::try_from(revision.0).unwrap_or(i64::MAX)
}

/// A revision that was read from a column.
pub(crate) fn load_revision(row: &Row<'_>, column: usize) -> rusqlite::Result<Revision> {
    let number: i64 = row.get(column)?;
    u64::try_from(number).map(Revision).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(column, number))
}

/// A revision that was written with [`number`].
pub(crate) fn load_number(number: i64) -> Outcome<Revision> {
    u64::try_from(number).map(Revision).map_err(|_| Fault::corrupt(format!("{number} is no revision")))
}
