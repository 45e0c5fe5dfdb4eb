//! `eneo_task_update`: a program makes the new document of the old one.

use format::{View, pretty};
use model::{Change, Context, Object, Outcome, Refusal, Value, Warning};

use super::program::{self, DEPTH, Variables};
use super::task_init::nothing;
use super::{config, document, paths, records, refusals, schema};

pub(super) fn task_update(arguments: &Object, view: &View<'_>, ctx: &Context) -> Result<Outcome, Refusal> {
    let expr = arguments.get("expr").and_then(Value::as_str);
    let expr = expr.ok_or_else(|| Refusal::invalid("expr", "expr is a program, as text"))?;
    let (variables, mut warnings) = variables(arguments, ctx)?;
    let lenient = config::read(ctx)?.lenient;
    let Some(before) = refusals::writable_task(view)? else {
        return Ok(nothing(reply(Value::Null, Vec::new())));
    };
    let mut asked = before.clone();
    let (stamp, was_ahead) = document::stamp(&before, ctx.now);
    asked.insert("last_update".into(), stamp.as_str().into());
    let mut task = program::update(view.probes, expr, &variables, asked, ctx.now)?;
    task.insert("last_update".into(), stamp.into());
    if was_ahead {
        warnings.push(ahead());
    }
    warnings.extend(schema::coerce(&mut task).into_iter().map(schema::coerced));
    // A stored text that becomes a number is no change.
    for violation in schema::violations(&schema::with_integers(&before), &task) {
        if violation.field == "last_update" {
            continue;
        }
        if !lenient {
            return Err(violation.refusal());
        }
        warnings.push(violation.warning());
    }
    check_size(&task)?;
    let changed = changed(&before, &task);
    let (before, after) = (Value::Object(before), Value::Object(task));
    let mut outcome = nothing(reply(after.clone(), changed));
    if before != after {
        outcome.changes = vec![Change { key: records::task_key(), before: Some(before), after: Some(after) }];
    }
    outcome.reply.warnings = warnings;
    Ok(outcome)
}

fn reply(task: Value, changed: Vec<Value>) -> Object {
    Object::from_iter([("task".to_owned(), task), ("changed".to_owned(), Value::Array(changed))])
}

/// The warning about a stored time that was too far ahead of the clock.
pub(super) fn ahead() -> Warning {
    Warning::new("last_update_future", "last_update was ahead of the clock and is now again")
        .with("field", "last_update")
}

// Texts before JSON, and our own name before both; a name that is given twice counts once.
fn variables(arguments: &Object, ctx: &Context) -> Result<(Variables, Vec<Warning>), Refusal> {
    let mut variables: Variables = vec![("__now".to_owned(), ctx.now.to_seconds_text().into())];
    let mut warnings = Vec::new();
    for (place, only_text) in [("args", true), ("json_args", false)] {
        let given = match arguments.get(place) {
            None | Some(Value::Null) => continue,
            Some(Value::Object(given)) => given,
            Some(_) => return Err(Refusal::invalid(place, format!("{place} is an object"))),
        };
        for (name, value) in given {
            if !is_identifier(name) {
                return Err(Refusal::invalid(place, format!("{name:?} is no name of a variable")));
            }
            if only_text && !value.is_string() {
                return Err(Refusal::invalid(place, format!("{name} is text in args; json_args takes the rest")));
            }
            if name == "__now" {
                warnings.push(Warning::new("reserved_arg", "$__now is the clock's").with("field", "__now"));
            } else {
                variables.push((name.clone(), value.clone()));
            }
        }
    }
    Ok((variables, warnings))
}

/// Whether a text can be the name of a variable.
pub(super) fn is_identifier(name: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    name.bytes().all(is_letter) && name.bytes().next().is_some_and(|byte| !byte.is_ascii_digit())
}

fn check_size(task: &Object) -> Result<(), Refusal> {
    if program::depth(task.values(), DEPTH).is_none() {
        return Err(program::limit("depth", &format!("the document is nested more than {DEPTH} deep")));
    }
    if !pretty::fits(task, paths::LIMIT) {
        return Err(program::limit("size", &format!("the document has more than {} bytes", paths::LIMIT)));
    }
    Ok(())
}

/// The keys whose values differ, sorted; `last_update` does not count.
pub(super) fn changed(before: &Object, after: &Object) -> Vec<Value> {
    let new = after.iter().filter(|(key, value)| before.get(*key) != Some(*value)).map(|(key, _)| key);
    let gone = before.keys().filter(|key| !after.contains_key(*key));
    let mut keys: Vec<&str> = new.chain(gone).map(String::as_str).filter(|key| *key != "last_update").collect();
    keys.sort_unstable();
    keys.into_iter().map(Value::from).collect()
}
