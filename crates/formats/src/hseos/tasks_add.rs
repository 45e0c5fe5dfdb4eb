//! `tasks_add`: a new task; saying the same again is no error.

use std::collections::BTreeSet;

use format::{Draft, Records, View, task_graph};
use model::{Context, Object, Refusal, Reply, Value, Warning};

use super::records::{Kind, Status, Task, members};
use super::{arguments, config, invalid, roles};

/// The tool: `{id, owner, description, depends?, agent?}` to `{added, created}`.
pub(super) fn tasks_add(
    arguments: &Object,
    draft: &mut Draft<'_>,
    view: &View<'_>,
    ctx: &Context,
) -> Result<Reply, Refusal> {
    let agent = arguments::agent(arguments, ctx)?;
    let id = arguments::new_id(arguments.get("id").unwrap_or(&Value::Null), "id", draft)?;
    let owner = arguments::text(arguments, "owner")?.unwrap_or_default();
    let existing = Task::get(draft, &id);
    let is_owner = |task: &Task| task.owner == owner;
    if !arguments::is_name(owner) && !existing.as_ref().is_some_and(is_owner) {
        return Err(Refusal::invalid("owner", format!("{owner:?} names no owner")).allowed("[A-Za-z0-9_.-]{1,64}"));
    }
    let description = arguments::description(arguments::text(arguments, "description")?.unwrap_or_default())?;
    let depends = depends(arguments, draft)?;

    if let Some(task) = existing {
        let set = |ids: &[String]| ids.iter().cloned().collect::<BTreeSet<_>>();
        let same = is_owner(&task) && task.description == description && set(&task.depends_on) == set(&depends);
        return if same { Ok(reply(&id, false, Vec::new())) } else { Err(exists(&id, &task)) };
    }
    invalid::refuse_if_only_invalid(draft, &id)?;

    let lookup = |other: &str| Task::get(draft, other).map(|task| task.depends_on);
    if let Some(path) = task_graph::cycle_through(&id, &depends, lookup) {
        let message = format!("the dependencies close a cycle: {}", path.join(" → "));
        let refusal = Refusal::refused("dependency_cycle", message).field("depends");
        return Err(refusal.with("path", path.into_iter().map(Value::from).collect::<Vec<_>>()));
    }
    let mut warnings = Vec::new();
    let dangling: Vec<&str> =
        depends.iter().map(String::as_str).filter(|other| draft.get(&Kind::Task.key(*other)).is_none()).collect();
    if !dangling.is_empty() {
        let message = format!("{id} depends on tasks that do not exist: {}", dangling.join(", "));
        warnings.push(Warning::new("dangling_dependency", message).with("ids", dangling));
    }
    if let Some(breach) = roles::check_task(agent, "tasks_add", &id, None) {
        warnings.extend(roles::judge(&[breach], config::read(view.files, ctx)?.role_policy)?);
    }
    let now = ctx.now.to_millis_text();
    let task = Task {
        owner: owner.to_owned(),
        description,
        status: Status::Pending,
        depends_on: depends,
        note: None,
        created_at: now.clone(),
        updated_at: now,
        pruned: false,
    };
    task.put(draft, &id);
    Ok(reply(&id, true, warnings))
}

fn depends(arguments: &Object, records: &dyn Records) -> Result<Vec<String>, Refusal> {
    let Some(value) = arguments.get("depends") else { return Ok(Vec::new()) };
    let given = value.as_array().ok_or_else(|| Refusal::invalid("depends", "depends is a list of task ids"))?;
    let mut seen = BTreeSet::new();
    let mut ids = Vec::with_capacity(given.len());
    for value in given {
        let id = arguments::new_id(value, "depends", records)?;
        if seen.insert(id.clone()) {
            ids.push(id);
        }
    }
    Ok(ids)
}

fn exists(id: &str, task: &Task) -> Refusal {
    let message = format!("task {id} exists with another owner, description or dependencies");
    Refusal::refused("task_exists", message)
        .field("id")
        .hint("change it with tasks_update, or choose another id")
        .with("owner", task.owner.as_str())
        .with("description", task.description.as_str())
}

fn reply(id: &str, created: bool, warnings: Vec<Warning>) -> Reply {
    Reply::new(members([("added", id.into()), ("created", created.into())]), warnings)
}
