//! What a call is about: the place of its documents and what stands around them.

use std::cell::OnceCell;
use std::rc::Rc;

use format::{FileState, View};
use model::{Context, Object, Refusal, Value};

use super::documents::{self, Place, STATE, Stored};
use super::phase_id::PhaseId;
use super::phases::{self, Folder};
use super::progress::PhaseList;
use super::roadmap::Roadmap;
use super::settings::{Config, Settings};

/// Largest ROADMAP.md that is read. **Units**: bytes.
const ROADMAP_LIMIT: u64 = 4 * 1024 * 1024;

/// The place of a call with what its verbs look at; files are read when they are asked for.
pub(super) struct Site<'a> {
    pub(super) place: Place,
    pub(super) view: View<'a>,
    pub(super) ctx: &'a Context,
    pub(super) settings: Settings,
    config: OnceCell<Config>,
    roadmap: OnceCell<Option<Roadmap>>,
    folders: OnceCell<Option<Vec<Folder>>>,
    /// The phases of the milestone that was asked for first.
    phases: OnceCell<(Option<String>, Rc<PhaseList>)>,
}

impl<'a> Site<'a> {
    /// The site of a call's arguments.
    ///
    /// **Errors**: `invalid_argument` for a workstream, `config_invalid`.
    pub(super) fn of(arguments: &Object, view: &View<'a>, ctx: &'a Context) -> Result<Self, Refusal> {
        Ok(Self::at(place_of(arguments)?, view, ctx, Settings::read(ctx)?))
    }

    /// The site of a place.
    pub(super) fn at(place: Place, view: &View<'a>, ctx: &'a Context, settings: Settings) -> Self {
        let (config, roadmap, folders, phases) = (OnceCell::new(), OnceCell::new(), OnceCell::new(), OnceCell::new());
        Self { place, view: *view, ctx, settings, config, roadmap, folders, phases }
    }

    /// STATE.md.
    ///
    /// **Errors**: `state_not_found`; `too_large`, `state_corrupt` and `path_outside_project` where
    /// something stands there that cannot be read.
    pub(super) fn state(&self) -> Result<Stored, Refusal> {
        documents::load(self.view.records, &self.place, STATE).ok_or_else(|| {
            documents::hidden(&self.view, &self.place, STATE).unwrap_or_else(|| {
                let path = self.place.path(STATE);
                Refusal::refused("state_not_found", format!("there is no {path}"))
                    .with("path", path.as_str())
                    .hint("mainstay msd state init makes one")
            })
        })
    }

    /// `.planning/config.json`.
    pub(super) fn config(&self) -> &Config {
        self.config.get_or_init(|| Config::read(self.view.files))
    }

    /// ROADMAP.md beside STATE.md.
    pub(super) fn roadmap(&self) -> Option<&Roadmap> {
        let read = || match self.view.files.read(&self.place.path("ROADMAP.md"), ROADMAP_LIMIT) {
            FileState::Bytes(bytes) => Some(Roadmap::read(&String::from_utf8_lossy(&bytes))),
            FileState::Absent | FileState::Irregular(_) => None,
        };
        self.roadmap.get_or_init(read).as_ref()
    }

    /// The folders of phases; `None` without a folder `phases/`.
    pub(super) fn folders(&self) -> Option<&[Folder]> {
        self.folders.get_or_init(|| phases::read(self.view.files, &self.place)).as_deref()
    }

    /// How many plans a phase has on disk; `None` where it has no folder.
    pub(super) fn plans_on_disk(&self, id: &PhaseId) -> Option<u64> {
        let mut of_phase = self.folders()?.iter().filter(|folder| folder.id == *id).peekable();
        of_phase.peek()?;
        Some(of_phase.map(|folder| folder.plans).sum())
    }

    /// The phases of a milestone.
    pub(super) fn phase_list(&self, milestone: Option<&str>) -> Rc<PhaseList> {
        let read = || Rc::new(PhaseList::of(self.roadmap(), self.folders().unwrap_or_default(), milestone));
        let (first, list) = self.phases.get_or_init(|| (milestone.map(str::to_owned), read()));
        if first.as_deref() == milestone { Rc::clone(list) } else { read() }
    }

    /// The commit that HEAD names, where it tells anything about the project.
    pub(super) fn head(&self) -> Option<String> {
        if self.config().has_sub_repos() { None } else { self.view.probes.head() }
    }

    /// The date of the request.
    pub(super) fn today(&self) -> String {
        self.ctx.now.format("%Y-%m-%d")
    }
}

/// The place that a call's arguments name.
///
/// **Errors**: `invalid_argument`.
pub(super) fn place_of(arguments: &Object) -> Result<Place, Refusal> {
    match arguments.get("ws") {
        None => Place::named(None),
        Some(Value::String(name)) => Place::named(Some(name)),
        Some(_) => Err(Refusal::invalid("ws", "ws is the name of a workstream")),
    }
}
