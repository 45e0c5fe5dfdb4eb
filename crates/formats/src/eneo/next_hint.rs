//! `eneo_next_hint_consume`: the hint, once.

use format::{Draft, View};
use model::{Context, Object, Outcome, Refusal, Value};

use super::task_init::nothing;
use super::{document, records, refusals, task_update};

pub(super) fn next_hint_consume(view: &View<'_>, ctx: &Context) -> Result<Outcome, Refusal> {
    let task = refusals::writable_task(view)?;
    let hint = task.as_ref().and_then(|task| task.get("next_hint")?.as_str()).map(str::to_owned);
    let mut outcome = nothing(Object::from_iter([("next_hint".to_owned(), Value::from(hint.clone()))]));
    let (Some(mut task), Some(_)) = (task, hint) else { return Ok(outcome) };
    let (stamp, was_ahead) = document::stamp(&task, ctx.now);
    task.insert("next_hint".into(), Value::Null);
    task.insert("last_update".into(), stamp.into());
    let mut draft = Draft::new(view.records);
    draft.put(records::task_key(), Value::Object(task));
    outcome.changes = draft.into_changes();
    outcome.reply.warnings.extend(was_ahead.then(task_update::ahead));
    Ok(outcome)
}
