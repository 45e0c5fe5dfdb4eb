//! Whether a read may answer at once, or something waits in the tables.

use std::path::Path;

use format::TableSource;
use model::Refusal;
use rusqlite::{Connection, OptionalExtension as _};
use store::TableState;

use super::schema::{self, Meta};
use super::{VERSION, connect, stamp, survey};
use crate::refusals;

/// What a read finds in the file, without a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presence {
    /// Everything is as we left it, or there is nothing of the format at all.
    Quiet,
    /// Rows, tables or triggers wait to be looked at under the locks.
    Waiting,
}

/// Looks into the file without locking or writing.
///
/// `mark` is what [`stamp::set`] answered when the file was last written by us: while it stands, the
/// file need not even be opened.
///
/// **Errors**: `db_corrupt`, `schema_too_new`, `backend_unavailable`.
pub(crate) fn look(
    place: &Path,
    source: &TableSource,
    states: &[TableState],
    mark: Option<&str>,
) -> Result<Presence, Refusal> {
    let state = states.iter().find(|state| Path::new(&state.place) == place);
    if let (Some(state), Some(mark)) = (state, mark)
        && stamp::stands(place, state.intended, mark)
    {
        return Ok(Presence::Quiet);
    }
    if !place.exists() {
        return Ok(if state.is_some() { Presence::Waiting } else { Presence::Quiet });
    }
    let connection =
        connect(place, false).or_else(|_| connect(place, true)).map_err(|error| refusals::of_table(place, &error))?;
    look_inside(&connection, source, states, place).map_err(|error| refusals::of_table(place, &error))?
}

fn look_inside(
    connection: &Connection,
    source: &TableSource,
    states: &[TableState],
    place: &Path,
) -> rusqlite::Result<Result<Presence, Refusal>> {
    let meta = schema::read_meta(connection)?;
    if let Some(Meta { version, .. }) = meta
        && version > VERSION
    {
        return Ok(Err(survey::too_new(place, version)));
    }
    let state = survey::ours(meta.as_ref(), states);
    let ours = meta.as_ref().zip(state).is_some_and(|(meta, state)| meta.revision == state.intended.0);
    if !ours {
        let master = schema::master(connection)?;
        let any = meta.is_some() || source.tables.iter().any(|image| master.contains_key(image.table));
        return Ok(Ok(if any || !states.is_empty() { Presence::Waiting } else { Presence::Quiet }));
    }
    let cookie = schema::cookie(connection)?;
    let same_schema =
        meta.is_some_and(|meta| meta.cookie == cookie) || schema::stands(source.tables, &schema::master(connection)?);
    if !same_schema {
        return Ok(Ok(Presence::Waiting));
    }
    let row: Option<i64> = connection
        .query_row("SELECT 1 FROM mainstay_inbox WHERE refused IS NULL LIMIT 1", [], |row| row.get(0))
        .optional()?;
    Ok(Ok(if row.is_some() { Presence::Waiting } else { Presence::Quiet }))
}
