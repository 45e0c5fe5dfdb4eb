//! Receipts of requests, and the engine's small named values.

use model::{Object, Revision, Timestamp};
use rusqlite::{Connection, Row};
use store::Receipt;

use crate::book::{self, End, Shelf};
use crate::error::{Fault, Outcome};
use crate::id::{load_number, number};

/// The value of a row. **Shape**: `[AT,REVISION,"DIGEST",REPLY]`, the reply null where it is computed.
type Stored = (i64, i64, String, Option<Object>);

pub(crate) fn get(conn: &Connection, tool: &str, request_id: &str) -> Outcome<Option<Receipt>> {
    let value: Option<String> = book::get(conn, Shelf::Receipt, &name(tool, request_id))?;
    value.map(|value| parse(tool, request_id, &value)).transpose()
}

/// Keeps the receipt, and beside it a row by which it is found when it is old.
pub(crate) fn put(conn: &Connection, receipt: &Receipt) -> Outcome<()> {
    let Receipt { tool, request_id, digest, at, revision, reply } = receipt;
    let value = serde_json::to_string(&(at.as_millis(), number(*revision), digest, reply))?;
    let name = name(tool, request_id);
    book::put(conn, Shelf::Receipt, &name, value)?;
    book::put(conn, Shelf::Age, &format!("{} {name}", age(*at)), "")
}

pub(crate) fn drop_older(conn: &Connection, before: Timestamp) -> Outcome<()> {
    let bound = age(before);
    for aged in book::names_below(conn, Shelf::Age, &bound)? {
        let name = aged.split_once(' ').map_or("", |(_, name)| name);
        // A receipt that was put once more is younger than this row says.
        let value: Option<String> = book::get(conn, Shelf::Receipt, name)?;
        if value.is_some_and(|value| at(&value).is_none_or(|at| at < before)) {
            book::delete(conn, Shelf::Receipt, name)?;
        }
        book::delete(conn, Shelf::Age, &aged)?;
    }
    Ok(())
}

/// Reads all receipts: only for what is seldom asked.
pub(crate) fn oldest_computed(conn: &Connection) -> Outcome<Option<Revision>> {
    let mut oldest: Option<Revision> = None;
    book::all(conn, Shelf::Receipt, End::Front, |row| {
        let receipt = load(row)?;
        if receipt.reply.is_none() {
            oldest = Some(oldest.map_or(receipt.revision, |oldest| oldest.min(receipt.revision)));
        }
        Ok(())
    })?;
    Ok(oldest)
}

/// A receipt from its row. **Shape**: `TOOL ID`; a [`Stored`].
pub(crate) fn load(row: &Row<'_>) -> Outcome<Receipt> {
    let (name, value): (String, String) = (row.get(0)?, row.get(1)?);
    let parts = name.split_once(' ').ok_or_else(|| Fault::corrupt(format!("{name:?} names no receipt")))?;
    parse(parts.0, parts.1, &value)
}

fn parse(tool: &str, request_id: &str, value: &str) -> Outcome<Receipt> {
    let (at, revision, digest, reply): Stored = serde_json::from_str(value)?;
    let (tool, request_id) = (tool.to_owned(), request_id.to_owned());
    Ok(Receipt { tool, request_id, digest, at: Timestamp::from_millis(at), revision: load_number(revision)?, reply })
}

// Tools have names without blanks, so the first one ends them.
fn name(tool: &str, request_id: &str) -> String {
    format!("{tool} {request_id}")
}

// Times that sort as text. Those before 1970 are all as old as can be.
fn age(at: Timestamp) -> String {
    format!("{:020}", at.as_millis().max(0))
}

fn at(value: &str) -> Option<Timestamp> {
    value.strip_prefix('[')?.split(',').next()?.parse().ok().map(Timestamp::from_millis)
}

pub(crate) fn meta(conn: &Connection, name: &str) -> Outcome<Option<String>> {
    book::get(conn, Shelf::Meta, name)
}

pub(crate) fn put_meta(conn: &Connection, name: &str, value: Option<&str>) -> Outcome<()> {
    match value {
        Some(value) => book::put(conn, Shelf::Meta, name, value),
        None => book::delete(conn, Shelf::Meta, name),
    }
}
