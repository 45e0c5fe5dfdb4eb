//! What a store keeps beside records: journal rows, receipts, and the engine's memory of images.

use model::{EntryCause, FolderMove, Object, ProjectPath, RecordKey, Revision, Space, Timestamp};

use crate::Splice;

/// An entry as it is stored: every change as one splice.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredEntry {
    /// Its revision.
    pub revision: Revision,
    /// The clock of the request.
    pub at: Timestamp,
    /// Who did it.
    pub actor: String,
    /// The session, if any.
    pub session: Option<String>,
    /// The idempotency key, if any.
    pub request_id: Option<String>,
    /// The space that the call was about.
    pub space: Space,
    /// The tool, or `take_in`.
    pub call: String,
    /// Why it exists.
    pub cause: EntryCause,
    /// The records that changed.
    pub changes: Vec<StoredChange>,
    /// The folders that moved.
    pub moves: Vec<FolderMove>,
    /// The entries that it takes back, newest first.
    pub takes_back: Vec<Revision>,
}

/// A revision that has a name: what was recorded up to it can be brought back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// Its id: `c1`, `c2`, … in the order in which they were made.
    pub id: String,
    /// The revision.
    pub revision: Revision,
    /// What it was called, if anything.
    pub label: Option<String>,
    /// The space that it was made for; all of them without one.
    pub space: Option<Space>,
    /// When it was made.
    pub at: Timestamp,
    /// Who made it.
    pub actor: String,
}

/// One record's change as it is stored.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredChange {
    /// The record.
    pub key: RecordKey,
    /// How its value's text changed.
    pub splice: Splice,
}

/// Proof that a request was carried out, so that its repeat is not.
#[derive(Clone, Debug, PartialEq)]
pub struct Receipt {
    /// The tool.
    pub tool: String,
    /// The caller's idempotency key.
    pub request_id: String,
    /// A digest of the arguments; the same key with other arguments is an error.
    pub digest: String,
    /// When it was carried out.
    pub at: Timestamp,
    /// The head of the journal right after it.
    pub revision: Revision,
    /// The reply, unless it is so large that it is computed again.
    pub reply: Option<Object>,
}

/// What stood in an image file at some moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mark {
    /// No file.
    Absent,
    /// Bytes with this digest (SHA-256, lower-case hexadecimal).
    Digest(String),
}

/// What the engine remembers of one image file.
///
/// After a crash, bytes that match `intended` are ours, bytes that match `confirmed` are to be
/// published again, and anything else is an outside edit of the confirmed bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageState {
    /// The file.
    pub path: ProjectPath,
    /// The space that it shows.
    pub space: Space,
    /// What was last published or taken in.
    pub confirmed: Mark,
    /// What a commit meant to publish, until that has happened.
    pub intended: Option<Mark>,
}

/// What the engine remembers of a table image's file.
///
/// The file itself carries the same nonce and the revision of its rows, written in one transaction
/// with them; comparing the two tells whether rows of ours are missing or the file was replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableState {
    /// The absolute path of the file.
    pub place: String,
    /// The space that it shows.
    pub space: Space,
    /// The identity that we gave the file.
    pub nonce: String,
    /// The revision whose rows the file held when it was last seen in order.
    pub confirmed: Revision,
    /// The revision whose rows a commit meant to write.
    pub intended: Revision,
    /// The highest inbox number that has been taken in.
    pub drained: i64,
}

/// A folder move that is committed and may not have happened yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingMove {
    /// The entry that decided it.
    pub revision: Revision,
    /// Its place among the moves of that entry, from 0.
    pub ordinal: u32,
    /// The move.
    pub step: FolderMove,
}
