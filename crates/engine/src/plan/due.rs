//! Which images of a space are due, and what the format renders them to.

use format::{Restore, TakeIn, Touched, View};
use model::{Change, Context, Image, ProjectPath, Refusal};
use store::{ImageState, Txn};

use crate::engine::Engine;
use crate::ground::{Ground, Inspected, Standing};
use crate::records::StoreRecords;
use crate::take_in::TakenIn;
use crate::write::reads_of;

/// Asks the format for the images of one space.
pub(super) fn images_of(
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
