//! Programs over the task document.

use jq::{Failure, Program};
use model::{Object, Refusal, Timestamp, Value};

/// The most bytes of arguments.
const ARGUMENTS: usize = 256 * 1024;

/// Names bound to values, in the order in which they count.
pub(super) type Variables = Vec<(String, Value)>;

/// Runs a program that must answer with one object.
///
/// **Errors**: `expression_failed`, `expression_result`, `expression_limit`.
pub(super) fn update(expr: &str, variables: &Variables, task: &Object, now: Timestamp) -> Result<Object, Refusal> {
    let size: usize = variables.iter().map(|(name, value)| name.len() + value.to_string().len()).sum();
    if size > ARGUMENTS {
        return Err(limit(&format!("the arguments have more than {ARGUMENTS} bytes")));
    }
    let program = Program::compile(expr, &bound(variables)).map_err(failed)?;
    let outputs = program.run(&Value::Object(task.clone()), now, 2);
    if let Some(failure) = outputs.failure {
        return Err(failed(failure));
    }
    let mut values = outputs.values.into_iter();
    match (values.next(), values.next()) {
        (None, _) => Err(wrong_result("the program put out nothing")),
        (Some(_), Some(_)) => Err(wrong_result("the program put out more than one value")),
        (Some(None), None) => Err(wrong_result("the result holds a number that is not finite")),
        (Some(Some(Value::Object(object))), None) => Ok(object),
        (Some(Some(_)), None) => Err(wrong_result("the program put out something that is no object")),
    }
}

/// Runs a program that may answer with anything; `None` where it fails.
pub(super) fn get(expr: &str, task: &Object, now: Timestamp) -> Option<Vec<Value>> {
    let program = Program::compile(expr, &[]).ok()?;
    let outputs = program.run(&Value::Object(task.clone()), now, usize::MAX);
    if outputs.failure.is_some() { None } else { outputs.values.into_iter().collect() }
}

// The first of a name that comes twice is to win, and with the program the last does.
fn bound(variables: &Variables) -> Vec<(&str, &Value)> {
    variables.iter().rev().map(|(name, value)| (name.as_str(), value)).collect()
}

/// `expression_limit`, with what was too much.
pub(super) fn limit(message: &str) -> Refusal {
    Refusal::refused("expression_limit", message).hint("nothing was changed")
}

fn wrong_result(message: &str) -> Refusal {
    Refusal::refused("expression_result", message).hint("the program must put out one object, the new document")
}

fn failed(failure: Failure) -> Refusal {
    match failure {
        Failure::Limit(_) => limit(&failure.to_string()),
        failure => Refusal::refused("expression_failed", format!("the program failed: {failure}")),
    }
}
