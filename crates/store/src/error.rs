//! What can go wrong in a store.

/// A store could not do what was asked; nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A value was not what the writer had read; thinking again from fresh records mends it.
    #[error("a record changed between reading and writing: {0}")]
    Conflict(String),
    /// Another writer holds the store.
    #[error("the store is busy")]
    Busy,
    /// A value that was to be kept could not be read back.
    #[error("a value cannot be kept: nested too deep, no number, or with a name that JSON readers reserve")]
    Unstorable,
    /// The stored bytes make no sense.
    #[error("the store is damaged: {0}")]
    Corrupt(String),
    /// Damage leaves something that reading does not show and that a write would destroy.
    #[error("the store is damaged: {0}")]
    Frozen(String),
    /// A newer version of the program wrote the store.
    #[error("the store has schema {found}, this program knows {known}")]
    TooNew {
        /// The version found.
        found: i64,
        /// The newest version known.
        known: i64,
    },
    /// The operating system refused.
    #[error("{0}")]
    Io(String),
}
