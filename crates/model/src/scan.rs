//! Ranges of records.

use crate::RecordId;

/// Which records of one space and kind to read, and in which direction.
///
/// **Order**: by [`RecordId`], forwards or backwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scan {
    /// Backwards from the highest id.
    pub descending: bool,
    /// Start behind this id, in the direction of the scan.
    pub after: Option<RecordId>,
    /// At most so many records.
    pub limit: usize,
}

impl Scan {
    /// Every record, lowest id first.
    pub const fn all() -> Self {
        Self { descending: false, after: None, limit: usize::MAX }
    }

    /// The `limit` records with the highest ids, highest first.
    pub const fn last(limit: usize) -> Self {
        Self { descending: true, after: None, limit }
    }
}
