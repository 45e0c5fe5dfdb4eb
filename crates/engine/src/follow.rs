//! `watch`: entries as they are made, each once, in order.
//!
//! What was shown is told by revision alone, so that no entry is missed or shown twice; the watching
//! of files only says when it is worth looking.

use std::collections::BTreeSet;
use std::time::Duration;

use model::{Object, Refusal, Revision, Space};
use store::{Reads, StoredEntry, Unwinder};

use crate::engine::Engine;
use crate::moment::{Edge, Moment};
use crate::past;
use crate::refusals::failed;
use crate::tell::{self, Teller};
use crate::wakeups::Wakeups;

/// How many entries are shown at once.
const AT_ONCE: usize = 256;

/// The longest pause between two looks at the store, should no change of a file be told.
const PAUSE: Duration = Duration::from_secs(1);

/// The pause after a change that has brought no entry: its commit is not yet visible.
const AGAIN: Duration = Duration::from_millis(10);

/// How often in a row such a change is looked at again soon.
const AGAINS: u32 = 5;

/// Follows the journal of a project.
pub struct Follower<'a> {
    engine: &'a Engine,
    space: Option<String>,
    all: bool,
    seen: Revision,
    wakeups: Option<Wakeups>,
    /// How many looks since a file changed have found nothing.
    vain: u32,
}

impl Engine {
    /// Begins to follow the journal, from an entry on, or from now on.
    ///
    /// **Errors**: `invalid_argument` (field `space` or `since`), `unknown_revision` for one that is not even the next.
    pub fn follow(&self, space: Option<&str>, since: Option<&str>, all: bool) -> Result<Follower<'_>, Refusal> {
        space.map_or(Ok(()), |space| self.check_space(space))?;
        let seen = match since {
            None => self.newest()?,
            Some(text) => self.before(text)?,
        };
        let mut follower =
            Follower { engine: self, space: space.map(str::to_owned), all, seen, wakeups: None, vain: AGAINS };
        follower.listen();
        Ok(follower)
    }

    // The newest entry that is not shown any more.
    fn before(&self, text: &str) -> Result<Revision, Refusal> {
        if let Some(store) = self.opened_store()? {
            let reads = store.read().map_err(failed)?;
            let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
            let revision = self.revision_of(reads.as_ref(), text, "since", Edge::Without)?;
            let head = reads.head().map_err(failed)?;
            // Who goes on where they ended names the entry that comes next.
            if revision.0 > head.0 + 1 {
                return Err(past::unknown(revision, head));
            }
            return Ok(if is_number { Revision(revision.0.saturating_sub(1)) } else { revision });
        }
        Ok(match self.moment(text, "since")? {
            Moment::Revision(revision) if revision.0 > 1 => return Err(past::unknown(revision, Revision(0))),
            Moment::Revision(revision) => Revision(revision.0.saturating_sub(1)),
            Moment::Time(_) => Revision(0),
        })
    }
}

impl Follower<'_> {
    /// The entries that have come since the last look, oldest first; waits a while where there are none.
    ///
    /// Answers nothing about once a second, so that the caller can look whether anyone still listens.
    /// **Shape**: as in `history`.
    pub fn wait_for_entries(&mut self) -> Result<Vec<Object>, Refusal> {
        Ok(self.wait_for(Self::entries)?.unwrap_or_default())
    }

    /// The spaces that entries have touched since the last look, each once; waits a while where there are none.
    pub(crate) fn wait_for_spaces(&mut self) -> Result<Vec<Space>, Refusal> {
        Ok(self.wait_for(Self::spaces)?.unwrap_or_default())
    }

    /// The newest entry that was looked at.
    pub(crate) fn seen(&self) -> Revision {
        self.seen
    }

    // Looks, and where there is nothing waits a while and looks once more.
    fn wait_for<T>(&mut self, look: fn(&mut Self) -> Result<Option<T>, Refusal>) -> Result<Option<T>, Refusal> {
        if let Some(found) = look(self)? {
            self.vain = 0;
            return Ok(Some(found));
        }
        let pause = if self.vain < AGAINS { AGAIN } else { PAUSE };
        if self.wait(pause) {
            self.vain = 0;
        } else {
            self.vain = self.vain.saturating_add(1);
        }
        look(self)
    }

    fn entries(&mut self) -> Result<Option<Vec<Object>>, Refusal> {
        let Some(store) = self.engine.opened_store()? else { return Ok(None) };
        let reads = store.read().map_err(failed)?;
        let mut unwinder = Unwinder::new(reads.as_ref());
        let teller = Teller::of(self.engine);
        let mut told = Vec::new();
        for stored in self.look(reads.as_ref())? {
            let mut entry = unwinder.entry(stored).map_err(failed)?;
            entry.changes.retain(|change| self.all || teller.tells(&change.key));
            told.push(tell::entry(&entry));
        }
        Ok(Some(told).filter(|told| !told.is_empty()))
    }

    // No value is looked at.
    fn spaces(&mut self) -> Result<Option<Vec<Space>>, Refusal> {
        let Some(store) = self.engine.opened_store()? else { return Ok(None) };
        let reads = store.read().map_err(failed)?;
        let mut spaces = BTreeSet::new();
        for stored in self.look(reads.as_ref())? {
            spaces.extend(stored.changes.into_iter().map(|change| change.key.space));
            spaces.insert(stored.space);
        }
        Ok(Some(spaces.into_iter().collect::<Vec<_>>()).filter(|spaces| !spaces.is_empty()))
    }

    // The next entries that are wanted.
    fn look(&mut self, reads: &dyn Reads) -> Result<Vec<StoredEntry>, Refusal> {
        // Another store has been put in this one's place, and its journal is a shorter one.
        self.seen = self.seen.min(reads.head().map_err(failed)?);
        let mut entries = reads.entries_after(self.seen, AT_ONCE).map_err(failed)?;
        if let Some(last) = entries.last() {
            self.seen = last.revision;
        }
        entries.retain(|entry| self.wants(entry));
        if self.wakeups.is_none() {
            self.listen();
        }
        Ok(entries)
    }

    fn wants(&self, entry: &StoredEntry) -> bool {
        let space = self.space.as_deref();
        (self.all || entry.cause != model::EntryCause::Minor)
            && (tell::is_wanted(space, &entry.space)
                || entry.changes.iter().any(|change| tell::is_wanted(space, &change.key.space)))
    }

    fn listen(&mut self) {
        // Without it, looks are taken once a second.
        self.wakeups = Wakeups::of(self.engine.home().path());
    }

    // Waits for a change in the engine's folder; answers whether there was one.
    fn wait(&mut self, longest: Duration) -> bool {
        if let Some(wakeups) = &self.wakeups {
            return wakeups.wait(longest);
        }
        std::thread::sleep(longest);
        false
    }
}
