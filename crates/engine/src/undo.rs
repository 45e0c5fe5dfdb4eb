//! `undo` and `redo`: entries taken back by a new entry that names them.
//!
//! What counts as taken back is told by the journal alone: an entry is, as long as one that takes it
//! back is not taken back itself. A redo is the undo of an undo.
//!
//! An adoption is nobody's deed: it says what stood in the owner's files before Mainstay came. So it is passed
//! over, and taken back only where it is named and forced; `rollback` leaves what it says as it stood then.

#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use format::{Draft, Records as _, View};
use model::{Change, Entry, EntryCause, FolderMove, Object, RecordKey, Refusal, Revision, Value, Warning};
use store::{EntryPage, Reads, StoredEntry, Unwinder};

use crate::deed::{Checkpoints, Thought};
use crate::engine::Engine;
use crate::later::{Later, NAMED, Notes};
use crate::moves_back::{Way, moves_back};
use crate::tell::Teller;
use crate::{past, refusals, tell};

/// Which entries `undo` takes back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UndoQuery {
    /// This one; without it the newest that is no touch, no undo and not yet taken back.
    pub revision: Option<Revision>,
    /// All of this session, instead of one: what it took back of others too.
    pub session: Option<String>,
    /// Only entries of this actor.
    pub actor: Option<String>,
    /// Take back what can be, where later entries changed the same records; an adoption too, if it is named.
    pub force: bool,
}

/// What is made of an entry on the way back.
enum Choice {
    Pass,
    Take,
    /// Take it and look no further.
    Last,
    /// The same, unless nothing but what gc folded is in the way: it may be taken back already.
    Newest,
    Refuse(Box<Refusal>),
}

/// Entries that are to be taken back, and what stands in the way.
#[derive(Default)]
struct Picked {
    /// Newest first, each with the records that are left alone.
    targets: Vec<(Revision, HashSet<RecordKey>)>,
    /// Records that later entries changed too, with those entries.
    conflicts: Vec<(RecordKey, Vec<Revision>)>,
    /// The newest entry that stands for older ones, which cannot be taken back.
    folded: Option<Revision>,
    /// The newest adoption that was passed over.
    adopted: Option<Revision>,
}

/// What leads back, and what does not.
struct Back {
    changes: Vec<Change>,
    moves: Vec<FolderMove>,
    warnings: Vec<Warning>,
}

/// Decides an undo.
pub(crate) fn undo(engine: &Engine, query: &UndoQuery, reads: &dyn Reads, view: &View<'_>) -> Result<Thought, Refusal> {
    if let Some(revision) = query.revision {
        past::must_stand(reads, revision)?;
        // Before the first entry something stood, but nothing was done.
        if revision == Revision(0) {
            return Err(past::unknown(revision, reads.head().map_err(refusals::failed)?));
        }
    }
    let mut is_redo = false;
    let mut choose = |entry: &StoredEntry, stands: bool| {
        let choice = query.choose(reads, entry, stands);
        is_redo |= matches!(choice, Choice::Last) && entry.cause == EntryCause::Undo;
        choice
    };
    let told = Teller::of(engine);
    let picked = pick(&told, reads, &mut choose)?;
    if picked.targets.is_empty() {
        return Err(nothing_to_undo(query, picked.adopted));
    }
    let undone: Vec<Revision> = picked.targets.iter().map(|(revision, _)| *revision).collect();
    let Back { changes, moves, mut warnings } = taken_back(reads, view, &picked, query.force)?;
    warnings.extend(picked.folded.filter(|_| query.session.is_some()).map(folded));
    Ok(Thought {
        changes,
        moves,
        warnings,
        cause: if is_redo { EntryCause::Redo } else { EntryCause::Undo },
        takes_back: undone.clone(),
        checkpoints: Checkpoints::default(),
        is_entered: false,
        reply: Box::new(move |revision, changes| reply("undone", &undone, revision, told.changes(changes))),
    })
}

/// Decides a redo: the latest undo, if nothing but touches came after it.
pub(crate) fn redo(engine: &Engine, reads: &dyn Reads, view: &View<'_>) -> Result<Thought, Refusal> {
    let mut redone = Vec::new();
    let mut choose = |entry: &StoredEntry, stands: bool| match entry.cause {
        EntryCause::Undo if stands => {
            redone.clone_from(&entry.takes_back);
            Choice::Last
        }
        EntryCause::Undo | EntryCause::Redo | EntryCause::Minor => Choice::Pass,
        EntryCause::Call | EntryCause::Outside | EntryCause::Adoption | EntryCause::Baseline => {
            Choice::Refuse(nothing_to_redo().into())
        }
    };
    let told = Teller::of(engine);
    let picked = pick(&told, reads, &mut choose)?;
    if picked.targets.is_empty() {
        return Err(nothing_to_redo());
    }
    let takes_back = picked.targets.iter().map(|(revision, _)| *revision).collect();
    let Back { changes, moves, warnings } = taken_back(reads, view, &picked, false)?;
    Ok(Thought {
        changes,
        moves,
        warnings,
        cause: EntryCause::Redo,
        takes_back,
        checkpoints: Checkpoints::default(),
        is_entered: false,
        reply: Box::new(move |revision, changes| reply("redone", &redone, revision, told.changes(changes))),
    })
}

/// **Shape**: `{undone:[rev],revision,changes}`, or `redone`.
pub(crate) fn reply(word: &str, entries: &[Revision], revision: Revision, changes: Value) -> Object {
    let mut object = Object::new();
    object.insert(word.to_owned(), entries.iter().map(|revision| Value::from(revision.0)).collect());
    object.insert("revision".into(), revision.0.into());
    object.insert("changes".into(), changes);
    object
}

impl UndoQuery {
    fn choose(&self, reads: &dyn Reads, entry: &StoredEntry, stands: bool) -> Choice {
        if let Some(revision) = self.revision {
            return match (entry.revision == revision, entry.cause, stands) {
                (false, _, _) => Choice::Pass,
                (true, EntryCause::Baseline, _) => Choice::Refuse(past::folded(revision, entry.revision).into()),
                (true, _, false) => Choice::Refuse(already_undone(revision).into()),
                (true, EntryCause::Adoption, true) if !self.force => Choice::Refuse(adopted(entry).into()),
                (true, _, true) => Choice::Last,
            };
        }
        if !stands || !self.is_meant(entry) {
            return Choice::Pass;
        }
        match (entry.cause, &self.session) {
            (EntryCause::Call | EntryCause::Outside, None) => Choice::Newest,
            (EntryCause::Call | EntryCause::Outside, Some(_)) => Choice::Take,
            (EntryCause::Undo | EntryCause::Redo, Some(_)) => match self.took_back_of_others(reads, entry) {
                Ok(true) => Choice::Take,
                Ok(false) => Choice::Pass,
                Err(refusal) => Choice::Refuse(refusal.into()),
            },
            _ => Choice::Pass,
        }
    }

    fn is_meant(&self, entry: &StoredEntry) -> bool {
        self.actor.as_ref().is_none_or(|actor| entry.actor == *actor)
            && self.session.as_ref().is_none_or(|session| entry.session.as_ref() == Some(session))
    }

    // What a session took back of its own counts for nothing once its own is taken back. What it took back of others
    // is its deed like any other; of entries that were folded nobody knows any more.
    fn took_back_of_others(&self, reads: &dyn Reads, entry: &StoredEntry) -> Result<bool, Refusal> {
        for target in &entry.takes_back {
            let found = reads.entries_after(Revision(target.0.saturating_sub(1)), 1);
            let found = found.map_err(|error| refusals::of_store(&error))?;
            if found.iter().any(|one| one.revision == *target && !self.is_meant(one)) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

// Walks back, keeping count of what is taken back already and of what later entries changed.
fn pick(
    told: &Teller,
    reads: &dyn Reads,
    choose: &mut dyn FnMut(&StoredEntry, bool) -> Choice,
) -> Result<Picked, Refusal> {
    let (mut picked, mut refusal) = (Picked::default(), None);
    let (mut taken_back, mut baselines) = (HashSet::new(), HashSet::new());
    let mut later: HashMap<RecordKey, Notes> = HashMap::new();
    let mut visit = |entry: StoredEntry| {
        let stands = !taken_back.remove(&entry.revision);
        let choice = match choose(&entry, stands) {
            Choice::Newest if is_folded_over(&entry, &later, &baselines) => Choice::Pass,
            choice => choice,
        };
        // What an entry took back stands again once that entry is to be taken back itself.
        if stands && !matches!(choice, Choice::Take) {
            taken_back.extend(entry.takes_back.iter().copied());
        }
        if entry.cause == EntryCause::Baseline {
            picked.folded.get_or_insert(entry.revision);
            baselines.insert(entry.revision);
        }
        if entry.cause == EntryCause::Adoption && stands {
            picked.adopted.get_or_insert(entry.revision);
        }
        match choice {
            Choice::Pass => {
                if stands && entry.cause != EntryCause::Minor {
                    let note = Later { revision: entry.revision, oldest: entry.takes_back.iter().min().copied() };
                    for change in entry.changes {
                        later.entry(change.key).or_default().note(note);
                    }
                }
                ControlFlow::Continue(())
            }
            Choice::Take | Choice::Newest | Choice::Last => {
                picked.take(told, &entry, &later);
                if matches!(choice, Choice::Take) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            }
            Choice::Refuse(why) => {
                refusal = Some(*why);
                ControlFlow::Break(())
            }
        }
    };
    reads.entries(&EntryPage::default(), &mut visit).map_err(|error| refusals::of_store(&error))?;
    refusal.map_or(Ok(picked), Err)
}

// Whether what is in an entry's way is nothing but entries of gc, which nobody can take back first.
fn is_folded_over(entry: &StoredEntry, later: &HashMap<RecordKey, Notes>, baselines: &HashSet<Revision>) -> bool {
    let notes = entry.changes.iter().filter_map(|change| later.get(&change.key));
    let mut others = notes.flat_map(|notes| notes.in_the_way_of(entry.revision)).peekable();
    others.peek().is_some() && others.all(|other| baselines.contains(&other))
}

impl Picked {
    fn take(&mut self, told: &Teller, entry: &StoredEntry, later: &HashMap<RecordKey, Notes>) {
        let mut left_alone = HashSet::new();
        for change in &entry.changes {
            let others = later.get(&change.key).map(|notes| notes.in_the_way_of(entry.revision)).unwrap_or_default();
            if others.is_empty() {
                continue;
            }
            left_alone.insert(change.key.clone());
            // Books are kept by their formats, whoever wrote in them later.
            let is_known = self.conflicts.iter().any(|(key, _)| *key == change.key);
            if !is_known && told.tells(&change.key) {
                self.conflicts.push((change.key.clone(), others));
            }
        }
        self.targets.push((entry.revision, left_alone));
    }
}

// The changes and moves that lead back, newest entry first.
fn taken_back(reads: &dyn Reads, view: &View<'_>, picked: &Picked, force: bool) -> Result<Back, Refusal> {
    if !force && !picked.conflicts.is_empty() {
        return Err(conflict(&picked.conflicts));
    }
    let mut draft = Draft::new(view.records);
    let mut back = Vec::new();
    let targets: HashMap<Revision, &HashSet<RecordKey>> =
        picked.targets.iter().map(|(revision, left_alone)| (*revision, left_alone)).collect();
    let mut visit = |entry: Entry| {
        let left_alone = targets.get(&entry.revision);
        for change in &entry.changes {
            if left_alone.is_some_and(|keys| keys.contains(&change.key)) {
                continue;
            }
            match step_back(change, draft.get(&change.key).as_ref()) {
                Some(value) => draft.put(change.key.clone(), value),
                None => draft.delete(change.key.clone()),
            }
        }
        back.extend(entry.moves.into_iter().rev().map(FolderMove::inverse));
        ControlFlow::Continue(())
    };
    let oldest = picked.targets.last().map(|(revision, _)| *revision).unwrap_or_default();
    let newest = picked.targets.first().map(|(revision, _)| Revision(revision.0 + 1));
    let is_target = |stored: &StoredEntry| targets.contains_key(&stored.revision);
    Unwinder::new(reads)
        .walk(
            &EntryPage { before: newest, down_to: oldest },
            &|stored| ControlFlow::Continue(is_target(stored)),
            &mut visit,
        )
        .map_err(|error| refusals::of_store(&error))?;
    let (moves, warnings) = moves_back(view, back, Way::Undo { force })?;
    let changes = draft.into_changes();
    if changes.is_empty() && moves.is_empty() && !picked.conflicts.is_empty() {
        return Err(conflict(&picked.conflicts));
    }
    Ok(Back { changes, moves, warnings })
}

/// The value before a change, where touches may have changed it since.
///
/// Of an object only the members that the change was about go back.
fn step_back(change: &Change, now: Option<&Value>) -> Option<Value> {
    let (Some(Value::Object(before)), Some(Value::Object(after)), Some(Value::Object(now))) =
        (&change.before, &change.after, now)
    else {
        return change.before.clone();
    };
    if now == after {
        return change.before.clone();
    }
    let mut now = now.clone();
    for name in after.keys().filter(|name| !before.contains_key(*name)) {
        now.shift_remove(name);
    }
    for (name, value) in before {
        if after.get(name) != Some(value) {
            now.insert(name.clone(), value.clone());
        }
    }
    Some(Value::Object(now))
}

fn conflict(conflicts: &[(RecordKey, Vec<Revision>)]) -> Refusal {
    let shown: Vec<Value> = conflicts
        .iter()
        .map(|(key, revisions)| {
            let mut object = tell::key(key);
            object.insert("revisions".into(), revisions.iter().map(|revision| Value::from(revision.0)).collect());
            Value::Object(object)
        })
        .collect();
    let mut names: Vec<String> = conflicts.iter().take(NAMED).map(|(key, _)| key.to_string()).collect();
    if conflicts.len() > NAMED {
        names.push(format!("{} more", conflicts.len() - NAMED));
    }
    Refusal::refused("undo_conflict", format!("later entries changed the same records: {}", names.join(", ")))
        .with("conflicts", shown)
        .hint("take the later entries back first, or the rest of this one with --force")
}

// What of a session has become one entry with others.
fn folded(revision: Revision) -> Warning {
    let message = format!("entries up to revision {revision} were folded into one; what the session did there stays");
    Warning::new("history_folded", message).with("revision", revision.0)
}

fn already_undone(revision: Revision) -> Refusal {
    Refusal::refused("already_undone", format!("revision {revision} is taken back already"))
        .field("revision")
        .with("revision", revision.0)
        .hint("mainstay history shows the entry that took it back; mainstay undo REV takes that one back")
}

// What stood there before Mainstay came is not taken away by the way.
fn adopted(entry: &StoredEntry) -> Refusal {
    let revision = entry.revision;
    let names: Vec<String> = entry.changes.iter().take(NAMED).map(|change| change.key.to_string()).collect();
    let message = format!(
        "revision {revision} is where Mainstay first saw what stood there already; without it {} would be gone",
        names.join(", ")
    );
    Refusal::refused("undo_of_adoption", message)
        .field("revision")
        .with("revision", revision.0)
        .hint(format!("mainstay undo {revision} --force takes it away all the same; mainstay redo brings it back"))
}

/// There is no entry that `undo` could take back; `adopted` was passed over.
pub(crate) fn nothing_to_undo(query: &UndoQuery, adopted: Option<Revision>) -> Refusal {
    let of_session = query.session.as_ref().map(|session| format!(" of session {session:?}")).unwrap_or_default();
    let of_actor = query.actor.as_ref().map(|actor| format!(" by {actor:?}")).unwrap_or_default();
    let message = format!("there is no entry{of_session}{of_actor} that could be taken back");
    let Some(adopted) = adopted else {
        return Refusal::refused("nothing_to_undo", message).hint("mainstay history lists the entries");
    };
    Refusal::refused("nothing_to_undo", format!("{message}; what stood there before Mainstay came stays"))
        .with("adopted", adopted.0)
        .hint("mainstay history --all lists the entries")
}

/// There is no undo that `redo` could take back.
pub(crate) fn nothing_to_redo() -> Refusal {
    Refusal::refused("nothing_to_redo", "the newest entry is no undo, so there is nothing to redo")
        .hint("mainstay undo REV takes back any entry, an older undo too")
}
