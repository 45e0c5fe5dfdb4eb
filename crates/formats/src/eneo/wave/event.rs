//! `eneo_wave_event` and `eneo_agent_start`: sub-agents go out and return.

use format::{Draft, View, pretty};
use model::{Call, Context, Object, Outcome, Refusal, Timestamp, Value};

use super::super::task_init::nothing;
use super::super::{document, paths, records, refusals, task_update};
use super::seed::set_status;
use super::{GENERATION, RETURNED, Wave, corrupt, read_file, short};

/// How a sub-agent returned.
enum Message<'m> {
    Done(&'m str),
    Blocked,
}

fn read(text: &str) -> Option<Message<'_>> {
    match text.split_once('|')? {
        ("DONE", artifact) => Some(Message::Done(artifact.trim_end_matches(['\n', '\r']))),
        ("BLOCKED", _) => Some(Message::Blocked),
        _ => None,
    }
}

/// Whether a message is one that a wave counts.
pub(crate) fn counts(text: &str) -> bool {
    read(text).is_some()
}

fn answer(outcome: &str, note: Option<String>, wave: Option<Object>) -> Outcome {
    let mut body = Object::new();
    body.insert("outcome".into(), outcome.into());
    body.insert("wave".into(), wave.map_or(Value::Null, Value::Object));
    if let Some(note) = note {
        body.insert("note".into(), format!("[wave-barrier] {note}").into());
    }
    nothing(body)
}

/// The reply where there is nothing to count.
pub(super) fn ignored() -> Object {
    answer("ignored", None, None).reply.body
}

// The wave of the moment in which the event was kept.
fn spooled(call: &Call) -> Option<i64> {
    call.noted.get(GENERATION).and_then(Value::as_i64)
}

pub(crate) fn wave_event(call: &Call, view: &View<'_>, ctx: &Context) -> Result<Outcome, Refusal> {
    let arguments = &call.arguments;
    let text = |name: &'static str| match arguments.get(name) {
        None | Some(Value::Null) => Ok(""),
        Some(Value::String(text)) => Ok(text.as_str()),
        Some(_) => Err(Refusal::invalid(name, format!("{name} is text"))),
    };
    let (id, kind, message) = (text("agent_id")?, text("agent_type")?, text("last_assistant_message")?);
    let is_active = arguments.get("stop_hook_active").and_then(Value::as_bool).unwrap_or_default();
    let Some(message) = read(message).filter(|_| !is_active) else { return Ok(answer("ignored", None, None)) };
    if let Err(why) = read_file(view.files) {
        return Err(corrupt(&why));
    }
    let Some(document) = records::wave(view.records) else { return Ok(answer("ignored", None, None)) };
    let mut wave = Wave::read(document.clone()).map_err(|why| corrupt(&why))?;
    let generation = wave.generation().unwrap_or_default();
    let registered = records_generation(view, id);
    if registered.or(spooled(call)).is_some_and(|known| known < generation) {
        let note = format!("stale SubagentStop for {id} ignored");
        return Ok(answer("stale", Some(note), Some(document)));
    }
    if !id.is_empty() && (wave.has("seen_agents", id) || has_returned(view, id, generation)) {
        let note = format!("duplicate SubagentStop for {id} ignored");
        return Ok(answer("duplicate", Some(note), Some(document)));
    }
    let mut draft = Draft::new(view.records);
    wave = Wave { document: wave.filled(generation) };
    if !id.is_empty() && !wave.add("seen_agents", id) {
        draft.put(records::agent_key(short(id)), registration(kind, generation, true));
    }
    let times = (ctx.now, call.applied.unwrap_or(ctx.now));
    let was_ahead;
    let (outcome, note) = match message {
        Message::Done(artifact) => {
            let opens = count(&mut wave, artifact);
            was_ahead = in_task(&mut draft, view, times, |task| returned(task, &wave, kind, opens));
            ("counted", wave.line())
        }
        Message::Blocked => {
            if !id.is_empty() {
                wave.add("blocked_agents", id);
            }
            was_ahead = in_task(&mut draft, view, times, |task| leave(task, kind));
            let kind = if kind.is_empty() { "unknown" } else { kind };
            ("blocked", format!("wave {}: blocked result from {kind}; not advancing", wave.number()))
        }
    };
    let document = wave.into_document();
    if !pretty::fits(&document, paths::LIMIT) {
        // Others filled it so far that it cannot be written as we write.
        return Err(corrupt("it is too large"));
    }
    draft.put(records::wave_key(), Value::Object(document.clone()));
    let mut outcome = answer(outcome, Some(note), Some(document));
    outcome.reply.warnings.extend(was_ahead.then(task_update::ahead));
    outcome.changes = draft.into_changes();
    Ok(outcome)
}

// Counts one return; answers whether the wave became ready by it.
fn count(wave: &mut Wave, artifact: &str) -> bool {
    let done = wave.done().saturating_add(1);
    wave.document.insert("done".into(), done.into());
    if !artifact.is_empty() {
        wave.add("completed_artifacts", artifact);
    }
    let opens = !wave.is_ready() && wave.expected() > 0 && done >= wave.expected();
    if opens {
        wave.document.insert("status".into(), super::READY.into());
    }
    opens
}

fn returned(task: &mut Object, wave: &Wave, kind: &str, opens: bool) {
    if opens {
        set_status(task, wave.number(), "done");
        task.insert("active_agents".into(), Value::Array(Vec::new()));
        return;
    }
    // A wave that is ready stays so.
    if !wave.is_ready() {
        set_status(task, wave.number(), "in_progress");
    }
    leave(task, kind);
}

// The first agent of a type leaves.
fn leave(task: &mut Object, kind: &str) {
    if let Some(Value::Array(agents)) = task.get_mut("active_agents")
        && let Some(place) = agents.iter().position(|agent| agent == kind)
    {
        agents.remove(place);
    }
}

// Without a task, or with an unusable one, the wave alone goes on. Answers whether its time was too far ahead.
fn in_task(
    draft: &mut Draft<'_>,
    view: &View<'_>,
    (now, applied): (Timestamp, Timestamp),
    change: impl FnOnce(&mut Object),
) -> bool {
    let Some(mut task) = refusals::readable_task(view) else { return false };
    change(&mut task);
    // An event may be applied long after its time, and the document's time never runs backwards.
    let (stamp, was_ahead) = document::stamp(&task, applied);
    let stored = document::time_of(task.get("last_update"));
    let usual = stored.map_or(now, |stored| stored.max(now)).to_seconds_text();
    task.insert("last_update".into(), if was_ahead { stamp } else { usual }.into());
    // A task that could not be read back stays as it is; the wave counts all the same.
    if !pretty::fits(&task, paths::LIMIT) {
        return false;
    }
    draft.put(records::task_key(), Value::Object(task));
    was_ahead
}

fn records_generation(view: &View<'_>, id: &str) -> Option<i64> {
    if id.is_empty() {
        return None;
    }
    view.records.get(&records::agent_key(short(id)))?.get(GENERATION)?.as_i64()
}

// Whether an agent returned in this wave though no list could hold its id.
fn has_returned(view: &View<'_>, id: &str, generation: i64) -> bool {
    let has = |agent: Value| agent.get(RETURNED) == Some(&Value::Bool(true));
    records_generation(view, id) == Some(generation)
        && view.records.get(&records::agent_key(short(id))).is_some_and(has)
}

fn registration(kind: &str, generation: i64, has_returned: bool) -> Value {
    let mut agent = Object::new();
    agent.insert("type".into(), short(kind).into());
    agent.insert(GENERATION.into(), generation.into());
    if has_returned {
        agent.insert(RETURNED.into(), true.into());
    }
    Value::Object(agent)
}

/// Notes down which wave an agent belongs to.
pub(crate) fn agent_start(call: &Call, view: &View<'_>) -> Outcome {
    let text = |name: &str| call.arguments.get(name).and_then(Value::as_str).unwrap_or_default();
    let (id, kind) = (text("agent_id"), text("agent_type"));
    let wave = records::wave(view.records).and_then(|document| Wave::read(document).ok());
    let Some(wave) = wave.filter(|_| !id.is_empty() && read_file(view.files).is_ok()) else {
        return answer("ignored", None, None);
    };
    let generation = spooled(call).or(wave.generation()).unwrap_or_default();
    let mut draft = Draft::new(view.records);
    let agent = registration(kind, generation, has_returned(view, id, generation));
    draft.put(records::agent_key(short(id)), agent);
    let mut outcome = answer("registered", None, None);
    outcome.changes = draft.into_changes();
    outcome.minor = true;
    outcome
}
