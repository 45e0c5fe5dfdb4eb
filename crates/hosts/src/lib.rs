//! How hosts are wired to Mainstay: which of their files say what, and edits from text to text.
//!
//! Pure: what stands in files comes in as text and goes out as text. An edit keeps every byte that is
//! not ours, a second one changes nothing, and taking out what was put in gives the bytes of before.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod claude;
mod codex;
mod copilot;
mod cursor;
mod gemini;
mod host;
mod json;
mod opencode;
mod part;
mod plan;
mod plugin;
mod section;
mod toml_table;

pub use host::{ALL, Event, Host};
pub use part::{Base, Comment, Companion, Entry, IfTaken, Moved, Part, Piece, Put, Remark, Scope, When};
pub use plan::{Change, Folders, Order, Plan, Seen, plan};
pub use plugin::plugin;
