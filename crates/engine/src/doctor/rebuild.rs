//! A new store from what a damaged one still tells.
//!
//! The new store is filled, looked through and made safe in a folder of its own while the old one stands
//! untouched. Then the damaged files are copied aside as they are, and the new store gets the old one's name
//! in one step. Images that stand as they were published are published again, as the records say. Killed anywhere, there is either the old store or the new one, and a folder that the next
//! `doctor --fix` clears away. What no record tells is taken in from the images afterwards.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use model::{Change, Origin, Refusal, RefusalClass};
use store::Store;

use super::STORE;
use super::losses::{self, Loss};
use super::salvage::Salvage;
use crate::engine::Engine;
use crate::locks::{Deadline, FileLock, WAIT};
use crate::refusals::{self, failed};

/// Where a new store is filled.
pub(super) const YARD: &str = "rebuild";

impl Engine {
    /// Makes a new store and puts it in the place of the damaged one; answers where that is kept.
    pub(super) fn rebuild(&self) -> Result<String, Refusal> {
        self.home().make()?;
        let deadline = Deadline::within(self.lock_wait(WAIT));
        let names = ["gc"].into_iter().chain(self.formats().iter().map(|format| format.name())).chain(["queue"]);
        let held = names.map(|name| FileLock::acquire(&self.home().lock(name), deadline));
        let _held = held.collect::<Result<Vec<_>, Refusal>>()?;
        self.let_go_of_store();
        self.clear_yard()?;
        let yard = self.home().folder(YARD)?;
        let rebuilt = self.rebuild_in(&yard);
        // What is left of it is in nobody's way, and the room may be missed elsewhere.
        drop(self.clear_yard());
        rebuilt
    }

    fn rebuild_in(&self, yard: &Path) -> Result<String, Refusal> {
        let stores = self.stores();
        let home = self.home().path();
        // The damaged store is read from a copy: reading may change the files.
        let reading = self.home().folder(&format!("{YARD}/reading"))?;
        stores.copy_files(home, &reading).map_err(failed)?;
        self.fill(yard, &reading)?;
        fs::remove_dir_all(&reading).map_err(|error| refusals::of_io(&reading, &error))?;

        let name = format!("damaged-{}-{}", self.now()?.to_stamp(), &crate::clock::random()[..4]);
        let growing = self.home().folder(&format!("{YARD}/aside"))?;
        let aside = home.join(&name);
        stores.copy_files(home, &growing).map_err(failed)?;
        let placed = fs::rename(&growing, &aside).and_then(|()| File::open(home)?.sync_all());
        placed.map_err(|error| refusals::of_io(&aside, &error))?;
        // A folder in the store's place is no store: it is kept as it is, and makes room.
        let place = self.root().join(STORE);
        if place.is_dir() && !place.is_symlink() {
            fs::rename(&place, aside.join("in-its-place")).map_err(|error| refusals::of_io(&place, &error))?;
        }
        match stores.replace(home, yard) {
            // The old store is still there: a copy of it says nothing more.
            Err(error) if matches!(stores.open(yard), Ok(Some(_))) => {
                drop(fs::remove_dir_all(&aside));
                Err(failed(error))
            }
            Err(error) => Err(refusals::of_commit(&error)),
            Ok(()) => Ok(format!(".mainstay/{name}")),
        }
    }

    fn fill(&self, yard: &Path, damaged: &Path) -> Result<(), Refusal> {
        let fresh = self.stores().create(yard).map_err(failed)?;
        let damaged = match self.stores().open_copy(damaged) {
            Err(error @ (store::StoreError::Io(_) | store::StoreError::Busy)) => return Err(failed(error)),
            opened => opened.ok().flatten(),
        };
        let reads = damaged.as_deref().and_then(|store| store.read().ok());
        let mut txn = fresh.begin().map_err(failed)?;
        let losses = match reads.as_deref() {
            Some(reads) => {
                let ctx = self.bare_context(Origin::Tool)?;
                let claims = |laid: &[Change]| self.claims(reads, laid, &ctx);
                let mut salvage = Salvage::of(reads, ctx.now, &claims)?;
                salvage.owe(&|image| self.is_as_published(image));
                salvage.fill(reads, txn.as_mut())?;
                let hidden = damaged.as_deref().and_then(Store::damage);
                salvage.losses.extend(hidden.as_ref().map(Loss::of_commits));
                salvage.losses
            }
            None => vec![Loss::of_everything()],
        };
        if !losses.is_empty() {
            txn.put_meta(losses::REMEMBERED, Some(&losses::write(&losses))).map_err(failed)?;
        }
        // Nothing outside has changed yet, so a failure here leaves nothing open.
        txn.commit().map_err(failed)?;
        match fresh.check().map_err(failed)?.first() {
            None => Ok(()),
            Some(problem) => {
                let message = format!("the store could not be made anew: {problem}");
                Err(Refusal::new(RefusalClass::Corrupt, "rebuild_failed", message)
                    .hint("nothing was changed; keep a copy of .mainstay and report this"))
            }
        }
    }

    /// Removes what an earlier rebuilding left; the caller holds the lock of gc.
    pub(super) fn clear_yard(&self) -> Result<(), Refusal> {
        let yard = self.home().path().join(YARD);
        match yard.symlink_metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Ok(found) if !found.is_dir() => return Err(refusals::outside(&format!(".mainstay/{YARD}"), "no folder")),
            _ => {}
        }
        fs::remove_dir_all(&yard).map_err(|error| refusals::of_io(&yard, &error))
    }

    /// Forgets what was lost, once it has been told.
    pub(super) fn forget_losses(&self) -> Result<(), Refusal> {
        let _queue = FileLock::acquire(&self.home().lock("queue"), Deadline::within(self.lock_wait(WAIT)))?;
        let Some(store) = self.opened_store()? else { return Ok(()) };
        let mut txn = store.begin().map_err(failed)?;
        txn.put_meta(losses::REMEMBERED, None).map_err(failed)?;
        txn.commit().map_err(|error| refusals::of_commit(&error))
    }
}
