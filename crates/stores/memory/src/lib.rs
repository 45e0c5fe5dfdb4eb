//! A store that lives in memory, for tests: simple, and gone with the process.
//!
//! A transaction works on a copy of the whole state and puts it back when it commits.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod opener;
mod session;
mod state;
mod store;

pub use opener::MemoryOpener;
pub use store::MemoryStore;

#[cfg(test)]
mod contract {
    //! The contract suite.
    ::store::contract_suite!(crate::MemoryOpener::default());
}

#[cfg(test)]
mod tests;
