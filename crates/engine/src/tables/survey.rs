//! Under the lock: is it our file, do tables and triggers stand, what waits in the inbox.

use std::path::Path;

use format::{RowsSeen, TableImage};
use model::{Refusal, RefusalClass, Revision, TableRows, Timestamp};
use store::TableState;

use super::compare::{self, Because};
use super::safety::{self, Rest};
use super::schema::{self, Meta};
use super::session::TableSession;
use super::{VERSION, drain, rows};
use crate::refusals;

/// What is remembered of the file that says `meta` of itself, wherever it lies now.
///
/// Nonce and revision in the file play the part that digests play for image files: equal to the
/// intended revision, it is ours; before it, back to the confirmed one, our rows are to be written
/// again; anything else is a file that someone put there. In between lie the revisions of commits
/// that were made while the space had its table image elsewhere, or none.
pub(super) fn ours<'a>(meta: Option<&Meta>, states: &'a [TableState]) -> Option<&'a TableState> {
    let meta = meta?;
    let fits = |state: &&TableState| (state.confirmed.0..=state.intended.0).contains(&meta.revision);
    states.iter().filter(|state| state.nonce == meta.nonce).find(fits)
}

/// The file was written by a newer program.
pub(super) fn too_new(place: &Path, version: i64) -> Refusal {
    let message =
        format!("{} has Mainstay's tables in version {version}; this program knows {VERSION}", place.display());
    Refusal::new(RefusalClass::Unavailable, "schema_too_new", message).hint("update mainstay")
}

/// Where the rows come from that the file should hold.
pub(crate) struct Expected<'a> {
    /// The rows of all records.
    pub(crate) all: &'a mut dyn FnMut() -> Result<TableRows, Refusal>,
    /// The rows that entries after a revision changed.
    pub(crate) since: &'a mut dyn FnMut(Revision) -> Result<TableRows, Refusal>,
    /// A fresh identity for a file that has none of ours.
    pub(crate) nonce: &'a mut dyn FnMut() -> String,
    /// The newest entry before this request.
    pub(crate) head: Revision,
}

/// Tables to be filled, and tables to be compared with the records.
#[derive(Default)]
struct Work {
    fill: Vec<&'static TableImage>,
    weigh: Vec<&'static TableImage>,
}

impl Work {
    fn is_empty(&self) -> bool {
        self.fill.is_empty() && self.weigh.is_empty()
    }

    /// The tables that were gone.
    fn restored(&self) -> Vec<&'static str> {
        self.fill.iter().map(|image| image.table).collect()
    }
}

impl TableSession {
    /// Makes tables, inbox and triggers stand, and drains the inbox.
    ///
    /// What a crash left out is written again before. Answers what waits for `take_in`; `None` when
    /// nothing does.
    ///
    /// **Errors**: `db_corrupt`, `schema_too_new`, `backend_unavailable`, `store_busy`.
    pub(crate) fn survey(
        &mut self,
        states: &[TableState],
        now: Timestamp,
        expected: &mut Expected<'_>,
    ) -> Result<Option<RowsSeen>, Refusal> {
        let place = self.place.clone();
        let failed = |error: rusqlite::Error| refusals::of_table(&place, &error);
        let found = schema::read_meta(&self.connection).map_err(failed)?;
        self.said.clone_from(&found);
        if let Some(meta) = &found
            && meta.version > VERSION
        {
            return Err(too_new(&self.place, meta.version));
        }
        let known = states.iter().any(|state| Path::new(&state.place) == self.place);
        let state = ours(found.as_ref(), states);
        let mut seen = RowsSeen { first_contact: false, rows: Vec::new(), restored: Vec::new(), highest: Vec::new() };
        let cookie = schema::cookie(&self.connection).map_err(failed)?;
        let looked_at = if let (Some(state), Some(meta)) = (state, found) {
            self.meta = meta;
            let work = if self.meta.cookie == cookie { Work::default() } else { self.stand(true)? };
            if self.meta.revision != state.intended.0 {
                self.catch_up(state, now, expected)?;
            }
            self.compare(&work, Because::Unwatched, expected)?;
            seen.restored = work.restored();
            !work.is_empty()
        } else {
            let because = if known { Because::Replaced } else { Because::FirstContact };
            let work = self.adopt(because, expected)?;
            seen.first_contact = because == Because::FirstContact;
            if known {
                seen.restored = work.restored();
            }
            true
        };

        self.drained = drain::drain(&self.connection, self.source.tables, &mut seen.rows).map_err(failed)?;
        self.dirty |= self.drained > 0;
        if looked_at || !seen.rows.is_empty() {
            seen.highest = drain::highest(&self.connection, self.source.tables).map_err(failed)?;
        }
        Ok((looked_at || !seen.rows.is_empty()).then_some(seen))
    }

    // A file that is not ours becomes ours in a commit of its own: identity, triggers, and what
    // differs from the records as rows of the inbox. Were it one commit with the request's rows, a
    // crash between the store's commit and the file's would leave a file without identity, and its
    // old rows would be taken for edits of what the request has just written.
    fn adopt(&mut self, because: Because, expected: &mut Expected<'_>) -> Result<Work, Refusal> {
        let place = self.place.clone();
        let failed = |error: rusqlite::Error| refusals::of_table(&place, &error);
        let work = self.stand(false)?;
        self.compare(&work, because, expected)?;
        self.meta = Meta { version: VERSION, nonce: (expected.nonce)(), revision: expected.head.0, cookie: 0 };
        self.meta.cookie = schema::cookie(&self.connection).map_err(failed)?;
        schema::write_meta(&self.connection, &self.meta, None).map_err(failed)?;
        safety::commit(&self.connection, &self.place, Rest::InTheLog).map_err(failed)?;
        self.connection.execute_batch("BEGIN IMMEDIATE").map_err(failed)?;
        self.said = None;
        self.dirty = true;
        Ok(work)
    }

    fn compare(&mut self, work: &Work, because: Because, expected: &mut Expected<'_>) -> Result<(), Refusal> {
        if work.is_empty() {
            return Ok(());
        }
        let all = (expected.all)()?;
        rows::fill(&self.connection, &work.fill, &all)
            .and_then(|()| compare::into_inbox(&self.connection, &work.weigh, &all, because))
            .map_err(|error| refusals::of_table(&self.place, &error))
    }

    // What was drained before the crash is in the records already: its inbox rows only leave.
    fn catch_up(&mut self, state: &TableState, now: Timestamp, expected: &mut Expected<'_>) -> Result<(), Refusal> {
        let mut missing = (expected.since)(self.revision())?;
        // What others changed since then stands in the table and is taken in right after.
        let newer = drain::keys_after(&self.connection, state.drained)
            .map_err(|error| refusals::of_table(&self.place, &error))?;
        missing.rows.retain(|row| !newer.contains(&drain::row_name(row.table, &row.key)));
        self.write(&missing, now)?;
        self.dirty = true;
        self.connection
            .execute("DELETE FROM mainstay_inbox WHERE refused IS NULL AND seq <= ?1", [state.drained])
            .map_err(|error| refusals::of_table(&self.place, &error))?;
        Ok(())
    }

    fn stand(&mut self, ours: bool) -> Result<Work, Refusal> {
        let place = self.place.clone();
        let failed = |error: rusqlite::Error| refusals::of_table(&place, &error);
        let master = schema::master(&self.connection).map_err(failed)?;
        self.stood = true;
        let mut work = Work::default();
        if ours && schema::stands(self.source.tables, &master) {
            return Ok(work);
        }
        self.dirty = true;
        for (name, text, columns) in schema::OWN {
            match master.get(*name) {
                None => self.connection.execute_batch(text).map_err(failed)?,
                Some((kind, _)) => self.fits(name, kind, columns.iter().copied())?,
            }
        }
        for image in self.source.tables {
            match master.get(image.table) {
                None => {
                    self.connection.execute_batch(&schema::create_table(image)).map_err(failed)?;
                    work.fill.push(image);
                }
                Some((kind, _)) => {
                    self.fits(image.table, kind, image.columns.iter().map(|column| column.name))?;
                    if !ours || !schema::triggers_stand(image, &master) {
                        work.weigh.push(image);
                    }
                }
            }
            for (name, text) in schema::triggers(image) {
                // A dropped table takes its triggers with it, so all of them are made again.
                self.connection.execute_batch(&format!("DROP TRIGGER IF EXISTS {name}")).map_err(failed)?;
                self.connection.execute_batch(&text).map_err(failed)?;
            }
        }
        Ok(work)
    }

    // What stands under a name of ours has to be a table with our columns; others it may have too.
    fn fits<'a>(&self, name: &str, kind: &str, columns: impl IntoIterator<Item = &'a str>) -> Result<(), Refusal> {
        let failed = |error: rusqlite::Error| refusals::of_table(&self.place, &error);
        let why = if kind != "table" {
            Some(format!("{name} is a {kind}, not a table"))
        } else if !schema::has_rowid(&self.connection, name).map_err(failed)? {
            Some(format!("the table {name} is WITHOUT ROWID"))
        } else {
            let missing = schema::missing_column(&self.connection, name, columns).map_err(failed)?;
            missing.map(|column| format!("the table {name} has no column {column}"))
        };
        why.map_or(Ok(()), |why| Err(refusals::table_corrupt(&self.place, &why)))
    }
}
