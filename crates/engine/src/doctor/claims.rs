//! Images held against the records that they should show.

use std::collections::BTreeMap;

use format::{Draft, FileState, Format, Seen, SeenFile, Touched, View};
use model::{Change, Context, Finding, ImageContent, Object, ProjectPath, RecordKey, Refusal, Severity, Value};
use store::{ImageState, Keepsake, KeepsakeKind, Mark, Reads};

use super::FIX;
use crate::engine::Engine;
use crate::ground::{Ground, Inspected, Standing};
use crate::images::owed_mark;
use crate::locks::{Deadline, FileLock, WAIT};
use crate::read::survey;
use crate::records::StoreRecords;
use crate::refusals::{self, failed};
use crate::take_in::outside_context;

/// The code of an image that says something else than its records.
pub(super) const CODE: &str = "image_differs";

/// What an image says of a record that says something else.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Claim {
    /// The image.
    pub(super) path: ProjectPath,
    /// What it says; nothing where it shows no such record.
    pub(super) says: Option<Value>,
}

/// Records of which an image says something else.
pub(super) type Claims = BTreeMap<RecordKey, Claim>;

impl Engine {
    /// What the images of all formats that are on say against the records, were `laid` laid over those.
    ///
    /// Where records or sources cannot be read, nothing is known.
    pub(super) fn claims(&self, reads: &dyn Reads, laid: &[Change], ctx: &Context) -> Claims {
        let formats = self.formats_on().into_iter();
        formats.filter_map(|format| self.claims_of(format, reads, laid, ctx).ok()).flatten().collect()
    }

    fn claims_of(
        &self,
        format: &'static dyn Format,
        reads: &dyn Reads,
        laid: &[Change],
        ctx: &Context,
    ) -> Result<Claims, Refusal> {
        let records = StoreRecords::new(Some(reads));
        let mut draft = Draft::new(&records);
        draft.lay(laid);
        let view = View { records: &draft, files: self.files(), probes: self.probes() };
        let mut claims = Claims::new();
        for space in format.spaces(None, &view, ctx)? {
            claims.extend(of_ground(&survey(self, Some(reads), format, space, &view, ctx)?, &view, ctx));
        }
        records.check()?;
        Ok(claims)
    }

    /// Lets the images that `found` names be published again from the records.
    pub(super) fn owe(&self, found: &[Finding]) -> Result<(), Refusal> {
        let _queue = FileLock::acquire(&self.home().lock("queue"), Deadline::within(self.lock_wait(WAIT)))?;
        let Some(store) = self.opened_store()? else { return Ok(()) };
        let mut txn = store.begin().map_err(failed)?;
        let mut images = Vec::new();
        let is_named =
            |image: &ImageState| found.iter().any(|one| one.code == CODE && one.place == image.path.as_str());
        txn.keepsakes(KeepsakeKind::Images, &mut |keepsake| match keepsake {
            Keepsake::Image(image) if image.intended.is_none() && is_named(&image) => images.push(image),
            _ => {}
        })
        .map_err(failed)?;
        for image in images {
            txn.put_image(&ImageState { intended: Some(owed_mark()), ..image }).map_err(failed)?;
        }
        txn.commit().map_err(|error| refusals::of_commit(&error))
    }

    /// Whether the file of an image has the bytes that were last published or taken in.
    pub(super) fn is_as_published(&self, image: &ImageState) -> bool {
        let (now, _) = self.files().read_stamped(&image.path, LIMIT);
        image.confirmed != Mark::Absent && crate::images::mark_of(&now).as_ref() == Some(&image.confirmed)
    }
}

/// Up to how many changes it is looked at each whether the image shows it.
const LOOKED_AT: usize = 64;

/// How many records a finding names in its sentence.
const NAMED: usize = 5;

/// Largest image that is looked at here. **Units**: bytes.
const LIMIT: u64 = 64 * 1024 * 1024;

/// What the images of a space say against its records.
///
/// An image counts that stands as it was last published or taken in. It says something else where rendering
/// would make it another, and taking it in would change a record: a person's way to write the same is not that.
pub(super) fn of_ground(ground: &Ground, view: &View<'_>, ctx: &Context) -> Claims {
    let as_published = ground.files.iter().filter(|file| file.standing == Standing::Clean && file.state.is_some());
    as_published.flat_map(|file| of_file(ground, file, view, ctx)).collect()
}

fn of_file(ground: &Ground, file: &Inspected, view: &View<'_>, ctx: &Context) -> Claims {
    let (path, FileState::Bytes(bytes)) = (&file.source.path, &file.now) else { return Claims::new() };
    let touched = Touched { changes: &[], paths: std::slice::from_ref(path) };
    let render = |view: &View<'_>| {
        let images = ground.format.render(&ground.space, &touched, view, ctx);
        images.into_iter().find(|image| image.path == *path).map(|image| image.content)
    };
    let wanted = render(view);
    let base = match &wanted {
        Some(ImageContent::Bytes(wanted)) if wanted != bytes => Some(wanted.clone()),
        Some(ImageContent::Absent) => None,
        _ => return Claims::new(),
    };
    // Held against what it should be, the file is an edit of that.
    let base = base.filter(|_| file.source.keeps_base);
    let seen = SeenFile { path: path.clone(), known: true, base, now: file.now.clone() };
    let taken = ground.format.take_in(&ground.space, &[Seen::File(seen)], view, &outside_context(ctx));
    if taken.blocked.is_some() || !taken.conflicts.is_empty() {
        return Claims::new();
    }
    // An edit leads to more than what the file shows: times, counts, a history.
    let is_shown = |change: &Change| {
        let mut draft = Draft::new(view.records);
        draft.lay(std::slice::from_ref(change));
        render(&view.over(&draft)) != wanted
    };
    let looks_at_each = taken.changes.len() <= LOOKED_AT;
    let shown = taken.changes.into_iter().filter(|change| !looks_at_each || is_shown(change));
    shown.map(|change| (change.key, Claim { path: path.clone(), says: change.after })).collect()
}

/// As `doctor` tells them: a finding for each image.
pub(super) fn findings(claims: &Claims) -> Vec<Finding> {
    let mut images: BTreeMap<&ProjectPath, Vec<String>> = BTreeMap::new();
    for (key, claim) in claims {
        images.entry(&claim.path).or_default().push(key.to_string());
    }
    let tell = |(path, keys): (&ProjectPath, Vec<String>)| Finding {
        code: CODE.to_owned(),
        severity: Severity::Warning,
        place: path.as_str().to_owned(),
        message: format!("{path} says something else than the records: {}", some(&keys)),
        fix: Some(FIX.to_owned()),
        details: Object::from_iter([("records".to_owned(), keys.into_iter().map(Value::from).collect())]),
    };
    images.into_iter().map(tell).collect()
}

fn some(keys: &[String]) -> String {
    let (first, rest) = keys.split_at(keys.len().min(NAMED));
    let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
    format!("{}{more}", first.join(", "))
}
