//! `eneo_wave_seed`: a new wave begins.

use format::{Draft, View};
use model::{Context, Object, Outcome, Refusal, Value};

use super::super::task_init::nothing;
use super::super::{document, paths, records, refusals, task_update};
use super::{Wave, read_file};

/// For how many generations it is known which wave an agent belongs to.
const REMEMBERED: i64 = 64;

pub(crate) fn wave_seed(arguments: &Object, view: &View<'_>, ctx: &Context) -> Result<Outcome, Refusal> {
    let count = |name: &'static str| match arguments.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => document::integer(value)
            .filter(|number| *number >= 1)
            .map(Some)
            .ok_or_else(|| Refusal::invalid(name, format!("{name} is a whole number from 1"))),
    };
    let needed = |name: &'static str| {
        count(name)?.ok_or_else(|| Refusal::invalid(name, format!("{name} is a whole number from 1")))
    };
    let (number, expected, total) = (needed("wave")?, needed("expected")?, count("wave_total")?);
    let agents = agents(arguments.get("agents"))?;
    let task = refusals::writable_task(view)?;
    let mut draft = Draft::new(view.records);
    let generation = records::next_generation(&mut draft);
    records::forget_agents(&mut draft, view.records, generation - REMEMBERED);
    let wave = Wave::new(number, expected, generation).into_document();
    draft.put(records::wave_key(), Value::Object(wave.clone()));
    let mut outcome = nothing(Object::from_iter([("wave".to_owned(), Value::Object(wave))]));
    if let Err(why) = read_file(view.files) {
        outcome.rewrites.push(paths::kept(paths::wave()));
        outcome.reply.warnings.push(super::unusable(&why));
    }
    if let Some(mut task) = task {
        let (stamp, was_ahead) = document::stamp(&task, ctx.now);
        outcome.reply.warnings.extend(was_ahead.then(task_update::ahead));
        task.insert("wave".into(), number.into());
        if let Some(total) = total {
            task.insert("wave_total".into(), total.into());
        }
        set_status(&mut task, number, "in_progress");
        if let Some(agents) = agents {
            task.insert("active_agents".into(), agents);
        }
        task.insert("next_hint".into(), Value::Null);
        task.insert("last_update".into(), stamp.into());
        draft.put(records::task_key(), Value::Object(task));
    }
    outcome.changes = draft.into_changes();
    Ok(outcome)
}

fn agents(given: Option<&Value>) -> Result<Option<Value>, Refusal> {
    let Some(value) = given.filter(|value| !value.is_null()) else { return Ok(None) };
    let kind = document::Kind::Agents;
    match super::super::schema::check("active_agents", kind, value) {
        None => Ok(Some(value.clone())),
        Some(violation) => Err(Refusal::invalid("agents", violation.message)),
    }
}

/// Says in the task how a wave stands.
pub(super) fn set_status(task: &mut Object, number: i64, status: &str) {
    let waves = task.entry("wave_status").or_insert(Value::Null);
    if !waves.is_object() {
        *waves = Value::Object(Object::new());
    }
    if let Value::Object(waves) = waves {
        waves.insert(number.to_string(), status.into());
    }
}
