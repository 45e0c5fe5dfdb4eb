//! scenario.json: the image of the states, in which the keys of others stay as they are.

use std::collections::{HashMap, HashSet};

use model::{Object, Timestamp, Value};

use super::records::{members, object};
use super::status::{Status, from_word, word};

/// scenario.json as it was read.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ScenarioFile {
    pub(super) object: Object,
}

impl ScenarioFile {
    /// Reads a file; `None` where it is no object of the known shape.
    pub(super) fn read(text: &str) -> Option<Self> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let Ok(Value::Object(object)) = serde_json::from_str(text) else { return None };
        Self::of(object)
    }

    /// The same of an object.
    pub(super) fn of(object: Object) -> Option<Self> {
        let properties = object.get("properties");
        let states = properties.and_then(|properties| properties.get("taskStates"));
        let fits = properties.is_none_or(Value::is_object) && states.is_none_or(Value::is_object);
        fits.then_some(Self { object })
    }

    /// The states that stand in it, in its order; a word of no meaning is left out.
    pub(super) fn states(&self) -> Vec<(&str, Status)> {
        let states = self.object.get("properties").and_then(|properties| properties.get("taskStates"));
        let pairs = states.and_then(Value::as_object).into_iter().flatten();
        pairs.filter_map(|(id, state)| Some((id.as_str(), from_word(state.as_str()?)?))).collect()
    }

    /// Whether it says anything about states: a file without them is silent, not empty.
    pub(super) fn has_states(&self) -> bool {
        self.object.get("properties").and_then(|properties| properties.get("taskStates")).is_some()
    }

    /// The task that an older file says is in progress, where it has no states.
    pub(super) fn current_task(&self) -> Option<&str> {
        let properties = self.object.get("properties");
        let current = self.object.get("currentTask").or_else(|| properties?.get("currentTask"));
        current.and_then(Value::as_str).filter(|_| !self.has_states())
    }

    /// A text member, such as `scenarioId`.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.object.get(name).and_then(Value::as_str)
    }

    /// An instant, with fractions of any length.
    pub(super) fn time(&self, name: &str) -> Option<Timestamp> {
        self.text(name).and_then(Timestamp::parse_rfc3339)
    }
}

/// A new file's members.
pub(super) fn new(scenario_id: &str, start_time: &str) -> Object {
    members([
        ("scenarioId", scenario_id.into()),
        ("description", "".into()),
        ("startTime", start_time.into()),
        ("lastUpdateTime", "".into()),
        ("properties", object([("taskStates", Value::Object(Object::new()))])),
        ("folderPath", "".into()),
    ])
}

/// Drops the states of tasks that are no more.
pub(super) fn forget(object: &mut Object, ids: &HashSet<&String>) {
    let properties = object.get_mut("properties").and_then(Value::as_object_mut);
    let states = properties.and_then(|properties| properties.get_mut("taskStates")).and_then(Value::as_object_mut);
    if let Some(states) = states {
        states.retain(|id, _| !ids.contains(id));
    }
}

/// The text of the file: `states` in document order, of which three have a key.
pub(super) fn render(object: &Object, updated_at: &str, states: &[(&str, Status)]) -> String {
    let mut shown = Object::new();
    for (name, value) in object {
        let value = match (name.as_str(), value) {
            ("properties", Value::Object(properties)) => Value::Object(with_states(properties, states)),
            (_, value) => value.clone(),
        };
        shown.insert(name.clone(), value);
    }
    shown.insert("lastUpdateTime".to_owned(), updated_at.into());
    let properties = || Value::Object(with_states(&Object::new(), states));
    shown.entry("properties").or_insert_with(properties);
    serde_json::to_string_pretty(&shown).expect("a JSON object can be written")
}

// Keys that are there keep their place; new ones come behind them.
fn with_states(properties: &Object, states: &[(&str, Status)]) -> Object {
    let stood = properties.get("taskStates").and_then(Value::as_object);
    let mut left: HashMap<&str, Status> = states.iter().copied().collect();
    let mut after = Object::with_capacity(states.len());
    for (id, shown) in stood.into_iter().flatten() {
        match left.remove(id.as_str()) {
            None => drop(after.insert(id.clone(), shown.clone())),
            Some(now) if has_key(now) => drop(after.insert(id.clone(), word(now).into())),
            Some(_) => {}
        }
    }
    for (id, status) in states.iter().filter(|(id, status)| has_key(*status) && left.contains_key(id)) {
        after.insert((*id).to_owned(), word(*status).into());
    }
    let mut shown = Object::new();
    for (name, value) in properties.iter().filter(|(name, _)| name.as_str() != "taskStates") {
        shown.insert(name.clone(), value.clone());
    }
    let place = properties.keys().position(|name| name == "taskStates").unwrap_or(shown.len());
    shown.shift_insert(place, "taskStates".to_owned(), Value::Object(after));
    shown
}

/// Whether a state stands in the file; the others are what remains.
pub(super) const fn has_key(status: Status) -> bool {
    matches!(status, Status::InProgress | Status::Completed | Status::Failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_others_stay_where_they_are() {
        let text = "{\"z\":1.50,\"properties\":{\"a\":1,\"taskStates\":{\"02-b\":\"Completed\",\"x\":7,\
                    \"01-a\":\"Failed\"},\"b\":2},\"lastUpdateTime\":\"old\"}";
        let file = ScenarioFile::read(text).unwrap();
        assert_eq!(file.states(), [("02-b", Status::Completed), ("01-a", Status::Failed)]);
        let states = [("01-a", Status::Pending), ("02-b", Status::InProgress), ("03-c", Status::Completed)];
        let made: Value = serde_json::from_str(&render(&file.object, "new", &states)).unwrap();
        let expected = "{\"z\":1.50,\"properties\":{\"a\":1,\"taskStates\":{\"02-b\":\"InProgress\",\"x\":7,\
                        \"03-c\":\"Completed\"},\"b\":2},\"lastUpdateTime\":\"new\"}";
        assert_eq!(made.to_string(), expected);
    }

    #[test]
    fn other_shapes_are_not_read() {
        for text in ["", "[]", "null", "{", "{\"properties\":[]}", "{\"properties\":{\"taskStates\":3}}", "\u{0}"] {
            assert_eq!(ScenarioFile::read(text), None, "{text:?}");
        }
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(ScenarioFile::read(&deep), None);
        let old = ScenarioFile::read("\u{feff}{\"currentTask\":\"01-a\"}").unwrap();
        assert_eq!(old.current_task(), Some("01-a"));
    }
}
