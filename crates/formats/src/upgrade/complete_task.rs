//! `complete_task`: a task is completed or has failed.

use std::collections::HashSet;

use format::task_graph::{Status, TaskTree};
use model::{Object, Outcome, Refusal, Value};

use super::arguments;
use super::limits::{CONTENT, FILE, FILES};
use super::lists::{all_met, next_action, progress, put_lists, task_ref, unmet};
use super::records::members;
use super::start_task::reopening;
use super::status::word;
use super::turn::Turn;

/// What is asked for.
struct Asked<'a> {
    files: Vec<String>,
    failed: bool,
    error: Option<&'a str>,
    force: bool,
}

/// What a call does to its task.
enum Deed {
    Complete {
        forced: bool,
    },
    Fail {
        forced: bool,
    },
    /// It is done already; only its files are added to.
    Nothing,
}

/// The tool: `{taskId, filesModified?, failed?, errorMessage?, force?, scenarioId?}`.
pub(super) fn complete_task(arguments: &Object, mut turn: Turn<'_>) -> Result<Outcome, Refusal> {
    let name = arguments::needed(arguments, "taskId")?;
    let asked = Asked {
        files: files(arguments, &turn.ctx.root)?,
        failed: arguments::flag(arguments, "failed")?,
        error: error(arguments)?,
        force: arguments::flag(arguments, "force")?,
    };
    let at = turn.find(name, "taskId")?;
    let id = turn.state.tasks[at].id.clone();
    let (before, deed) = {
        let tree = turn.state.tree();
        let before: Vec<Status> = (0..turn.state.tasks.len()).map(|at| tree.status(at)).collect();
        (before, decide(&turn, &tree, at, &asked)?)
    };

    let task = &mut turn.state.tasks[at];
    let known: HashSet<String> = task.files.iter().cloned().collect();
    task.files.extend(asked.files.iter().filter(|file| !known.contains(*file)).cloned());
    if task.files.len() > FILES {
        let message = format!("{} files are too many for one task", task.files.len());
        return Err(arguments::too_large("filesModified", message, FILES));
    }
    let now = turn.ctx.now.to_millis_text();
    match deed {
        Deed::Nothing => {}
        Deed::Complete { .. } => {
            task.set_status(Status::Completed);
            task.completed_at = Some(now);
        }
        Deed::Fail { .. } => {
            task.set_status(Status::Failed);
            task.error = Some(asked.error.unwrap_or("failed").to_owned());
        }
    }
    if matches!(deed, Deed::Complete { .. } | Deed::Fail { .. }) {
        match before[at] {
            Status::Pending | Status::Blocked => {
                turn.warn("not_started", format!("{id} was not started"), &id);
            }
            Status::Failed if !asked.failed => {
                turn.warn("completed_after_failure", format!("{id} had failed"), &id);
            }
            _ => {}
        }
    }
    if matches!(deed, Deed::Complete { .. }) && !turn.shelf.has_details(&id) {
        let path = turn.place.task_file(&id, super::place::DETAILS[0]);
        turn.warn("progress_details_missing", format!("{path} does not say what was done"), &id);
    }
    let body = reply(&turn, at, &deed, &before, &asked);
    Ok(turn.finish(body))
}

fn decide(turn: &Turn<'_>, tree: &TaskTree<'_>, at: usize, asked: &Asked<'_>) -> Result<Deed, Refusal> {
    let state = &turn.state;
    let id = &state.tasks[at].id;
    let deed = |forced| if asked.failed { Deed::Fail { forced } } else { Deed::Complete { forced } };
    let done = || {
        let message = format!("{id} is {}", word(tree.status(at)));
        Refusal::refused("already_completed", message).field("taskId").hint(reopening(tree.is_leaf(at)))
    };
    let by: Vec<&str> = match tree.status(at) {
        status if !tree.is_leaf(at) => {
            if status.is_met() {
                return if asked.failed { Err(done()) } else { Ok(Deed::Nothing) };
            }
            let is_open = |child: &usize| tree.is_leaf(*child) && !tree.status(*child).is_met();
            let open: Vec<&str> =
                state.descendants(at).filter(is_open).map(|child| state.tasks[child].id.as_str()).collect();
            let message = format!("{id} has open subtasks: {}", open.join(", "));
            let refusal = Refusal::refused("subtasks_incomplete", message).field("taskId").with("open", open);
            return Err(refusal.hint("a parent is completed by its subtasks"));
        }
        Status::InProgress | Status::Failed => return Ok(deed(false)),
        Status::Completed if !asked.failed => return Ok(Deed::Nothing),
        Status::Completed | Status::Skipped => return Err(done()),
        Status::Blocked => vec![id],
        Status::Pending => unmet(tree, at).0,
    };
    if by.is_empty() || asked.force {
        return Ok(deed(!by.is_empty()));
    }
    let message = format!("{id} waits for {}", by.join(", "));
    let refusal = Refusal::refused("task_blocked", message).field("taskId").with("blockedBy", by);
    Err(refusal.hint("say force if it is done all the same"))
}

fn reply(turn: &Turn<'_>, at: usize, deed: &Deed, before: &[Status], asked: &Asked<'_>) -> Object {
    let state = &turn.state;
    let tree = state.tree();
    let reference = task_ref(state, &tree, at);
    let (completed, failed, forced) = match deed {
        Deed::Nothing => (reference, Value::Null, false),
        Deed::Complete { forced } => (reference, Value::Null, *forced),
        Deed::Fail { forced } => (Value::Null, reference, *forced),
    };
    let error = if failed.is_null() { Value::Null } else { asked.error.unwrap_or("failed").into() };
    let mut parents = Vec::new();
    let mut up = state.parent(at);
    while let Some(parent) = up {
        if tree.status(parent) == Status::Completed && before[parent] != Status::Completed {
            parents.push(state.tasks[parent].id.as_str());
        }
        up = state.parent(parent);
    }
    let mut body = members([
        ("scenarioId", turn.place.id.as_str().into()),
        ("completed", completed),
        ("failed", failed),
        ("error", error),
    ]);
    put_lists(&mut body, state, &tree);
    body.extend(members([
        ("progress", progress(&tree)),
        ("allTasksComplete", all_met(&tree).into()),
        ("nextAction", next_action(&tree).into()),
        ("parentsCompleted", parents.into_iter().collect()),
        ("alreadyCompleted", matches!(deed, Deed::Nothing).into()),
        ("forced", forced.into()),
    ]));
    body
}

fn error(arguments: &Object) -> Result<Option<&str>, Refusal> {
    let error = arguments::text(arguments, "errorMessage")?.filter(|text| !text.trim().is_empty());
    if let Some(text) = error.filter(|text| text.len() > CONTENT) {
        let message = format!("{} bytes are too many for an error message", text.len());
        return Err(arguments::too_large("errorMessage", message, CONTENT));
    }
    Ok(error)
}

// With slashes, relative where they lie in the project, each once.
fn files(arguments: &Object, root: &str) -> Result<Vec<String>, Refusal> {
    let given = arguments::texts(arguments, "filesModified")?;
    if given.len() > FILES {
        let message = format!("{} files are too many for one task", given.len());
        return Err(arguments::too_large("filesModified", message, FILES));
    }
    let mut seen = HashSet::new();
    let mut files = Vec::new();
    for file in given {
        if file.len() > FILE {
            let message = format!("a path of {} bytes is too long", file.len());
            return Err(arguments::too_large("filesModified", message, FILE));
        }
        let plain = file.replace('\\', "/");
        let root = root.trim_end_matches('/');
        let within = plain.strip_prefix(root).and_then(|rest| rest.strip_prefix('/'));
        let mut path = within.unwrap_or(&plain);
        while let Some(rest) = path.strip_prefix("./") {
            path = rest;
        }
        let path = arguments::folded(path);
        if !path.is_empty() && seen.insert(path.clone()) {
            files.push(path);
        }
    }
    Ok(files)
}
