//! What is lost with a damaged store, told once and remembered until it was.

use model::{Finding, Object, RecordKey, Revision, Severity, Value};
use store::{KeepsakeKind, Reads, StoreDamage};

use super::STORE;
use super::salvage::Unread;

/// Where the new store keeps what was lost, until it was told.
pub(super) const REMEMBERED: &str = "doctor/lost";

/// The code of what is lost.
pub(super) const CODE: &str = "store_lost";

/// How much of a value is shown. **Units**: characters.
const SHOWN: usize = 200;

/// One thing that a damaged store does not tell any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Loss {
    /// What kind of thing.
    what: String,
    /// One sentence for people.
    message: String,
}

impl Loss {
    fn new(what: &str, message: impl Into<String>) -> Self {
        Self { what: what.to_owned(), message: message.into() }
    }

    /// The store cannot be opened at all.
    pub(super) fn of_everything() -> Self {
        Self::new(
            "everything",
            "nothing in the store can be read: its journal, its checkpoints, the ids of requests and all records that \
             no image shows",
        )
    }

    /// Entries from `first` to `last`.
    pub(super) fn of_entries(first: Revision, last: Revision) -> Self {
        let count = last.0.saturating_sub(first.0) + 1;
        let which = if count == 1 { format!("entry {first}") } else { format!("{count} entries, {first} to {last},") };
        let message = format!("{which} of the journal cannot be read; one entry by doctor says what they came to");
        Self::new("entries", message)
    }

    /// Commits that the damage hides even from a look at what was stored.
    pub(super) fn of_commits(damage: &StoreDamage) -> Self {
        let message = format!(
            "what the newest commits said is lost: {}; what their images show is taken in, and a request that was \
             carried out there is carried out once more when it is repeated",
            damage.what
        );
        Self::new("commits", message)
    }

    /// Records of a kind, where the journal does not tell them either.
    pub(super) fn of_records(unread: &Unread) -> Self {
        let which = match unread {
            Some((space, kind)) => format!("the records {space}/{kind} cannot all be read"),
            None => "which records there are cannot be read".to_owned(),
        };
        let message = format!("{which}, and the journal does not tell the rest; what the images show is taken in");
        Self::new("records", message)
    }

    /// One of two values of a record, which gave way to the other.
    pub(super) fn of_value(key: &RecordKey, who: &str, said: Option<&Value>, stays: &str) -> Self {
        let said = said.map_or_else(|| "that there is none".to_owned(), Value::to_string);
        let end = said.char_indices().nth(SHOWN).map_or(said.len(), |(at, _)| at);
        let cut = if end < said.len() { "…" } else { "" };
        Self::new("value", format!("of {key} {who} said {}{cut}; {stays}", &said[..end]))
    }

    /// A checkpoint on an entry that cannot be read.
    pub(super) fn of_checkpoint(id: &str) -> Self {
        Self::new("checkpoint", format!("the checkpoint {id} stands on an entry that cannot be read"))
    }

    /// What is kept beside records and journal; so many of them could be read.
    pub(super) fn of_keepsakes(kind: KeepsakeKind, read: usize) -> Self {
        let (what, which, so) = match kind {
            KeepsakeKind::Receipts => (
                "receipts",
                "the receipts of requests",
                "a request whose entry is there too is still not repeated, but any arguments count as its own",
            ),
            KeepsakeKind::Images => ("images", "the memory of images", "their files are taken in as they stand"),
            KeepsakeKind::Blobs => ("bases", "the kept bytes of images", "their edits are taken in without a base"),
            KeepsakeKind::Tables => ("tables", "the memory of table images", "they are compared row by row"),
            KeepsakeKind::Moves => ("moves", "the folder moves that were to be made", "they are not made any more"),
            KeepsakeKind::Checkpoints => ("checkpoints", "the checkpoints", "those are gone"),
            KeepsakeKind::Meta => ("meta", "the engine's notes", "the next command makes them again"),
        };
        Self::new(what, format!("{which} cannot all be read, only {read}; {so}"))
    }

    /// As `doctor` tells it.
    pub(super) fn finding(&self) -> Finding {
        Finding {
            code: CODE.to_owned(),
            severity: Severity::Error,
            place: STORE.to_owned(),
            message: self.message.clone(),
            fix: None,
            details: Object::from_iter([("what".to_owned(), Value::from(self.what.as_str()))]),
        }
    }
}

/// As it is remembered. **Shape**: `[["what","message"],…]`.
pub(super) fn write(losses: &[Loss]) -> String {
    let pairs = losses.iter().map(|loss| serde_json::json!([loss.what, loss.message]));
    Value::Array(pairs.collect()).to_string()
}

/// What is remembered; notes that cannot be read are none.
pub(super) fn remembered(reads: &dyn Reads) -> Vec<Loss> {
    let text = reads.meta(REMEMBERED).ok().flatten().unwrap_or_default();
    let pairs: Vec<(String, String)> = serde_json::from_str(&text).unwrap_or_default();
    pairs.into_iter().map(|(what, message)| Loss { what, message }).collect()
}
