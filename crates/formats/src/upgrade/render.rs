//! The images of a scenario: plan.md, tasks.md, scenario.json, task.md files and folders.

use format::{FileState, Touched, View};
use model::{Change, Image, ImageContent, ProjectPath, Value};

use super::place::{FILE_LIMIT, PLAN, Place, SCENARIO, TASK_MD, TASKS};
use super::records::{Kind, Scenario, TaskMd, text};
use super::scenario_json;
use super::shelf::Shelf;
use super::state::State;
use super::tasks_md;
use super::texts::Text;

/// The images that `touched` may have changed; none before a changing call adopted the scenario.
pub(super) fn render(place: &Place, touched: &Touched<'_>, view: &View<'_>) -> Vec<Image> {
    let Some(state) = State::look(view.records, &place.space).filter(|state| state.scenario.is_some()) else {
        return withdrawn(place, touched, view);
    };
    let mut all = Vec::new();
    let plan = place.file(PLAN);
    // A plan that is no text is its owner's to mend.
    let is_ours = || Text::of(&view.files.read(&plan, FILE_LIMIT)) != Text::Unreadable;
    if let Some(text) = state.plan.as_ref().filter(|_| is_ours()) {
        all.push(image(plan.clone(), ImageContent::Bytes(text.clone().into_bytes())));
    }
    let mut shelf = overlaid(view, place, touched.changes);
    for id in touched.paths.iter().filter_map(|path| task_of(place, path)) {
        // What a crash kept back is published together with the view that links to it.
        if !touched.changes.iter().any(|change| change.key == Kind::TaskMd.key(&place.space, id)) {
            shelf.will_write(id, view.records.get(&Kind::TaskMd.key(&place.space, id)).is_some());
        }
    }
    for (name, text) in images(&state, &shelf) {
        all.push(image(place.file(name), ImageContent::Bytes(text.into_bytes())));
    }
    of_tasks(place, touched, view, &mut all);
    all
}

// What the call that began a scenario made goes with it, when it is taken back. What stood there before stays.
fn withdrawn(place: &Place, touched: &Touched<'_>, view: &View<'_>) -> Vec<Image> {
    let key = Kind::Scenario.only(&place.space);
    let began = touched.changes.iter().filter(|change| change.key == key).find_map(|change| change.before.as_ref());
    let made = began.map(|record| Scenario::from_value(record).made).unwrap_or_default();
    let names = [PLAN, TASKS, SCENARIO].into_iter().filter(|name| made.iter().any(|made| made == name));
    let mut all = names.map(|name| image(place.file(name), ImageContent::Absent)).collect();
    of_tasks(place, touched, view, &mut all);
    all
}

fn image(path: ProjectPath, content: ImageContent) -> Image {
    Image { path, content }
}

// The files and folders of tasks that changed, and those that a crash left behind.
fn of_tasks(place: &Place, touched: &Touched<'_>, view: &View<'_>, all: &mut Vec<Image>) {
    for change in touched.changes.iter().filter(|change| change.key.space == place.space) {
        let id = change.key.id.as_str();
        if change.key.kind == Kind::TaskMd.word() {
            let content = task_md(place, change, view);
            all.extend(content.map(|content| image(place.task_file(id, TASK_MD), content)));
        } else if change.key.kind == Kind::Task.word() {
            let has_folder = |value: &Value| value.get("folder").is_some_and(|holds| holds == true);
            match (&change.before, &change.after) {
                (before, Some(after)) if has_folder(after) && !before.as_ref().is_some_and(has_folder) => {
                    all.push(image(place.task(id), ImageContent::Folder));
                }
                (Some(_), None) => all.push(image(place.task(id), ImageContent::NoFolder)),
                _ => {}
            }
        }
    }
    let is_missing = |path: &&ProjectPath| all.iter().all(|image| image.path != **path);
    let missing: Vec<&ProjectPath> = touched.paths.iter().filter(is_missing).collect();
    for path in missing {
        all.extend(left_behind(place, path, view).map(|content| image(path.clone(), content)));
    }
}

// Of a task that stays, a text that somebody else wrote is left where it is: only what is known of it goes.
fn task_md(place: &Place, change: &Change, view: &View<'_>) -> Option<ImageContent> {
    if let Some(value) = &change.after {
        return Some(ImageContent::Bytes(text(value, "text").into_bytes()));
    }
    let is_ours = change.before.as_ref().is_none_or(|before| TaskMd::from_value(before).is_ours());
    let stays = || view.records.get(&Kind::Task.key(&place.space, change.key.id.as_str())).is_some();
    (is_ours || !stays()).then_some(ImageContent::Absent)
}

// The task whose task.md stands at a path.
fn task_of<'p>(place: &Place, path: &'p ProjectPath) -> Option<&'p str> {
    let rest = path.as_str().strip_prefix(place.tasks().as_str())?.strip_prefix('/')?;
    rest.strip_suffix(TASK_MD)?.strip_suffix('/')
}

// What a crash kept from being published beside the three files.
fn left_behind(place: &Place, path: &ProjectPath, view: &View<'_>) -> Option<ImageContent> {
    let rest = path.as_str().strip_prefix(place.tasks().as_str())?.strip_prefix('/')?;
    match rest.split_once('/') {
        Some((id, TASK_MD)) => {
            let file = TaskMd::get(view.records, &place.space, id);
            Some(file.map_or(ImageContent::Absent, |file| ImageContent::Bytes(file.text.into_bytes())))
        }
        Some(_) => None,
        None => {
            let value = view.records.get(&Kind::Task.key(&place.space, rest));
            Some(match value {
                Some(_) => ImageContent::Folder,
                None => ImageContent::NoFolder,
            })
        }
    }
}

/// The texts of tasks.md and scenario.json; none before the scenario is adopted.
pub(super) fn images(state: &State, shelf: &Shelf<'_>) -> Vec<(&'static str, String)> {
    let (Some(times), Some(object)) = (&state.scenario, &state.json) else { return Vec::new() };
    shelf.look_at_all();
    let tree = state.tree();
    let mut states: Vec<(&str, _)> =
        state.tasks.iter().enumerate().map(|(at, task)| (task.id.as_str(), tree.status(at))).collect();
    let hidden = state.hidden.iter().zip(state.hidden_statuses());
    states.extend(hidden.map(|(task, status)| (task.id.as_str(), status)));
    vec![
        (TASKS, tasks_md::render(state, &tree, shelf, times)),
        (SCENARIO, state.json_dress.put_on(scenario_json::render(object, &times.updated_at, &states))),
    ]
}

/// The folders as they will stand once changes are published.
pub(super) fn overlaid<'a>(view: &View<'a>, place: &'a Place, changes: &[Change]) -> Shelf<'a> {
    let mut shelf = Shelf::new(view.files, place);
    let id_of = |path: &str| {
        let rest = path.strip_prefix(place.tasks().as_str())?.strip_prefix('/')?;
        Some(rest.to_owned())
    };
    for change in changes.iter().filter(|change| change.key.space == place.space) {
        if change.key.kind == Kind::TaskMd.word() {
            shelf.will_write(change.key.id.as_str(), change.after.is_some());
        } else if change.key.kind == Kind::Archive.word() {
            // Taking a move back moves the folder the other way.
            let (from, to) = match (&change.before, &change.after) {
                (None, Some(record)) => (text(record, "from"), text(record, "to")),
                (Some(record), None) => (text(record, "to"), text(record, "from")),
                _ => continue,
            };
            match (id_of(&from), id_of(&to)) {
                (Some(from), to) => shelf.will_move(&from, to.as_deref()),
                (None, Some(to)) => {
                    if let Ok(path) = ProjectPath::new(from) {
                        shelf.will_come(&to, path);
                    }
                }
                (None, None) => {}
            }
        }
    }
    shelf
}

/// Whether tasks.md as it stands is what would be rendered; `None` where it is missing.
pub(super) fn shows(state: &State, shelf: &Shelf<'_>, file: &FileState) -> Option<bool> {
    if *file == FileState::Absent {
        return None;
    }
    let rendered = images(state, shelf).into_iter().find(|(name, _)| *name == TASKS);
    Some(rendered.is_some_and(|(_, text)| *file == FileState::Bytes(text.into_bytes())))
}
