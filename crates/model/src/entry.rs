//! Entries: the atomic rows of the journal.

use crate::{ProjectPath, RecordKey, Revision, Space, Timestamp, Value};

/// One record before and after. `None` means that the record does not exist.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The record that changed.
    pub key: RecordKey,
    /// Its value before the entry.
    pub before: Option<Value>,
    /// Its value after the entry.
    pub after: Option<Value>,
}

impl Change {
    /// The change that takes this one back.
    #[must_use]
    pub fn inverse(self) -> Self {
        Self { key: self.key, before: self.after, after: self.before }
    }
}

/// A folder of the project that an entry moved, with everything in it.
///
/// Its inverse is the move from `to` back to `from`; removal is a move beneath `.mainstay/trash/`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderMove {
    /// Where the folder stood before the entry.
    pub from: ProjectPath,
    /// Where it stands afterwards; nothing stands there before.
    pub to: ProjectPath,
}

impl FolderMove {
    /// The move that takes this one back.
    #[must_use]
    pub fn inverse(self) -> Self {
        Self { from: self.to, to: self.from }
    }
}

/// Why an entry exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryCause {
    /// A call changed something.
    Call,
    /// An edit made outside was taken in.
    Outside,
    /// What stood there before Mainstay came was taken in for the first time; nothing takes it back unasked.
    Adoption,
    /// A touch that `undo` and the default history skip.
    Minor,
    /// Earlier entries were taken back.
    Undo,
    /// An undo was taken back.
    Redo,
    /// Older entries were folded into this one; it says what they came to.
    Baseline,
}

impl EntryCause {
    /// Every cause with the word that stores and exports write for it. A word never changes its meaning.
    const WORDS: [(Self, &'static str); 7] = [
        (Self::Call, "call"),
        (Self::Outside, "outside"),
        (Self::Adoption, "adoption"),
        (Self::Minor, "minor"),
        (Self::Undo, "undo"),
        (Self::Redo, "redo"),
        (Self::Baseline, "baseline"),
    ];

    /// Its word.
    #[must_use]
    pub fn word(self) -> &'static str {
        let found = Self::WORDS.iter().find(|(cause, _)| *cause == self);
        found.expect("every cause has a word").1
    }

    /// The cause with this word, if there is one.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(_, known)| *known == word).map(|(cause, _)| *cause)
    }
}

/// One atomic row of the journal: everything that one call, or one taking in, changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its place in the project's one order of events.
    pub revision: Revision,
    /// The clock of the request.
    pub at: Timestamp,
    /// Who did it; `external` for edits that were made outside.
    pub actor: String,
    /// The session it belongs to, if one was named.
    pub session: Option<String>,
    /// The idempotency key of the request, if it had one.
    pub request_id: Option<String>,
    /// The space that the call was about.
    pub space: Space,
    /// The tool that was called, or `take_in`.
    pub call: String,
    /// Why it exists.
    pub cause: EntryCause,
    /// The records that changed, in the order in which they were changed; no key twice.
    pub changes: Vec<Change>,
    /// The folders that moved, in order.
    pub moves: Vec<FolderMove>,
    /// The entries that it takes back, newest first.
    ///
    /// An entry counts as taken back as long as one that takes it back is not taken back itself.
    pub takes_back: Vec<Revision>,
}
