//! Which scenarios there are, and which of them a call is about.

use format::{FileState, Irregular, View};
use model::{Object, ProjectPath, Refusal, Space, Timestamp, Value, Warning};

use super::cold;
use super::lists::all_met;
use super::place::{FILE_LIMIT, PLAN, Place, SCENARIO, TASKS, root};
use super::records::Scenario;
use super::scenario_json::ScenarioFile;
use super::state::State;

/// The folder within the root that holds further scenarios.
const NESTED: &str = "scenarios";

/// The scenarios of a root.
pub(super) struct Scenarios {
    /// By id.
    pub(super) places: Vec<Place>,
    pub(super) warnings: Vec<Warning>,
    /// Whether it is the project's own root, whose scenarios have records.
    has_records: bool,
}

impl Scenarios {
    /// Those of the project.
    pub(super) fn of_project(view: &View<'_>) -> Self {
        let mut found = Self { places: Vec::new(), warnings: Vec::new(), has_records: true };
        found.look(view, &root());
        found
    }

    /// Those of a root in some folder of the project, which are only looked at.
    pub(super) fn of_folder(view: &View<'_>, root: &ProjectPath) -> Self {
        let mut found = Self { places: Vec::new(), warnings: Vec::new(), has_records: false };
        found.look(view, root);
        found
    }

    fn look(&mut self, view: &View<'_>, root: &ProjectPath) {
        let named =
            |folder: &ProjectPath| if view.files.is_folder(folder) { view.files.list(folder) } else { Vec::new() };
        let direct = named(root).into_iter().filter(|name| name != NESTED);
        let nested = root.join(NESTED).map(|folder| named(&folder)).unwrap_or_default();
        let nested = nested.into_iter().map(|name| format!("{NESTED}/{name}"));
        for path in direct.chain(nested) {
            self.tell_link(view, root, &path);
            self.places.extend(Place::beneath(root, &path).filter(|place| self.is_scenario(view, place)));
        }
        self.places.sort_by(|a, b| (&a.id, a.space.as_str()).cmp(&(&b.id, b.space.as_str())));
        let mut kept: Vec<Place> = Vec::with_capacity(self.places.len());
        for place in std::mem::take(&mut self.places) {
            let Some(other) = kept.pop_if(|other| other.id == place.id) else {
                kept.push(place);
                continue;
            };
            let message = format!("{} and {} are one scenario; the later one is used", other.folder, place.folder);
            self.warnings.push(Warning::new("duplicate_scenario", message).with("scenarioId", place.id.as_str()));
            let later = self.updated(view, &place) > self.updated(view, &other);
            kept.push(if later { place } else { other });
        }
        self.places = kept;
    }

    // A folder that became a link leads elsewhere and is not followed; nobody is to wonder where it is.
    fn tell_link(&mut self, view: &View<'_>, root: &ProjectPath, path: &str) {
        let Ok(folder) = root.join(path) else { return };
        let is_link = || view.files.read(&folder, 0) == FileState::Irregular(Irregular::Link);
        if !view.files.is_folder(&folder) && is_link() {
            let message = format!("{folder} is a symbolic link and is not followed");
            self.warnings.push(Warning::new("path_outside_project", message).with("path", folder.as_str()));
        }
    }

    fn is_scenario(&self, view: &View<'_>, place: &Place) -> bool {
        let holds =
            || view.files.list(&place.folder).iter().any(|name| [PLAN, TASKS, SCENARIO].contains(&name.as_str()));
        let is_known = || self.has_records && State::is_known(view.records, &place.space);
        view.files.is_folder(&place.folder) && (holds() || is_known())
    }

    /// A scenario as it stands; read from its files where no records know it.
    pub(super) fn state(&self, view: &View<'_>, place: &Place) -> State {
        let known = if self.has_records { State::look(view.records, &place.space) } else { None };
        known.unwrap_or_else(|| cold::read(view.files, place).state)
    }

    fn updated(&self, view: &View<'_>, place: &Place) -> Option<Timestamp> {
        let recorded = if self.has_records { Scenario::get(view.records, &place.space) } else { None };
        let recorded = recorded.and_then(|scenario| Timestamp::parse_rfc3339(&scenario.updated_at));
        recorded.or_else(|| file(view, place)?.time("lastUpdateTime"))
    }

    /// The scenario that is meant; `None` where no id is given and none or several are under way.
    pub(super) fn active(&self, view: &View<'_>, id: Option<&str>) -> Result<Option<Place>, Refusal> {
        if let Some(id) = id {
            return self.named(view, id).map(Some);
        }
        if let [only] = self.places.as_slice() {
            return Ok(Some(only.clone()));
        }
        match self.open(view).as_slice() {
            [only] => Ok(Some((*only).clone())),
            [] => Ok(self.places.iter().max_by_key(|place| self.updated(view, place)).cloned()),
            _ => Ok(None),
        }
    }

    fn named(&self, view: &View<'_>, id: &str) -> Result<Place, Refusal> {
        let is_alias = |place: &&Place| file(view, place).is_some_and(|file| file.text("scenarioId") == Some(id));
        let found = self.places.iter().find(|place| place.id == id).or_else(|| self.places.iter().find(is_alias));
        found.cloned().ok_or_else(|| {
            let refusal = Refusal::refused("scenario_not_found", format!("there is no scenario {id:?}"));
            refusal.field("scenarioId").allowed(self.ids())
        })
    }

    // Those that are not complete; one without tasks is not.
    fn open(&self, view: &View<'_>) -> Vec<&Place> {
        let is_open = |place: &&Place| !all_met(&self.state(view, place).tree());
        self.places.iter().filter(is_open).collect()
    }

    /// The scenario that a change is about.
    pub(super) fn for_change(&self, view: &View<'_>, id: Option<&str>) -> Result<Place, Refusal> {
        if let Some(place) = self.active(view, id)? {
            return Ok(place);
        }
        if self.places.is_empty() {
            let message = "there is no scenario in .github/upgrades";
            let link = self.warnings.iter().find(|warning| warning.code == "path_outside_project");
            let hint = "write .github/upgrades/NAME/plan.md with a heading such as ### 01-first-step: Title".to_owned();
            let hint = link.map_or(hint, |link| format!("{}; put the folder itself there", link.message));
            return Err(Refusal::refused("no_active_scenario", message).hint(hint));
        }
        let open: Vec<Value> = self.open(view).iter().map(|place| place.id.as_str().into()).collect();
        let refusal = Refusal::refused("ambiguous_scenario", "several scenarios are under way");
        Err(refusal.field("scenarioId").allowed(open).hint("name one with scenarioId"))
    }

    /// The spaces of the scenarios, that of `first` first.
    pub(super) fn spaces(&self, first: Option<&Place>) -> Vec<Space> {
        let others = self.places.iter().filter(|place| Some(*place) != first);
        first.into_iter().chain(others).map(|place| place.space.clone()).collect()
    }

    fn ids(&self) -> Vec<Value> {
        self.places.iter().map(|place| place.id.as_str().into()).collect()
    }
}

fn file(view: &View<'_>, place: &Place) -> Option<ScenarioFile> {
    match view.files.read(&place.file(SCENARIO), FILE_LIMIT) {
        FileState::Bytes(bytes) => ScenarioFile::read(std::str::from_utf8(&bytes).ok()?),
        _ => None,
    }
}

/// The `scenarioId` of a call.
pub(super) fn named(arguments: &Object) -> Result<Option<&str>, Refusal> {
    super::arguments::text(arguments, "scenarioId")
}
