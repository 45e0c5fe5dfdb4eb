//! The contract of a store, the stored form of an entry, and the suite that every store passes.
//!
//! A store holds one project's records, its journal, and what the engine remembers of images,
//! moves and receipts. It knows no format and no file of the project.

mod contract;
mod error;
mod splice;
mod state;
pub mod suite;
mod unwind;

pub use contract::{EntryPage, NewEntry, Opener, Reads, Store, Txn};
pub use error::StoreError;
pub use splice::{Splice, SpliceError};
pub use state::{ImageState, Mark, PendingMove, Receipt, StoredChange, StoredEntry, TableState};
pub use unwind::Unwinder;
