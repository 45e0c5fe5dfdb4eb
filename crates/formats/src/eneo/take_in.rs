//! Outside edits of the task, the wave and the mirror.

use format::{Draft, FileState, Seen, SeenFile, Taken, View};
use model::{Value, Warning};

use super::document::{self, Found};
use super::wave::{self, Wave};
use super::{mirror, paths, records, schema};

/// Turns what differs into changes. What cannot be used stays, and is told.
pub(super) fn take_in(seen: &[Seen], view: &View<'_>) -> Taken {
    let mut taken = Taken::default();
    let mut draft = Draft::new(view.records);
    let file = |path| {
        seen.iter().find_map(|seen| match seen {
            Seen::File(file) if file.path == path => Some(file),
            _ => None,
        })
    };
    if let Some(seen) = file(paths::task()) {
        task(seen, &mut draft, &mut taken);
    }
    if let Some(seen) = file(paths::wave()) {
        wave_file(seen, &mut draft, &mut taken);
    }
    if let Some(seen) = file(paths::mirror()) {
        mirror_file(seen, &mut draft, &mut taken, view);
    }
    taken.changes = draft.into_changes();
    taken
}

fn task(seen: &SeenFile, draft: &mut Draft<'_>, taken: &mut Taken) {
    match document::parse(&seen.now) {
        Found::Object(task) => {
            let mut compared = task.clone();
            // Text that is a number is none of our business yet.
            schema::coerce(&mut compared);
            taken.warnings.extend(schema::faults(&compared, false).iter().map(schema::Violation::warning));
            draft.put(records::task_key(), Value::Object(task));
        }
        Found::Absent if seen.known => {
            if records::task(draft).is_some() {
                draft.delete(records::task_key());
                records::put_mirror(draft, "FREE");
            }
        }
        Found::Absent | Found::Unusable(_) => {}
    }
}

fn wave_file(seen: &SeenFile, draft: &mut Draft<'_>, taken: &mut Taken) {
    match wave::parse(&seen.now) {
        Ok(Some(wave)) => {
            let known =
                records::wave(draft).and_then(|document| Wave::read(document).ok()).and_then(|wave| wave.generation());
            let is_same = wave.generation().is_some() && wave.generation() == known;
            let wave = if is_same { wave } else { wave.with_generation(records::next_generation(draft)) };
            draft.put(records::wave_key(), Value::Object(wave.into_document()));
        }
        Ok(None) => draft.delete(records::wave_key()),
        Err(why) => taken.warnings.push(wave::unusable(&why)),
    }
}

fn mirror_file(seen: &SeenFile, draft: &mut Draft<'_>, taken: &mut Taken, view: &View<'_>) {
    let FileState::Bytes(bytes) = &seen.now else { return };
    let word = mirror::parse(bytes);
    // An unusable task says nothing, and its phase is not ours to repair.
    if matches!(document::read_task(view.files), Found::Unusable(_)) {
        return;
    }
    match records::task(draft).as_ref().and_then(document::phase_of) {
        Some(phase) if word != Some(phase) => taken.warnings.push(drift(phase, word)),
        Some(_) => {}
        None => {
            if let Some(word) = word {
                records::put_mirror(draft, word);
            }
        }
    }
}

fn drift(phase: &str, word: Option<&str>) -> Warning {
    let path = paths::mirror();
    let word = word.unwrap_or("no phase");
    Warning::new("mirror_drift", format!("the mirror {path} says {word}, the task {phase}; the next write mends it"))
        .with("path", path.as_str())
}
