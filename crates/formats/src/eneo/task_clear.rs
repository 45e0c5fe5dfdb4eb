//! `eneo_task_clear`: no task, no wave, no phase.

use format::{Draft, FileState, View};
use model::{Object, Outcome, Value};

use super::document::{self, Found};
use super::task_init::{nothing, set_aside};
use super::{paths, records, wave};

pub(super) fn task_clear(view: &View<'_>) -> Outcome {
    let stood = !matches!(paths::read(view.files, &paths::task(), paths::LIMIT), FileState::Absent);
    let mut outcome = nothing(Object::new());
    if let Found::Unusable(why) = document::read_task(view.files) {
        outcome.rewrites.push(paths::kept(paths::task()));
        outcome.reply.warnings.push(set_aside(&why));
    }
    let mut draft = Draft::new(view.records);
    let task = records::task(view.records);
    draft.delete(records::task_key());
    wave::remove(&mut draft, view, &mut outcome);
    // A project that never had any of it gets none of it.
    if paths::may_have_state(view.files) {
        records::put_mirror(&mut draft, "FREE");
    }
    let slug = task.as_ref().and_then(document::slug_of).map_or(Value::Null, Value::from);
    outcome.changes = draft.into_changes();
    outcome.reply.body.insert("cleared".into(), (stood || task.is_some()).into());
    outcome.reply.body.insert("slug".into(), slug);
    outcome
}
