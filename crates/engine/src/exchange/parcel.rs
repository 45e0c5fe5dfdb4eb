//! An export that was looked through, ready to be brought in.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use format::View;
use model::{Change, Object, RecordKey, Refusal, Revision, Space, Value};
use store::{Checkpoint, Reads, StoredEntry, Txn, apply, from_text};

use super::reading::{Header, Line, damaged, read};
use crate::checkpoint;
use crate::deed::{Deed, Thought, format_off};
use crate::engine::{Engine, Identity};
use crate::refusals::failed;

/// An export that was looked through: every line can be read and every change fits.
pub(crate) struct Parcel {
    path: PathBuf,
    records: BTreeMap<RecordKey, Value>,
    /// Records that its entries changed, those that are gone too.
    changed: BTreeSet<RecordKey>,
    spaces: Vec<Space>,
    entries: u64,
    checkpoints: u64,
    /// Its newest entry, as a project without entries numbers it.
    newest: Revision,
}

impl Engine {
    /// Brings in what was exported.
    ///
    /// A project without entries gets journal, records and checkpoints as they were; with `merge` the
    /// records of the export are laid over those of any project, as one new entry.
    /// Repeated, because its end was not seen, it publishes what is not published yet and says the same again.
    /// **Shape**: `{entries,records,checkpoints,revision}`, with `replayed` for a repetition; merging
    /// `{records,revision,changed}`.
    /// **Errors**: those of reading an export; `project_not_empty`, `unknown_format`, `format_off`.
    pub fn import(&self, file: &Path, merge: bool, identity: &Identity) -> Result<model::Reply, Refusal> {
        if !merge && self.newest()?.0 > 0 {
            return self.import_again(file, identity);
        }
        let parcel = Arc::new(Parcel::look_through(file)?);
        for space in &parcel.spaces {
            self.check_known(space)?;
        }
        let digest = crate::images::digest(format!("{:?}", parcel.records).as_bytes());
        let arguments = Object::from_iter([("records".to_owned(), digest.into()), ("merge".to_owned(), merge.into())]);
        let deed = if merge { Deed::Merge(parcel) } else { Deed::Import(parcel) };
        self.perform(deed, arguments, identity)
    }

    // A commit brings in everything or nothing, so what an import that was cut short left is all of it, or nothing.
    fn import_again(&self, file: &Path, identity: &Identity) -> Result<model::Reply, Refusal> {
        // What the file is worth is of no concern where there is no room for it.
        let Ok(parcel) = Parcel::look_through(file) else { return Err(not_empty()) };
        let Some(store) = self.opened_store()? else { return Err(not_empty()) };
        let newest = {
            let reads = store.read().map_err(failed)?;
            if !parcel.stands_in(reads.as_ref())? {
                return Err(not_empty());
            }
            reads.head().map_err(failed)?
        };
        if newest != parcel.newest {
            return Err(Refusal::refused("project_not_empty", "all entries of the export are here, and newer ones")
                .hint("there is nothing left to bring in; mainstay history shows what came after"));
        }
        let parcel = Arc::new(parcel);
        let formats = self.formats_of(&Deed::Import(Arc::clone(&parcel)))?;
        let mut reply = self.perform_over(&formats, Deed::Settle, Object::new(), identity)?;
        reply.body = parcel.told(newest);
        reply.body.insert("replayed".into(), true.into());
        Ok(reply)
    }

    fn check_known(&self, space: &Space) -> Result<(), Refusal> {
        if let Some(listed) = self.formats_listed()
            && listed.iter().all(|format| format.name() != space.format())
        {
            return Err(format_off(space));
        }
        if self.formats().iter().any(|format| format.name() == space.format()) {
            return Ok(());
        }
        let message = format!("the export holds records of the format {:?}, which is not known here", space.format());
        Err(Refusal::refused("unknown_format", message).field("file").hint("update mainstay"))
    }
}

impl Parcel {
    /// Reads an export and makes sure that its entries amount to its records.
    fn look_through(path: &Path) -> Result<Self, Refusal> {
        let mut folded: BTreeMap<RecordKey, String> = BTreeMap::new();
        let mut records: BTreeMap<RecordKey, Value> = BTreeMap::new();
        let mut changed = BTreeSet::new();
        let (mut newest, mut entries, mut checkpoints) = (Revision(0), 0, 0);
        let mut visit = |_: &Header, number: usize, line: Line| {
            match line {
                Line::Checkpoint(_) => checkpoints += 1,
                Line::Entry(entry) => {
                    if entry.revision <= newest {
                        return Err(damaged(number, "its revision is not newer than the one before"));
                    }
                    newest = entry.revision;
                    entries += 1;
                    for change in &entry.changes {
                        changed.insert(change.key.clone());
                        let before = folded.remove(&change.key);
                        let after = apply(change, before.as_deref())
                            .map_err(|error| damaged(number, &format!("a change does not fit: {error}")))?;
                        if let Some(after) = after {
                            folded.insert(change.key.clone(), after);
                        }
                    }
                }
                Line::Record(key, value) => {
                    let told = folded.get(&key).and_then(|text| from_text(text).ok());
                    if told.as_ref() != Some(&value) {
                        return Err(damaged(number, "the entries tell another value"));
                    }
                    records.insert(key, value);
                }
            }
            Ok(())
        };
        let header = read(path, &mut visit)?;
        if let Some(key) = folded.keys().find(|key| !records.contains_key(*key)) {
            return Err(
                Refusal::refused("export_damaged", format!("the record {key} is missing in the export")).field("file")
            );
        }
        let mut spaces: Vec<Space> = changed.iter().map(|key: &RecordKey| key.space.clone()).collect();
        spaces.dedup();
        let newest = if header.space.is_some() { Revision(entries) } else { newest };
        Ok(Self { path: path.to_owned(), records, changed, spaces, entries, checkpoints, newest })
    }

    /// Whether a project's journal begins with its entries.
    fn stands_in(&self, reads: &dyn Reads) -> Result<bool, Refusal> {
        let (mut stands, mut numbers) = (true, Numbers::default());
        let mut visit = |header: &Header, _: usize, line: Line| {
            if let (true, Line::Entry(entry)) = (stands, line) {
                let entry = if header.space.is_some() { numbers.again(*entry) } else { *entry };
                let there = reads.entries_after(Revision(entry.revision.0 - 1), 1).map_err(failed)?;
                stands = there == [entry];
            }
            Ok(())
        };
        read(&self.path, &mut visit)?;
        Ok(stands)
    }

    /// **Shape**: `{entries,records,checkpoints,revision}`.
    fn told(&self, revision: Revision) -> Object {
        Object::from_iter([
            ("entries".to_owned(), self.entries.into()),
            ("records".to_owned(), self.records.len().into()),
            ("checkpoints".to_owned(), self.checkpoints.into()),
            ("revision".to_owned(), revision.0.into()),
        ])
    }

    /// The spaces that it is about.
    pub(crate) fn spaces(&self) -> &[Space] {
        &self.spaces
    }

    /// Brings its journal into a project that has none. Answers whether there was anything.
    ///
    /// **Errors**: `project_not_empty`, and what has become of the file meanwhile.
    pub(crate) fn replay(&self, txn: &mut dyn Txn) -> Result<bool, Refusal> {
        if txn.head().map_err(failed)?.0 > 0 {
            return Err(not_empty());
        }
        let mut checkpoints = Vec::new();
        let mut numbers = Numbers::default();
        let mut visit = |header: &Header, number: usize, line: Line| {
            match line {
                Line::Checkpoint(checkpoint) => checkpoints.push(checkpoint),
                Line::Entry(entry) => {
                    let entry = if header.space.is_some() { numbers.again(*entry) } else { *entry };
                    txn.replay(&entry).map_err(|error| match error {
                        store::StoreError::Io(_) => failed(error),
                        other => damaged(number, &other.to_string()),
                    })?;
                }
                Line::Record(..) => {}
            }
            Ok(())
        };
        let header = read(&self.path, &mut visit)?;
        let mut highest = 0;
        for checkpoint in checkpoints {
            highest = highest.max(checkpoint::number_of(&checkpoint.id).unwrap_or_default());
            let revision = if header.space.is_some() { numbers.of(checkpoint.revision) } else { checkpoint.revision };
            txn.put_checkpoint(&Checkpoint { revision, ..checkpoint }).map_err(failed)?;
        }
        txn.put_meta(checkpoint::LAST, Some(&highest.to_string())).map_err(failed)?;
        Ok(true)
    }

    /// What has been brought in, as changes for the images.
    pub(crate) fn imported(&self, view: &View<'_>) -> Thought {
        // One that is gone counts too: its images show that it is.
        let now = self.changed.iter().map(|key| (key, view.records.get(key)));
        let changes = now.map(|(key, after)| Change { key: key.clone(), before: None, after });
        let told = self.told(Revision(0));
        let reply = move |revision: Revision, _: &[Change]| {
            let mut told = told;
            told.insert("revision".into(), revision.0.into());
            told
        };
        Thought { changes: changes.collect(), is_entered: true, ..Thought::idle(Box::new(reply)) }
    }

    /// Its records over those that are there.
    pub(crate) fn merged(&self, view: &View<'_>) -> Thought {
        let mut changes = Vec::new();
        for (key, value) in &self.records {
            let before = view.records.get(key);
            if before.as_ref() != Some(value) {
                changes.push(Change { key: key.clone(), before, after: Some(value.clone()) });
            }
        }
        let (records, differing) = (self.records.len(), changes.len());
        let reply = move |revision: Revision, _: &[Change]| {
            Object::from_iter([
                ("records".to_owned(), records.into()),
                ("changed".to_owned(), differing.into()),
                ("revision".to_owned(), revision.0.into()),
            ])
        };
        Thought { changes, ..Thought::idle(Box::new(reply)) }
    }
}

/// Revisions of a part of a journal, counted anew without gaps.
#[derive(Default)]
struct Numbers(BTreeMap<Revision, Revision>);

impl Numbers {
    fn again(&mut self, mut entry: StoredEntry) -> StoredEntry {
        let revision = Revision(self.0.len() as u64 + 1);
        self.0.insert(entry.revision, revision);
        entry.revision = revision;
        entry.takes_back = entry.takes_back.iter().filter_map(|old| self.0.get(old).copied()).collect();
        entry
    }

    /// The newest revision of the part at a revision of the whole.
    fn of(&self, revision: Revision) -> Revision {
        self.0.range(..=revision).next_back().map(|(_, new)| *new).unwrap_or_default()
    }
}

fn not_empty() -> Refusal {
    Refusal::refused("project_not_empty", "this project has entries already, and not those of this export")
        .hint("import into a fresh project, or lay the records over these with --merge")
}
