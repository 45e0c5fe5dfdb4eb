//! The file that is the truth: its JSON object is the record, its absence is the record's absence.

use format::{Draft, FileState, SeenFile, Taken, View};
use model::{Object, Refusal, RefusalClass, Value, Warning};

use super::doc;

pub(super) fn take_in(file: &SeenFile, view: &View<'_>, taken: &mut Taken) {
    let mut draft = Draft::new(view.records);
    match &file.now {
        FileState::Absent => draft.delete(doc()),
        FileState::Bytes(bytes) => match serde_json::from_slice::<Object>(bytes) {
            Ok(object) => draft.put(doc(), Value::Object(object)),
            Err(_) => corrupt(file, taken),
        },
        FileState::Irregular(_) => corrupt(file, taken),
    }
    taken.changes.extend(draft.into_changes());
}

fn corrupt(file: &SeenFile, taken: &mut Taken) {
    let path = file.path.as_str();
    let message = format!("{path} cannot be read");
    taken.warnings.push(Warning::new("state_corrupt", message.clone()).with("path", path));
    taken.blocked = Some(Refusal::new(RefusalClass::Corrupt, "state_corrupt", message).with("path", path));
}
