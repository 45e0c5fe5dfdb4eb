//! `export` and `import`: a project's journal and records as lines of JSON.
//!
//! **Shape**: a header, then checkpoints, entries (oldest first), records, and an end that counts
//! them; every line ends with the digest of what stands before it, so that damage has a line number.
//! An entry holds its changes as the store keeps them, so a line costs what the change costs. One that
//! stands for many others goes on in lines of their own, `{"more":{"changes":[…]}}`.

mod lines;
mod parcel;
mod reading;
mod writing;

pub(crate) use parcel::Parcel;
pub use writing::ExportSink;

/// The version of the lines that this program writes.
pub(crate) const VERSION: u64 = 1;

/// From what size on an entry's changes go on in another line. **Units**: bytes.
pub(crate) const FULL: usize = 1 << 20;

/// The longest line that is read. **Units**: bytes.
pub(crate) const LONGEST: usize = 64 << 20;
