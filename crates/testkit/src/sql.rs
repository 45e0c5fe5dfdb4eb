//! `SQLite` files from outside: what another program would do to them, and what it would see.

use std::path::Path;
use std::{fs, io};

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};
use serde_json::Value;

/// Runs a script on the file, which is created with its folders where it is missing.
pub fn execute(file: &Path, script: &str) -> Result<(), String> {
    make_parent(file).map_err(|error| format!("{}: {error}", file.display()))?;
    Connection::open(file)
        .and_then(|connection| connection.execute_batch(script))
        .map_err(|error| format!("outside sql on {}: {error}", file.display()))
}

/// The rows of a query, each a list; the file is not written.
pub fn query(file: &Path, query: &str) -> Result<Vec<Vec<Value>>, String> {
    rows(file, query).map_err(|error| format!("{query}: {error}"))
}

fn rows(file: &Path, query: &str) -> rusqlite::Result<Vec<Vec<Value>>> {
    let connection = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let mut statement = connection.prepare(query)?;
    let columns = statement.column_count();
    let rows = statement.query_map([], |row| (0..columns).map(|index| Ok(cell(row.get_ref(index)?))).collect())?;
    rows.collect()
}

fn cell(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => number.into(),
        ValueRef::Real(number) => number.into(),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned().into(),
        ValueRef::Blob(bytes) => format!("blob of {} bytes", bytes.len()).into(),
    }
}

fn make_parent(file: &Path) -> io::Result<()> {
    file.parent().map_or(Ok(()), fs::create_dir_all)
}
