//! `tasks_list`: the backlog, pruned tasks included.

use std::borrow::Cow;

use format::{Records, natural};
use model::{Object, Refusal, Reply, Value};

use super::records::{Status, Task, members, object};
use super::{arguments, times};

/// The tool: `{status?}` to `{tasks:[{id,owner,description,status,depends_on,note,created_at,updated_at}], count}`.
///
/// **Order**: status by bytes, then `created_at` by instant, then natural id.
pub(super) fn tasks_list(arguments: &Object, records: &dyn Records) -> Result<Reply, Refusal> {
    let wanted = arguments::text(arguments, "status")?.map(status).transpose()?;
    let mut tasks = Task::all(records);
    tasks.retain(|(_, task)| wanted.is_none_or(|wanted| task.status == wanted));
    let mut keyed: Vec<_> = tasks
        .into_iter()
        .map(|(id, task)| {
            let created = times::to_millis(&task.created_at).map(Cow::into_owned);
            (task.status, created, id, task)
        })
        .collect();
    keyed.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| a.1.cmp(&b.1)).then_with(|| natural::compare(&a.2, &b.2)));
    let shown: Vec<Value> = keyed.into_iter().map(|(_, created, id, task)| show(id, created, task)).collect();
    let count = shown.len();
    let body = members([("tasks", Value::Array(shown)), ("count", count.into())]);
    Ok(Reply::new(body, Vec::new()))
}

/// The status that a word names.
pub(super) fn status(word: &str) -> Result<Status, Refusal> {
    Status::from_word(word).ok_or_else(|| {
        let words: Vec<Value> = Status::WORDS.iter().map(|word| Value::from(*word)).collect();
        Refusal::invalid("status", format!("{word:?} is no status")).allowed(words)
    })
}

// A time that cannot be read is shown as it stands.
fn show(id: String, created: Option<String>, task: Task) -> Value {
    object([
        ("id", id.into()),
        ("owner", task.owner.into()),
        ("description", task.description.into()),
        ("status", task.status.word().into()),
        ("depends_on", task.depends_on.into_iter().collect()),
        ("note", task.note.map_or(Value::Null, Value::String)),
        ("created_at", created.unwrap_or(task.created_at).into()),
        ("updated_at", times::shown(&task.updated_at).into()),
    ])
}
