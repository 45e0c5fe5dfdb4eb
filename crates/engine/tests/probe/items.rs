//! The text image: a heading and one `key: value` line for each item.

use std::collections::BTreeMap;

use format::{Conflict, Draft, FileState, SeenFile, Taken, View};
use model::{RecordId, RecordKey, Refusal, Scan, Value, Warning};

use super::{SPACE, item};

/// **Shape**: `# Items\n\nkey: value\n`.
pub(crate) fn render_items(all: &[(RecordId, Value)]) -> String {
    let mut text = "# Items\n\n".to_owned();
    for (id, value) in all {
        text.extend([id.as_str(), ": ", &shown(value), "\n"]);
    }
    text
}

fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// A number stands for a counter, everything else for text.
fn read(text: &str) -> Value {
    text.parse::<i64>().map_or_else(|_| Value::from(text), Value::from)
}

struct Parsed {
    items: BTreeMap<String, Value>,
    complete: bool,
}

fn parse(bytes: &[u8]) -> Parsed {
    let mut parsed = Parsed { items: BTreeMap::new(), complete: true };
    for line in String::from_utf8_lossy(bytes).lines() {
        match line.split_once(": ") {
            Some((key, value)) if !key.is_empty() => drop(parsed.items.insert(key.to_owned(), read(value))),
            _ if line.is_empty() || line == "# Items" => {}
            _ => parsed.complete = false,
        }
    }
    parsed
}

pub(super) fn take_in(file: &SeenFile, view: &View<'_>, taken: &mut Taken) {
    let path = file.path.as_str();
    let bytes = match &file.now {
        FileState::Bytes(bytes) => bytes,
        FileState::Absent => {
            taken.warnings.push(Warning::new("missing_file", format!("{path} is gone")).with("path", path));
            return;
        }
        FileState::Irregular(why) => {
            let message = format!("{path} is no file of ours ({why:?})");
            taken.warnings.push(Warning::new("image_unusable", message.clone()).with("path", path));
            taken.blocked = Some(Refusal::refused("image_unusable", message).with("path", path));
            return;
        }
    };
    let now = parse(bytes);
    let base = file.base.as_deref().map(parse);
    let mut draft = Draft::new(view.records);
    let mut understood = now.complete;
    for (key, value) in &now.items {
        let before = view.records.get(&item(key));
        match &base {
            Some(base) if base.items.get(key) == Some(value) => {}
            // First contact: the records win.
            None if before.as_ref().is_some_and(|before| before != value) => understood = false,
            _ => draft.put(item(key), value.clone()),
        }
    }
    for key in base.iter().flat_map(|base| base.items.keys()) {
        if !now.items.contains_key(key) {
            draft.delete(item(key));
        }
    }
    if !understood {
        taken.conflicts.push(Conflict { path: file.path.clone() });
        taken.warnings.push(Warning::new("image_conflict", format!("{path} was not understood")).with("path", path));
    }
    taken.changes.extend(draft.into_changes());
}

/// Every item, as the records have them.
pub(super) fn all(view: &View<'_>) -> Vec<(RecordId, Value)> {
    view.records.scan(&SPACE, "item", &Scan::all())
}

/// The number that stands in an item.
pub(super) fn number(view: &View<'_>, key: &RecordKey) -> i64 {
    view.records.get(key).as_ref().and_then(Value::as_i64).unwrap_or_default()
}
