//! Receipts of requests, and the engine's small named values.

use model::{Revision, Timestamp};
use rusqlite::{Connection, OptionalExtension, params};
use store::Receipt;

use crate::error::Outcome;
use crate::id::{load_revision, number};

const GET: &str = "SELECT digest, at, revision, reply FROM receipt WHERE tool = ?1 AND request_id = ?2";
const PUT: &str = "INSERT OR REPLACE INTO receipt (tool, request_id, digest, at, revision, reply)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
const DROP: &str = "DELETE FROM receipt WHERE at < ?1";
const OLDEST_COMPUTED: &str = "SELECT min(revision) FROM receipt WHERE reply IS NULL";
const META: &str = "SELECT value FROM meta WHERE name = ?1";
const PUT_META: &str = "INSERT OR REPLACE INTO meta (name, value) VALUES (?1, ?2)";
const DELETE_META: &str = "DELETE FROM meta WHERE name = ?1";

pub(crate) fn get(conn: &Connection, tool: &str, request_id: &str) -> Outcome<Option<Receipt>> {
    let mut statement = conn.prepare_cached(GET)?;
    let mut rows = statement.query([tool, request_id])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let reply: Option<String> = row.get(3)?;
    Ok(Some(Receipt {
        tool: tool.to_owned(),
        request_id: request_id.to_owned(),
        digest: row.get(0)?,
        at: Timestamp::from_millis(row.get(1)?),
        revision: load_revision(row, 2)?,
        reply: reply.map(|text| serde_json::from_str(&text)).transpose()?,
    }))
}

pub(crate) fn put(conn: &Connection, receipt: &Receipt) -> Outcome<()> {
    let Receipt { tool, request_id, digest, at, revision, reply } = receipt;
    let reply = reply.as_ref().map(serde_json::to_string).transpose()?;
    let row = params![tool, request_id, digest, at.as_millis(), number(*revision), reply];
    conn.prepare_cached(PUT)?.execute(row)?;
    Ok(())
}

pub(crate) fn drop_older(conn: &Connection, before: Timestamp) -> Outcome<()> {
    conn.prepare_cached(DROP)?.execute([before.as_millis()])?;
    Ok(())
}

pub(crate) fn oldest_computed(conn: &Connection) -> Outcome<Option<Revision>> {
    let number: Option<i64> = conn.prepare_cached(OLDEST_COMPUTED)?.query_one([], |row| row.get(0))?;
    Ok(number.and_then(|number| u64::try_from(number).ok()).map(Revision))
}

pub(crate) fn meta(conn: &Connection, name: &str) -> Outcome<Option<String>> {
    Ok(conn.prepare_cached(META)?.query_row([name], |row| row.get(0)).optional()?)
}

pub(crate) fn put_meta(conn: &Connection, name: &str, value: Option<&str>) -> Outcome<()> {
    match value {
        Some(value) => conn.prepare_cached(PUT_META)?.execute([name, value])?,
        None => conn.prepare_cached(DELETE_META)?.execute([name])?,
    };
    Ok(())
}
