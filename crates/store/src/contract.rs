//! The contract of a store.

use std::ops::ControlFlow;
use std::path::Path;

use model::{Change, EntryCause, FolderMove, Record, RecordId, RecordKey, Revision, Scan, Space, Timestamp};

use crate::{
    Checkpoint, ImageState, Keepsake, KeepsakeKind, PendingMove, Receipt, Splice, StoreError, StoredEntry, TableState,
};

/// One project's durable state.
pub trait Store: Send + Sync {
    /// Opens a consistent view: it does not see commits that happen after it was opened.
    fn read(&self) -> Result<Box<dyn Reads + '_>, StoreError>;

    /// Opens the project's one write transaction.
    ///
    /// **Isolation**: from here to commit no other transaction writes, and reads see what this one
    /// wrote. Dropping it without [`Txn::commit`] undoes everything. Callers queue in front of it;
    /// a transaction that finds another one open answers [`StoreError::Busy`] after a short wait.
    fn begin(&self) -> Result<Box<dyn Txn + '_>, StoreError>;

    /// Looks for damage; answers one line for each problem, none when the store is sound.
    ///
    /// Reads everything, so it is for `doctor` alone.
    fn check(&self) -> Result<Vec<String>, StoreError>;

    /// Whether this is still the store that stands at its place.
    ///
    /// One whose files were removed or replaced goes on by itself: what it commits, nobody finds.
    fn is_current(&self) -> bool;

    /// The damage that was found when the store was opened: reads show what lies before it, writes are refused.
    fn damage(&self) -> Option<StoreDamage>;

    /// How much room the store takes.
    fn size(&self) -> Result<StoreSize, StoreError>;

    /// Writes a consistent copy of everything into `file`, which is empty, while others write on.
    ///
    /// The copy is safe on disk, is one file, and was opened and looked through when this returns.
    /// Answers the revision that it holds.
    fn backup(&self, file: &Path) -> Result<Revision, StoreError>;

    /// Gives back room that nothing needs any more; writers wait meanwhile.
    fn compact(&self) -> Result<(), StoreError>;
}

/// How much room a store takes.
///
/// **Units**: bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoreSize {
    /// What has its final place.
    pub database_bytes: u64,
    /// The log of commits that are yet to be moved there.
    pub wal_bytes: u64,
}

/// Damage that hides commits from every reader and is not to be made worse by a write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreDamage {
    /// What is wrong, for people.
    pub what: String,
    /// How many commits are hidden, as far as that can be told.
    pub commits: u64,
}

/// Reading, within a view or a transaction.
pub trait Reads {
    /// One record.
    fn record(&self, key: &RecordKey) -> Result<Option<Record>, StoreError>;

    /// A range of one kind. **Order**: by [`model::RecordId`].
    fn scan(&self, space: &Space, kind: &str, scan: &Scan) -> Result<Vec<Record>, StoreError>;

    /// Hands out every record of one kind with the text of its value. **Order**: by [`model::RecordId`].
    ///
    /// **Errors**: what `visit` answers, too.
    fn texts(
        &self,
        space: &Space,
        kind: &str,
        visit: &mut dyn FnMut(RecordId, &str) -> Result<(), StoreError>,
    ) -> Result<(), StoreError>;

    /// The kinds that a space holds records of, sorted by bytes.
    fn kinds(&self, space: &Space) -> Result<Vec<String>, StoreError>;

    /// The spaces that hold records, sorted by bytes.
    fn spaces(&self) -> Result<Vec<Space>, StoreError>;

    /// The revision of the newest entry; 0 before the first.
    fn head(&self) -> Result<Revision, StoreError>;

    /// Walks entries newest first until `visit` breaks.
    ///
    /// From `page.before` (exclusive) down to `page.down_to` (inclusive).
    fn entries(
        &self,
        page: &EntryPage,
        visit: &mut dyn FnMut(StoredEntry) -> ControlFlow<()>,
    ) -> Result<(), StoreError>;

    /// The entries newer than `after`, at most `limit` of them. **Order**: oldest first.
    fn entries_after(&self, after: Revision, limit: usize) -> Result<Vec<StoredEntry>, StoreError>;

    /// The changes of one record in entries newer than `after`, newest first.
    fn changes_of(&self, key: &RecordKey, after: Revision) -> Result<Vec<(Revision, Splice)>, StoreError>;

    /// The receipt of a request.
    fn receipt(&self, tool: &str, request_id: &str) -> Result<Option<Receipt>, StoreError>;

    /// What is remembered of the image files of a space, sorted by path.
    fn images(&self, space: &Space) -> Result<Vec<ImageState>, StoreError>;

    /// The bytes kept under a digest.
    fn blob(&self, digest: &str) -> Result<Option<Vec<u8>>, StoreError>;

    /// What is remembered of the files that hold, or held, the table image of a space, sorted by place.
    fn tables(&self, space: &Space) -> Result<Vec<TableState>, StoreError>;

    /// Folder moves that are committed and not yet known to have happened, in order.
    fn pending_moves(&self) -> Result<Vec<PendingMove>, StoreError>;

    /// The checkpoints. **Order**: oldest revision first, then as they were made.
    fn checkpoints(&self) -> Result<Vec<Checkpoint>, StoreError>;

    /// The oldest entry whose reply would be computed again from it, as a receipt says.
    fn oldest_computed(&self) -> Result<Option<Revision>, StoreError>;

    /// A small named value of the engine's own.
    fn meta(&self, name: &str) -> Result<Option<String>, StoreError>;

    /// Hands out every row of a kind that can be read; answers whether those were all.
    ///
    /// Damage ends nothing: what lies behind it is handed out as well, and a row may come twice.
    fn keepsakes(&self, kind: KeepsakeKind, visit: &mut dyn FnMut(Keepsake)) -> Result<bool, StoreError>;
}

/// Writing. Nothing is visible to others, or safe, before [`Txn::commit`] returns.
pub trait Txn: Reads {
    /// Appends an entry and makes its changes; answers its revision.
    ///
    /// **Errors**: [`StoreError::Conflict`] when a change's `before` is not what is stored.
    fn append(&mut self, entry: &NewEntry<'_>) -> Result<Revision, StoreError>;

    /// Appends an entry just as it was stored elsewhere, and makes its changes; its folder moves have happened.
    ///
    /// **Errors**: [`StoreError::Conflict`] when a splice does not fit the value that is stored, or
    /// when the revision is not higher than that of the newest entry.
    fn replay(&mut self, entry: &StoredEntry) -> Result<(), StoreError>;

    /// Puts `baseline` in the place of all entries behind `after` and up to its own revision.
    ///
    /// Invariant: its changes amount to theirs, so records stay as they are.
    fn fold(&mut self, after: Revision, baseline: &StoredEntry) -> Result<(), StoreError>;

    /// Remembers a checkpoint.
    fn put_checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<(), StoreError>;

    /// Forgets a checkpoint.
    fn delete_checkpoint(&mut self, id: &str) -> Result<(), StoreError>;

    /// Keeps a receipt.
    fn put_receipt(&mut self, receipt: &Receipt) -> Result<(), StoreError>;

    /// Drops receipts older than `before`.
    fn drop_receipts(&mut self, before: Timestamp) -> Result<(), StoreError>;

    /// Remembers an image, replacing what was remembered of its path.
    fn put_image(&mut self, image: &ImageState) -> Result<(), StoreError>;

    /// Forgets an image.
    fn delete_image(&mut self, image: &ImageState) -> Result<(), StoreError>;

    /// Keeps bytes under their digest; keeping them twice is keeping them once.
    fn put_blob(&mut self, digest: &str, bytes: &[u8]) -> Result<(), StoreError>;

    /// Drops the bytes of a digest, unless an image still has it as its confirmed or intended mark.
    fn delete_blob(&mut self, digest: &str) -> Result<(), StoreError>;

    /// Remembers a table image, replacing what was remembered of its space and place.
    fn put_table(&mut self, table: &TableState) -> Result<(), StoreError>;

    /// Remembers that a move is pending, as a store did that this one takes the place of.
    fn put_move(&mut self, pending: &PendingMove) -> Result<(), StoreError>;

    /// Forgets that a move is pending: it has happened.
    fn settle_move(&mut self, pending: &PendingMove) -> Result<(), StoreError>;

    /// Sets or (with `None`) removes a small named value of the engine's own.
    fn put_meta(&mut self, name: &str, value: Option<&str>) -> Result<(), StoreError>;

    /// Marks a point to which [`Txn::rollback`] returns. Savepoints do not nest.
    fn savepoint(&mut self) -> Result<(), StoreError>;

    /// Forgets the savepoint and keeps what was written since.
    fn release(&mut self) -> Result<(), StoreError>;

    /// Undoes what was written since the savepoint, and forgets it.
    fn rollback(&mut self) -> Result<(), StoreError>;

    /// Makes everything durable and visible, or nothing.
    fn commit(self: Box<Self>) -> Result<(), StoreError>;
}

/// An entry on its way into the journal; its moves become pending moves.
#[derive(Clone, Copy, Debug)]
pub struct NewEntry<'a> {
    /// The clock of the request.
    pub at: Timestamp,
    /// Who does it.
    pub actor: &'a str,
    /// The session, if any.
    pub session: Option<&'a str>,
    /// The idempotency key, if any.
    pub request_id: Option<&'a str>,
    /// The space that the call is about.
    pub space: &'a Space,
    /// The tool, or `take_in`.
    pub call: &'a str,
    /// Why it exists.
    pub cause: EntryCause,
    /// The records to change, no key twice.
    pub changes: &'a [Change],
    /// The folders to move, in order.
    pub moves: &'a [FolderMove],
    /// The entries that it takes back, newest first.
    pub takes_back: &'a [Revision],
}

/// A stretch of the journal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EntryPage {
    /// Only entries older than this one.
    pub before: Option<Revision>,
    /// The oldest entry wanted; 0 or 1 for all.
    pub down_to: Revision,
}

/// Finds or makes the store of a project in the folder that the engine keeps for it.
pub trait Opener: Send + Sync {
    /// Opens the store that stands in `folder`; `None` when there is none yet. Creates nothing.
    fn open(&self, folder: &Path) -> Result<Option<Box<dyn Store>>, StoreError>;

    /// Puts the store of the folder `with` in the place of the one in `folder`, in one step.
    ///
    /// The old one may be damaged; nobody has the new one open.
    /// **Errors**: then the old one stands in its place, unless `with` holds none any more.
    fn replace(&self, folder: &Path, with: &Path) -> Result<(), StoreError>;

    /// Copies the files of a store, damaged or not, into the folder `copy`, and makes them safe.
    fn copy_files(&self, folder: &Path, copy: &Path) -> Result<(), StoreError>;

    /// Opens a copy of a damaged store, to read what can still be read of it; may change the copy for that.
    fn open_copy(&self, folder: &Path) -> Result<Option<Box<dyn Store>>, StoreError>;

    /// Opens the store that stands in `folder`, making one first if there is none.
    fn create(&self, folder: &Path) -> Result<Box<dyn Store>, StoreError>;
}
