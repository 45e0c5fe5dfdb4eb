//! The straight line of one request: locks, healing, taking in, thinking, commit, publishing.
//!
//! A front hands a [`model::Call`] to [`Engine::call`]. A read is answered in `read`, a write goes
//! through `batch` and `write`; everything else in this room serves one step of the two.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod batch;
mod clock;
mod engine;
mod faults;
mod foreign;
mod git;
mod git_head;
mod ground;
mod heal;
mod history;
mod home;
mod hooks;
mod images;
mod init;
mod locks;
mod moving;
mod outset;
mod overview;
mod plan;
mod probes;
mod project;
mod publish;
mod read;
mod receipts;
mod records;
mod refusals;
mod replay;
mod resources;
mod server_record;
mod spool;
mod tabled;
mod tables;
mod take_in;
mod write;
mod writer;

pub use engine::{Engine, Identity, Setup};
pub use history::HistoryQuery;
pub use hooks::{Heard, Hearing};
pub use resources::Resource;
