//! The task as `status` and `next` show it.

use format::Records;
use model::{Object, Value, WorkItem, WorkState};

use super::session::{of, plain};
use super::{document, records};

/// The one task.
pub(super) fn work(records: &dyn Records) -> Vec<WorkItem> {
    let Some(task) = records::task(records) else { return Vec::new() };
    let Some(slug) = document::slug_of(&task).map(plain) else { return Vec::new() };
    let state = match task.get("status").and_then(Value::as_str) {
        Some("done") => WorkState::Done,
        Some("blocked") => WorkState::Blocked,
        Some("verified") => WorkState::Ready,
        _ => WorkState::InProgress,
    };
    let blocked_by = if state == WorkState::Blocked { vec!["its status is blocked".to_owned()] } else { Vec::new() };
    vec![WorkItem { title: title(&task), id: slug, state, owner: None, blocked_by }]
}

fn title(task: &Object) -> String {
    let name = task.get("phase_name").and_then(Value::as_str).map(plain).filter(|name| !name.is_empty());
    let phase = of(task, "phase", "phase_total").map(|(phase, total)| format!("phase {phase}/{total}"));
    let parts: Vec<String> = phase.into_iter().chain(name).collect();
    if parts.is_empty() { "task".to_owned() } else { parts.join(": ") }
}

/// One line: the task, its phase and its wave.
pub(super) fn summary(records: &dyn Records) -> String {
    let Some(task) = records::task(records) else { return "no task".to_owned() };
    let slug = document::slug_of(&task).map_or_else(|| "a task without a slug".to_owned(), plain);
    let status = task.get("status").and_then(Value::as_str).map(plain).unwrap_or_default();
    let wave = of(&task, "wave", "wave_total").map(|(wave, total)| format!(", wave {wave}/{total}"));
    format!("{slug} ({status}), {}{}", document::phase_of(&task).unwrap_or("FREE"), wave.unwrap_or_default())
}
