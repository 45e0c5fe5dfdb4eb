//! `eneo_task_init`: a new task, where none is under way.

use format::{Draft, View};
use model::{Context, Object, Outcome, Refusal, Reply, Value, Warning};

use super::document::{self, FIELDS, Found, Kind};
use super::{paths, records, refusals, schema, wave};

/// The fields that are arguments.
const GIVEN: [&str; 5] = ["slug", "lane", "bracket", "tenancy_impact", "audit_impact"];

pub(super) fn task_init(arguments: &Object, view: &View<'_>, ctx: &Context) -> Result<Outcome, Refusal> {
    let given = given(arguments)?;
    let force = match arguments.get("force") {
        None | Some(Value::Null) => false,
        Some(Value::Bool(force)) => *force,
        Some(_) => return Err(Refusal::invalid("force", "force is true or false")),
    };
    let mut outcome = Outcome::default();
    match document::read_task(view.files) {
        Found::Unusable(why) if !force => return Err(refusals::corrupt(&why)),
        Found::Unusable(why) => {
            outcome.rewrites.push(paths::kept(paths::task()));
            outcome.reply.warnings.push(set_aside(&why));
        }
        _ => {}
    }
    let mut draft = Draft::new(view.records);
    let old = records::task(view.records);
    let is_live = |task: &Object| task.get("status").and_then(Value::as_str) != Some("done");
    if let Some(task) = old.as_ref().filter(|task| is_live(task) && !force) {
        let slug = document::slug_of(task).unwrap_or("without a slug");
        return Err(Refusal::refused("task_exists", format!("the task {slug} is not done"))
            .with("slug", slug)
            .hint("finish it, run mainstay eneo task-clear, or repeat with --force"));
    }
    let task = new_task(given, &ctx.now.to_seconds_text());
    draft.put(records::task_key(), Value::Object(task.clone()));
    records::put_mirror(&mut draft, "FREE");
    wave::remove(&mut draft, view, &mut outcome);
    let replaced = old.as_ref().and_then(document::slug_of).map_or(Value::Null, Value::from);
    outcome.changes = draft.into_changes();
    outcome.reply.body.insert("task".into(), Value::Object(task));
    outcome.reply.body.insert("created".into(), true.into());
    outcome.reply.body.insert("replaced".into(), replaced);
    Ok(outcome)
}

/// The warning about an unusable task file that is set aside.
pub(super) fn set_aside(why: &str) -> Warning {
    let path = paths::task();
    Warning::new("set_aside", format!("{path} could not be used ({why}) and is kept beside"))
        .with("path", path.as_str())
}

fn given(arguments: &Object) -> Result<Vec<Value>, Refusal> {
    let mut values = Vec::new();
    for name in GIVEN {
        let kind = FIELDS.iter().find(|(field, _)| *field == name).map_or(Kind::Slug, |(_, kind)| *kind);
        let mut value = arguments.get(name).cloned().unwrap_or(Value::Null);
        if let (Kind::Integer { .. }, Some(number)) = (kind, document::integer(&value)) {
            value = number.into();
        }
        if let Some(violation) = schema::check(name, kind, &value) {
            let refusal = Refusal::invalid(name, violation.message);
            return Err(match violation.allowed {
                Some(words) => refusal.allowed(words.iter().map(|word| Value::from(*word)).collect::<Vec<_>>()),
                None if name == "bracket" => refusal.allowed(vec![Value::from(1), 2.into(), 3.into(), 4.into()]),
                None => refusal,
            });
        }
        values.push(value);
    }
    Ok(values)
}

fn new_task(given: Vec<Value>, now: &str) -> Object {
    let mut given = given.into_iter();
    let value = |name: &str, kind: Kind, given: &mut std::vec::IntoIter<Value>| match (name, kind) {
        _ if GIVEN.contains(&name) => given.next().unwrap_or(Value::Null),
        ("tdd_phase", _) => "FREE".into(),
        ("status", _) => "in_progress".into(),
        (_, Kind::WaveStatus) => Value::Object(Object::new()),
        (_, Kind::Agents) => Value::Array(Vec::new()),
        (_, Kind::Time) => now.into(),
        _ => Value::Null,
    };
    FIELDS.iter().map(|(name, kind)| ((*name).to_owned(), value(name, *kind, &mut given))).collect()
}

/// An outcome that changes nothing and answers this.
pub(super) fn nothing(body: Object) -> Outcome {
    Outcome { reply: Reply { body, ..Reply::default() }, ..Outcome::default() }
}
