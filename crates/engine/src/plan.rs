//! What a batch does to image files: rendered, prepared, recorded, published, confirmed.

mod due;
mod published;

use format::{FileSource, FileState, Irregular, Restore};
use model::{Change, Context, Image, ImageContent, ProjectPath, Refusal, Warning};
use mutants::planted;
use store::{ImageState, Mark, PendingMove, Txn};

use crate::engine::Engine;
use crate::ground::{Ground, Inspected, Standing};
use crate::images::{self, FileStamp, Prepared};
use crate::moving::Moving;
use crate::refusals;
use crate::take_in::TakenIn;
use crate::write::reads_of;

use due::images_of;

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
                let image = left_to_owner(file, at.map(|at| images.swap_remove(at)));
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
            plan.let_go(ground);
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

    /// Owes no longer what the format does not render.
    fn let_go(&mut self, ground: &Ground) {
        for state in ground.states.iter().filter(|state| images::is_owed(state.intended.as_ref())) {
            let steps = self.steps.iter().map(|step| &step.state);
            if self.settled.iter().chain(steps).all(|other| other.path != state.path) {
                self.settled.push(ImageState { intended: None, ..state.clone() });
            }
        }
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
            // The store keeps those that an image is still marked with; that most of them are is known here.
            let is_marked = |digest: &&String| {
                let states = self.settled.iter().chain(self.steps.iter().map(|step| &step.state));
                let mut marks = states.flat_map(|state| [Some(&state.confirmed), state.intended.as_ref()]);
                marks.any(|mark| matches!(mark, Some(Mark::Digest(marked)) if marked == *digest))
            };
            for digest in self.outdated.iter().filter(|digest| !is_marked(digest)) {
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

    /// Files whose outside bytes were kept, and where.
    pub(crate) fn kept(&self) -> &[(ProjectPath, ProjectPath)] {
        &self.kept
    }
}

/// What an image comes to beside what its file is remembered to be.
///
/// Where edits are merged, a file that someone edited is no longer ours to remove: no record need hold all it says.
/// What a commit meant to remove, and a crash kept, goes when no format has anything else for its place.
fn left_to_owner(file: &Inspected, image: Option<Image>) -> Option<Image> {
    let goes = image.as_ref().is_some_and(|image| image.content == ImageContent::Absent);
    let was_to_go = || file.state.as_ref().is_some_and(|state| state.intended == Some(Mark::Absent));
    if goes && file.source.keeps_base && file.standing == Standing::Edited {
        None
    } else if image.is_none() && file.standing == Standing::Behind && was_to_go() {
        Some(Image { path: file.source.path.clone(), content: ImageContent::Absent })
    } else {
        image
    }
}

/// The third outcome: committed, but a file does not show it yet.
pub(crate) fn stale(path: &ProjectPath, why: &str) -> Warning {
    Warning::new("image_stale", format!("{path} is not up to date ({why}); the next command mends it"))
        .with("path", path.as_str())
}
