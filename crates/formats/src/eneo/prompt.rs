//! The log of prompts: when, for which task, a digest and a length; never the text.

use std::fmt::Write as _;

use format::{Draft, Glance, HookEvent, View, pretty};
use model::{Call, Context, ExtraFile, Object, Outcome, Refusal, Value};
use sha2::{Digest as _, Sha256};

use super::task_init::nothing;
use super::{document, paths, records, refusals, task_update};

/// How many lines the log keeps.
const KEPT: usize = 2000;

/// What a prompt's event says: a digest and a length.
pub(super) fn arguments(event: &HookEvent) -> Object {
    let text = event.text("user_prompt").or_else(|| event.text("prompt")).unwrap_or_default();
    let text = text.trim_end_matches('\n');
    let mut arguments = Object::new();
    if !text.is_empty() {
        let digest = Sha256::digest(text.as_bytes());
        let mut hash = String::new();
        for byte in digest.iter().take(8) {
            // Writing to a String cannot fail.
            let _ = write!(hash, "{byte:02x}");
        }
        arguments.insert("hash".into(), hash.into());
        arguments.insert("len".into(), text.chars().count().into());
    }
    arguments
}

/// What a host is told when the prompt could not be noted at once.
pub(super) fn says(reply: &Object) -> Glance {
    let is_spooled = reply.get("outcome").and_then(Value::as_str) == Some("spooled");
    let note = "[eneo-audit] the prompt is kept; the next command notes it down";
    Glance { notes: is_spooled.then(|| note.to_owned()).into_iter().collect(), ..Glance::default() }
}

/// What a host is told when the prompt is not noted.
pub(super) fn refused(refusal: &Refusal) -> Glance {
    Glance { notes: vec![format!("[eneo-audit] {}", refusal.message)], ..Glance::default() }
}

/// Adds the line and touches the task.
pub(super) fn prompt(call: &Call, view: &View<'_>, ctx: &Context) -> Outcome {
    let arguments = &call.arguments;
    let task = refusals::readable_task(view);
    let slug = task.as_ref().and_then(document::slug_of).unwrap_or_default().to_owned();
    let mut outcome = nothing(Object::new());
    let is_logged = !slug.is_empty() || view.files.is_folder(&paths::stats());
    if let (Some(hash), Some(length), true) = (arguments.get("hash"), arguments.get("len"), is_logged) {
        let ts = ctx.now.to_seconds_text();
        let members =
            [("ts", ts.into()), ("slug", slug.as_str().into()), ("hash", hash.clone()), ("len", length.clone())];
        let line: Object = members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        outcome.files.push(ExtraFile::AppendLine {
            path: paths::prompts(),
            line: Value::Object(line).to_string(),
            keep: KEPT,
        });
    }
    if let Some(mut task) = task.filter(|_| !slug.is_empty()) {
        let (replaced, was_ahead) = document::stamp(&task, call.applied.unwrap_or(ctx.now));
        let stamp = if was_ahead { replaced } else { document::stamp(&task, ctx.now).0 };
        let stored = document::time_of(task.get("last_update"));
        let is_newer = stored.is_none_or(|stored| stored.to_seconds_text() < stamp);
        if is_newer || was_ahead {
            task.insert("last_update".into(), stamp.into());
            // What our own reader would refuse then stays as it is.
            if pretty::fits(&task, paths::LIMIT) {
                let mut draft = Draft::new(view.records);
                draft.put(records::task_key(), Value::Object(task));
                outcome.changes = draft.into_changes();
                outcome.reply.warnings.extend(was_ahead.then(task_update::ahead));
                outcome.minor = true;
            }
        }
    }
    outcome
}
