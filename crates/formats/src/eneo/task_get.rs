//! `eneo_task_get`: what a program makes of the document; whatever the program does, it never fails.

use format::{View, pretty};
use model::{Context, Object, Outcome, Refusal, Value, Warning};

use super::document::{self, Found};
use super::task_init::nothing;
use super::{paths, program, records};

pub(super) fn task_get(arguments: &Object, view: &View<'_>, ctx: &Context) -> Result<Outcome, Refusal> {
    let mut warnings = Vec::new();
    let task = match document::read_task(view.files) {
        Found::Unusable(why) => {
            let path = paths::task();
            let message = format!("{path} cannot be used: {why}");
            warnings.push(Warning::new("state_corrupt", message).with("path", path.as_str()));
            None
        }
        _ => records::task(view.records),
    };
    let expr = match arguments.get("expr") {
        None | Some(Value::Null) => ".",
        Some(expr) => expr.as_str().unwrap_or("empty"),
    };
    let values = match &task {
        Some(task) => program::get(view.probes, expr, task, ctx.now)?.unwrap_or_default(),
        None => Vec::new(),
    };
    let mut text = String::new();
    for value in &values {
        match value {
            Value::Null => {}
            Value::String(own) => text.push_str(own),
            other => text.push_str(&pretty::text(other)),
        }
        text.push('\n');
    }
    let mut body = Object::new();
    body.insert("found".into(), task.is_some().into());
    body.insert("values".into(), Value::Array(values));
    body.insert("text".into(), text.into());
    let mut outcome = nothing(body);
    outcome.reply.warnings = warnings;
    Ok(outcome)
}
