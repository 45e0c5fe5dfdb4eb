//! A new store from what a damaged one still tells.
//!
//! The damaged files are set aside as they are, and read from a copy. The journal is replayed for as
//! long as it tells one story; what the readable records say beyond that becomes one entry, which
//! stands for the rest. What no record tells is taken in from the images afterwards.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io;
use std::path::Path;

use model::{EntryCause, RecordId, RecordKey, Refusal, Revision, Scan, Space, Value};
use store::{Reads, Splice, StoredChange, StoredEntry, Txn, to_text};

use crate::engine::Engine;
use crate::locks::{Deadline, FileLock, WAIT};
use crate::past;
use crate::refusals::{self, failed};

/// How many entries are read at once, where they can be.
const AT_ONCE: usize = 256;

impl Engine {
    /// Sets the store aside and makes a new one; answers where the damaged one is kept.
    pub(super) fn rebuild(&self) -> Result<String, Refusal> {
        self.home().make()?;
        let deadline = Deadline::within(self.lock_wait(WAIT));
        let names = self.formats().iter().map(|format| format.name()).chain(["queue"]);
        let held = names.map(|name| FileLock::acquire(&self.home().lock(name), deadline));
        let _held = held.collect::<Result<Vec<_>, Refusal>>()?;
        let name = format!("damaged-{}-{}", self.now()?.to_stamp(), &crate::clock::random()[..4]);
        let aside = self.home().folder(&name)?;
        let refused = |error: &io::Error| refusals::of_io(&aside, error);
        // Everything that can fail for want of room fails before the store is gone from its place.
        let reading = self.home().folder(&format!("{name}-copy"))?;
        self.stores().copy_files(self.home().path(), &reading).map_err(failed)?;
        self.stores().set_aside(self.home().path(), &aside).map_err(failed)?;
        File::open(self.home().path()).and_then(|folder| folder.sync_all()).map_err(|error| refused(&error))?;
        self.fill(&reading)?;
        // What is left of the copy is in nobody's way.
        drop(fs::remove_dir_all(&reading));
        Ok(format!(".mainstay/{name}"))
    }

    fn fill(&self, damaged: &Path) -> Result<(), Refusal> {
        let fresh = self.created_store()?;
        let Ok(Some(damaged)) = self.stores().open(damaged) else { return Ok(()) };
        let Ok(reads) = damaged.read() else { return Ok(()) };
        let mut txn = fresh.begin().map_err(failed)?;
        let replayed = replay(reads.as_ref(), txn.as_mut())?;
        let head = reads.head().unwrap_or_default().max(replayed.newest);
        let changes = beyond(reads.as_ref(), txn.as_ref(), &replayed.spaces)?;
        if !changes.is_empty() || head > replayed.newest {
            let entry = StoredEntry {
                revision: if head > replayed.newest { head } else { Revision(head.0 + 1) },
                at: self.now()?,
                actor: "doctor".to_owned(),
                session: None,
                request_id: None,
                space: changes.first().map_or(Space::known(""), |change: &StoredChange| change.key.space.clone()),
                call: "doctor".to_owned(),
                cause: EntryCause::Baseline,
                changes,
                moves: Vec::new(),
                takes_back: Vec::new(),
            };
            txn.replay(&entry).map_err(failed)?;
        }
        for checkpoint in reads.checkpoints().unwrap_or_default() {
            if past::must_stand(txn.as_ref(), checkpoint.revision).is_ok() {
                txn.put_checkpoint(&checkpoint).map_err(failed)?;
            }
        }
        txn.commit().map_err(|error| refusals::of_commit(&error))
    }
}

/// How far the journal could be replayed.
#[derive(Default)]
struct Replayed {
    newest: Revision,
    spaces: BTreeSet<Space>,
}

fn replay(reads: &dyn Reads, txn: &mut dyn Txn) -> Result<Replayed, Refusal> {
    let mut replayed = Replayed::default();
    loop {
        // A page that cannot be read may still begin with entries that can.
        let page = reads
            .entries_after(replayed.newest, AT_ONCE)
            .or_else(|_| reads.entries_after(replayed.newest, 1))
            .unwrap_or_default();
        if page.is_empty() {
            return Ok(replayed);
        }
        for entry in page {
            let is_next = entry.revision.0 == replayed.newest.0 + 1 || entry.cause == EntryCause::Baseline;
            match if is_next { txn.replay(&entry) } else { return Ok(replayed) } {
                Ok(()) => {}
                Err(store::StoreError::Io(why)) => return Err(failed(store::StoreError::Io(why))),
                Err(_) => return Ok(replayed),
            }
            replayed.newest = entry.revision;
            replayed.spaces.extend(entry.changes.into_iter().map(|change| change.key.space));
        }
    }
}

// What leads from the replayed records to those that can be read.
fn beyond(reads: &dyn Reads, txn: &dyn Txn, replayed: &BTreeSet<Space>) -> Result<Vec<StoredChange>, Refusal> {
    let fresh: &dyn Reads = txn;
    let mut spaces = replayed.clone();
    let all_spaces = reads.spaces();
    let is_whole = all_spaces.is_ok();
    spaces.extend(all_spaces.unwrap_or_default());
    let mut changes = Vec::new();
    for space in spaces {
        let kinds = reads.kinds(&space);
        let mut known: BTreeSet<String> = fresh.kinds(&space).map_err(failed)?.into_iter().collect();
        let has_kinds = is_whole && kinds.is_ok();
        known.extend(kinds.unwrap_or_default());
        for kind in known {
            let (there, complete) = readable(reads, &space, &kind);
            let now = fresh.scan(&space, &kind, &Scan::all()).map_err(failed)?;
            let now: BTreeMap<RecordId, Value> = now.into_iter().map(|record| (record.id, record.value)).collect();
            let key = |id: &RecordId| RecordKey::new(space.clone(), kind.clone(), id.clone());
            for (id, value) in &there {
                if now.get(id) != Some(value) {
                    changes.push(change(key(id), now.get(id), Some(value))?);
                }
            }
            // That a record is gone is known only where all that are left can be read.
            for (id, value) in now.iter().filter(|(id, _)| has_kinds && complete && !there.contains_key(*id)) {
                changes.push(change(key(id), Some(value), None)?);
            }
        }
    }
    Ok(changes)
}

fn change(key: RecordKey, before: Option<&Value>, after: Option<&Value>) -> Result<StoredChange, Refusal> {
    let text = |value: Option<&Value>| value.map(to_text).transpose().map_err(failed);
    let (before, after) = (text(before)?, text(after)?);
    Ok(StoredChange { key, splice: Splice::between(before.as_deref(), after.as_deref()) })
}

// The records that can be read, and whether those are all: from both ends up to what is damaged.
fn readable(reads: &dyn Reads, space: &Space, kind: &str) -> (BTreeMap<RecordId, Value>, bool) {
    if let Ok(all) = reads.scan(space, kind, &Scan::all()) {
        return (all.into_iter().map(|record| (record.id, record.value)).collect(), true);
    }
    let mut found = BTreeMap::new();
    for descending in [false, true] {
        let mut after = None;
        while let Ok(Some(record)) =
            reads.scan(space, kind, &Scan { descending, after: after.clone(), limit: 1 }).map(|mut one| one.pop())
        {
            after = Some(record.id.clone());
            if found.insert(record.id, record.value).is_some() {
                break;
            }
        }
    }
    (found, false)
}
