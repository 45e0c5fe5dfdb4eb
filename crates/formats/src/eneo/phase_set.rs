//! `eneo_phase_set`: the phase of the task and its mirror, as one.

use format::{Draft, FileState, Irregular, View};
use model::{Context, Object, Outcome, Refusal, Value, Warning};

use super::document::{self, PHASES};
use super::task_init::nothing;
use super::{paths, records, refusals, task_update};

pub(super) fn phase_set(arguments: &Object, view: &View<'_>, ctx: &Context) -> Result<Outcome, Refusal> {
    let word = arguments.get("phase").and_then(Value::as_str).and_then(document::word_of).ok_or_else(|| {
        let words: Vec<Value> = PHASES.iter().map(|word| Value::from(*word)).collect();
        Refusal::invalid("phase", format!("phase is one of {}", PHASES.join(", "))).allowed(words)
    })?;
    let mut draft = Draft::new(view.records);
    let mut warnings = Vec::new();
    let task = refusals::writable_task(view)?;
    let task_updated = task.is_some();
    if let Some(mut task) = task {
        let (stamp, was_ahead) = document::stamp(&task, ctx.now);
        warnings.extend(was_ahead.then(task_update::ahead));
        task.insert("tdd_phase".into(), word.into());
        task.insert("last_update".into(), stamp.into());
        draft.put(records::task_key(), Value::Object(task));
    }
    records::put_mirror(&mut draft, word);
    let mut body = Object::new();
    body.insert("phase".into(), word.into());
    body.insert("task_updated".into(), task_updated.into());
    let mut outcome = nothing(body);
    outcome.changes = draft.into_changes();
    // What only cannot be looked at now may be sound: publishing looks once more, and the next request does.
    if let FileState::Irregular(what) = paths::read(view.files, &paths::mirror(), paths::MIRROR_LIMIT)
        && what != Irregular::Unreadable
    {
        let path = paths::mirror();
        let message = format!("{path} could not be used (it {what}) and is kept beside");
        warnings.push(Warning::new("set_aside", message).with("path", path.as_str()));
        outcome.rewrites.push(paths::kept(path));
    }
    outcome.reply.warnings = warnings;
    Ok(outcome)
}
