//! The nouns of Mainstay: records, changes, entries, images, calls, replies.
//!
//! Plain data without input or output, clock or randomness: whatever a request needs to know of
//! the world outside comes in through [`Context`].

mod call;
mod context;
mod entry;
mod image;
pub mod json;
mod path;
mod record;
mod refusal;
mod reply;
mod scan;
mod time;
mod work;

pub use call::{Call, Origin};
pub use context::{Context, Environment};
pub use entry::{Change, Entry, EntryCause, FolderMove};
pub use image::{Cell, ExtraFile, Image, ImageContent, RowImage, TableRows};
pub use path::{InvalidPath, ProjectPath};
pub use record::{Record, RecordId, RecordKey, Revision, Space};
pub use refusal::{Refusal, RefusalClass};
pub use reply::{Outcome, Reply, Rewrite, Warning};
pub use scan::Scan;
pub use time::Timestamp;
pub use work::{Finding, Severity, WorkItem, WorkState};

/// A JSON object that keeps the order in which its members were inserted.
pub type Object = serde_json::Map<String, Value>;
pub use serde_json::Value;
