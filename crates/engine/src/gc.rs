//! `gc`: old entries are folded into one, and the room that they took is given back.
//!
//! What a checkpoint stands on stays: the entries between two of them are folded apart. Folding goes
//! in steps, each a commit of its own under the queue, so that writers come in between. What is in memory
//! and in one commit is bounded: entries that change very many records become several.

mod stretch;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{Hash as _, Hasher as _};
use std::ops::ControlFlow;

use model::{EntryCause, Object, ProjectPath, RecordKey, Refusal, Revision, Space, Timestamp, Value, Warning};
use store::{EntryPage, Reads, Store, StoreError, StoredEntry, TableState};

use crate::clock;
use crate::engine::{Engine, Identity};
use crate::images;
use crate::locks::{Deadline, FileLock, WAIT};
use crate::moment::span;
use crate::records::StoreRecords;
use crate::refusals::{self, failed};
use crate::tables;
use crate::write::reads_of;
use stretch::Stretch;

/// How many entries one commit folds at most.
const STEP: usize = 1024;

/// How many entries are held in memory at once.
const AT_ONCE: usize = 512;

/// How many records the entries change that become one.
const RECORDS: usize = 8_192;

/// How long receipts are kept. **Units**: milliseconds.
const RECEIPTS: i64 = 7 * 24 * 60 * 60 * 1000;

/// Where the folders are kept that are to be removed, from the commit that folds their entries on.
const TRASHED: &str = "gc/trashed";

/// What gc is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GcQuery {
    /// The age from which entries are folded: a span as `90d`.
    pub keep: String,
    /// Only say what would be done.
    pub dry_run: bool,
}

/// Which revisions end a stretch of entries that are folded into one.
struct Plan {
    /// Ascending; the last one is the newest entry that is folded.
    ends: Vec<Revision>,
    /// How many entries go away.
    dropped: u64,
    /// The last change of each record among them, by the hash of its key: what is not changed again need not be known.
    last: HashMap<u64, Revision>,
    /// Why it does not reach further, where something younger than the bound is in the way.
    held: Option<String>,
}

/// What is remembered of the files that show a space's table image, each once.
struct Remembered {
    there: Vec<TableState>,
    /// Another took the place of these, and they are nowhere.
    gone: Vec<TableState>,
}

/// Reads the journal forwards, fewer entries at once where they are large.
struct Pages {
    after: Revision,
    at_once: usize,
}

impl Pages {
    fn after(revision: Revision) -> Self {
        Self { after: revision, at_once: 1 }
    }

    // The entries that follow; none at the end.
    fn next(&mut self, reads: &dyn Reads) -> Result<Option<Vec<StoredEntry>>, Refusal> {
        let page = reads.entries_after(self.after, self.at_once).map_err(failed)?;
        let Some(newest) = page.last() else { return Ok(None) };
        self.after = newest.revision;
        let is_large = page.iter().any(|entry| entry.changes.len() > RECORDS / AT_ONCE);
        self.at_once = if is_large { 1 } else { (4 * self.at_once).min(AT_ONCE) };
        Ok(Some(page))
    }
}

// Two keys with one hash would be counted as one and known for longer, which harms nothing.
fn hash(key: &RecordKey) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}

impl Engine {
    /// Folds entries older than the bound and gives back their room.
    ///
    /// **Shape**: `{dropped,bytes_before,bytes_after,removed:[path],held}`; `held` says what keeps older
    /// entries, or is null.
    /// **Errors**: `invalid_argument` (field `keep`), `store_busy`, `write_failed`.
    pub fn gc(&self, query: &GcQuery, identity: &Identity) -> Result<Object, Refusal> {
        let keep = span(&query.keep).ok_or_else(|| {
            Refusal::invalid("keep", format!("{:?} is no span of time", query.keep)).allowed("90d, 12h, 4w")
        })?;
        let bound = Timestamp::from_millis(self.now()?.as_millis().saturating_sub(keep));
        let Some(store) = self.opened_store()? else { return Ok(report(0, 0, 0, &[], None, query.dry_run)) };
        let size = || store.size().map(|size| size.database_bytes + size.wal_bytes).map_err(failed);
        let before = size()?;
        if query.dry_run {
            let plan = self.plan(store.as_ref(), bound)?;
            return Ok(report(plan.dropped, before, before, &[], plan.held, true));
        }
        // Only one at a time; what waits outside or to be healed is settled first.
        self.home().make()?;
        let wait = self.lock_wait(WAIT);
        let _alone = FileLock::acquire(&self.home().lock("gc"), Deadline::within(wait))?;
        self.settle(identity)?;
        let plan = self.plan(store.as_ref(), bound)?;
        if plan.dropped > 0 {
            self.let_go(store.as_ref())?;
        }
        let removed = self.fold(store.as_ref(), &plan)?;
        let queue = FileLock::acquire(&self.home().lock("queue"), Deadline::within(wait))?;
        let compacted = if plan.dropped > 0 { store.compact() } else { Ok(()) };
        drop(queue);
        let mut object = report(plan.dropped, before, size()?, &removed, plan.held, false);
        match compacted {
            // What was folded stays folded, and its room is used by what is written next.
            Err(StoreError::Io(why)) => {
                let message = format!("the store's file could not be made smaller ({why})");
                let warning = Warning::new("not_compacted", message).with("hint", "run gc again when there is room");
                object.insert("warnings".into(), Value::Array(vec![Value::Object(warning.to_object())]));
            }
            compacted => compacted.map_err(failed)?,
        }
        Ok(object)
    }

    // Finds how far folding may go.
    fn plan(&self, store: &dyn Store, bound: Timestamp) -> Result<Plan, Refusal> {
        let snapshot = store.read().map_err(failed)?;
        let reads = snapshot.as_ref();
        let (limit, held) = self.limit(reads)?;
        let checkpoints: BTreeSet<Revision> =
            reads.checkpoints().map_err(failed)?.into_iter().map(|checkpoint| checkpoint.revision).collect();
        let (mut ends, mut last, mut stretch, mut dropped) = (Vec::new(), None, 0_u64, 0);
        let (mut old, mut was_adoption) = (true, false);
        let mut held_back = 0_u64;
        let mut pages = Pages::after(Revision(0));
        let (mut changed, mut last_changes) = (HashSet::new(), HashMap::new());
        while old {
            let Some(page) = pages.next(reads)? else { break };
            for entry in page {
                let is_held = entry.revision > limit;
                held_back += u64::from(is_held && entry.at < bound);
                // Whether it is one entry or many that are held makes the difference.
                if entry.at >= bound || held_back > 1 {
                    old = false;
                    break;
                }
                if is_held {
                    continue;
                }
                // Up to here the checkpoints between this entry and the last one want no more. An adoption stays alone:
                // folded with others it would be taken back with them.
                let is_adoption = entry.cause == EntryCause::Adoption;
                let is_apart = std::mem::replace(&mut was_adoption, is_adoption) || is_adoption;
                let keys = || entry.changes.iter().map(|change| hash(&change.key));
                let is_much = changed.len() + keys().filter(|key| !changed.contains(key)).count() > RECORDS;
                let is_apart = is_apart || is_much;
                if last.is_some_and(|last| is_apart || checkpoints.range(last..entry.revision).next().is_some()) {
                    ends.extend(last);
                    dropped += stretch - 1;
                    stretch = 0;
                    changed.clear();
                }
                changed.extend(keys());
                last_changes.extend(keys().map(|key| (key, entry.revision)));
                stretch += 1;
                last = Some(entry.revision);
            }
        }
        ends.extend(last);
        dropped += stretch.saturating_sub(1);
        Ok(Plan { ends, dropped, last: last_changes, held: held.filter(|_| held_back > 1) })
    }

    // The newest entry that nothing else needs, and what needs the next.
    fn limit(&self, reads: &dyn Reads) -> Result<(Revision, Option<String>), Refusal> {
        let mut needs: Vec<(Revision, String)> = Vec::new();
        if let Some(receipt) = reads.oldest_computed().map_err(failed)? {
            needs.push((Revision(receipt.0.saturating_sub(1)), "a reply that is computed again from its entry".into()));
        }
        for pending in reads.pending_moves().map_err(failed)? {
            let what = format!("the folder {} that waits to be moved", pending.step.from);
            needs.push((Revision(pending.revision.0.saturating_sub(1)), what));
        }
        for space in self.every_space(reads)? {
            let lacking = |table: TableState| (table.confirmed, format!("the rows that {} lacks", table.place));
            needs.extend(remembered(reads, &space)?.there.into_iter().map(lacking));
        }
        let nearest = needs.into_iter().min_by_key(|(revision, _)| *revision);
        Ok(nearest.map_or((Revision(u64::MAX), None), |(revision, what)| (revision, Some(what))))
    }

    // Rows that a file lacks which is gone are folded. Should it come back, it is none that we know, and is
    // compared as a whole.
    fn let_go(&self, store: &dyn Store) -> Result<(), Refusal> {
        let _queue = FileLock::acquire(&self.home().lock("queue"), Deadline::within(self.lock_wait(WAIT)))?;
        let mut txn = store.begin().map_err(failed)?;
        let head = reads_of(txn.as_ref()).head().map_err(failed)?;
        let mut gone = Vec::new();
        for space in self.every_space(reads_of(txn.as_ref()))? {
            gone.append(&mut remembered(reads_of(txn.as_ref()), &space)?.gone);
        }
        if gone.is_empty() {
            return Ok(());
        }
        for table in gone {
            let stranger = TableState { nonce: clock::random(), confirmed: head, intended: head, drained: 0, ..table };
            txn.put_table(&stranger).map_err(failed)?;
        }
        txn.commit().map_err(|error| refusals::of_commit(&error))
    }

    fn every_space(&self, reads: &dyn Reads) -> Result<BTreeSet<Space>, Refusal> {
        let ctx = self.bare_context(model::Origin::Command)?;
        let records = StoreRecords::new(Some(reads));
        let view = format::View { records: &records, files: self.files(), probes: self.probes() };
        let mut spaces: BTreeSet<Space> = reads.spaces().map_err(failed)?.into_iter().collect();
        for format in self.formats_on() {
            spaces.extend(format.spaces(None, &view, &ctx)?);
        }
        Ok(spaces)
    }

    // Folds stretch by stretch; answers the folders that went for good.
    fn fold(&self, store: &dyn Store, plan: &Plan) -> Result<Vec<String>, Refusal> {
        let mut state: BTreeMap<RecordKey, String> = BTreeMap::new();
        let (mut start, mut trashed) =
            (Revision(0), store.read().map_err(failed).and_then(|reads| left_in_trash(reads.as_ref()))?);
        for (place, end) in plan.ends.iter().enumerate() {
            let mut stretch = Stretch::new(place == 0);
            // What a step folds is an entry of its own at first: no commit writes what those before it wrote.
            let (mut step, mut folded) = (Stretch::new(false), start);
            let mut pages = Pages::after(start);
            while pages.after < *end {
                let Some(page) = pages.next(store.read().map_err(failed)?.as_ref())? else { break };
                for entry in page.into_iter().take_while(|entry| entry.revision <= *end) {
                    step.add(entry, &mut state)?;
                }
                if step.count >= STEP && pages.after < *end {
                    self.commit(store, folded, step.baseline(&state), &[])?;
                    stretch.absorb(std::mem::replace(&mut step, Stretch::new(false)));
                    folded = pages.after;
                }
            }
            stretch.absorb(step);
            trashed.append(&mut stretch.trashed);
            self.commit(store, start, stretch.baseline(&state), &trashed)?;
            state.retain(|key, _| plan.last.get(&hash(key)).is_some_and(|last| last > end));
            start = *end;
        }
        let removed = self.empty_trash(store, plan, &trashed)?;
        if !trashed.is_empty() {
            let _queue = FileLock::acquire(&self.home().lock("queue"), Deadline::within(self.lock_wait(WAIT)))?;
            let mut txn = store.begin().map_err(failed)?;
            txn.put_meta(TRASHED, None).map_err(failed)?;
            txn.commit().map_err(|error| refusals::of_commit(&error))?;
        }
        Ok(removed)
    }

    fn commit(
        &self,
        store: &dyn Store,
        after: Revision,
        baseline: Option<StoredEntry>,
        trashed: &[ProjectPath],
    ) -> Result<(), Refusal> {
        let Some(baseline) = baseline else { return Ok(()) };
        let _queue = FileLock::acquire(&self.home().lock("queue"), Deadline::within(self.lock_wait(WAIT)))?;
        let mut txn = store.begin().map_err(failed)?;
        txn.fold(after, &baseline).map_err(failed)?;
        if !trashed.is_empty() {
            // The entries that tell of these folders are gone with this commit.
            let paths: Vec<&str> = trashed.iter().map(ProjectPath::as_str).collect();
            txn.put_meta(TRASHED, Some(&Value::from(paths).to_string())).map_err(failed)?;
        }
        txn.drop_receipts(Timestamp::from_millis(self.now()?.as_millis().saturating_sub(RECEIPTS))).map_err(failed)?;
        txn.commit().map_err(|error| refusals::of_commit(&error))
    }

    // A folder stays that an entry which is left may bring back.
    fn empty_trash(&self, store: &dyn Store, plan: &Plan, trashed: &[ProjectPath]) -> Result<Vec<String>, Refusal> {
        if trashed.is_empty() {
            return Ok(Vec::new());
        }
        let first = plan.ends.first().copied().unwrap_or_default();
        let mut needed: HashSet<ProjectPath> = HashSet::new();
        let mut see = |entry: StoredEntry| {
            needed.extend(entry.moves.into_iter().flat_map(|step| [step.from, step.to]));
            ControlFlow::Continue(())
        };
        let page = EntryPage { before: None, down_to: Revision(first.0 + 1) };
        store.read().and_then(|reads| reads.entries(&page, &mut see)).map_err(failed)?;
        let is_needed = |path: &ProjectPath| {
            needed.iter().any(|other| other == path || beneath(other, path) || beneath(path, other))
        };
        let mut removed = Vec::new();
        for path in trashed {
            if is_needed(path) {
                continue;
            }
            let gone = images::remove_trashed(self.files(), path);
            if gone.map_err(|error| refusals::of_io(path.as_str(), &error))? {
                removed.push(path.as_str().to_owned());
            }
        }
        Ok(removed)
    }
}

// The files of a space's table image.
fn remembered(reads: &dyn Reads, space: &Space) -> Result<Remembered, Refusal> {
    // A file that was moved with its project is remembered under both places.
    let mut files: BTreeMap<String, TableState> = BTreeMap::new();
    for table in reads.tables(space).map_err(failed)? {
        let known = files.entry(table.nonce.clone()).or_insert_with(|| table.clone());
        if known.confirmed < table.confirmed {
            *known = table;
        }
    }
    let newest = files.values().map(|table| table.confirmed).max().unwrap_or_default();
    let is_gone = |table: &TableState| table.confirmed < newest && tables::is_gone(&table.place);
    let (gone, there) = files.into_values().partition(is_gone);
    Ok(Remembered { there, gone })
}

/// The folders that an earlier gc was to remove and may not have come to.
pub(crate) fn left_in_trash(reads: &dyn Reads) -> Result<Vec<ProjectPath>, Refusal> {
    let text = reads.meta(TRASHED).map_err(failed)?.unwrap_or_default();
    let paths: Vec<String> = serde_json::from_str(&text).unwrap_or_default();
    Ok(paths.into_iter().filter_map(|path| ProjectPath::new(path).ok()).collect())
}

fn beneath(path: &ProjectPath, folder: &ProjectPath) -> bool {
    path.as_str().strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/'))
}

fn report(dropped: u64, before: u64, after: u64, removed: &[String], held: Option<String>, dry_run: bool) -> Object {
    let mut object = Object::new();
    object.insert("dropped".into(), dropped.into());
    object.insert("bytes_before".into(), before.into());
    object.insert("bytes_after".into(), after.into());
    object.insert("removed".into(), removed.iter().map(|path| Value::from(path.as_str())).collect());
    object.insert("held".into(), held.map_or(Value::Null, Value::String));
    if dry_run {
        object.insert("dry_run".into(), true.into());
    }
    object
}
