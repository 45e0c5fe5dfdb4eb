//! The running wave: its document, and what every verb does with it.

mod event;
mod seed;
mod status;

use format::{Draft, FileState, Files, Spooling, View, pretty};
use model::{Object, Outcome, Refusal, RefusalClass, Value, Warning};

use super::document::{self, Found};
use super::{paths, records};

pub(super) use event::{agent_start, counts, wave_event};
pub(super) use seed::wave_seed;
pub(super) use status::wave_status;

/// The wave document, as far as its members can be read.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Wave {
    /// The whole document; unknown members are kept in their places.
    document: Object,
}

/// A wave that is under way.
const RUNNING: &str = "in-progress";

/// A wave whose agents have all returned.
const READY: &str = "ready-for-next-wave";

/// The longest text of a list. **Units**: bytes.
const TEXT: usize = 4 * 1024;

/// How large a document may become by its lists, so that its counts always find room. **Units**: bytes.
const ROOM: usize = paths::LIMIT - 1024;

/// The member that tells waves apart.
const GENERATION: &str = "generation";

/// The member of an agent's registration that says that it returned, where the wave's list had no room for its id.
const RETURNED: &str = "returned";

/// The members that count, and those that list texts.
const COUNTS: [&str; 3] = ["wave", "expected", "done"];
const LISTS: [&str; 3] = ["seen_agents", "completed_artifacts", "blocked_agents"];

impl Wave {
    /// The document of a new wave.
    pub(super) fn new(wave: i64, expected: i64, generation: i64) -> Self {
        let mut document = Object::new();
        for (name, count) in COUNTS.into_iter().zip([wave, expected, 0]) {
            document.insert(name.to_owned(), count.into());
        }
        document.insert("status".into(), RUNNING.into());
        for name in LISTS {
            document.insert(name.to_owned(), Value::Array(Vec::new()));
        }
        document.insert("generation".into(), generation.into());
        Self { document }
    }

    /// Reads a document: missing members have their usual values, decimal texts are numbers.
    ///
    /// **Errors**: the member of a wrong type.
    pub(super) fn read(mut document: Object) -> Result<Self, String> {
        for name in COUNTS.into_iter().chain(["generation"]) {
            if let Some(value) = document.get_mut(name) {
                let number = document::integer(value).filter(|number| *number >= 0);
                *value = number.ok_or_else(|| format!("its {name} is no count"))?.into();
            }
        }
        match document.get("status").map(Value::as_str) {
            None | Some(Some(RUNNING | READY)) => {}
            _ => return Err(format!("its status is neither {RUNNING} nor {READY}")),
        }
        for name in LISTS {
            let is_list = |value: &Value| value.as_array().is_some_and(|list| list.iter().all(Value::is_string));
            if document.get(name).is_some_and(|value| !is_list(value)) {
                return Err(format!("its {name} is no list of texts"));
            }
        }
        Ok(Self { document })
    }

    fn count(&self, name: &str) -> i64 {
        let usual = i64::from(name == "wave");
        self.document.get(name).and_then(Value::as_i64).unwrap_or(usual)
    }

    pub(super) fn number(&self) -> i64 {
        self.count("wave")
    }

    pub(super) fn expected(&self) -> i64 {
        self.count("expected")
    }

    pub(super) fn done(&self) -> i64 {
        self.count("done")
    }

    /// The generation, where the document says one.
    pub(super) fn generation(&self) -> Option<i64> {
        self.document.get("generation").and_then(Value::as_i64)
    }

    pub(super) fn is_ready(&self) -> bool {
        self.status() == READY
    }

    fn status(&self) -> &str {
        self.document.get("status").and_then(Value::as_str).unwrap_or(RUNNING)
    }

    /// **Shape**: `wave 2: 1/3 (in-progress)`.
    pub(super) fn line(&self) -> String {
        format!("wave {}: {}/{} ({})", self.number(), self.done(), self.expected(), self.status())
    }

    fn has(&self, list: &str, text: &str) -> bool {
        let text = short(text);
        self.document.get(list).and_then(Value::as_array).is_some_and(|list| list.iter().any(|item| item == text))
    }

    /// Adds to a list what still fits, and whether it does: a file that our own reader refuses would stop the count.
    fn add(&mut self, list: &str, text: &str) -> bool {
        if let Some(Value::Array(items)) = self.document.get_mut(list) {
            items.push(short(text).into());
        }
        let fits = pretty::fits(&self.document, ROOM);
        if !fits && let Some(Value::Array(items)) = self.document.get_mut(list) {
            items.pop();
        }
        fits
    }

    /// The document with every member that we know of; what a script left out is appended.
    fn filled(mut self, generation: i64) -> Object {
        let usual = Self::new(self.number(), self.expected(), generation);
        // A generation that we told a script's wave stands behind the lists that the script left out.
        let own = LISTS.iter().any(|name| !self.document.contains_key(*name));
        let own = own.then(|| self.document.shift_remove(GENERATION)).flatten();
        for (name, value) in usual.document {
            self.document.entry(name).or_insert(value);
        }
        if let Some(own) = own {
            self.document.insert(GENERATION.to_owned(), own);
        }
        self.document
    }

    pub(super) fn with_generation(mut self, generation: i64) -> Self {
        self.document.insert("generation".into(), generation.into());
        self
    }

    pub(super) fn into_document(self) -> Object {
        self.document
    }
}

/// As much of a message as tells how an agent returned and what it made.
pub(super) fn beginning(message: &str) -> &str {
    &message[..message.floor_char_boundary(TEXT + "BLOCKED|".len())]
}

/// As much of a text as a list holds.
fn short(text: &str) -> &str {
    &text[..text.floor_char_boundary(TEXT)]
}

/// What becomes of an event: without a wave nothing, else it is kept with the wave's generation.
pub(super) fn spooling(files: &dyn Files) -> Spooling {
    match read_file(files) {
        Ok(None) => Spooling::Ignore(event::ignored()),
        Ok(Some(wave)) => {
            let generation = wave.generation().map(|generation| (GENERATION.to_owned(), generation.into()));
            Spooling::Keep(generation.into_iter().collect())
        }
        Err(_) => Spooling::Keep(Object::new()),
    }
}

/// What the wave file says now.
pub(super) fn read_file(files: &dyn Files) -> Result<Option<Wave>, String> {
    parse(&paths::read(files, &paths::wave(), paths::LIMIT))
}

/// Reads the bytes of a wave file.
pub(super) fn parse(state: &FileState) -> Result<Option<Wave>, String> {
    match document::parse(state) {
        Found::Absent => Ok(None),
        Found::Unusable(why) => Err(why),
        Found::Object(object) => Wave::read(object).map(Some),
    }
}

/// The warning about a wave file that cannot be used.
pub(super) fn unusable(why: &str) -> Warning {
    let path = paths::wave();
    Warning::new("wave_corrupt", format!("{path} cannot be used: {why}")).with("path", path.as_str())
}

/// `state_corrupt` for the wave file.
pub(super) fn corrupt(why: &str) -> Refusal {
    let path = paths::wave();
    Refusal::new(RefusalClass::Corrupt, "state_corrupt", format!("{path} cannot be used: {why}"))
        .with("path", path.as_str())
        .hint("mend the file, or seed the wave again; events are kept")
}

/// Removes the wave; an unusable file of it is kept beside.
pub(super) fn remove(draft: &mut Draft<'_>, view: &View<'_>, outcome: &mut Outcome) {
    draft.delete(records::wave_key());
    if read_file(view.files).is_err() {
        outcome.rewrites.push(paths::kept(paths::wave()));
    }
}
