//! The journal: entries, their changes, and the folder moves that are still pending.

use std::ops::ControlFlow;

use model::{EntryCause, FolderMove, ProjectPath, RecordKey, Revision, Space, Timestamp};
use rusqlite::{Connection, Row, params};
use store::{EntryPage, NewEntry, PendingMove, Splice, StoredChange, StoredEntry, apply, check_newer, weave};

use crate::book::{self, End, Shelf};
use crate::error::{Fault, Outcome};
use crate::id::{StoredId, load_key, load_number, load_revision, number};
use crate::records;

const HEAD: &str = "SELECT max(revision) FROM entry";
const PUT_ENTRY: &str = "INSERT INTO entry VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10)";
const PUT_CHANGE: &str = "INSERT INTO change VALUES(?1,?2,?3,?4,?5,?6)";
const ENTRIES: &str = "SELECT revision, at, actor, session, request_id, space, call, cause, moves, takes_back
    FROM entry WHERE revision < ?1 AND revision >= ?2 ORDER BY revision DESC";
const ENTRIES_AFTER: &str = "SELECT revision, at, actor, session, request_id, space, call, cause, moves, takes_back
    FROM entry WHERE revision > ?1 ORDER BY revision";
const DROP_ENTRIES: &str = "DELETE FROM entry WHERE revision > ?1 AND revision <= ?2";
const DROP_CHANGES: &str = "DELETE FROM change WHERE revision > ?1 AND revision <= ?2";
const CHANGES: &str = "SELECT space, kind, id, splice FROM change WHERE revision = ?1 ORDER BY ordinal";
const CHANGES_OF: &str = "SELECT revision, splice FROM change
    WHERE space = ?1 AND kind = ?2 AND id = ?3 AND revision > ?4 ORDER BY revision DESC";

pub(crate) fn head(conn: &Connection) -> Outcome<Revision> {
    let head: Option<i64> = conn.prepare_cached(HEAD)?.query_one([], |row| row.get(0))?;
    load_number(head.unwrap_or_default())
}

/// Appends an entry, makes its changes and notes its moves; all changes are checked before any is made.
pub(crate) fn append(conn: &Connection, entry: &NewEntry<'_>) -> Outcome<Revision> {
    let woven = weave(entry.changes, |key| Ok(records::text(conn, key)?))?;
    let revision = Revision(head(conn)?.0 + 1);
    put_entry(conn, revision, entry)?;
    for (ordinal, change) in (0_u32..).zip(woven) {
        records::put(conn, change.key, change.after.as_deref(), revision)?;
        put_change(conn, revision, ordinal, change.key, &change.splice)?;
    }
    for (ordinal, step) in (0_u32..).zip(entry.moves) {
        put_move(conn, &PendingMove { revision, ordinal, step: step.clone() })?;
    }
    Ok(revision)
}

/// Appends an entry that was stored elsewhere; its changes are made, its moves have happened.
pub(crate) fn replay(conn: &Connection, entry: &StoredEntry) -> Outcome<()> {
    check_newer(entry, head(conn)?)?;
    let mut after = Vec::with_capacity(entry.changes.len());
    for change in &entry.changes {
        after.push(apply(change, records::text(conn, &change.key)?.as_deref())?);
    }
    put_stored(conn, entry)?;
    for (change, after) in entry.changes.iter().zip(after) {
        records::put(conn, &change.key, after.as_deref(), entry.revision)?;
    }
    Ok(())
}

/// Puts one entry in the place of all behind `after` and up to its own revision.
pub(crate) fn fold(conn: &Connection, after: Revision, baseline: &StoredEntry) -> Outcome<()> {
    let (after, last) = (number(after), number(baseline.revision));
    conn.prepare_cached(DROP_CHANGES)?.execute([after, last])?;
    conn.prepare_cached(DROP_ENTRIES)?.execute([after, last])?;
    records::date_back(conn, after, last)?;
    put_stored(conn, baseline)
}

fn put_stored(conn: &Connection, entry: &StoredEntry) -> Outcome<()> {
    let new = NewEntry {
        at: entry.at,
        actor: &entry.actor,
        session: entry.session.as_deref(),
        request_id: entry.request_id.as_deref(),
        space: &entry.space,
        call: &entry.call,
        cause: entry.cause,
        changes: &[],
        moves: &entry.moves,
        takes_back: &entry.takes_back,
    };
    put_entry(conn, entry.revision, &new)?;
    for (ordinal, change) in (0_u32..).zip(&entry.changes) {
        put_change(conn, entry.revision, ordinal, &change.key, &change.splice)?;
    }
    Ok(())
}

fn put_entry(conn: &Connection, revision: Revision, entry: &NewEntry<'_>) -> Outcome<()> {
    conn.prepare_cached(PUT_ENTRY)?.execute(params![
        number(revision),
        entry.at.as_millis(),
        entry.actor,
        entry.session,
        entry.request_id,
        entry.space.as_str(),
        entry.call,
        entry.cause.word(),
        write_moves(entry.moves),
        write_revisions(entry.takes_back),
    ])?;
    Ok(())
}

fn put_change(conn: &Connection, revision: Revision, ordinal: u32, key: &RecordKey, splice: &Splice) -> Outcome<()> {
    let (space, id) = (key.space.as_str(), StoredId(&key.id));
    let row = params![number(revision), ordinal, space, key.kind, id, splice.to_bytes()];
    conn.prepare_cached(PUT_CHANGE)?.execute(row)?;
    Ok(())
}

pub(crate) fn entries(
    conn: &Connection,
    page: &EntryPage,
    visit: &mut dyn FnMut(StoredEntry) -> ControlFlow<()>,
) -> Outcome<()> {
    let before = page.before.map_or(i64::MAX, number);
    let mut statement = conn.prepare_cached(ENTRIES)?;
    let mut rows = statement.query(params![before, number(page.down_to)])?;
    while let Some(row) = rows.next()? {
        if visit(load_entry(conn, row)?).is_break() {
            break;
        }
    }
    Ok(())
}

pub(crate) fn entries_after(conn: &Connection, after: Revision, limit: usize) -> Outcome<Vec<StoredEntry>> {
    let mut statement = conn.prepare_cached(ENTRIES_AFTER)?;
    let mut rows = statement.query([number(after)])?;
    let mut entries = Vec::new();
    while entries.len() < limit
        && let Some(row) = rows.next()?
    {
        entries.push(load_entry(conn, row)?);
    }
    Ok(entries)
}

pub(crate) fn changes_of(conn: &Connection, key: &RecordKey, after: Revision) -> Outcome<Vec<(Revision, Splice)>> {
    let mut statement = conn.prepare_cached(CHANGES_OF)?;
    let mut rows = statement.query(params![key.space.as_str(), key.kind, StoredId(&key.id), number(after)])?;
    let mut changes = Vec::new();
    while let Some(row) = rows.next()? {
        changes.push((load_revision(row, 0)?, load_splice(row, 1)?));
    }
    Ok(changes)
}

pub(crate) fn pending_moves(conn: &Connection) -> Outcome<Vec<PendingMove>> {
    let mut pending = Vec::new();
    book::all(conn, Shelf::Move, End::Front, |row| {
        pending.push(load_move(row)?);
        Ok(())
    })?;
    Ok(pending)
}

/// A pending move from its row. **Shape**: `REVISION ORDINAL`, digits that sort as text; `["FROM","TO"]`.
pub(crate) fn load_move(row: &Row<'_>) -> Outcome<PendingMove> {
    let (name, value): (String, String) = (row.get(0)?, row.get(1)?);
    let numbers =
        name.split_once(' ').and_then(|(revision, ordinal)| Some((revision.parse().ok()?, ordinal.parse().ok()?)));
    let (revision, ordinal) = numbers.ok_or_else(|| Fault::corrupt(format!("{name:?} names no move")))?;
    let (from, to): (String, String) = serde_json::from_str(&value)?;
    Ok(PendingMove { revision: Revision(revision), ordinal, step: FolderMove { from: path(from)?, to: path(to)? } })
}

pub(crate) fn put_move(conn: &Connection, pending: &PendingMove) -> Outcome<()> {
    let value = serde_json::to_string(&(pending.step.from.as_str(), pending.step.to.as_str()))?;
    book::put(conn, Shelf::Move, &move_name(pending), value)
}

pub(crate) fn settle_move(conn: &Connection, pending: &PendingMove) -> Outcome<()> {
    book::delete(conn, Shelf::Move, &move_name(pending))
}

fn move_name(pending: &PendingMove) -> String {
    format!("{:020} {:010}", pending.revision.0, pending.ordinal)
}

fn load_entry(conn: &Connection, row: &Row<'_>) -> Outcome<StoredEntry> {
    let revision = load_revision(row, 0)?;
    Ok(StoredEntry {
        revision,
        at: Timestamp::from_millis(row.get(1)?),
        actor: row.get(2)?,
        session: row.get(3)?,
        request_id: row.get(4)?,
        space: Space::new(row.get::<_, String>(5)?),
        call: row.get(6)?,
        cause: cause(row.get_ref(7)?.as_str().map_err(rusqlite::Error::from)?)?,
        changes: load_changes(conn, revision)?,
        moves: read_moves(row.get(8)?)?,
        takes_back: read_revisions(row.get(9)?)?,
    })
}

fn load_changes(conn: &Connection, revision: Revision) -> Outcome<Vec<StoredChange>> {
    let mut statement = conn.prepare_cached(CHANGES)?;
    let mut rows = statement.query([number(revision)])?;
    let mut changes = Vec::new();
    while let Some(row) = rows.next()? {
        changes.push(StoredChange { key: load_key(row, 0)?, splice: load_splice(row, 3)? });
    }
    Ok(changes)
}

fn load_splice(row: &Row<'_>, column: usize) -> Outcome<Splice> {
    let bytes = row.get_ref(column)?.as_blob().map_err(rusqlite::Error::from)?;
    Ok(Splice::from_bytes(bytes)?)
}

fn cause(word: &str) -> Outcome<EntryCause> {
    EntryCause::from_word(word).ok_or_else(|| Fault::corrupt(format!("an entry has the unknown cause {word:?}")))
}

/// **Shape**: `[["from","to"],…]`; nothing for no moves.
fn write_moves(moves: &[FolderMove]) -> Option<String> {
    let pairs = moves.iter().map(|step| serde_json::json!([step.from.as_str(), step.to.as_str()]));
    (!moves.is_empty()).then(|| serde_json::Value::Array(pairs.collect()).to_string())
}

fn read_moves(text: Option<String>) -> Outcome<Vec<FolderMove>> {
    let Some(text) = text else { return Ok(Vec::new()) };
    let pairs: Vec<(String, String)> = serde_json::from_str(&text)?;
    pairs.into_iter().map(|(from, to)| Ok(FolderMove { from: path(from)?, to: path(to)? })).collect()
}

/// **Shape**: `[9,7]`; nothing for none.
fn write_revisions(revisions: &[Revision]) -> Option<String> {
    let numbers: Vec<u64> = revisions.iter().map(|revision| revision.0).collect();
    (!numbers.is_empty()).then(|| serde_json::Value::from(numbers).to_string())
}

fn read_revisions(text: Option<String>) -> Outcome<Vec<Revision>> {
    let Some(text) = text else { return Ok(Vec::new()) };
    let numbers: Vec<u64> = serde_json::from_str(&text)?;
    Ok(numbers.into_iter().map(Revision).collect())
}

pub(crate) fn path(text: String) -> Outcome<ProjectPath> {
    ProjectPath::new(text).map_err(|_| Fault::corrupt("a stored path is none"))
}
