//! The straight line of one request: locks, healing, taking in, thinking, commit, publishing.
//!
//! A front hands a [`model::Call`] to [`Engine::call`]. A read is answered in `read`, a write goes
//! through `batch` and `write`; everything else in this room serves one step of the two.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod addresses;
mod backup;
mod batch;
mod blame;
mod checkpoint;
mod clock;
mod commands;
mod commit;
mod completions;
mod deed;
mod doctor;
mod engine;
mod exchange;
mod faults;
mod follow;
mod foreign;
mod gc;
mod git;
mod git_head;
mod ground;
mod heal;
mod history;
mod home;
mod hooks;
mod host_files;
mod images;
mod init;
mod locks;
mod moment;
mod moves_back;
mod moving;
mod next;
mod once;
mod outset;
mod outside;
mod overview;
mod past;
mod plan;
mod ponder;
mod probes;
mod project;
mod prompts;
mod publish;
mod read;
mod receipts;
mod records;
mod refusals;
mod replay;
mod resources;
mod rollback;
mod server_record;
mod shims;
mod show;
mod spool;
mod stirrings;
mod stray;
mod tabled;
mod tables;
mod take_in;
mod tell;
mod turn;
mod undo;
mod wakeups;
mod write;
mod writer;

pub use checkpoint::CheckpointQuery;
pub use completions::{Completable, Completion};
pub use engine::{Engine, Identity, Setup};
pub use exchange::ExportSink;
pub use follow::Follower;
pub use gc::GcQuery;
pub use history::HistoryQuery;
pub use hooks::{Heard, Hearing};
pub use host_files::{HostFile, HostFiles};
pub use ponder::answer as ponder;
pub use prompts::{PROMPTS, Prompt, PromptArgument, PromptText};
pub use resources::{RESOURCE_TEMPLATES, Resource, ResourceTemplate, ResourceText, is_resource};
pub use rollback::RollbackQuery;
pub use shims::{make_shims, remove_shims};
pub use stirrings::Stir;
pub use undo::UndoQuery;
