//! What a session is told: the task to resume, and the phase.

use format::{FileState, Files, Glance, Injected};
use model::{Object, Value};

use super::document::{self, integer};
use super::{mirror, paths};

/// A text as one line shows it.
pub(super) fn plain(text: &str) -> String {
    // Marks that turn the direction of writing and blanks without width are as little to be seen as control characters.
    let is_hidden = |letter: char| matches!(letter, '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}');
    text.chars().filter(|letter| !letter.is_control() && !is_hidden(*letter)).collect()
}

/// **Shape**: `2/4`, where both are numbers.
pub(super) fn of(task: &Object, part: &str, whole: &str) -> Option<(i64, i64)> {
    Some((integer(task.get(part)?)?, integer(task.get(whole)?)?))
}

/// `session-start`: **Shape**: `Resume: SLUG · Phase 2/4 · Wave 2/3 · GREEN · Next: HINT`.
pub(super) fn start(files: &dyn Files) -> Glance {
    let mut glance = Glance::default();
    let task = document::read_task(files).object();
    if let Some(task) = &task
        && let Some(slug) = document::slug_of(task)
    {
        let mut parts = vec![format!("Resume: {}", plain(slug))];
        parts.extend(of(task, "phase", "phase_total").map(|(phase, total)| format!("Phase {phase}/{total}")));
        parts.extend(of(task, "wave", "wave_total").map(|(wave, total)| format!("Wave {wave}/{total}")));
        parts.extend(document::phase_of(task).filter(|phase| *phase != "FREE").map(str::to_owned));
        let hint = task.get("next_hint").and_then(Value::as_str).map(plain);
        parts.extend(hint.filter(|hint| !hint.is_empty()).map(|hint| format!("Next: {hint}")));
        glance.text = Some(Injected::Plain(parts.join(" · ")));
    }
    let phase = mirror::effective(files);
    if phase != "FREE" {
        glance.notes.push(format!("[eneo-context] current TDD phase: {phase}"));
    }
    if let FileState::Bytes(bytes) = paths::read(files, &paths::rules(), paths::LIMIT) {
        let lines = bytes.split(|byte| *byte == b'\n').count() - 1;
        let path = paths::rules();
        glance.notes.push(format!("[eneo-context] loaded eneo-context.md ({lines} lines) from {path}"));
    }
    glance
}

/// `user-prompt-submit`: which task a prompt belongs to.
pub(super) fn prompt(files: &dyn Files) -> Glance {
    let task = document::read_task(files).object();
    let slug = task.as_ref().and_then(document::slug_of).map(plain);
    let note = |slug: String| format!("[eneo-audit] current slug: {slug} (phase={})", mirror::effective(files));
    Glance { notes: slug.map(note).into_iter().collect(), ..Glance::default() }
}
