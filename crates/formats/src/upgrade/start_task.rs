//! `start_task`: a task is begun, resumed, tried again or reopened.

use format::FileState;
use format::task_graph::Status;
use model::{Object, Outcome, Refusal, Value};

use super::get_state::instructions;
use super::instructions::cut;
use super::lists::{available, blocked_tasks, task_ref, unmet};
use super::place::{INSTRUCTIONS, TASK_MD};
use super::plan::Breakdown;
use super::records::{Task, members, object};
use super::status::word;
use super::texts::markers;
use super::turn::Turn;
use super::{arguments, stale};

/// How a task gets under way.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Begun,
    Resumed,
    Retried,
    Forced,
    Reopened,
    /// Not at all: its subtasks are to be started.
    Elsewhere,
}

/// What stands in the task's folder afterwards.
#[derive(Default)]
struct Folder {
    created: bool,
    content: Option<String>,
    /// A task.md that the user had put there.
    instructions: Option<String>,
}

/// The tool: `{taskId, force?, scenarioId?}`.
pub(super) fn start_task(arguments: &Object, mut turn: Turn<'_>) -> Result<Outcome, Refusal> {
    let name = arguments::needed(arguments, "taskId")?;
    let force = arguments::flag(arguments, "force")?;
    let at = turn.find(name, "taskId")?;
    let (way, redirect) = way(&turn, at, force)?;
    let mut folder = Folder::default();
    if way != Way::Elsewhere {
        turn.check_folder(&turn.state.tasks[at].id)?;
        folder = open_folder(&mut turn, at);
        let caller = turn.caller();
        let task = &mut turn.state.tasks[at];
        let keeps = task.owner.take().filter(|owner| way == Way::Resumed && owner.session == caller.session);
        task.set_status(Status::InProgress);
        task.owner = Some(keeps.unwrap_or(caller));
    } else if let FileState::Bytes(bytes) = turn.shelf.task_md(&turn.state.tasks[at].id) {
        folder.content = Some(String::from_utf8_lossy(&bytes).into_owned());
    }
    let said = instructions(turn.view, turn.place);
    let (custom, more) = said.shown_of_task(&turn.state.tasks[at].id);
    turn.warnings.extend(cut(&turn.place.file(INSTRUCTIONS), "customInstructions", more));
    let body = reply(&turn, at, way, folder, custom, redirect);
    Ok(turn.finish(body))
}

// The way, and where a parent sends the caller instead.
fn way(turn: &Turn<'_>, at: usize, force: bool) -> Result<(Way, Value), Refusal> {
    let state = &turn.state;
    let tree = state.tree();
    let id = &state.tasks[at].id;
    let status = tree.status(at);
    if !tree.is_leaf(at) && !status.is_met() {
        let beneath = || state.descendants(at).filter(|child| tree.is_leaf(*child));
        let running = beneath().find(|child| tree.status(*child) == Status::InProgress);
        let available = tree.available();
        let next = running.or_else(|| beneath().find(|child| available.contains(child)));
        return Ok((Way::Elsewhere, next.map_or(Value::Null, |child| task_ref(state, &tree, child))));
    }
    let blocked = |by: Vec<&str>| {
        let message = format!("{id} waits for {}", by.join(", "));
        let refusal = Refusal::refused("task_blocked", message).field("taskId").with("blockedBy", by);
        refusal.hint("begin with what it waits for, or say force")
    };
    let way = match status {
        Status::InProgress => Way::Resumed,
        Status::Failed => Way::Retried,
        Status::Pending => {
            let (unmet, _) = unmet(&tree, at);
            if !unmet.is_empty() && !force {
                return Err(blocked(unmet));
            }
            if unmet.is_empty() { Way::Begun } else { Way::Forced }
        }
        Status::Blocked if force => Way::Forced,
        Status::Blocked => return Err(blocked(vec![id])),
        Status::Completed | Status::Skipped if force && tree.is_leaf(at) => Way::Reopened,
        Status::Completed | Status::Skipped => {
            let refusal = Refusal::refused("already_completed", format!("{id} is {}", word(status)));
            return Err(refusal.field("taskId").hint(reopening(tree.is_leaf(at))));
        }
    };
    Ok((way, Value::Null))
}

/// What to do about a task that is done.
pub(super) const fn reopening(is_leaf: bool) -> &'static str {
    if is_leaf {
        "start_task with force reopens it"
    } else {
        "start_task with force reopens one of its subtasks, and with it the task; break_down_task adds more"
    }
}

// Makes the folder and a task.md that is missing; one that stands there is never touched.
fn open_folder(turn: &mut Turn<'_>, at: usize) -> Folder {
    let task = &turn.state.tasks[at];
    let (id, first_start) = (task.id.clone(), !task.started);
    let created = !turn.shelf.has_folder(&id);
    let known = turn.task_md(&id);
    let mut folder = Folder { created, ..Folder::default() };
    match turn.shelf.task_md(&id) {
        FileState::Bytes(bytes) => {
            if known.is_none() {
                turn.warnings.extend(markers(&turn.place.task_file(&id, TASK_MD), &bytes));
            }
            let text = std::str::from_utf8(&bytes).map(str::to_owned);
            let shown = text.clone().unwrap_or_else(|_| String::from_utf8_lossy(&bytes).into_owned());
            let is_ours = known.as_ref().is_some_and(super::records::TaskMd::is_ours)
                || turn.seeds().text(&turn.state.tasks[at]) == shown;
            if first_start && !is_ours {
                folder.instructions = Some(shown.clone());
            }
            if let (None, Ok(text)) = (known, text) {
                turn.found_task_md(&id, text);
            }
            folder.content = Some(shown);
        }
        FileState::Irregular(what) => {
            let path = turn.place.task_file(&id, TASK_MD);
            turn.warn("image_unreadable", format!("{path} {what}; it is left alone"), &id);
        }
        FileState::Absent => {
            if let Some(file) = known {
                folder.content = Some(file.text.clone());
                turn.restore_task_md(&id, file);
            } else {
                let seeds = turn.seeds();
                let text = seeds.text(&turn.state.tasks[at]);
                if seeds.is_cut(&id) {
                    let path = turn.place.task_file(&id, TASK_MD);
                    turn.warn("text_not_kept", format!("{path} holds only the beginning of the section"), &id);
                }
                folder.content = Some(text.clone());
                turn.write_task_md(&id, text, true);
            }
        }
    }
    folder
}

fn reply(turn: &Turn<'_>, at: usize, way: Way, folder: Folder, custom: Vec<&str>, redirect: Value) -> Object {
    let state = &turn.state;
    let tree = state.tree();
    let task = &state.tasks[at];
    let path = turn.place.task(&task.id).as_str().to_owned();
    let maybe = |text: Option<String>| text.map_or(Value::Null, Value::String);
    let seeds = turn.seeds();
    let work = turn.work(&seeds);
    let index = state.index();
    let depends: Vec<&str> = match &task.depends_on {
        Some(ids) => {
            ids.iter().map(|id| index.find(id).map_or(id.as_str(), |at| state.tasks[at].id.as_str())).collect()
        }
        None => previous(turn, at).into_iter().collect(),
    };
    let shown = object([
        ("id", task.id.as_str().into()),
        ("name", task.title.as_str().into()),
        ("status", word(tree.status(at)).into()),
        ("complexity", complexity(task).into()),
        ("projects", task.projects.iter().map(String::as_str).collect()),
        ("doneWhen", maybe(task.done_when.clone())),
        ("dependsOn", depends.into_iter().collect()),
        ("parentId", maybe(state.parent(at).map(|up| state.tasks[up].id.clone()))),
    ]);
    members([
        ("scenarioId", turn.place.id.as_str().into()),
        ("task", shown),
        ("taskFolder", path.as_str().into()),
        ("folderCreated", if folder.created { path.into() } else { Value::Null }),
        ("needsBreakdown", (tree.is_leaf(at) && needs_breakdown(task)).into()),
        ("taskContent", maybe(folder.content)),
        ("userInstructions", maybe(folder.instructions)),
        ("customInstructions", custom.into_iter().collect()),
        ("staleTaskWarnings", Value::Array(stale::warnings(state, &tree, &work, turn.ctx, Some(&task.id)))),
        ("availableTasks", available(state, &tree)),
        ("blockedTasks", blocked_tasks(state, &tree)),
        ("resumed", (way == Way::Resumed).into()),
        ("retry", (way == Way::Retried).into()),
        ("forced", (way == Way::Forced).into()),
        ("reopened", (way == Way::Reopened).into()),
        ("redirect", redirect),
    ])
}

fn previous<'s>(turn: &'s Turn<'_>, at: usize) -> Option<&'s str> {
    let state = &turn.state;
    let siblings = (0..at).rev().find(|other| state.parent(*other) == state.parent(at));
    siblings.map(|other| state.tasks[other].id.as_str())
}

/// The plan's word, else by how many projects it is about.
fn complexity(task: &Task) -> &str {
    task.complexity.as_deref().unwrap_or(match task.projects.len() {
        0 | 1 => "standard",
        2 | 3 => "medium",
        _ => "high",
    })
}

fn needs_breakdown(task: &Task) -> bool {
    match task.breakdown {
        Some(Breakdown::None) => false,
        Some(Breakdown::Required) => true,
        None => complexity(task) == "high",
    }
}
