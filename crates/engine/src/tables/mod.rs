//! Hosts the table image of a format in a database file that other programs read and write too.
//!
//! Names in SQL come from the format's compiled-in [`TableImage`] data, values are always bound.
//! Triggers and views are switched off on our connection: a repository's database is untrusted, and
//! what we write ourselves need not come back through the inbox.

mod compare;
mod drain;
mod place;
mod rows;
mod safety;
mod schema;
mod session;
mod stamp;
mod survey;
mod waiting;

pub(crate) use drain::row_name;
pub(crate) use place::{is_gone, locate, probe};
pub(crate) use session::TableSession;
pub(crate) use survey::Expected;
pub(crate) use waiting::{Presence, look};

use format::TableImage;
use rusqlite::config::DbConfig;
use rusqlite::types::{Value as SqlValue, ValueRef};
use rusqlite::{Connection, OpenFlags};
use std::path::Path;

use model::Cell;

/// The version of the `mainstay_*` tables that this program writes.
const VERSION: i64 = 1;

/// Opens the file as it stands; never creates it, never follows a link, runs none of its code.
fn connect(place: &Path, read_only: bool) -> rusqlite::Result<Connection> {
    // A pipe would wait for its other end.
    if place.symlink_metadata().is_ok_and(|metadata| !metadata.is_file()) {
        return Err(rusqlite::Error::InvalidPath(place.to_path_buf()));
    }
    let access = if read_only { OpenFlags::SQLITE_OPEN_READ_ONLY } else { OpenFlags::SQLITE_OPEN_READ_WRITE };
    let flags = access | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let connection = Connection::open_with_flags(place, flags)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    // The session checkpoints by itself, and its way costs fewer fsyncs.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    Ok(connection)
}

/// The name under which the mark of a file is kept.
pub(crate) fn mark_name(place: &Path) -> String {
    format!("table/{}", place.display())
}

fn to_cell(value: ValueRef<'_>) -> Cell {
    match value {
        ValueRef::Null => Cell::Null,
        ValueRef::Integer(number) => Cell::Integer(number),
        ValueRef::Real(number) => Cell::Real(number),
        ValueRef::Text(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => Cell::Text(text.to_owned()),
            Err(_) => Cell::Blob(bytes.to_vec()),
        },
        ValueRef::Blob(bytes) => Cell::Blob(bytes.to_vec()),
    }
}

fn to_sql(cell: &Cell) -> SqlValue {
    match cell {
        Cell::Null => SqlValue::Null,
        Cell::Integer(number) => SqlValue::Integer(*number),
        Cell::Real(number) => SqlValue::Real(*number),
        Cell::Text(text) => SqlValue::Text(text.clone()),
        Cell::Blob(bytes) => SqlValue::Blob(bytes.clone()),
    }
}

fn table_of(tables: &'static [TableImage], name: &str) -> Option<&'static TableImage> {
    tables.iter().find(|table| table.table == name)
}
