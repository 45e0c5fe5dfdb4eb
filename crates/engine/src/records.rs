//! Records as a format sees them: a store's reading, with a latch for its failures.

use std::cell::RefCell;

use format::{Records, Visit};
use model::{RecordId, RecordKey, Refusal, Revision, Scan, Space, Value};
use store::{Reads, StoreError, from_text, to_text};

use crate::refusals;

/// Reads records of a store.
///
/// The first failure is kept; from then on every read answers nothing, and [`StoreRecords::check`]
/// throws the thought away.
pub(crate) struct StoreRecords<'a> {
    reads: Option<&'a dyn Reads>,
    failure: RefCell<Option<StoreError>>,
}

impl<'a> StoreRecords<'a> {
    /// Over a store's view or transaction; over nothing for a project without a store.
    pub(crate) fn new(reads: Option<&'a dyn Reads>) -> Self {
        Self { reads, failure: RefCell::new(None) }
    }

    /// Fails if any read so far has failed.
    pub(crate) fn check(&self) -> Result<(), Refusal> {
        self.failure.borrow().as_ref().map_or(Ok(()), |error| Err(refusals::of_store(error)))
    }

    fn attempt<T: Default>(&self, read: impl FnOnce(&dyn Reads) -> Result<T, StoreError>) -> T {
        let Some(reads) = self.reads.filter(|_| self.failure.borrow().is_none()) else {
            return T::default();
        };
        read(reads).unwrap_or_else(|error| {
            *self.failure.borrow_mut() = Some(error);
            T::default()
        })
    }
}

impl Records for StoreRecords<'_> {
    fn get(&self, key: &RecordKey) -> Option<Value> {
        self.attempt(|reads| reads.record(key)).map(|record| record.value)
    }

    fn scan(&self, space: &Space, kind: &'static str, scan: &Scan) -> Vec<(RecordId, Value)> {
        let records = self.attempt(|reads| reads.scan(space, kind, scan));
        records.into_iter().map(|record| (record.id, record.value)).collect()
    }

    fn texts(&self, space: &Space, kind: &'static str, visit: &mut Visit<'_>) {
        self.attempt(|reads| {
            reads.texts(space, kind, &mut |id, text| {
                visit(id, text).map_err(|error| StoreError::Corrupt(format!("a stored {kind} is not JSON: {error}")))
            })
        });
    }

    fn earlier(&self, key: &RecordKey, wanted: &mut dyn FnMut(&Value) -> bool) -> Option<Value> {
        self.attempt(|reads| earlier(reads, key, wanted))
    }
}

fn earlier(
    reads: &dyn Reads,
    key: &RecordKey,
    wanted: &mut dyn FnMut(&Value) -> bool,
) -> Result<Option<Value>, StoreError> {
    let mut value = reads.record(key)?.map(|record| record.value);
    if value.as_ref().is_some_and(&mut *wanted) {
        return Ok(value);
    }
    let mut text = value.as_ref().map(to_text).transpose()?;
    for (revision, splice) in reads.changes_of(key, Revision(0))? {
        text = splice
            .unapply(text.as_deref())
            .map_err(|error| StoreError::Corrupt(format!("{key}, revision {revision}: {error}")))?;
        value = text.as_deref().map(from_text).transpose()?;
        if value.as_ref().is_some_and(&mut *wanted) {
            return Ok(value);
        }
    }
    Ok(None)
}
