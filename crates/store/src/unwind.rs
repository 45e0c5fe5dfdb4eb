//! Unwinding: from splices back to the values before and after each change.

use std::collections::{HashMap, VecDeque};
use std::ops::ControlFlow;

use model::{Change, Entry, RecordKey, Revision, Value};

use crate::{EntryPage, Reads, Splice, StoreError, StoredEntry, from_text, to_text};

/// Turns stored entries into entries with values, walking back from the present.
///
/// Entries are cheapest newest first, with or without gaps; any other order answers the same and
/// costs more. It remembers one text for every record that it met.
pub struct Unwinder<'a> {
    reads: &'a dyn Reads,
    reached: HashMap<RecordKey, Reached>,
}

/// How far back one record has been unwound.
struct Reached {
    /// `text` is the value right before this entry.
    revision: Revision,
    text: Option<String>,
    /// Changes older than `revision` that are not yet undone, newest first.
    ahead: VecDeque<(Revision, Splice)>,
    /// `ahead` lacks no change that is newer than this.
    complete_down_to: Revision,
    /// Where the walk began.
    start: Revision,
}

impl<'a> Unwinder<'a> {
    /// Starts at the records as `reads` shows them.
    pub fn new(reads: &'a dyn Reads) -> Self {
        Self { reads, reached: HashMap::new() }
    }

    /// Walks entries newest first, each with its values, until `choose` or `visit` breaks.
    ///
    /// What `choose` leaves out costs nothing but its reading.
    pub fn walk(
        &mut self,
        page: &EntryPage,
        choose: &dyn Fn(&StoredEntry) -> ControlFlow<(), bool>,
        visit: &mut dyn FnMut(Entry) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        let reads = self.reads;
        let mut failure = None;
        reads.entries(page, &mut |stored| {
            if !choose(&stored)? {
                return ControlFlow::Continue(());
            }
            match self.entry(stored) {
                Ok(entry) => visit(entry),
                Err(error) => {
                    failure = Some(error);
                    ControlFlow::Break(())
                }
            }
        })?;
        failure.map_or(Ok(()), Err)
    }

    /// The entry with the values before and after each of its changes.
    ///
    /// **Errors**: [`StoreError::Corrupt`] when journal and records do not fit together.
    pub fn entry(&mut self, stored: StoredEntry) -> Result<Entry, StoreError> {
        let mut changes = Vec::with_capacity(stored.changes.len());
        for change in stored.changes {
            let (before, after) =
                self.step(&change.key, stored.revision, &change.splice).map_err(|error| match error {
                    StoreError::Corrupt(what) => {
                        StoreError::Corrupt(format!("{}, revision {}: {what}", change.key, stored.revision))
                    }
                    other => other,
                })?;
            changes.push(Change { key: change.key, before, after });
        }
        Ok(Entry {
            revision: stored.revision,
            at: stored.at,
            actor: stored.actor,
            session: stored.session,
            request_id: stored.request_id,
            space: stored.space,
            call: stored.call,
            cause: stored.cause,
            changes,
            moves: stored.moves,
            takes_back: stored.takes_back,
        })
    }

    /// The records that have been unwound.
    ///
    /// Each with its text right before the oldest entry visited that changed it.
    pub(crate) fn reached(&self) -> impl Iterator<Item = (&RecordKey, Option<&str>)> {
        self.reached.iter().map(|(key, reached)| (key, reached.text.as_deref()))
    }

    /// Whether an entry visited changed the record.
    pub(crate) fn has_met(&self, key: &RecordKey) -> bool {
        self.reached.contains_key(key)
    }

    fn step(
        &mut self,
        key: &RecordKey,
        revision: Revision,
        splice: &Splice,
    ) -> Result<(Option<Value>, Option<Value>), StoreError> {
        if self.reached.get(key).is_none_or(|reached| reached.revision <= revision) {
            self.reached.insert(key.clone(), Reached::present(self.reads, key)?);
        }
        let reached = self.reached.get_mut(key).expect("it was put there above");
        reached.catch_up(self.reads, key, revision)?;
        let after = reached.text.as_deref().map(from_text).transpose()?;
        reached.undo(revision, splice)?;
        let before = reached.text.as_deref().map(from_text).transpose()?;
        Ok((before, after))
    }
}

impl Reached {
    /// The record as it is now.
    fn present(reads: &dyn Reads, key: &RecordKey) -> Result<Self, StoreError> {
        let record = reads.record(key)?;
        let newest = match &record {
            Some(record) => record.revision,
            None => reads.head()?,
        };
        Ok(Self {
            revision: Revision(u64::MAX),
            text: record.map(|record| to_text(&record.value)).transpose()?,
            ahead: VecDeque::new(),
            complete_down_to: newest,
            start: newest,
        })
    }

    /// Undoes every change that is newer than `revision`.
    fn catch_up(&mut self, reads: &dyn Reads, key: &RecordKey, revision: Revision) -> Result<(), StoreError> {
        if self.complete_down_to > revision {
            // Each query repeats what earlier ones answered, so each reaches twice as far back.
            let distance = self.start.0 - revision.0;
            let floor = Revision(revision.0.saturating_sub(distance));
            let changes = reads.changes_of(key, floor)?;
            self.ahead = changes.into_iter().filter(|(at, _)| *at < self.revision).collect();
            self.complete_down_to = floor;
        }
        while let Some((at, splice)) = self.ahead.pop_front_if(|(at, _)| *at > revision) {
            self.undo(at, &splice)?;
        }
        Ok(())
    }

    fn undo(&mut self, revision: Revision, splice: &Splice) -> Result<(), StoreError> {
        self.text = splice.unapply(self.text.as_deref())?;
        self.revision = revision;
        self.ahead.pop_front_if(|(at, _)| *at == revision);
        Ok(())
    }
}
