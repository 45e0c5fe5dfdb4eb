//! The table image of a space within one write.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use format::{Format, RowsSeen, Sources};
use model::{
    Cell, Change, Entry, RecordKey, Refusal, Revision, RowImage, Scan, Space, TableRows, Timestamp, Value, Warning,
};
use store::{EntryPage, Reads, TableState, Txn, Unwinder};

use crate::engine::Engine;
use crate::locks::Deadline;
use crate::tables::{self, Expected, TableSession};
use crate::take_in::TakenIn;
use crate::{clock, refusals};

/// A space's table image with the open transaction on its file.
pub(crate) struct Tabled {
    pub(crate) space: Space,
    session: TableSession,
    states: Vec<TableState>,
    /// The revision that the file shows once the session commits; `None` leaves the file alone.
    shows: Option<Revision>,
    warnings: Vec<Warning>,
}

/// Begins the transaction on the file of a space that has a table image.
pub(crate) fn begin_tables(
    engine: &Engine,
    space: &Space,
    sources: &Sources,
    deadline: Deadline,
) -> Result<Option<Tabled>, Refusal> {
    let Some(source) = &sources.table else { return Ok(None) };
    let place = tables::locate(engine.root(), source)?;
    let session = TableSession::begin(place, source.clone(), deadline.left())?;
    Ok(Some(Tabled { space: space.clone(), session, states: Vec::new(), shows: None, warnings: Vec::new() }))
}

impl Tabled {
    /// Brings the file in order and answers what waits in it.
    ///
    /// A file that is not ours yet is adopted in a commit of its own, before the store's. So where `is_import`, and
    /// all that the store holds was brought in by this very request, it is adopted as the file of an empty project.
    pub(crate) fn survey(
        &mut self,
        format: &dyn Format,
        reads: &dyn Reads,
        is_import: bool,
        now: Timestamp,
    ) -> Result<Option<RowsSeen>, Refusal> {
        self.states = reads.tables(&self.space).map_err(|error| refusals::of_store(&error))?;
        let head = if is_import { Ok(Revision(0)) } else { reads.head() };
        let head = head.map_err(|error| refusals::of_store(&error))?;
        let space = self.space.clone();
        let tables = self.session.tables();
        let mut all = || {
            if is_import {
                return Ok(TableRows::default());
            }
            all_rows(format, reads, &space, tables.iter().map(|table| table.kind))
        };
        let mut since = |revision| changed_rows(format, reads, &space, revision);
        let mut expected = Expected { all: &mut all, since: &mut since, nonce: &mut clock::random, head };
        self.session.survey(&self.states, now, &mut expected)
    }

    /// Writes the rows of a batch into the open transaction.
    ///
    /// The store gets what the file is meant to show. Answers whether it has something to commit.
    pub(crate) fn record(
        &mut self,
        format: &dyn Format,
        txn: &mut dyn Txn,
        taken: &TakenIn,
        changes: &[Change],
        head: Revision,
        now: Timestamp,
    ) -> Result<bool, Refusal> {
        let mut outside = format.rows(&taken.changes);
        outside.rows.retain(|row| taken.writes(row));
        for row in self.session.write_outside(outside, now)? {
            self.warnings.push(not_allowed(&row));
        }
        let own: Vec<Change> = changes.iter().filter(|change| change.key.space == self.space).cloned().collect();
        self.session.write(&format.rows(&own), now)?;
        if !self.session.is_dirty() {
            return Ok(false);
        }
        let known = self.states.iter().find(|state| state.nonce == self.session.nonce());
        let state = TableState {
            place: self.place(),
            space: self.space.clone(),
            nonce: self.session.nonce().to_owned(),
            confirmed: self.session.revision(),
            intended: head,
            drained: known.map_or(0, |state| state.drained).max(self.session.drained()),
        };
        self.shows = Some(head);
        txn.put_table(&state).map_err(|error| refusals::of_store(&error))?;
        Ok(true)
    }

    /// The file.
    pub(crate) fn place(&self) -> String {
        self.session.place().to_string_lossy().into_owned()
    }

    /// Commits the files; one that fails is stale and the next request mends it.
    ///
    /// Answers also what is to be remembered, as name and value, to know the files again.
    pub(crate) fn commit_all(tabled: Vec<Self>) -> (Vec<Warning>, Vec<(String, String)>) {
        let (mut warnings, mut marks) = (Vec::new(), Vec::new());
        for mut one in tabled {
            warnings.append(&mut one.warnings);
            let Some(head) = one.shows else { continue };
            let (place, name) = (one.place(), tables::mark_name(one.session.place()));
            match one.session.commit(head) {
                Ok(mark) => marks.extend(mark.map(|mark| (name, mark))),
                Err(refusal) => {
                    let why = refusal.message;
                    let message = format!("{place} could not be written ({why}); the next command mends it");
                    warnings.push(Warning::new("image_stale", message).with("path", place));
                }
            }
        }
        (warnings, marks)
    }
}

/// Remembers that a commit changed a space while a file of its table image was away.
///
/// Configuration took the file out, or put another in its place. When it comes back it is found
/// behind and gets the rows of the commits in between. `present` is the file that is not away.
pub(crate) fn leave_behind(
    txn: &mut dyn Txn,
    space: &Space,
    present: Option<&str>,
    head: Revision,
) -> Result<(), Refusal> {
    let of_store = |error| refusals::of_store(&error);
    for state in txn.tables(space).map_err(of_store)? {
        if Some(state.place.as_str()) != present {
            txn.put_table(&TableState { intended: head, ..state }).map_err(of_store)?;
        }
    }
    Ok(())
}

fn not_allowed(row: &RowImage) -> Warning {
    let key = match &row.key {
        Cell::Text(text) => text.clone(),
        Cell::Integer(number) => number.to_string(),
        other => format!("{other:?}"),
    };
    let message = format!("the table {} does not allow the row of {key}; the record has it all the same", row.table);
    Warning::new("row_not_allowed", message).with("table", row.table).with("key", key)
}

// The rows of all records, as if each had just been made.
fn all_rows(
    format: &dyn Format,
    reads: &dyn Reads,
    space: &Space,
    kinds: impl Iterator<Item = &'static str>,
) -> Result<TableRows, Refusal> {
    let mut changes = Vec::new();
    for kind in kinds {
        let records = reads.scan(space, kind, &Scan::all()).map_err(|error| refusals::of_store(&error))?;
        changes.extend(records.into_iter().map(|record| Change {
            key: RecordKey::new(space.clone(), kind, record.id),
            before: None,
            after: Some(record.value),
        }));
    }
    Ok(format.rows(&changes))
}

// The rows of the records that entries after `revision` changed, from first before to last after.
fn changed_rows(
    format: &dyn Format,
    reads: &dyn Reads,
    space: &Space,
    revision: Revision,
) -> Result<TableRows, Refusal> {
    let mut entries: Vec<Entry> = Vec::new();
    let page = EntryPage { before: None, down_to: Revision(revision.0 + 1) };
    let mut keep = |entry| {
        entries.push(entry);
        ControlFlow::Continue(())
    };
    Unwinder::new(reads)
        .walk(&page, &|_| ControlFlow::Continue(true), &mut keep)
        .map_err(|error| refusals::of_store(&error))?;
    let mut order = Vec::new();
    let mut merged: BTreeMap<RecordKey, (Option<Value>, Option<Value>)> = BTreeMap::new();
    for entry in entries.into_iter().rev() {
        for change in entry.changes.into_iter().filter(|change| change.key.space == *space) {
            if let Some((_, after)) = merged.get_mut(&change.key) {
                *after = change.after;
            } else {
                order.push(change.key.clone());
                merged.insert(change.key, (change.before, change.after));
            }
        }
    }
    let changes: Vec<Change> = order
        .into_iter()
        .map(|key| {
            let (before, after) = merged.remove(&key).expect("every key in the order was merged");
            Change { key, before, after }
        })
        .collect();
    Ok(format.rows(&changes))
}
