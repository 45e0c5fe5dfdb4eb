//! `get_state`: everything about the scenario under way. It writes nothing.

use format::task_graph::{Status, TaskTree};
use format::{FileState, Irregular, View, digest};
use model::{Context, Object, Outcome, ProjectPath, Refusal, Reply, Value, Warning};

use super::activity::SHOWN;
use super::arguments;
use super::instructions::Instructions;
use super::lists::{all_met, available, blocked_tasks, leaves_of, next_action, progress, task_ref};
use super::place::{FILE_LIMIT, INSTRUCTIONS, PLAN, Place, TASKS, root};
use super::plan::PlanText;
use super::records::{members, object};
use super::render::shows;
use super::scenarios::{self, Scenarios};
use super::shelf::Shelf;
use super::state::State;
use super::tasks_md::TasksText;
use super::texts::Text;
use super::work::{Seeds, Work};
use super::{reading, report, stale};

/// The tool: `{path?, scenarioId?}`.
pub(super) fn get_state(arguments: &Object, view: &View<'_>, ctx: &Context) -> Result<Outcome, Refusal> {
    let Shown { body, warnings, .. } = state_of(arguments, view, ctx)?;
    Ok(Outcome { reply: Reply { body, warnings, ..Reply::default() }, ..Outcome::default() })
}

/// What the tool shows, and of which scenario.
pub(super) struct Shown {
    pub(super) body: Object,
    pub(super) warnings: Vec<Warning>,
    pub(super) active: Option<(Place, State)>,
}

/// The same, for the tools that show it with more.
pub(super) fn state_of(arguments: &Object, view: &View<'_>, ctx: &Context) -> Result<Shown, Refusal> {
    let folder = folder(arguments, view, ctx)?;
    let scenarios = match &folder {
        None => Scenarios::of_project(view),
        Some(folder) => Scenarios::of_folder(view, folder),
    };
    let active = scenarios.active(view, scenarios::named(arguments)?)?;
    let mut warnings = scenarios.warnings.clone();
    let mut existing = Vec::new();
    let mut found = None;
    for place in &scenarios.places {
        let state = scenarios.state(view, place);
        let tree = state.tree();
        existing.push(object([
            ("scenarioId", place.id.as_str().into()),
            ("path", place.folder.as_str().into()),
            ("progress", progress(&tree)),
            ("allTasksComplete", all_met(&tree).into()),
        ]));
        drop(tree);
        if Some(place) == active.as_ref() {
            found = Some((place.clone(), state));
        }
    }
    let mut body = members([
        ("hasActiveScenario", found.is_some().into()),
        ("scenarioId", found.as_ref().map_or(Value::Null, |(place, _)| place.id.as_str().into())),
        ("scenarioPath", found.as_ref().map_or(Value::Null, |(place, _)| place.folder.as_str().into())),
        ("existingScenarios", Value::Array(existing)),
    ]);
    match &found {
        Some((place, state)) => {
            let tree = state.tree();
            warnings.extend(reading::warnings(state, &tree));
            body.extend(shown(state, &tree, place, view, ctx));
        }
        None => body.extend(nothing()),
    }
    Ok(Shown { body, warnings, active: found })
}

/// The root of the nearest folder around `path`, unless that is the project's own.
///
/// **Errors**: `path_outside_project`, `path_not_found`.
pub(super) fn folder(arguments: &Object, view: &View<'_>, ctx: &Context) -> Result<Option<ProjectPath>, Refusal> {
    let Some(text) = arguments::text(arguments, "path")? else { return Ok(None) };
    let own = ctx.root.trim_end_matches('/');
    let relative = match text.strip_prefix(own) {
        Some(rest) if !own.is_empty() && (rest.is_empty() || rest.starts_with('/')) => rest.trim_start_matches('/'),
        _ => text,
    };
    if matches!(relative.trim_end_matches('/'), "" | ".") {
        return Ok(None);
    }
    let outside = || {
        let message = format!("{text:?} lies outside the project");
        Refusal::refused("path_outside_project", message).field("path")
    };
    let mut at = match within(relative) {
        Within::Root => return Ok(None),
        Within::Path(path) => Some(path),
        Within::Outside => return Err(outside()),
    };
    match at.as_ref().map(|path| view.files.read(path, 0)) {
        Some(FileState::Absent | FileState::Irregular(Irregular::Unreadable)) => {
            return Err(Refusal::refused("path_not_found", format!("there is nothing at {text:?}")).field("path"));
        }
        // Where a link leads is not looked at.
        Some(FileState::Irregular(Irregular::Link)) => return Err(outside()),
        _ => {}
    }
    while let Some(path) = at {
        let root = path.join(root().as_str()).ok().filter(|root| view.files.is_folder(root));
        if root.is_some() {
            return Ok(root);
        }
        at = path.parent();
    }
    Ok(None)
}

/// Where a path leads that is meant to lie in the project.
enum Within {
    Root,
    Path(ProjectPath),
    Outside,
}

fn within(path: &str) -> Within {
    // A path that comes back to the root has no parts left, which is no path of a file.
    let anchored = format!("{path}/anchor");
    match (ProjectPath::normalise(path), ProjectPath::normalise(&anchored)) {
        (Ok(path), _) => Within::Path(path),
        (Err(_), Ok(anchored)) if anchored.as_str() == "anchor" => Within::Root,
        (Err(_), _) => Within::Outside,
    }
}

/// What scenario-instructions.md says.
pub(super) fn instructions(view: &View<'_>, place: &Place) -> Instructions {
    match Text::of(&view.files.read(&place.file(INSTRUCTIONS), FILE_LIMIT)) {
        Text::Is(text) => Instructions::read(&text),
        _ => Instructions::default(),
    }
}

fn shown(state: &State, tree: &TaskTree<'_>, place: &Place, view: &View<'_>, ctx: &Context) -> Object {
    let shelf = Shelf::new(view.files, place);
    let seeds = Seeds::of(state.plan.as_deref());
    let work = Work { records: view.records, place, shelf: &shelf, seeds: &seeds };
    let running = leaves_of(state, tree, Status::InProgress);
    let completed = tree.leaves().filter(|at| tree.status(*at) == Status::Completed).map(|at| {
        let mut reference = task_ref(state, tree, at);
        reference["completedAt"] = state.tasks[at].completed_at.as_deref().map_or(Value::Null, Value::from);
        reference
    });
    let file = view.files.read(&place.file(TASKS), FILE_LIMIT);
    let files = [PLAN, TASKS, INSTRUCTIONS].map(|name| (name, place.file(name)));
    let time = |path: &ProjectPath| view.files.modified(path).map_or(Value::Null, |at| at.to_millis_text().into());
    let hash = |path: &ProjectPath| match view.files.read(path, FILE_LIMIT) {
        FileState::Bytes(bytes) => digest(&bytes).into(),
        FileState::Absent | FileState::Irregular(_) => Value::Null,
    };
    members([
        ("inProgressTask", running.first().cloned().unwrap_or_default()),
        ("inProgressTasks", Value::Array(running)),
        ("availableTasks", available(state, tree)),
        ("blockedTasks", blocked_tasks(state, tree)),
        ("completedTasks", completed.collect()),
        ("failedTasks", Value::Array(leaves_of(state, tree, Status::Failed))),
        ("progress", progress(tree)),
        ("allTasksComplete", all_met(tree).into()),
        ("nextAction", next_action(tree).into()),
        ("staleTaskWarnings", Value::Array(stale::warnings(state, tree, &work, ctx, None))),
        ("fileTimestamps", files.iter().map(|(name, path)| ((*name).to_owned(), time(path))).collect()),
        ("fileHashes", files.iter().map(|(name, path)| ((*name).to_owned(), hash(path))).collect()),
        ("tasksOutOfSync", out_of_sync(state, &shelf, &file)),
        ("drift", report::drift(state, tree, &work)),
        ("recentActivity", TasksText::bullets(&state.layout.activity, SHOWN).into_iter().collect()),
    ])
}

/// `tasksOutOfSync`: why tasks.md is not what would be rendered; null if it is.
pub(super) fn out_of_sync(state: &State, shelf: &Shelf<'_>, file: &FileState) -> Value {
    let reason = match shows(state, shelf, file) {
        // No file is needed to show no task.
        None if state.tasks.is_empty() => return Value::Null,
        None => "missing",
        Some(true) => return Value::Null,
        Some(false) => {
            let text = Text::of(file);
            let rows = text.text().map(TasksText::read);
            let numbers = state.plan.as_deref().map(|plan| PlanText::read(plan).numbers()).unwrap_or_default();
            let is_damaged = text == Text::Unreadable
                || rows.is_some_and(|rows| rows.is_damaged(|number| numbers.contains(&number)));
            if is_damaged { "damaged" } else { "outdated" }
        }
    };
    object([("reason", reason.into())])
}

fn nothing() -> Object {
    let list = || Value::Array(Vec::new());
    members([
        ("inProgressTask", Value::Null),
        ("inProgressTasks", list()),
        ("availableTasks", list()),
        ("blockedTasks", list()),
        ("completedTasks", list()),
        ("failedTasks", list()),
        ("progress", object([("completed", 0.into()), ("total", 0.into()), ("percent", 0.into())])),
        ("allTasksComplete", false.into()),
        ("nextAction", "plan".into()),
        ("staleTaskWarnings", list()),
        ("fileTimestamps", object([PLAN, TASKS, INSTRUCTIONS].map(|name| (name, Value::Null)))),
        ("fileHashes", object([PLAN, TASKS, INSTRUCTIONS].map(|name| (name, Value::Null)))),
        ("tasksOutOfSync", Value::Null),
        ("drift", Value::Null),
        ("recentActivity", list()),
    ])
}
