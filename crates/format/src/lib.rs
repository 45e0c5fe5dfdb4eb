//! The contract of a format, and what several formats share.
//!
//! A format is pure: it sees records through [`View::records`], project files through
//! [`View::files`], the rest of the world through [`Context`](model::Context), and answers with data.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod command;
mod conflict_markers;
mod contract;
mod digest;
mod distinct;
pub mod document;
mod draft;
pub mod equality;
pub mod fence;
pub mod fenced_blocks;
pub mod field_schema;
pub mod front_matter;
mod hook;
pub mod line_diff;
pub mod markdown;
pub mod merge_patch;
pub mod natural;
pub mod patch;
mod ponder;
pub mod pretty;
mod read_all;
pub mod redaction;
mod sources;
pub mod spans;
mod surface;
pub mod task_graph;
pub mod text_table;
pub mod three_way;
mod view;

pub use command::{BinaryName, Command, Opt, Printed, Speech, Takes};
pub use conflict_markers::has_conflict_markers;
pub use contract::{Format, Spooling, Touched};
pub use digest::digest;
pub use distinct::distinct;
pub use draft::Draft;
pub use hook::{Glance, Hook, HookCall, HookEvent, Injected, Look};
pub use ponder::{Effort, Sheet};
pub use read_all::read_all;
pub use sources::{
    Column, ColumnType, Conflict, FileSource, ForeignLock, InboxRow, Restore, RowsSeen, Seen, SeenFile, Sources,
    TableImage, TableSource, TakeIn, Taken,
};
pub use surface::{Effect, Listed, Param, ParamKind, Surface, Switch, Tool};
pub use view::{DatabaseProbe, FileState, Files, GitProbe, HealthProbe, Irregular, Probes, Records, View, Visit};
