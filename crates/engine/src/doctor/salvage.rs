//! What a damaged store still tells, and what is lost with it.
//!
//! The journal is replayed from its beginning for as long as it tells one story. Behind the damage it is
//! followed back from the records of today, as far as that goes. One entry stands for what lies between;
//! it leads from the records that the beginning tells to those that the end begins with.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::ControlFlow;

use model::{EntryCause, RecordId, RecordKey, Refusal, Revision, Scan, Space, Timestamp};
use store::{
    EntryPage, ImageState, Keepsake, KeepsakeKind, Reads, Receipt, Splice, StoreError, StoredChange, StoredEntry, Txn,
    apply, to_text,
};

use super::losses::Loss;
use super::weighing::{Claiming, outvoted, weigh};
use crate::checkpoint;
use crate::images::owed_mark;
use crate::refusals::failed;

/// How many entries are read at once, where they can be.
const AT_ONCE: usize = 256;

/// Texts of records by their keys.
pub(super) type Texts = BTreeMap<RecordKey, String>;

/// Records by their keys, each with its text and the revision that last changed it.
type Records = BTreeMap<RecordKey, (String, Revision)>;

/// What a new store can be made from.
pub(super) struct Salvage {
    /// The journal can be replayed up to here.
    prefix: Revision,
    /// What stands for the entries between the beginning and the end.
    bridge: Option<StoredEntry>,
    /// The entries newer than this one follow, where there is an end.
    tail: Option<Revision>,
    keepsakes: Vec<Keepsake>,
    /// Whether every receipt could be read.
    has_all_receipts: bool,
    /// What is lost.
    pub(super) losses: Vec<Loss>,
}

impl Salvage {
    /// Looks through a store; `now` is the time of an entry that has to be made up.
    ///
    /// `claims` answers what images say against the records when changes are laid over those.
    ///
    /// **Errors**: of the operating system only.
    pub(super) fn of(reads: &dyn Reads, now: Timestamp, claims: Claiming<'_>) -> Result<Self, Refusal> {
        let mut losses = Vec::new();
        let (prefix, folded) = follow(reads)?;
        let (records, unread) = readable(reads)?;
        let (mut keepsakes, mut has_all_receipts, mut numbers_known) = (Vec::new(), true, true);
        for kind in KeepsakeKind::ALL {
            let (rows, all) = every(reads, kind)?;
            if !all {
                losses.push(Loss::of_keepsakes(kind, rows.len()));
                has_all_receipts &= kind != KeepsakeKind::Receipts;
                numbers_known &= !matches!(kind, KeepsakeKind::Meta | KeepsakeKind::Checkpoints);
            }
            keepsakes.extend(rows);
        }
        let head = head(reads, prefix, &records, &keepsakes);
        let texts: Texts = records.into_iter().map(|(key, (text, _))| (key, text)).collect();
        let (mut bridge, mut tail) = (None, None);
        if prefix < head {
            let (after, then) = if unread.is_empty() { back(reads, prefix, texts, head)? } else { (head, texts) };
            tail = Some(after).filter(|after| *after < head);
            let first = Revision(prefix.0 + 1);
            losses.extend(unread.iter().map(Loss::of_records));
            if unread.is_empty() {
                losses.extend(outvoted(&claims(&[])));
            } else {
                // What only the images show is taken in.
                keepsakes.retain(|one| !matches!(one, Keepsake::Image(_) | Keepsake::Table(_)));
            }
            losses.push(Loss::of_entries(first, after));
            let changes = difference(&folded, &then, unread.is_empty());
            bridge = Some(made_up(after, now, changes));
            keepsakes.retain(|keepsake| match keepsake {
                Keepsake::Checkpoint(one) if one.revision >= first && one.revision < after => {
                    losses.push(Loss::of_checkpoint(&one.id));
                    false
                }
                _ => true,
            });
        } else {
            // The journal is whole: a record that says something else is entered beside what it says, or gives way.
            let changes = weigh(&folded, &texts, claims, &mut losses);
            if !changes.is_empty() {
                bridge = Some(made_up(Revision(head.0 + 1), now, changes));
            }
        }
        if !numbers_known {
            // No id is given twice: there are hardly more checkpoints than entries.
            let highest = head.0.to_string();
            keepsakes.retain(|one| !matches!(one, Keepsake::Meta(name, _) if name == checkpoint::LAST));
            keepsakes.push(Keepsake::Meta(checkpoint::LAST.to_owned(), highest));
        }
        Ok(Self { prefix, bridge, tail, keepsakes, has_all_receipts, losses })
    }

    /// Lets images be published again that stand as they were published, and tables follow a made up entry.
    pub(super) fn owe(&mut self, is_as_published: &dyn Fn(&ImageState) -> bool) {
        let newest = self.bridge.as_ref().filter(|_| self.tail.is_none()).map(|bridge| bridge.revision);
        for keepsake in &mut self.keepsakes {
            match keepsake {
                Keepsake::Image(image) if image.intended.is_none() && is_as_published(image) => {
                    image.intended = Some(owed_mark());
                }
                Keepsake::Table(table) => table.intended = table.intended.max(newest.unwrap_or_default()),
                _ => {}
            }
        }
    }

    /// Puts it into a new store.
    pub(super) fn fill(&self, reads: &dyn Reads, txn: &mut dyn Txn) -> Result<(), Refusal> {
        let mut after = Revision(0);
        while after < self.prefix {
            let page = page(reads, after).map_err(failed)?;
            let due: Vec<StoredEntry> = page.into_iter().take_while(|entry| entry.revision <= self.prefix).collect();
            after = due.last().map_or(self.prefix, |entry| entry.revision);
            self.replay(txn, due)?;
        }
        if let Some(bridge) = &self.bridge {
            txn.replay(bridge).map_err(failed)?;
        }
        let head = reads.head().or_else(|error| damage(error).map(|()| Revision(0)))?;
        let mut after = self.tail.unwrap_or(head);
        while after < head {
            // Only from behind can entries be reached whose neighbour in front is damaged.
            let (mut due, last) = (Vec::new(), Revision(after.0 + AT_ONCE as u64));
            let window = EntryPage { before: Some(Revision(last.0 + 1)), down_to: Revision(after.0 + 1) };
            let mut keep = |entry| {
                due.push(entry);
                ControlFlow::Continue(())
            };
            reads.entries(&window, &mut keep).or_else(damage)?;
            due.reverse();
            self.replay(txn, due)?;
            after = last;
        }
        for keepsake in &self.keepsakes {
            match keepsake {
                Keepsake::Receipt(receipt) => txn.put_receipt(receipt),
                Keepsake::Image(image) => txn.put_image(image),
                Keepsake::Blob(digest, bytes) => txn.put_blob(digest, bytes),
                Keepsake::Table(table) => txn.put_table(table),
                Keepsake::Move(pending) => txn.put_move(pending),
                Keepsake::Checkpoint(checkpoint) => txn.put_checkpoint(checkpoint),
                Keepsake::Meta(name, value) => txn.put_meta(name, Some(value)),
            }
            .map_err(failed)?;
        }
        Ok(())
    }

    fn replay(&self, txn: &mut dyn Txn, entries: Vec<StoredEntry>) -> Result<(), Refusal> {
        for entry in entries {
            txn.replay(&entry).map_err(failed)?;
            if !self.has_all_receipts {
                remake_receipt(txn, &entry)?;
            }
        }
        Ok(())
    }
}

// An entry tells that its request was carried out, though not with which arguments.
fn remake_receipt(txn: &mut dyn Txn, entry: &StoredEntry) -> Result<(), Refusal> {
    let Some(request_id) = entry.request_id.clone() else { return Ok(()) };
    let receipt = Receipt {
        tool: entry.call.clone(),
        request_id,
        digest: String::new(),
        at: entry.at,
        revision: entry.revision,
        reply: None,
    };
    txn.put_receipt(&receipt).map_err(failed)
}

// How far the journal can be followed from its beginning, and what it comes to there.
fn follow(reads: &dyn Reads) -> Result<(Revision, Texts), Refusal> {
    let (mut newest, mut texts) = (Revision(0), Texts::new());
    loop {
        let page = match page(reads, newest) {
            Err(error) => damage(error).map(|()| Vec::new())?,
            Ok(page) => page,
        };
        if page.is_empty() {
            return Ok((newest, texts));
        }
        for entry in page {
            let is_next = entry.revision.0 == newest.0 + 1 || entry.cause == EntryCause::Baseline;
            let step = |change: &StoredChange| {
                Ok((change.key.clone(), apply(change, texts.get(&change.key).map(String::as_str))?))
            };
            let after: Result<Vec<_>, StoreError> = entry.changes.iter().map(step).collect();
            match after {
                Ok(after) if is_next => lay(&mut texts, after),
                _ => return Ok((newest, texts)),
            }
            newest = entry.revision;
        }
    }
}

// A page that cannot be read may still begin with entries that can.
fn page(reads: &dyn Reads, after: Revision) -> Result<Vec<StoredEntry>, StoreError> {
    reads.entries_after(after, AT_ONCE).or_else(|_| reads.entries_after(after, 1))
}

// Goes back from the records of today; answers behind which entry that ended, and the records then.
//
// At least one revision is left for what stands between the beginning and the end.
fn back(reads: &dyn Reads, prefix: Revision, texts: Texts, head: Revision) -> Result<(Revision, Texts), Refusal> {
    let (mut texts, mut after, mut follows_baseline) = (texts, head, false);
    let mut visit = |entry: StoredEntry| {
        let is_next = entry.revision == after || (follows_baseline && entry.revision < after);
        let step = |change: &StoredChange| {
            let before = change.splice.unapply(texts.get(&change.key).map(String::as_str))?;
            Ok((change.key.clone(), before))
        };
        let before: Result<Vec<_>, StoreError> = entry.changes.iter().map(step).collect();
        let (true, Ok(before)) = (is_next, before) else { return ControlFlow::Break(()) };
        lay(&mut texts, before);
        follows_baseline = entry.cause == EntryCause::Baseline;
        after = Revision(entry.revision.0 - 1);
        ControlFlow::Continue(())
    };
    let page = EntryPage { before: None, down_to: Revision(prefix.0 + 2) };
    reads.entries(&page, &mut visit).or_else(damage)?;
    Ok((after, texts))
}

fn lay(texts: &mut Texts, changes: Vec<(RecordKey, Option<String>)>) {
    for (key, text) in changes {
        match text {
            Some(text) => drop(texts.insert(key, text)),
            None => drop(texts.remove(&key)),
        }
    }
}

// The entry that stands for what cannot be read.
fn made_up(revision: Revision, now: Timestamp, changes: Vec<StoredChange>) -> StoredEntry {
    StoredEntry {
        revision,
        at: now,
        actor: "doctor".to_owned(),
        session: None,
        request_id: None,
        space: changes.first().map_or(Space::known(""), |change| change.key.space.clone()),
        call: "doctor".to_owned(),
        cause: EntryCause::Baseline,
        changes,
        moves: Vec::new(),
        takes_back: Vec::new(),
    }
}

/// What leads from the one to the other.
///
/// That a record is gone is known only where all that are left can be read.
pub(super) fn difference(before: &Texts, after: &Texts, is_whole: bool) -> Vec<StoredChange> {
    let keys: BTreeSet<&RecordKey> = after.keys().chain(before.keys().filter(|_| is_whole)).collect();
    let changed = keys.into_iter().filter(|key| before.get(*key) != after.get(*key));
    changed
        .map(|key| {
            let text = |texts: &'_ Texts| texts.get(key).cloned();
            let splice = Splice::between(text(before).as_deref(), text(after).as_deref());
            StoredChange { key: key.clone(), splice }
        })
        .collect()
}

/// Where records could not all be read: the spaces and kinds, or nothing where even those are not known.
pub(super) type Unread = Option<(Space, String)>;

// Each record with its text and revision, and what could not be read.
fn readable(reads: &dyn Reads) -> Result<(Records, Vec<Unread>), Refusal> {
    let (mut found, mut unread) = (BTreeMap::new(), Vec::new());
    let spaces = or_nothing(reads.spaces())?;
    if spaces.is_none() {
        unread.push(None);
    }
    for space in spaces.unwrap_or_default() {
        let kinds = or_nothing(reads.kinds(&space))?;
        if kinds.is_none() {
            unread.push(None);
        }
        for kind in kinds.unwrap_or_default() {
            if !scan(reads, &space, &kind, &mut found)? {
                unread.push(Some((space.clone(), kind)));
            }
        }
    }
    unread.dedup();
    Ok((found, unread))
}

// From both ends up to what is damaged. Answers whether that was all.
fn scan(reads: &dyn Reads, space: &Space, kind: &str, found: &mut Records) -> Result<bool, Refusal> {
    let mut keep = |record: model::Record| -> Result<bool, Refusal> {
        let key = RecordKey::new(space.clone(), kind.to_owned(), record.id);
        Ok(found.insert(key, (to_text(&record.value).map_err(failed)?, record.revision)).is_none())
    };
    if let Some(all) = or_nothing(reads.scan(space, kind, &Scan::all()))? {
        for record in all {
            keep(record)?;
        }
        return Ok(true);
    }
    for descending in [false, true] {
        let mut after: Option<RecordId> = None;
        while let Some(record) =
            or_nothing(reads.scan(space, kind, &Scan { descending, after, limit: 1 }))?.and_then(|mut one| one.pop())
        {
            after = Some(record.id.clone());
            if !keep(record)? {
                break;
            }
        }
    }
    Ok(false)
}

// The rows of a kind, each once, and whether those are all.
fn every(reads: &dyn Reads, kind: KeepsakeKind) -> Result<(Vec<Keepsake>, bool), Refusal> {
    let (mut rows, mut seen) = (Vec::new(), HashSet::new());
    let all = reads.keepsakes(kind, &mut |keepsake| {
        if seen.insert(key_of(&keepsake)) {
            rows.push(keepsake);
        }
    });
    Ok((rows, all.map_err(failed)?))
}

fn key_of(keepsake: &Keepsake) -> (String, String) {
    let pair = |first: &dyn ToString, second: &dyn ToString| (first.to_string(), second.to_string());
    match keepsake {
        Keepsake::Receipt(receipt) => pair(&receipt.tool, &receipt.request_id),
        Keepsake::Image(image) => pair(&image.path, &""),
        Keepsake::Blob(digest, _) => pair(digest, &""),
        Keepsake::Table(table) => pair(&table.space, &table.place),
        Keepsake::Move(pending) => pair(&pending.revision, &pending.ordinal),
        Keepsake::Checkpoint(checkpoint) => pair(&checkpoint.id, &""),
        Keepsake::Meta(name, _) => pair(name, &""),
    }
}

// The newest revision that anything speaks of: no number may be given twice.
fn head(reads: &dyn Reads, prefix: Revision, records: &Records, keepsakes: &[Keepsake]) -> Revision {
    let of_records = records.values().map(|(_, revision)| *revision);
    let of_keepsakes = keepsakes.iter().filter_map(|keepsake| match keepsake {
        Keepsake::Receipt(receipt) => Some(receipt.revision),
        Keepsake::Table(table) => Some(table.intended.max(table.confirmed)),
        Keepsake::Move(pending) => Some(pending.revision),
        Keepsake::Checkpoint(checkpoint) => Some(checkpoint.revision),
        _ => None,
    });
    let head = reads.head().unwrap_or_default().max(prefix);
    // A damaged number may be any; one that no journal reaches says nothing.
    let is_likely = |revision: &Revision| revision.0 <= head.0.saturating_add(1 << 32);
    of_records.chain(of_keepsakes).filter(is_likely).fold(head, Revision::max)
}

fn or_nothing<T>(read: Result<T, StoreError>) -> Result<Option<T>, Refusal> {
    match read {
        Ok(read) => Ok(Some(read)),
        Err(error) => damage(error).map(|()| None),
    }
}

// Damage is expected here; what the operating system refuses is not.
fn damage(error: StoreError) -> Result<(), Refusal> {
    match error {
        StoreError::Io(_) | StoreError::Busy => Err(failed(error)),
        _ => Ok(()),
    }
}
