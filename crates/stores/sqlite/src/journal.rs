//! The journal: entries, their changes, and the folder moves that are still pending.

use std::ops::ControlFlow;

use model::{EntryCause, FolderMove, ProjectPath, RecordKey, Revision, Space, Timestamp};
use rusqlite::{Connection, Row, params};
use store::{EntryPage, NewEntry, PendingMove, Splice, StoredChange, StoredEntry, weave};

use crate::error::{Fault, Outcome};
use crate::id::{StoredId, load_key, load_revision, number};
use crate::records;

const HEAD: &str = "SELECT coalesce(max(revision), 0) FROM entry";
const PUT_ENTRY: &str = "INSERT INTO entry (revision, at, actor, session, request_id, space, call, cause, moves)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
const PUT_CHANGE: &str =
    "INSERT INTO change (revision, ordinal, space, kind, id, splice) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
const PUT_MOVE: &str = "INSERT INTO pending_move (revision, ordinal, source, target) VALUES (?1, ?2, ?3, ?4)";
const SETTLE: &str = "DELETE FROM pending_move WHERE revision = ?1 AND ordinal = ?2";
const ENTRIES: &str = "SELECT revision, at, actor, session, request_id, space, call, cause, moves FROM entry
    WHERE revision < ?1 AND revision >= ?2 ORDER BY revision DESC";
const CHANGES: &str = "SELECT space, kind, id, splice FROM change WHERE revision = ?1 ORDER BY ordinal";
const CHANGES_OF: &str = "SELECT revision, splice FROM change
    WHERE space = ?1 AND kind = ?2 AND id = ?3 AND revision > ?4 ORDER BY revision DESC";
const MOVES: &str = "SELECT revision, ordinal, source, target FROM pending_move ORDER BY revision, ordinal";

pub(crate) fn head(conn: &Connection) -> Outcome<Revision> {
    Ok(conn.prepare_cached(HEAD)?.query_one([], |row| load_revision(row, 0))?)
}

/// Appends an entry, makes its changes and notes its moves; all changes are checked before any is made.
pub(crate) fn append(conn: &Connection, entry: &NewEntry<'_>) -> Outcome<Revision> {
    let woven = weave(entry.changes, |key| Ok(records::text(conn, key)?))?;
    let revision = Revision(head(conn)?.0 + 1);
    conn.prepare_cached(PUT_ENTRY)?.execute(params![
        number(revision),
        entry.at.as_millis(),
        entry.actor,
        entry.session,
        entry.request_id,
        entry.space.as_str(),
        entry.call,
        word(entry.cause),
        write_moves(entry.moves),
    ])?;
    for (ordinal, change) in (0_u32..).zip(woven) {
        let key = change.key;
        records::put(conn, key, change.after.as_deref(), revision)?;
        conn.prepare_cached(PUT_CHANGE)?.execute(params![
            number(revision),
            ordinal,
            key.space.as_str(),
            key.kind,
            StoredId(&key.id),
            change.splice.to_bytes(),
        ])?;
    }
    for (ordinal, step) in (0_u32..).zip(entry.moves) {
        let (from, to) = (step.from.as_str(), step.to.as_str());
        conn.prepare_cached(PUT_MOVE)?.execute(params![number(revision), ordinal, from, to])?;
    }
    Ok(revision)
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
    let mut statement = conn.prepare_cached(MOVES)?;
    let mut rows = statement.query([])?;
    let mut pending = Vec::new();
    while let Some(row) = rows.next()? {
        let step = FolderMove { from: path(row.get(2)?)?, to: path(row.get(3)?)? };
        pending.push(PendingMove { revision: load_revision(row, 0)?, ordinal: row.get(1)?, step });
    }
    Ok(pending)
}

pub(crate) fn settle_move(conn: &Connection, pending: &PendingMove) -> Outcome<()> {
    conn.prepare_cached(SETTLE)?.execute(params![number(pending.revision), pending.ordinal])?;
    Ok(())
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

fn word(cause: EntryCause) -> &'static str {
    match cause {
        EntryCause::Call => "call",
        EntryCause::Outside => "outside",
        EntryCause::Minor => "minor",
    }
}

fn cause(word: &str) -> Outcome<EntryCause> {
    match word {
        "call" => Ok(EntryCause::Call),
        "outside" => Ok(EntryCause::Outside),
        "minor" => Ok(EntryCause::Minor),
        _ => Err(Fault::corrupt(format!("an entry has the unknown cause {word:?}"))),
    }
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

pub(crate) fn path(text: String) -> Outcome<ProjectPath> {
    ProjectPath::new(text).map_err(|_| Fault::corrupt("a stored path is none"))
}
