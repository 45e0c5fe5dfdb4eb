//! `tasks_update`: status, note and description of a task.

use format::{Draft, Records, View};
use model::{Context, Object, Refusal, Reply, Value, Warning};

use super::records::{Status, Task, members};
use super::{arguments, config, invalid, pruning, roles, tasks_list};

/// The tool: `{id, status?, note?, description?, agent?}` to `{updated, status, updated_at}`.
pub(super) fn tasks_update(
    arguments: &Object,
    draft: &mut Draft<'_>,
    view: &View<'_>,
    ctx: &Context,
) -> Result<Reply, Refusal> {
    update(arguments, draft, view, ctx).map(|(reply, _)| reply)
}

/// The unlisted tool behind the text of `tasks block`: the same, with the `note` that stands afterwards.
pub(super) fn with_note(
    arguments: &Object,
    draft: &mut Draft<'_>,
    view: &View<'_>,
    ctx: &Context,
) -> Result<Reply, Refusal> {
    let (mut reply, task) = update(arguments, draft, view, ctx)?;
    reply.body.insert("note".to_owned(), task.note.map_or(Value::Null, Value::String));
    Ok(reply)
}

fn update(arguments: &Object, draft: &mut Draft<'_>, view: &View<'_>, ctx: &Context) -> Result<(Reply, Task), Refusal> {
    let agent = arguments::agent(arguments, ctx)?;
    let id = arguments::id_text(arguments.get("id").unwrap_or(&Value::Null), "id")?;
    let status = arguments::text(arguments, "status")?.map(tasks_list::status).transpose()?;
    let note = arguments.get("note").map(|note| arguments::value(note, "note")).transpose()?;
    let description = arguments::text(arguments, "description")?.map(arguments::description).transpose()?;
    if status.is_none() && note.is_none() && description.is_none() {
        let refusal = Refusal::invalid("status", "one of status, note and description is needed");
        return Err(refusal.allowed(["status", "note", "description"].map(Value::from).to_vec()));
    }
    let id = arguments::canonical_id(&id, draft);
    let Some(before) = Task::get(draft, &id) else {
        invalid::refuse_if_only_invalid(draft, &id)?;
        return Err(Refusal::refused("task_not_found", format!("there is no task {id:?}")).field("id"));
    };
    let mut warnings = Vec::new();
    let finishes = status == Some(Status::Done) && !before.is_done();
    if finishes {
        warnings.extend(open_dependencies(&id, &before, draft));
    }
    if let Some(breach) = roles::check_task(agent, "tasks_update", &id, Some(&before.owner)) {
        warnings.extend(roles::judge(&[breach], config::read(view.files, ctx)?.role_policy)?);
    }
    let mut task = before;
    if let Some(status) = status {
        task.set_status(status);
    }
    if let Some(note) = note {
        task.note = Some(note).filter(|note| !note.is_empty());
    }
    if let Some(description) = description {
        task.description = description;
    }
    task.updated_at = ctx.now.to_millis_text();
    task.put(draft, &id);
    invalid::close_by_call(draft, "tasks", &id, Some(task.to_value()));
    if finishes {
        pruning::prune(draft);
    }
    let body = members([
        ("updated", id.into()),
        ("status", task.status.word().into()),
        ("updated_at", task.updated_at.as_str().into()),
    ]);
    Ok((Reply::new(body, warnings), task))
}

fn open_dependencies(id: &str, task: &Task, records: &dyn Records) -> Option<Warning> {
    let is_open = |other: &&str| Task::get(records, other).is_some_and(|task| !task.is_done());
    let open: Vec<&str> = task.depends_on.iter().map(String::as_str).filter(is_open).collect();
    let message = || format!("{id} is done before tasks that it depends on: {}", open.join(", "));
    (!open.is_empty()).then(|| Warning::new("dependency_open", message()).with("ids", open.clone()))
}
