//! The end of a plan: what was prepared is published after the commit, and its base confirmed.

use std::collections::BTreeSet;

use model::{Timestamp, Warning};
use store::{ImageState, Mark, Store};

use super::{Plan, Step, stale};
use crate::engine::Engine;
use crate::images::{self, Prepared};
use crate::publish;
use crate::turn::Extra;

impl Plan {
    /// Moves, renames, removes; then makes the folders safe. What fails is told as `image_stale`.
    ///
    /// Folders first, as in healing: an image belongs into the folder as it stands after the moves.
    pub(crate) fn publish(
        &mut self,
        engine: &Engine,
        store: &dyn Store,
        extra: &Extra,
        now: Timestamp,
    ) -> Vec<Warning> {
        let mut warnings = std::mem::take(&mut self.warnings);
        let mut folders = BTreeSet::new();
        let mut any_apart = false;
        // What heal could not move waits on; only a request with moves of its own tries again.
        if extra.moves
            && let Some(pending) = publish::pending(store, &mut warnings)
        {
            (self.moved, self.moving) = publish::moves(engine.files(), pending, &mut warnings);
        }
        for step in &mut self.steps {
            if self.moving.touches(&step.state.path) {
                step.prepared.take().inspect(|prepared| prepared.abandon(engine.files()));
                warnings.push(stale(&step.state.path, "its folder is not yet moved"));
                continue;
            }
            if step.clears {
                match images::set_aside(engine.files(), &step.state.path, now) {
                    Ok(copy) => self.kept.extend(copy.map(|copy| (step.state.path.clone(), copy))),
                    Err(error) => {
                        step.prepared.take().inspect(|prepared| prepared.abandon(engine.files()));
                        warnings.push(stale(&step.state.path, &error.to_string()));
                        continue;
                    }
                }
            }
            let is_apart = step.prepared.as_ref().is_some_and(Prepared::is_apart);
            match publish::step(engine.files(), step) {
                Ok(true) => {
                    step.done = true;
                    any_apart |= is_apart;
                    folders.insert(step.state.path.parent());
                }
                Ok(false) => warnings.push(stale(&step.state.path, "someone changed it meanwhile")),
                Err(error) => warnings.push(stale(&step.state.path, &error.to_string())),
            }
        }
        for file in &extra.files {
            if let Err((path, error)) = publish::extra(engine.files(), file, &self.moving) {
                let message = format!("{path} was not written ({error})");
                warnings.push(Warning::new("image_stale", message).with("path", path.as_str()));
            }
        }
        for folder in folders {
            let any = self.steps.iter().find(|step| step.done && step.state.path.parent() == folder);
            let Some(path) = any.map(|step| step.state.path.clone()) else {
                continue;
            };
            // A folder that has gone has no names to be made safe.
            if let Err(error) = images::sync_folder_of(engine.files(), &path)
                && error.kind() != std::io::ErrorKind::NotFound
            {
                for step in self.steps.iter_mut().filter(|step| step.state.path.parent() == folder) {
                    step.done = false;
                    warnings.push(stale(&step.state.path, &error.to_string()));
                }
            }
        }
        // A file that came out of the engine's own folder stands for good once that folder has forgotten it.
        if any_apart && let Err(error) = images::sync_folder_of(engine.files(), &images::apart()) {
            for step in self.steps.iter_mut().filter(|step| step.done) {
                step.done = false;
                warnings.push(stale(&step.state.path, &error.to_string()));
            }
        }
        warnings
    }

    /// Advances the base of what was published, in a commit of its own, and keeps `marks`.
    ///
    /// A failure here is no failure of the request: the next one finds the bytes that were intended
    /// and confirms them.
    pub(crate) fn confirm(&self, store: &dyn Store, marks: &[(String, String)]) {
        let done: Vec<&Step> = self.steps.iter().filter(|step| step.done).collect();
        if done.is_empty() && self.moved.is_empty() && marks.is_empty() {
            return;
        }
        let confirm = || {
            let mut txn = store.begin()?;
            for step in done {
                let Some(confirmed) = step.state.intended.clone() else {
                    continue;
                };
                let state = ImageState { confirmed, intended: None, ..step.state.clone() };
                if state.confirmed == Mark::Absent {
                    txn.delete_image(&state)?;
                } else {
                    txn.put_image(&state)?;
                }
                if let (true, Mark::Digest(old)) = (step.keeps_base, &step.state.confirmed) {
                    txn.delete_blob(old)?;
                }
            }
            for pending in &self.moved {
                txn.settle_move(pending)?;
            }
            for (name, mark) in marks {
                txn.put_meta(name, Some(mark))?;
            }
            txn.commit()
        };
        drop::<Result<(), store::StoreError>>(confirm());
    }
}
