//! Pondering: what a format works out may take long, so nobody waits for it behind a lock.
//!
//! While it thinks, a format asks a question of its own through [`Probes::ponder`](crate::Probes::ponder).
//! The engine has the format itself work it out ([`Format::ponder`](crate::Format::ponder)), outside of
//! every lock and in a server in a process of its own, and then has the call thought again. An answer counts
//! for its question alone, to the last byte: where the records have changed meanwhile the question is another
//! one, and it is worked out anew.

use model::Value;

/// A question with everything that it is about, or what came of it.
///
/// The values stand beside each other, so that each may be nested as deeply as a record.
pub type Sheet = Vec<Value>;

/// How much may be spent on a question.
#[derive(Clone, Copy)]
pub struct Effort<'a> {
    /// Whether to give up soon: someone waits behind a lock.
    pub is_brief: bool,
    /// Whether the time is over.
    pub is_over: &'a dyn Fn() -> bool,
}
