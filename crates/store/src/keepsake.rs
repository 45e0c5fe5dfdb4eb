//! What a store keeps beside records and journal, to be carried from a damaged store into a new one.

use crate::{Checkpoint, ImageState, PendingMove, Receipt, TableState};

/// One row of what is kept beside records and journal.
#[derive(Clone, Debug, PartialEq)]
pub enum Keepsake {
    /// A receipt of a request.
    Receipt(Receipt),
    /// What is remembered of an image.
    Image(ImageState),
    /// Kept bytes, under their digest.
    Blob(String, Vec<u8>),
    /// What is remembered of a table image's file.
    Table(TableState),
    /// A folder move that is yet to happen.
    Move(PendingMove),
    /// A checkpoint.
    Checkpoint(Checkpoint),
    /// A small named value of the engine's own.
    Meta(String, String),
}

/// A kind of such rows; the rows of one kind may be readable where those of another are not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeepsakeKind {
    /// Receipts of requests.
    Receipts,
    /// The memory of images.
    Images,
    /// Kept bytes.
    Blobs,
    /// The memory of table images.
    Tables,
    /// Folder moves that are yet to happen.
    Moves,
    /// Checkpoints.
    Checkpoints,
    /// Small named values.
    Meta,
}

impl KeepsakeKind {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Receipts, Self::Images, Self::Blobs, Self::Tables, Self::Moves, Self::Checkpoints, Self::Meta];
}
