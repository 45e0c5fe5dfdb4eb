//! The contract of a store, the stored form of an entry, and the suite that every store passes.
//!
//! A store holds one project's records, its journal, and what the engine remembers of images,
//! moves and receipts. It knows no format and no file of the project.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod audit;
mod contract;
mod error;
mod keepsake;
mod splice;
mod state;
mod stretches;
#[cfg(feature = "suite")]
pub mod suite;
mod text;
mod unwind;

pub use audit::audit;
pub use contract::{EntryPage, NewEntry, Opener, Reads, Store, StoreDamage, StoreSize, Txn};
pub use error::StoreError;
pub use keepsake::{Keepsake, KeepsakeKind};
pub use splice::{Splice, SpliceError};
pub use state::{Checkpoint, ImageState, Mark, PendingMove, Receipt, StoredChange, StoredEntry, TableState};
pub use stretches::Stretch;
pub use text::{Weaving, apply, check_newer, from_text, in_order, to_text, weave};
pub use unwind::Unwinder;
