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
    let shown: Vec<Value> = listed(arguments, records)?.map(|(id, task)| show(id, task)).collect();
    let count = shown.len();
    let body = members([("tasks", Value::Array(shown)), ("count", count.into())]);
    Ok(Reply::new(body, Vec::new()))
}

/// The unlisted tool behind the text: `{rows:[[id,owner,status,description,note]]}`, in the same order.
///
/// Ten thousand lists of five cost a third of as many objects with all members.
pub(super) fn tasks_table(arguments: &Object, records: &dyn Records) -> Result<Reply, Refusal> {
    let row = |(id, task): (String, Task)| {
        let note = task.note.map_or(Value::Null, Value::String);
        Value::from(vec![id.into(), task.owner.into(), task.status.word().into(), task.description.into(), note])
    };
    let rows: Vec<Value> = listed(arguments, records)?.map(row).collect();
    Ok(Reply::new(members([("rows", Value::Array(rows))]), Vec::new()))
}

// The tasks that are asked for, in order; `created_at` is as it is shown.
fn listed(arguments: &Object, records: &dyn Records) -> Result<impl Iterator<Item = (String, Task)>, Refusal> {
    let wanted = arguments::text(arguments, "status")?.map(status).transpose()?;
    let mut tasks = Task::all(records);
    tasks.retain(|(_, task)| wanted.is_none_or(|wanted| task.status == wanted));
    let readable: Vec<bool> = tasks.iter_mut().map(|(_, task)| make_readable(&mut task.created_at)).collect();
    // What is sorted is small: tasks are large and stay where they are.
    let places = tasks.iter().zip(readable).enumerate();
    let mut keys: Vec<_> = places
        .map(|(place, ((id, task), readable))| {
            let created = readable.then_some(task.created_at.as_str());
            (task.status, created, natural::Key::new(id), place)
        })
        .collect();
    keys.sort_unstable();
    let order: Vec<usize> = keys.into_iter().map(|(.., place)| place).collect();
    Ok(order.into_iter().map(move |place| std::mem::take(&mut tasks[place])))
}

// Gives a stored time the form in which it is shown, unless it cannot be read.
fn make_readable(time: &mut String) -> bool {
    match times::to_millis(time) {
        Some(Cow::Owned(shown)) => *time = shown,
        Some(Cow::Borrowed(_)) => {}
        None => return false,
    }
    true
}

/// The status that a word names.
pub(super) fn status(word: &str) -> Result<Status, Refusal> {
    Status::from_word(word).ok_or_else(|| {
        let words: Vec<Value> = Status::WORDS.iter().map(|word| Value::from(*word)).collect();
        Refusal::invalid("status", format!("{word:?} is no status")).allowed(words)
    })
}

// A time that cannot be read is shown as it stands.
fn show(id: String, task: Task) -> Value {
    object([
        ("id", id.into()),
        ("owner", task.owner.into()),
        ("description", task.description.into()),
        ("status", task.status.word().into()),
        ("depends_on", task.depends_on.into_iter().collect()),
        ("note", task.note.map_or(Value::Null, Value::String)),
        ("created_at", task.created_at.into()),
        ("updated_at", times::shown(&task.updated_at).into()),
    ])
}
