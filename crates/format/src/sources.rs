//! Where the outside may have written, and what was seen there.

use model::{Cell, Change, ProjectPath, Refusal, Warning};

use crate::FileState;

/// The sources of one space.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sources {
    /// Files, in the order in which they are shown to `take_in`.
    pub files: Vec<FileSource>,
    /// The table image, if the space has one now.
    pub table: Option<TableSource>,
    /// The lock that tools of others hold while they write.
    pub lock: Option<ForeignLock>,
    /// Folders of the format's own in which writers remove temporary files of ours that are older than a minute.
    pub swept: Vec<ProjectPath>,
    /// When what waits outside is taken in for good.
    pub take_in: TakeIn,
    /// Warnings about the sources themselves; every reply of the space carries them.
    pub warnings: Vec<Warning>,
}

/// When outside edits are committed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TakeIn {
    /// By the next writing request; reads see them in memory.
    #[default]
    OnWrite,
    /// By the next request of any kind: where something waits, a read runs as a write.
    Always,
    /// By the next request that changes something itself.
    ///
    /// A request that is refused, or that changes nothing, sees them in memory and leaves them and
    /// their files alone.
    OnChange,
}

/// One file that people and tools may edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileSource {
    /// Where it stands.
    pub path: ProjectPath,
    /// Whether the bytes last published are kept for a three-way merge; otherwise only their digest.
    pub keeps_base: bool,
    /// The largest size that is read. **Units**: bytes.
    pub limit: u64,
    /// Who brings it back when it is gone.
    pub restore: Restore,
}

/// When an image that someone removed is written again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restore {
    /// By the next request that commits a change of the space.
    OnChange,
    /// By the next request of any kind.
    Always,
    /// Never: its absence means something to the format.
    Never,
}

/// A lock that tools of others honour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ForeignLock {
    /// A folder made by `mkdir`, with an `owner` file in it.
    Folder {
        /// The folder.
        path: ProjectPath,
        /// How long to wait. **Units**: milliseconds.
        wait_ms: u64,
        /// From what age a lock whose holder cannot be asked is stale. **Units**: milliseconds.
        stale_ms: i64,
    },
    /// A file that holds the process id of its owner, created exclusively.
    PidFile {
        /// The file.
        path: ProjectPath,
        /// How long to wait. **Units**: milliseconds.
        wait_ms: u64,
        /// From what age a file without a process id is stale. **Units**: milliseconds.
        empty_stale_ms: i64,
        /// From what age the file of a living process, or an unreadable one, is stale.
        ///
        /// Its holder touches it every ten seconds. **Units**: milliseconds.
        stale_ms: i64,
    },
    /// The write transaction on the table image's file.
    Table,
}

impl ForeignLock {
    /// Where it stands, if it is a folder or a file of its own.
    #[must_use]
    pub fn path(&self) -> Option<&ProjectPath> {
        match self {
            Self::Folder { path, .. } | Self::PidFile { path, .. } => Some(path),
            Self::Table => None,
        }
    }
}

/// A set of tables in a database file that others read and write too.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TableImage {
    /// The table's name.
    pub table: &'static str,
    /// The record kind that its rows show.
    pub kind: &'static str,
    /// The columns; the first is the primary key.
    pub columns: &'static [Column],
}

/// One column of a table image.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// Its declared type.
    pub kind: ColumnType,
    /// Whether NULL is refused.
    pub not_null: bool,
    /// The default: a constant of the program, written into the schema as it stands.
    pub default: Option<&'static str>,
}

/// The declared type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// `TEXT`.
    Text,
    /// `INTEGER`; as the primary key it counts up and never uses a number twice.
    Integer,
}

/// Where the table image lives and what it holds.
#[derive(Clone, Debug, PartialEq)]
pub struct TableSource {
    /// The database file as configuration names it: relative to the project root, or absolute.
    pub place: String,
    /// Whether the place is the user's own word and may lie outside the project.
    pub anywhere: bool,
    /// The tables.
    pub tables: &'static [TableImage],
}

/// A source whose state differs from what was last published or taken in.
#[derive(Clone, Debug, PartialEq)]
pub enum Seen {
    /// A file.
    File(SeenFile),
    /// Rows that others inserted, updated or deleted.
    Rows(RowsSeen),
}

/// A file that differs from its base.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenFile {
    /// Which file.
    pub path: ProjectPath,
    /// Whether the engine has ever published or taken in this file.
    pub known: bool,
    /// The bytes last published or taken in, where the source keeps them.
    pub base: Option<Vec<u8>>,
    /// What stands there now.
    pub now: FileState,
}

/// Outside changes of the table image.
#[derive(Clone, Debug, PartialEq)]
pub struct RowsSeen {
    /// The tables were there before us and are read for the first time.
    pub first_contact: bool,
    /// The changes, in the order in which they were made.
    pub rows: Vec<InboxRow>,
    /// Names of tables that were gone and will be filled from the records again.
    pub restored: Vec<&'static str>,
    /// The highest number that each counting table has ever used.
    pub highest: Vec<(&'static str, i64)>,
}

/// One outside change of one row.
#[derive(Clone, Debug, PartialEq)]
pub struct InboxRow {
    /// Its number in the inbox.
    pub seq: i64,
    /// The table.
    pub table: &'static str,
    /// The primary key before, for updates and deletions.
    pub old_key: Option<Cell>,
    /// The primary key afterwards, for insertions and updates.
    pub key: Option<Cell>,
    /// The other columns afterwards, in the declared order; empty for deletions.
    pub cells: Vec<Cell>,
}

/// What a format made of what was seen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Taken {
    /// The edits, as changes of records; committed as one entry by `external`.
    pub changes: Vec<Change>,
    /// Records that only the request which sees the edits may read; they are never stored.
    pub aside: Vec<Change>,
    /// Files whose bytes are kept beside, because not all of them was understood.
    pub conflicts: Vec<Conflict>,
    /// What the caller should know.
    pub warnings: Vec<Warning>,
    /// Why calls that write are refused until someone mends the source; its bytes stay.
    pub blocked: Option<Refusal>,
}

/// A file whose outside bytes are kept as `NAME.conflict-<UTC stamp>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The file.
    pub path: ProjectPath,
}
