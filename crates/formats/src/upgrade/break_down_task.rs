//! `break_down_task`: the subtasks of a task, as a whole wish list.

use std::collections::{HashMap, HashSet};

use format::task_graph::Status;
use model::{Object, Outcome, Refusal, Value};

use super::arguments;
use super::ids::{DEEPEST, HIGHEST, TaskId, number_text, slug};
use super::limits::{CONTENT, MOST_TASKS, TITLE};
use super::lists::{next_action, progress, put_lists, task_ref};
use super::place::TASK_MD;
use super::records::{Source, Task, members, object};
use super::state::State;
use super::turn::Turn;

/// One wish.
struct Wish {
    id: String,
    /// The existing child, by place.
    existing: Option<usize>,
    title: Option<String>,
    content: Option<String>,
    projects: Option<Vec<String>>,
    depends_on: Option<Vec<String>>,
}

/// What became of the children, for the reply.
#[derive(Default)]
struct Done {
    created: Vec<String>,
    removed: Vec<String>,
    kept: Vec<String>,
    archived: Vec<(String, String)>,
}

/// The tool: `{parentTaskId, subtasks, force?, scenarioId?}`.
pub(super) fn break_down_task(arguments: &Object, mut turn: Turn<'_>) -> Result<Outcome, Refusal> {
    let name = arguments::needed(arguments, "parentTaskId")?;
    let force = arguments::flag(arguments, "force")?;
    let subtasks = match arguments.get("subtasks") {
        Some(Value::Array(all)) => all,
        None | Some(Value::Null) => return Err(arguments::missing("subtasks", "subtasks is needed")),
        Some(_) => return Err(Refusal::invalid("subtasks", "subtasks is a list of objects")),
    };
    let at = turn.find(name, "parentTaskId")?;
    let parent_id = turn.state.tasks[at].id.clone();
    let status = turn.state.tree().status(at);
    let children = turn.state.children(at);
    if children.is_empty() && status.is_met() && !force {
        let message = format!("{parent_id} is done");
        let refusal = Refusal::refused("already_completed", message).field("parentTaskId");
        return Err(refusal.hint("force breaks it down all the same"));
    }
    let wishes = wishes(&turn.state, at, &children, subtasks)?;
    for wish in wishes.iter().filter(|wish| wish.existing.is_none()) {
        turn.check_folder(&wish.id)?;
    }
    let done = carry_out(&mut turn, at, &children, wishes)?;
    if subtasks.len() == 1 {
        turn.warn("single_subtask", format!("{parent_id} has a single subtask"), &parent_id);
    }
    settle_parent(&mut turn, &parent_id, children.is_empty());
    let body = reply(&turn, &parent_id, done);
    Ok(turn.finish(body))
}

// Everything is checked before anything is changed.
fn wishes(state: &State, at: usize, children: &[usize], subtasks: &[Value]) -> Result<Vec<Wish>, Refusal> {
    let parent = &state.tasks[at];
    let number = TaskId::parse(&parent.id).map(|id| id.number).unwrap_or_default();
    if number.is_empty() && !subtasks.is_empty() {
        let message = format!("{} has no number that subtasks could continue", parent.id);
        return Err(Refusal::refused("not_a_child", message).field("parentTaskId"));
    }
    if number.len() >= DEEPEST && !subtasks.is_empty() {
        let message = format!("tasks stand at most {DEEPEST} deep");
        return Err(Refusal::refused("too_deep", message).field("parentTaskId").allowed(DEEPEST));
    }
    let mut wishes = Vec::new();
    let mut named = HashSet::new();
    let mut without_id = Vec::new();
    for subtask in subtasks {
        let Value::Object(subtask) = subtask else {
            return Err(Refusal::invalid("subtasks", "every subtask is an object with a description"));
        };
        let known = ["id", "description", "content", "projects", "dependsOn"];
        if let Some(other) = subtask.keys().find(|name| !known.contains(&name.as_str())) {
            let message = format!("a subtask has no {other:?}");
            return Err(Refusal::invalid("subtasks", message).allowed(known.map(Value::from).to_vec()));
        }
        let wish = wish(subtask)?;
        if let Some(id) = arguments::text(subtask, "id")? {
            let existing = child_id(state, children, &number, id)?;
            if !named.insert(id.to_owned()) {
                return Err(Refusal::refused("duplicate_subtask", format!("{id} stands twice")).field("id"));
            }
            wishes.push(Wish { id: id.to_owned(), existing, ..wish });
        } else {
            without_id.push(wishes.len());
            wishes.push(wish);
        }
    }
    name_wishes(state, children, &number, &mut wishes, &without_id)?;
    for wish in wishes.iter().filter(|wish| wish.existing.is_none()) {
        if wish.title.is_none() {
            let message = format!("the new subtask {} needs a description", wish.id);
            return Err(arguments::missing("description", message));
        }
        if state.tasks.iter().chain(&state.hidden).any(|task| task.id == wish.id) {
            let message = format!("{} exists already and is no subtask of {}", wish.id, parent.id);
            let refusal = Refusal::refused("duplicate_subtask", message).field("id");
            return Err(refusal.hint("give another number or slug"));
        }
    }
    let new = wishes.iter().filter(|wish| wish.existing.is_none()).count();
    if state.tasks.len() + state.hidden.len() + new > MOST_TASKS {
        let message = format!("a scenario has at most {MOST_TASKS} tasks");
        return Err(arguments::too_large("subtasks", message, MOST_TASKS));
    }
    Ok(wishes)
}

fn wish(subtask: &Object) -> Result<Wish, Refusal> {
    let list = |name: &str| {
        let given = subtask.get(name).is_some_and(|value| !value.is_null());
        let all = arguments::texts(subtask, name)?;
        if all.len() > MOST_TASKS {
            return Err(arguments::too_large(
                name,
                format!("{} of them are too many for a subtask", all.len()),
                MOST_TASKS,
            ));
        }
        Ok::<_, Refusal>(given.then(|| all.into_iter().map(arguments::folded).filter(|one| !one.is_empty()).collect()))
    };
    let title = arguments::text(subtask, "description")?.map(arguments::folded).filter(|title| !title.is_empty());
    if let Some(title) = title.as_ref().filter(|title| title.chars().count() > TITLE) {
        let message = format!("{} characters are too many for a title", title.chars().count());
        return Err(arguments::too_large("description", message, TITLE));
    }
    let content = arguments::text(subtask, "content")?.filter(|content| !content.is_empty());
    if let Some(content) = content.filter(|content| content.len() > CONTENT) {
        let message = format!("{} bytes are too many for a task.md", content.len());
        return Err(arguments::too_large("content", message, CONTENT));
    }
    let content = content.map(|text| if text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") });
    let (projects, depends_on) = (list("projects")?, list("dependsOn")?);
    Ok(Wish { id: String::new(), existing: None, title, content, projects, depends_on })
}

// An id that was given: canonical, one level below the parent.
fn child_id(state: &State, children: &[usize], number: &[u16], id: &str) -> Result<Option<usize>, Refusal> {
    let existing = children.iter().copied().find(|child| state.tasks[*child].id == id);
    let parsed = TaskId::parse(id).ok().filter(|parsed| parsed.is_canonical || existing.is_some());
    let Some(parsed) = parsed else {
        let refusal = Refusal::refused("invalid_task_id", format!("{id:?} can be no subtask's id"));
        return Err(refusal.field("id").allowed("NN(.NN)*-slug, as 02.01-move-code"));
    };
    if existing.is_none() && (parsed.number.len() != number.len() + 1 || !parsed.number.starts_with(number)) {
        let message = format!("{id} is not one level below {}", number_text(number));
        let refusal = Refusal::refused("not_a_child", message).field("id");
        return Err(refusal.allowed(format!("{}.NN-slug", number_text(number))));
    }
    Ok(existing)
}

// Wishes without an id mean the child of that title, else a new one behind the highest number.
fn name_wishes(
    state: &State,
    children: &[usize],
    number: &[u16],
    wishes: &mut [Wish],
    without_id: &[usize],
) -> Result<(), Refusal> {
    let last = |id: &str| TaskId::parse(id).ok().and_then(|id| id.number.last().copied()).unwrap_or_default();
    let ids = children.iter().map(|child| state.tasks[*child].id.as_str());
    let listed = wishes.iter().filter(|wish| !wish.id.is_empty()).map(|wish| wish.id.as_str());
    let mut highest = ids.chain(listed).map(last).max().unwrap_or_default();
    let mut taken: HashSet<usize> = wishes.iter().filter_map(|wish| wish.existing).collect();
    for at in without_id {
        let wish = &mut wishes[*at];
        let of_title = |child: &&usize| wish.title.as_deref() == Some(state.tasks[**child].title.as_str());
        if let Some(child) = children.iter().filter(|child| !taken.contains(child)).find(of_title).copied() {
            taken.insert(child);
            wish.existing = Some(child);
            wish.id.clone_from(&state.tasks[child].id);
        } else {
            if highest >= HIGHEST {
                let message = format!("no subtask comes behind number {highest}; give ids to those that have none");
                return Err(arguments::too_large("subtasks", message, usize::from(HIGHEST)));
            }
            highest += 1;
            let number: Vec<u16> = number.iter().copied().chain([highest]).collect();
            wish.id = format!("{}-{}", number_text(&number), slug(wish.title.as_deref().unwrap_or_default()));
        }
    }
    Ok(())
}

fn carry_out(turn: &mut Turn<'_>, at: usize, children: &[usize], wishes: Vec<Wish>) -> Result<Done, Refusal> {
    let mut done = Done::default();
    let parent = turn.state.tasks[at].id.clone();
    let listed: HashSet<usize> = wishes.iter().filter_map(|wish| wish.existing).collect();
    let (mut unlisted_kept, mut gone) = (Vec::new(), Vec::new());
    {
        let tree = turn.state.tree();
        for child in children.iter().filter(|child| !listed.contains(child)) {
            if tree.status(*child).is_met() {
                unlisted_kept.push(turn.state.tasks[*child].id.clone());
            } else {
                gone.extend([*child].into_iter().chain(turn.state.descendants(*child)));
            }
        }
    }
    done.kept.clone_from(&unlisted_kept);
    remove(turn, &gone, &mut done);
    // Kept children first, in their old order, then the list's order.
    let order = unlisted_kept.iter().cloned().chain(wishes.iter().map(|wish| wish.id.clone()));
    let order: HashMap<String, usize> = order.enumerate().map(|(place, id)| (id, place)).collect();
    for wish in wishes {
        if wish.existing.is_some() {
            done.kept.push(wish.id.clone());
            change(turn, wish)?;
        } else {
            done.created.push(wish.id.clone());
            create(turn, &parent, wish);
        }
    }
    for task in turn.state.tasks.iter_mut().chain(&mut turn.state.hidden) {
        if let Some(place) = order.get(&task.id) {
            task.order = *place;
        }
    }
    turn.state.rearrange();
    Ok(done)
}

fn remove(turn: &mut Turn<'_>, gone: &[usize], done: &mut Done) {
    let seeds = turn.seeds();
    let (mut folders, mut running) = (Vec::new(), Vec::new());
    for at in gone {
        let task = &turn.state.tasks[*at];
        done.removed.push(task.id.clone());
        if task.status == Status::InProgress && turn.state.children(*at).is_empty() {
            running.push(task.id.clone());
        }
        if !turn.work(&seeds).in_folder(task).is_empty() {
            folders.push(task.id.clone());
        }
    }
    for id in running {
        turn.warn("removed_in_progress", format!("{id} was in progress"), &id);
    }
    for id in folders {
        let to = turn.archive(&id);
        done.archived.push((id, to.as_str().to_owned()));
    }
    if !done.removed.is_empty() {
        turn.forget(&done.removed);
    }
}

fn change(turn: &mut Turn<'_>, wish: Wish) -> Result<(), Refusal> {
    let Some(at) = turn.state.place(&wish.id) else { return Ok(()) };
    if let Some(content) = wish.content {
        let stands = turn.shelf.has_task_md(&wish.id);
        let task = &turn.state.tasks[at];
        let seeds = turn.seeds();
        if !stands || !turn.work(&seeds).is_enriched(task) {
            turn.check_folder(&wish.id)?;
            turn.write_task_md(&wish.id, content, false);
        } else {
            kept(turn, &wish.id);
        }
    }
    let task = &mut turn.state.tasks[at];
    if let Some(title) = wish.title {
        task.title = title;
    }
    if let Some(projects) = wish.projects {
        task.projects = projects;
    }
    if wish.depends_on.is_some() {
        task.depends_on = wish.depends_on;
    }
    Ok(())
}

fn create(turn: &mut Turn<'_>, parent: &str, wish: Wish) {
    let task = Task {
        parent: Some(parent.to_owned()),
        depends_on: wish.depends_on,
        projects: wish.projects.unwrap_or_default(),
        has_folder: !turn.shelf.has_folder(&wish.id),
        ..Task::new(&wish.id, &wish.title.unwrap_or_default(), Source::Breakdown)
    };
    // A task.md that is there already is somebody's.
    match wish.content {
        Some(_) if turn.shelf.has_task_md(&wish.id) => kept(turn, &wish.id),
        Some(content) => turn.write_task_md(&wish.id, content, false),
        None => {}
    }
    turn.state.hidden.push(task);
}

fn kept(turn: &mut Turn<'_>, id: &str) {
    let path = turn.place.task_file(id, TASK_MD);
    turn.warn("task_md_kept", format!("{path} is somebody's and stays; the content given is not written"), id);
}

// Only that it was begun lives on in a parent; without children it is a leaf again.
fn settle_parent(turn: &mut Turn<'_>, id: &str, was_leaf: bool) {
    let caller = turn.caller();
    let Some(at) = turn.state.place(id) else { return };
    let is_leaf = turn.state.children(at).is_empty();
    let task = &mut turn.state.tasks[at];
    match (was_leaf, is_leaf) {
        (false, true) if task.started => {
            task.set_status(Status::InProgress);
            task.owner = Some(caller);
        }
        (true, false) | (false, true) => task.set_status(Status::Pending),
        (true, true) | (false, false) => {}
    }
}

fn reply(turn: &Turn<'_>, parent: &str, done: Done) -> Object {
    let state = &turn.state;
    let tree = state.tree();
    let reference = |id: &String| state.place(id).map_or(Value::Null, |at| task_ref(state, &tree, at));
    let ids = |all: Vec<String>| all.into_iter().map(Value::from).collect::<Value>();
    let archived = done.archived.into_iter().map(|(id, to)| object([("id", id.into()), ("to", to.into())]));
    let mut body = members([
        ("scenarioId", turn.place.id.as_str().into()),
        ("parent", reference(&parent.to_owned())),
        ("subtasksCreated", done.created.iter().map(reference).collect()),
        ("subtasksRemoved", ids(done.removed)),
        ("subtasksKept", ids(done.kept)),
        ("subtasksArchived", archived.collect()),
    ]);
    put_lists(&mut body, state, &tree);
    body.insert("progress".to_owned(), progress(&tree));
    body.insert("nextAction".to_owned(), next_action(&tree).into());
    body
}
