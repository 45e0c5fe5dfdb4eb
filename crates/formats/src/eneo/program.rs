//! Programs over the task document.
//!
//! A program may take its time, so it is a question for [`Probes::ponder`]: it runs where nobody waits for it.

use format::{Effort, Probes, Sheet};
use jq::{Failure, Limit, Limits, Program};
use model::{Object, Refusal, Timestamp, Value};

/// The most bytes of arguments.
const ARGUMENTS: usize = 256 * 1024;

/// The deepest nesting of a document, and of what a program puts out: what every reader of JSON here reads.
pub(super) const DEPTH: usize = 127;

/// Names bound to values, in the order in which they count.
pub(super) type Variables = Vec<(String, Value)>;

/// How many outputs of an update are of interest: one, and that there is another.
const MOST: u64 = 2;

/// Runs a program that must answer with one object.
///
/// **Errors**: `expression_failed`, `expression_result`, `expression_limit`; what [`Probes::ponder`] says.
pub(super) fn update(
    probes: &dyn Probes,
    expr: &str,
    variables: &Variables,
    task: Object,
    now: Timestamp,
) -> Result<Object, Refusal> {
    let size: usize = variables.iter().map(|(name, value)| name.len() + value.to_string().len()).sum();
    if size > ARGUMENTS {
        return Err(limit("arguments", &format!("the arguments have more than {ARGUMENTS} bytes")));
    }
    let mut question = question(expr, MOST, task, now);
    // The first of a name that comes twice is to win, and with the program the last does.
    question.extend(variables.iter().rev().flat_map(|(name, value)| [name.as_str().into(), value.clone()]));
    let Some(answer) = probes.ponder(&question)? else { return Err(cut_off()) };
    let mut outputs = outputs(answer)?.into_iter();
    match (outputs.next(), outputs.next()) {
        (None, _) => Err(wrong_result("the program put out nothing")),
        (Some(_), Some(_)) => Err(wrong_result("the program put out more than one value")),
        (Some(Value::Object(object)), None) => Ok(object),
        (Some(_), None) => Err(wrong_result("the program put out something that is no object")),
    }
}

/// Runs a program that may answer with anything; `None` where it fails.
///
/// **Errors**: what [`Probes::ponder`] says.
pub(super) fn get(
    probes: &dyn Probes,
    expr: &str,
    task: &Object,
    now: Timestamp,
) -> Result<Option<Vec<Value>>, Refusal> {
    let answer = probes.ponder(&question(expr, u64::MAX, task.clone(), now))?;
    Ok(answer.and_then(|answer| outputs(answer).ok()))
}

// **Shape**: the program, how many outputs are wanted, the clock in milliseconds, the document, then each
// variable's name and value.
fn question(expr: &str, most: u64, task: Object, now: Timestamp) -> Sheet {
    vec![expr.into(), most.into(), now.as_millis().into(), Value::Object(task)]
}

/// Runs the program of a question.
///
/// **Shape**: `failed`, `result` or the name of a limit, and the message, or two nulls; then the outputs.
pub(super) fn ponder(question: &[Value], effort: Effort<'_>) -> Option<Sheet> {
    let [expr, most, now, task, variables @ ..] = question else { return None };
    let (expr, now) = (expr.as_str()?, Timestamp::from_millis(now.as_i64()?));
    let most = usize::try_from(most.as_u64()?).unwrap_or(usize::MAX);
    let pairs = variables.chunks_exact(2);
    let variables: Vec<(&str, &Value)> =
        pairs.map(|pair| Some((pair[0].as_str()?, &pair[1]))).collect::<Option<_>>()?;
    let limits = if effort.is_brief { Limits::brief(effort.is_over) } else { Limits::whole(effort.is_over) };
    let program = match Program::compile(expr, &variables) {
        Ok(program) => program,
        Err(failure) => return Some(failed(&failure)),
    };
    let outputs = program.run(task, now, most, limits);
    match outputs.failure {
        Some(failure) if effort.is_brief && failure.is_for_want_of_effort() => return None,
        Some(failure) => return Some(failed(&failure)),
        None => {}
    }
    let mut answer = vec![Value::Null, Value::Null];
    for output in outputs.values {
        match output {
            None => return Some(wrong("result", "the result holds a number that is not finite")),
            Some(output) if depth([&output].into_iter(), DEPTH + 1).is_none() => {
                return Some(wrong(Limit::Depth.name(), &format!("the result is nested more than {DEPTH} deep")));
            }
            Some(output) => answer.push(output),
        }
    }
    Some(answer)
}

fn failed(failure: &Failure) -> Sheet {
    let kind = if let Failure::Limit(limit) = failure { limit.name() } else { "failed" };
    wrong(kind, &failure.to_string())
}

fn wrong(kind: &str, message: &str) -> Sheet {
    vec![kind.into(), message.into()]
}

// The outputs of an answer, or the refusal that its failure is.
fn outputs(mut answer: Sheet) -> Result<Vec<Value>, Refusal> {
    let outputs = answer.split_off(answer.len().min(2));
    match answer.as_slice() {
        [Value::Null, Value::Null] => Ok(outputs),
        [kind, message] => {
            let message = message.as_str().unwrap_or_default();
            Err(match kind.as_str().unwrap_or_default() {
                "result" => wrong_result(message),
                "failed" => Refusal::refused("expression_failed", format!("the program failed: {message}")),
                name => limit(name, message),
            })
        }
        _ => Err(cut_off()),
    }
}

/// What is left of a depth; `None` where it does not reach.
pub(super) fn depth<'v>(values: impl Iterator<Item = &'v Value>, left: usize) -> Option<usize> {
    let left = left.checked_sub(1)?;
    for value in values {
        match value {
            Value::Array(items) => depth(items.iter(), left)?,
            Value::Object(members) => depth(members.values(), left)?,
            _ => left,
        };
    }
    Some(left)
}

/// `expression_limit`, with one word for what there was too much of.
pub(super) fn limit(name: &str, message: &str) -> Refusal {
    Refusal::refused("expression_limit", message).with("limit", name).hint("nothing was changed")
}

// What worked at it was ended by the system, or from outside, before it could tell why.
fn cut_off() -> Refusal {
    Refusal::refused("expression_limit", "the program was ended before it had an answer").hint("nothing was changed")
}

fn wrong_result(message: &str) -> Refusal {
    Refusal::refused("expression_result", message).hint("the program must put out one object, the new document")
}
