//! What a batch does to image files: rendered, prepared, recorded, published, confirmed.

use std::collections::BTreeSet;

use format::{FileSource, FileState, Irregular, Restore, TakeIn, Touched, View};
use model::{Change, Context, Image, ImageContent, ProjectPath, Refusal, Timestamp, Warning};
use mutants::planted;
use store::{ImageState, Mark, PendingMove, Store, Txn};

use crate::engine::Engine;
use crate::ground::{Ground, Inspected, Standing};
use crate::images::{self, FileStamp, Prepared};
use crate::moving::Moving;
use crate::publish;
use crate::records::StoreRecords;
use crate::refusals;
use crate::take_in::TakenIn;
use crate::turn::Extra;
use crate::write::reads_of;

/// Largest image that is looked at where a format renders a file that is none of its sources.
const OTHER_LIMIT: u64 = 8 * 1024 * 1024;

/// The files of a batch on their way to the disk.
#[derive(Default)]
pub(crate) struct Plan {
    pub(crate) steps: Vec<Step>,
    /// What is remembered of files that are not published now.
    settled: Vec<ImageState>,
    blobs: Vec<(String, Vec<u8>)>,
    /// Digests that images were marked with before.
    outdated: Vec<String>,
    /// Files whose outside bytes were kept, and where.
    kept: Vec<(ProjectPath, ProjectPath)>,
    pub(crate) moved: Vec<PendingMove>,
    /// The folder moves that come before the files.
    moving: Moving,
    /// A format is concerned that makes and moves folders.
    has_folders: bool,
    /// Images that are not published, and why.
    warnings: Vec<Warning>,
}

/// One file to be replaced or removed.
pub(crate) struct Step {
    pub(crate) state: ImageState,
    pub(crate) content: ImageContent,
    /// What stands there is no file of ours and is set aside first.
    clears: bool,
    /// What the file looked like when the batch was decided.
    pub(crate) stamp: Option<FileStamp>,
    pub(crate) prepared: Option<Prepared>,
    /// Whether the bytes of its marks are kept.
    pub(crate) keeps_base: bool,
    /// It stands as intended, safe on disk.
    pub(crate) done: bool,
}

impl Plan {
    /// Asks the format for the images of each space and compares them with what stands there.
    pub(crate) fn render(
        engine: &Engine,
        txn: &dyn Txn,
        grounds: &[Ground],
        changes: &[Change],
        taken: &[TakenIn],
        ctx: &Context,
    ) -> Result<Self, Refusal> {
        let has_folders = grounds.iter().any(|ground| ground.format.surface().moves_folders);
        let mut plan = Self { has_folders, ..Self::default() };
        if plan.has_folders {
            plan.moving = Moving::of(engine.files(), reads_of(txn))?;
        }
        for (ground, taken) in grounds.iter().zip(taken) {
            let mut images = images_of(engine, txn, ground, changes, taken, ctx)?;
            let is_asked_for = changes.iter().any(|change| change.key.space == ground.space);
            plan.check_sizes(ground, &mut images, is_asked_for)?;
            for file in &ground.files {
                let at = images.iter().position(|image| image.path == file.source.path);
                let image = at.map(|at| images.swap_remove(at));
                let is_cleared = file.standing == Standing::Irregular && taken.rewrites.contains(&file.source.path);
                if is_cleared && image.is_some() {
                    plan.place(&ground.space, &file.cleared(), image);
                } else if image.is_none() || plan.moving.origin(&file.source.path) == file.source.path {
                    plan.place(&ground.space, file, image);
                } else {
                    // The request moves another file there.
                    let (source, state) = (file.source.clone(), file.state.clone());
                    let there = Inspected::inspect(engine.files(), source, state, &plan.moving);
                    plan.place(&ground.space, &there, image);
                }
            }
            for image in images {
                let state = ground.states.iter().find(|state| state.path == image.path).cloned();
                let path = image.path.clone();
                let source = FileSource { path, keeps_base: false, limit: OTHER_LIMIT, restore: Restore::OnChange };
                let mut file = Inspected::inspect(engine.files(), source, state, &plan.moving);
                if image.content.is_of_folder() {
                    file = file.of_folder();
                } else if image.content == ImageContent::Absent && file.standing == Standing::Edited {
                    // Nobody takes its edits in: it is no longer ours to remove.
                    continue;
                }
                plan.place(&ground.space, &file, Some(image));
            }
        }
        // A folder goes after its files.
        plan.steps.sort_by_key(|step| step.content == ImageContent::NoFolder);
        Ok(plan)
    }

    /// Leaves out images that could not be read back.
    ///
    /// One that a request asks for is refused, one that is only to be restored is told: it holds up nobody.
    fn check_sizes(&mut self, ground: &Ground, images: &mut Vec<Image>, is_asked_for: bool) -> Result<(), Refusal> {
        let mut too_large = None;
        images.retain(|image| {
            let ImageContent::Bytes(bytes) = &image.content else { return true };
            let source = ground.sources.files.iter().find(|source| source.path == image.path);
            let limit = source.map_or(OTHER_LIMIT, |source| source.limit);
            let fits = bytes.len() as u64 <= limit;
            if !fits && is_asked_for {
                too_large.get_or_insert_with(|| refusals::image_too_large(&image.path, bytes.len(), limit));
            } else if !fits {
                self.warnings.push(stale(&image.path, &format!("it would have more than {limit} bytes")));
            }
            fits
        });
        too_large.map_or(Ok(()), Err)
    }

    fn place(&mut self, space: &model::Space, file: &Inspected, image: Option<Image>) {
        if file.is_untouchable() {
            // What stands there is not ours to replace; whoever takes it away gets the image.
            let (Some(image), Standing::Irregular, FileState::Irregular(why)) = (image, file.standing, &file.now)
            else {
                return;
            };
            if matches!(image.content, ImageContent::Bytes(_)) {
                self.warnings.push(stale(&file.source.path, &format!("what stands there {why}")));
            }
            if *why == Irregular::Unreadable {
                self.owe(space, file, image.content);
            }
            return;
        }
        let Some(mark) = file.mark.clone() else { return };
        let kept = file.state.iter().filter(|_| file.source.keeps_base);
        let before = kept.flat_map(|state| [Some(&state.confirmed), state.intended.as_ref()]);
        self.outdated.extend(before.flatten().filter_map(|mark| match mark {
            Mark::Digest(digest) => Some(digest.clone()),
            Mark::Absent => None,
        }));
        let remember = |confirmed: Mark, intended: Option<Mark>| ImageState {
            path: file.source.path.clone(),
            space: space.clone(),
            confirmed,
            intended,
        };
        let Some(image) = image else {
            let taken = matches!(file.standing, Standing::Edited | Standing::Unconfirmed);
            if taken {
                self.keep_base(file, &mark, &file.now);
                self.settled.push(remember(mark, None));
            }
            return;
        };
        let wanted = match &image.content {
            ImageContent::Bytes(bytes) => Mark::Digest(images::digest(bytes)),
            ImageContent::Folder => images::folder_mark(),
            ImageContent::Absent | ImageContent::NoFolder => Mark::Absent,
        };
        if let ImageContent::Bytes(bytes) = &image.content {
            self.keep_base(file, &wanted, &FileState::Bytes(bytes.clone()));
        }
        if wanted == mark && !file.is_cleared {
            let remembered =
                file.state.as_ref().is_some_and(|state| state.confirmed == mark && state.intended.is_none());
            if !remembered && (mark != Mark::Absent || file.state.is_some()) {
                self.settled.push(remember(mark, None));
            }
            return;
        }
        // What stands there now becomes the base against which an edit after a crash is read.
        self.keep_base(file, &mark, &file.now);
        self.steps.push(Step {
            keeps_base: file.source.keeps_base,
            state: remember(mark, Some(wanted)),
            content: image.content,
            clears: file.is_cleared,
            stamp: file.stamp,
            prepared: None,
            done: false,
        });
    }

    /// Remembers what a file that cannot be looked at now is meant to be.
    ///
    /// The failure may be over by the next request, which then finds the file behind and publishes it.
    fn owe(&mut self, space: &model::Space, file: &Inspected, content: ImageContent) {
        let wanted = match content {
            ImageContent::Bytes(bytes) => {
                let wanted = Mark::Digest(images::digest(&bytes));
                self.keep_base(file, &wanted, &FileState::Bytes(bytes));
                wanted
            }
            ImageContent::Absent if file.state.is_some() => Mark::Absent,
            _ => return,
        };
        let confirmed = file.state.as_ref().map_or(Mark::Absent, |state| state.confirmed.clone());
        let (path, space, intended) = (file.source.path.clone(), space.clone(), Some(wanted));
        let owed = ImageState { path, space, confirmed, intended };
        if file.state.as_ref() != Some(&owed) {
            self.settled.push(owed);
        }
    }

    fn keep_base(&mut self, file: &Inspected, mark: &Mark, bytes: &FileState) {
        let confirmed = file.state.as_ref().map(|state| &state.confirmed);
        if let (true, Mark::Digest(digest), FileState::Bytes(bytes)) = (file.source.keeps_base, mark, bytes)
            && confirmed != Some(mark)
        {
            self.blobs.push((digest.clone(), bytes.clone()));
        }
    }

    /// Writes conflict copies and temporary files, all of them safe on disk when it returns.
    pub(crate) fn prepare(
        &mut self,
        engine: &Engine,
        grounds: &[Ground],
        taken: &[TakenIn],
        ctx: &Context,
    ) -> Result<(), Refusal> {
        let files = engine.files();
        if self.has_folders {
            images::sweep_apart(files);
        }
        let swept = grounds.iter().flat_map(|ground| &ground.sources.swept);
        let clean: Vec<&ProjectPath> = swept.filter(|folder| !images::sweep_folder(files, folder, ctx.now)).collect();
        for file in grounds.iter().flat_map(|ground| &ground.files) {
            if file.source.path.parent().is_none_or(|folder| !clean.contains(&&folder)) {
                images::sweep(files, &file.source.path, file.source.keeps_base);
            }
        }
        for (ground, taken) in grounds.iter().zip(taken) {
            for conflict in &taken.conflicts {
                let file = ground.files.iter().find(|file| file.source.path == conflict.path);
                let Some(FileState::Bytes(bytes)) = file.map(|file| &file.now) else {
                    continue;
                };
                let copy = images::keep_aside(files, &self.moving.origin(&conflict.path), bytes, ctx.now)
                    .map_err(|error| refusals::of_io(conflict.path.as_str(), &error))?;
                self.kept.push((conflict.path.clone(), copy));
            }
        }
        for place in 0..self.steps.len() {
            let step = &self.steps[place];
            let ImageContent::Bytes(bytes) = &step.content else {
                continue;
            };
            let path = &step.state.path;
            let prepared = if self.moving.touches(path) {
                Prepared::write_apart(files, path, &self.moving.origin(path), bytes)
            } else if self.has_folders && images::is_in_new_folder(files, path) {
                Prepared::write_apart(files, path, path, bytes)
            } else {
                Prepared::write(files, path, bytes)
            };
            match prepared {
                Ok(prepared) => self.steps[place].prepared = Some(prepared),
                Err(error) => {
                    let refusal = refusals::of_io(path.as_str(), &error);
                    self.abandon(engine);
                    return Err(refusal);
                }
            }
        }
        Ok(())
    }

    /// Whether `path` lies in a folder that is to come or to go with a folder move.
    pub(crate) fn moves(&self, path: &ProjectPath) -> bool {
        self.moving.touches(path)
    }

    /// Puts into the store what the batch means to publish. Answers whether there was anything.
    pub(crate) fn record(&mut self, txn: &mut dyn Txn) -> Result<bool, Refusal> {
        let store = |error| refusals::of_store(&error);
        for (digest, bytes) in &self.blobs {
            txn.put_blob(digest, bytes).map_err(store)?;
        }
        for state in self.settled.iter().chain(self.steps.iter().map(|step| &step.state)) {
            let early = state.intended.clone().filter(|_| planted("base_advanced_in_commit"));
            let advanced = early.map(|confirmed| ImageState { confirmed, intended: None, ..state.clone() });
            txn.put_image(advanced.as_ref().unwrap_or(state)).map_err(store)?;
        }
        let something = !(self.settled.is_empty() && self.steps.is_empty());
        if something {
            // The store keeps those that an image is still marked with.
            for digest in &self.outdated {
                txn.delete_blob(digest).map_err(store)?;
            }
        }
        Ok(something)
    }

    /// Removes temporary files again: nothing was committed.
    pub(crate) fn abandon(&self, engine: &Engine) {
        for prepared in self.steps.iter().filter_map(|step| step.prepared.as_ref()) {
            prepared.abandon(engine.files());
        }
    }

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

    /// Files whose outside bytes were kept, and where.
    pub(crate) fn kept(&self) -> &[(ProjectPath, ProjectPath)] {
        &self.kept
    }
}

// Asks the format for the images of one space.
fn images_of(
    engine: &Engine,
    txn: &dyn Txn,
    ground: &Ground,
    changes: &[Change],
    taken: &TakenIn,
    ctx: &Context,
) -> Result<Vec<Image>, Refusal> {
    let own: Vec<Change> = changes.iter().filter(|change| change.key.space == ground.space).cloned().collect();
    let all: Vec<Change> = taken.changes.iter().chain(&own).cloned().collect();
    // Others' bytes stay as they were taken in, unless a request changes what the file shows. A
    // merged file is written back by the next request that changes anything, or where reads take in.
    let waits_for_change = ground.sources.take_in != TakeIn::Always && own.is_empty();
    let is_rewritten = |file: &Inspected| taken.rewrites.contains(&file.source.path);
    let stays = |file: &Inspected| {
        let understood = taken.conflicts.iter().all(|conflict| conflict.path != file.source.path);
        let is_left = understood && !is_rewritten(file) && (waits_for_change || !file.source.keeps_base);
        file.standing == Standing::Edited && is_left
    };
    let is_due = |file: &&Inspected| is_rewritten(file) || (!stays(file) && file.needs_rendering(!all.is_empty()));
    let of_sources = ground.files.iter().filter(is_due);
    let mut paths: Vec<ProjectPath> = of_sources.map(|file| file.source.path.clone()).collect();
    paths.extend(unpublished(ground));
    if all.is_empty() && paths.is_empty() {
        return Ok(Vec::new());
    }
    let records = StoreRecords::new(Some(reads_of(txn)));
    let view = View { records: &records, files: engine.files(), probes: engine.probes() };
    let render = |changes: &[Change], paths: &[ProjectPath]| {
        ground.format.render(&ground.space, &Touched { changes, paths }, &view, ctx)
    };
    let mut images = render(&all, &paths);
    let staying: Vec<&Inspected> = ground.files.iter().filter(|file| stays(file)).collect();
    if !staying.is_empty() {
        let by_own = if own.is_empty() { Vec::new() } else { render(&own, &[]) };
        images.retain(|image| {
            staying.iter().all(|file| file.source.path != image.path)
                || by_own.iter().any(|other| other.path == image.path)
        });
    }
    records.check()?;
    Ok(images)
}

impl Inspected {
    fn needs_rendering(&self, changed: bool) -> bool {
        match self.standing {
            Standing::Behind => true,
            Standing::Edited => self.source.keeps_base,
            Standing::Fresh | Standing::Missing => match self.source.restore {
                Restore::OnChange => changed,
                Restore::Always => true,
                Restore::Never => false,
            },
            Standing::Clean | Standing::Unconfirmed | Standing::Irregular | Standing::Frozen => false,
        }
    }
}

// Images beside the sources that a commit meant to publish and that may not have been.
fn unpublished(ground: &Ground) -> impl Iterator<Item = ProjectPath> {
    let is_other = |state: &&ImageState| ground.files.iter().all(|file| file.source.path != state.path);
    let pending = ground.states.iter().filter(|state| state.intended.is_some());
    pending.filter(is_other).map(|state| state.path.clone())
}

/// The third outcome: committed, but a file does not show it yet.
pub(crate) fn stale(path: &ProjectPath, why: &str) -> Warning {
    Warning::new("image_stale", format!("{path} is not up to date ({why}); the next command mends it"))
        .with("path", path.as_str())
}
