//! The store of one project in a `SQLite` file, `state.db`.
//!
//! SQL stands in this crate only as constants with bound parameters, one file for each noun. The
//! database is in WAL mode and every commit is synced before it is reported.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod book;
mod checkpoints;
mod connection;
mod copy;
mod error;
mod file;
mod id;
mod images;
mod journal;
mod keepsakes;
mod log;
mod older;
mod opener;
mod receipts;
mod records;
mod schema;
mod session;
mod store;

pub use opener::SqliteOpener;
pub use store::SqliteStore;

#[cfg(test)]
mod tests;
