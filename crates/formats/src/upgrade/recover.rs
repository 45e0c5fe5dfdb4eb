//! `recover`: the state, and what to read before going on.

use format::task_graph::Status;
use format::{FileState, View};
use model::{Context, Object, Outcome, ProjectPath, Refusal, Reply, Value};

use super::get_state::{Shown, instructions, state_of};
use super::instructions::cut;
use super::limits::SHOWN;
use super::place::{FILE_LIMIT, INSTRUCTIONS, Place, TASK_FILE_LIMIT, TASK_MD};
use super::records::{members, object};
use super::shelf::Shelf;
use super::state::State;

/// Of how many completed tasks the details are shown.
const LAST: usize = 2;

const REMINDER: &str = "Load the skills that the current task needs again before going on.";

/// The tool: `{path?, scenarioId?}`.
pub(super) fn recover(arguments: &Object, view: &View<'_>, ctx: &Context) -> Result<Outcome, Refusal> {
    let Shown { body: state, mut warnings, active } = state_of(arguments, view, ctx)?;
    let mut preferences = Object::new();
    let mut reading = Vec::new();
    if let Some((place, scenario)) = &active {
        let (shown_ones, more) = instructions(view, place).shown_preferences();
        preferences = shown_ones;
        warnings.extend(cut(&place.file(INSTRUCTIONS), "preferences", more));
        reading.extend(shown(view, &place.file(INSTRUCTIONS), FILE_LIMIT, Some("instructions")));
        let tree = scenario.tree();
        for at in tree.leaves().filter(|at| tree.status(*at) == Status::InProgress) {
            let path = place.task_file(&scenario.tasks[at].id, TASK_MD);
            reading.extend(shown(view, &path, TASK_FILE_LIMIT, Some("task")));
        }
        reading.extend(recent(view, place, scenario, Some("progress")));
    }
    let body = members([
        ("scenarioId", active.map_or(Value::Null, |(place, _)| place.id.into())),
        ("state", Value::Object(state)),
        ("preferences", Value::Object(preferences)),
        ("readingList", Value::Array(reading)),
        ("reminders", Value::Array(vec![REMINDER.into()])),
    ]);
    Ok(Outcome { reply: Reply { body, warnings, ..Reply::default() }, ..Outcome::default() })
}

/// The details of the last completed tasks, newest first.
pub(super) fn recent(view: &View<'_>, place: &Place, state: &State, kind: Option<&str>) -> Vec<Value> {
    let shelf = Shelf::new(view.files, place);
    shelf.look_at_all();
    let tree = state.tree();
    let completed = tree.leaves().filter(|at| tree.status(*at) == Status::Completed);
    let mut completed: Vec<usize> = completed.filter(|at| shelf.details(&state.tasks[*at].id).is_some()).collect();
    // By when they were completed, then by where they stand.
    completed.sort_by_key(|at| std::cmp::Reverse((state.tasks[*at].completed_at.as_deref(), *at)));
    let newest = completed.into_iter().take(LAST);
    newest
        .filter_map(|at| {
            let id = &state.tasks[at].id;
            let path = place.task_file(id, shelf.details(id)?);
            shown(view, &path, TASK_FILE_LIMIT, kind)
        })
        .collect()
}

/// A file for the reader. **Shape**: `{"kind"?,"path","content","truncated"}`; nothing for an absent one.
pub(super) fn shown(view: &View<'_>, path: &ProjectPath, limit: u64, kind: Option<&str>) -> Option<Value> {
    let FileState::Bytes(bytes) = view.files.read(path, limit) else { return None };
    let text = String::from_utf8_lossy(&bytes);
    let cut = text.floor_char_boundary(SHOWN);
    let mut file = object([
        ("path", path.as_str().into()),
        ("content", text[..cut].into()),
        ("truncated", (cut < text.len()).into()),
    ]);
    if let (Some(kind), Value::Object(members)) = (kind, &mut file) {
        members.shift_insert(0, "kind".to_owned(), kind.into());
    }
    Some(file)
}
