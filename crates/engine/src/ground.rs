//! How the image files of a space stand against what the store remembers of them.

use std::collections::HashMap;

use format::{FileSource, FileState, Format, Restore, Seen, SeenFile, Sources, has_conflict_markers};
use model::{ProjectPath, Refusal, Space, Warning};
use store::{ImageState, Mark, Reads};

use crate::images::{self, FileStamp, ProjectFiles, mark_of};
use crate::moving::Moving;
use crate::outset::Sourced;
use crate::refusals;

/// A space with its sources as they were found.
pub(crate) struct Ground {
    pub(crate) format: &'static dyn Format,
    pub(crate) space: Space,
    pub(crate) sources: Sources,
    pub(crate) files: Vec<Inspected>,
    /// What the store remembers of the space's images, those beside the sources too.
    pub(crate) states: Vec<ImageState>,
}

/// One image file as it was found.
pub(crate) struct Inspected {
    pub(crate) source: FileSource,
    pub(crate) state: Option<ImageState>,
    pub(crate) now: FileState,
    /// The mark of `now`; `None` for what cannot be read as a file.
    pub(crate) mark: Option<Mark>,
    pub(crate) stamp: Option<FileStamp>,
    pub(crate) standing: Standing,
    /// What is no file of ours there is set aside, as someone asked.
    pub(crate) is_cleared: bool,
}

/// What a file's bytes say when they are held against the confirmed and the intended mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// As last published or taken in.
    Clean,
    /// Nothing there, and nothing was ever published.
    Fresh,
    /// Published once, gone now.
    Missing,
    /// Changed outside, or there before us.
    Edited,
    /// A commit meant to publish and did not get to it.
    Behind,
    /// A commit published and did not get to confirm it.
    Unconfirmed,
    /// Something that cannot be read as a file of ours.
    Irregular,
    /// Text with conflict markers of a merge: frozen until someone resolves them.
    Frozen,
}

impl Inspected {
    /// Reads the file and holds it against what is remembered.
    ///
    /// Until a pending folder move happens, the file is the one that the move will bring there.
    pub(crate) fn inspect(
        files: &ProjectFiles,
        source: FileSource,
        state: Option<ImageState>,
        moving: &Moving,
    ) -> Self {
        let (now, stamp) = files.read_stamped(&moving.origin(&source.path), source.limit);
        let mark = mark_of(&now);
        let standing = stand(mark.as_ref(), state.as_ref());
        // Where the file is the truth, its format says what it makes of the markers.
        let frozen = standing == Standing::Edited
            && source.keeps_base
            && matches!(&now, FileState::Bytes(bytes) if has_conflict_markers(bytes));
        let standing = if frozen { Standing::Frozen } else { standing };
        Self { source, state, now, mark, stamp, standing, is_cleared: false }
    }

    /// The same of a place where a folder belongs.
    pub(crate) fn of_folder(self) -> Self {
        let mark = images::mark_of_folder(&self.now);
        let standing = stand(mark.as_ref(), self.state.as_ref());
        Self { mark, standing, ..self }
    }

    /// The same of a place from which what stands there goes first.
    pub(crate) fn cleared(&self) -> Self {
        Self {
            source: self.source.clone(),
            state: self.state.clone(),
            now: FileState::Absent,
            mark: Some(Mark::Absent),
            stamp: None,
            standing: stand(Some(&Mark::Absent), self.state.as_ref()),
            is_cleared: true,
        }
    }

    /// Whether the next writing request has something to do about it, whatever the call.
    pub(crate) fn waits(&self) -> bool {
        matches!(self.standing, Standing::Edited | Standing::Behind) || self.is_to_be_restored()
    }

    /// Whether the file is gone and the next request of any kind brings it back.
    pub(crate) fn is_to_be_restored(&self) -> bool {
        self.standing == Standing::Missing && self.source.restore == Restore::Always
    }

    /// Whether the file is not what is remembered of it.
    pub(crate) fn differs(&self) -> bool {
        matches!(self.standing, Standing::Edited | Standing::Missing | Standing::Frozen)
    }

    /// Whether the file must be left alone whatever the records say.
    pub(crate) fn is_untouchable(&self) -> bool {
        matches!(self.standing, Standing::Irregular | Standing::Frozen)
    }

    fn confirmed(&self) -> Option<&str> {
        match &self.state.as_ref()?.confirmed {
            Mark::Digest(digest) => Some(digest),
            Mark::Absent => None,
        }
    }

    // The bytes of the confirmed mark, where the source keeps them.
    fn base(&self, reads: Option<&dyn Reads>) -> Result<Option<Vec<u8>>, Refusal> {
        match (self.confirmed(), reads) {
            (Some(digest), Some(reads)) if self.source.keeps_base => {
                reads.blob(digest).map_err(|error| refusals::of_store(&error))
            }
            _ => Ok(None),
        }
    }

    /// What to say about an edit of a file that was yet to show the last changes.
    ///
    /// Where the bytes last published are kept the edit is merged with them. Otherwise the file counts as
    /// it stands, and what it never showed is left to the journal alone.
    pub(crate) fn buries(&self) -> Option<Warning> {
        let waited = self.state.as_ref().is_some_and(|state| state.intended.is_some());
        if self.standing != Standing::Edited || !waited || self.source.keeps_base {
            return None;
        }
        let path = self.source.path.as_str();
        let message = format!("{path} was edited before it showed the last change, which the edit replaces");
        Some(Warning::new("unpublished_replaced", message).with("path", path).with("hint", "mainstay history"))
    }

    fn seen(&self, reads: Option<&dyn Reads>) -> Result<Option<Seen>, Refusal> {
        if !matches!(self.standing, Standing::Edited | Standing::Missing | Standing::Irregular) {
            return Ok(None);
        }
        let (known, base) = (self.confirmed().is_some(), self.base(reads)?);
        let file = SeenFile { path: self.source.path.clone(), known, base, now: self.now.clone() };
        Ok(Some(Seen::File(file)))
    }
}

fn stand(mark: Option<&Mark>, state: Option<&ImageState>) -> Standing {
    let Some(mark) = mark else { return Standing::Irregular };
    let Some(state) = state else {
        return if *mark == Mark::Absent { Standing::Fresh } else { Standing::Edited };
    };
    match &state.intended {
        Some(intended) if intended == mark => return Standing::Unconfirmed,
        Some(_) if state.confirmed == *mark => return Standing::Behind,
        _ => {}
    }
    match (&state.confirmed, mark) {
        (confirmed, mark) if confirmed == mark => Standing::Clean,
        (_, Mark::Absent) => Standing::Missing,
        _ => Standing::Edited,
    }
}

impl Ground {
    /// Inspects every file source of a space.
    pub(crate) fn survey(
        files: &ProjectFiles,
        reads: Option<&dyn Reads>,
        Sourced { format, space, sources }: Sourced,
    ) -> Result<Self, Refusal> {
        let states = match reads {
            Some(reads) => reads.images(&space).map_err(|error| refusals::of_store(&error))?,
            None => Vec::new(),
        };
        let moving = match reads {
            Some(reads) if format.surface().moves_folders => Moving::of(files, reads)?,
            _ => Moving::default(),
        };
        let known: HashMap<&ProjectPath, &ImageState> = states.iter().map(|state| (&state.path, state)).collect();
        let inspected = sources
            .files
            .iter()
            .map(|source| {
                let state = known.get(&source.path).copied().cloned();
                let mut file = Inspected::inspect(files, source.clone(), state, &moving);
                if file.standing == Standing::Frozen
                    && file.base(reads)?.is_some_and(|base| has_conflict_markers(&base))
                {
                    // The markers are text that was stored, not a merge that went wrong.
                    file.standing = Standing::Edited;
                }
                Ok(file)
            })
            .collect::<Result<_, Refusal>>()?;
        Ok(Self { format, space, sources, files: inspected, states })
    }

    /// Whether a crash left an image between its commit and its publishing.
    pub(crate) fn is_unfinished(&self) -> bool {
        self.states.iter().any(|state| state.intended.is_some())
    }

    /// The files that differ, for `take_in`.
    pub(crate) fn seen(&self, reads: Option<&dyn Reads>) -> Result<Vec<Seen>, Refusal> {
        let mut seen = Vec::new();
        for file in &self.files {
            seen.extend(file.seen(reads)?);
        }
        Ok(seen)
    }

    /// Whether everything that differs is met for the first time.
    pub(crate) fn is_first_sight(&self) -> bool {
        self.files.iter().filter(|file| file.differs()).all(|file| file.state.is_none())
    }

    /// What frozen files mean: a warning for reads, a refusal for writes.
    pub(crate) fn frozen(&self) -> (Vec<Warning>, Option<Refusal>) {
        let frozen: Vec<&ProjectPath> =
            self.files.iter().filter(|file| file.standing == Standing::Frozen).map(|file| &file.source.path).collect();
        let message = |path: &ProjectPath| format!("{path} holds conflict markers of a merge");
        let warnings = frozen
            .iter()
            .map(|path| {
                let message = format!("{}; the records are used instead", message(path));
                Warning::new("conflict_markers", message).with("path", path.as_str())
            })
            .collect();
        let refusal = frozen.first().map(|path| {
            Refusal::refused("conflict_markers", message(path))
                .with("path", path.as_str())
                .hint("resolve the conflict in the file and repeat the command")
        });
        (warnings, refusal)
    }
}

#[cfg(test)]
mod tests {
    use super::{Standing, stand};
    use model::{ProjectPath, Space};
    use store::{ImageState, Mark};

    fn mark(text: &str) -> Mark {
        if text == "-" { Mark::Absent } else { Mark::Digest(text.to_owned()) }
    }

    fn check(now: Option<&str>, remembered: Option<(&str, Option<&str>)>, expected: Standing) {
        let state = remembered.map(|(confirmed, intended)| ImageState {
            path: ProjectPath::known("file"),
            space: Space::known("probe"),
            confirmed: mark(confirmed),
            intended: intended.map(mark),
        });
        let found = stand(now.map(mark).as_ref(), state.as_ref());
        assert_eq!(found, expected, "{now:?} against {remembered:?}");
    }

    #[test]
    fn bytes_are_held_against_both_marks() {
        check(None, Some(("a", Some("b"))), Standing::Irregular);
        check(Some("-"), None, Standing::Fresh);
        check(Some("x"), None, Standing::Edited);
        check(Some("a"), Some(("a", None)), Standing::Clean);
        check(Some("-"), Some(("a", None)), Standing::Missing);
        check(Some("x"), Some(("a", None)), Standing::Edited);
        check(Some("b"), Some(("a", Some("b"))), Standing::Unconfirmed);
        check(Some("a"), Some(("a", Some("b"))), Standing::Behind);
        check(Some("x"), Some(("a", Some("b"))), Standing::Edited);
        check(Some("-"), Some(("a", Some("b"))), Standing::Missing);
        check(Some("-"), Some(("-", Some("b"))), Standing::Behind);
        check(Some("-"), Some(("a", Some("-"))), Standing::Unconfirmed);
        check(Some("a"), Some(("a", Some("-"))), Standing::Behind);
        check(Some("a"), Some(("a", Some("a"))), Standing::Unconfirmed);
    }
}
