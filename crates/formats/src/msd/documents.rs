//! The documents of a space: records whose text is the file.

use format::{FileSource, FileState, ForeignLock, Irregular, Records, Restore, Sources, TakeIn, View};
use model::{Change, Context, Object, ProjectPath, RecordKey, Refusal, RefusalClass, Space, Value};

use super::settings::Settings;

/// The record kind of a document; its id is the file's name.
pub(super) const KIND: &str = "document";
/// The project's position.
pub(super) const STATE: &str = "STATE.md";
/// What prune took out of it.
pub(super) const ARCHIVE: &str = "STATE-ARCHIVE.md";
/// A question that waits for its answer.
pub(super) const WAITING: &str = "WAITING.json";

/// Every document, with the largest file that is read. **Units**: bytes.
pub(super) const ALL: [(&str, u64); 3] = [(STATE, 1024 * 1024), (ARCHIVE, 16 * 1024 * 1024), (WAITING, 1024 * 1024)];

/// The folder of the format.
pub(super) fn folder() -> ProjectPath {
    ProjectPath::known(".planning")
}

/// Where the documents of a space stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// The space.
    pub(super) space: Space,
    /// The folder.
    pub(super) folder: ProjectPath,
}

impl Place {
    /// The project itself, or a workstream of it.
    ///
    /// **Errors**: `invalid_argument` for a name that is none.
    pub(super) fn named(workstream: Option<&str>) -> Result<Self, Refusal> {
        let Some(name) = workstream else {
            return Ok(Self { space: Space::known("msd"), folder: folder() });
        };
        if !is_workstream(name) {
            let message = format!("{name:?} names no workstream");
            return Err(Refusal::invalid("ws", message).allowed("[A-Za-z0-9._-]{1,64}"));
        }
        let folder = workstreams().join(name).expect("such a name is one part of a path");
        Ok(Self { space: Space::new(format!("msd/{name}")), folder })
    }

    /// The place of a space.
    pub(super) fn of(space: &Space) -> Self {
        let name = space.as_str().split_once('/').map(|(_, name)| name);
        Self::named(name).unwrap_or_else(|_| Self { space: space.clone(), folder: folder() })
    }

    /// Every place: the project and the workstreams that have a folder.
    pub(super) fn all(view: &View<'_>) -> Vec<Self> {
        let names = view.files.list(&workstreams());
        let standing = names.iter().filter(|name| is_workstream(name)).filter_map(|name| Self::named(Some(name)).ok());
        let project = Self { space: Space::known("msd"), folder: folder() };
        std::iter::once(project).chain(standing.filter(|place| view.files.is_folder(&place.folder))).collect()
    }

    /// A path beneath the folder.
    pub(super) fn path(&self, rest: &str) -> ProjectPath {
        self.folder.join(rest).expect("names of documents are parts of a path")
    }

    /// The record of a document.
    pub(super) fn key(&self, name: &'static str) -> RecordKey {
        RecordKey::new(self.space.clone(), KIND, name)
    }
}

fn workstreams() -> ProjectPath {
    ProjectPath::known(".planning/workstreams")
}

fn is_workstream(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    (1..=64).contains(&name.len()) && name.bytes().all(allowed) && !matches!(name, "." | "..")
}

/// The sources of a space: its three documents, and the lock that other tools of the format hold.
pub(super) fn sources(space: &Space, view: &View<'_>, ctx: &Context) -> Result<Sources, Refusal> {
    let (place, settings) = (Place::of(space), Settings::read(ctx)?);
    let source =
        |(name, limit)| FileSource { path: place.path(name), keeps_base: false, limit, restore: Restore::Never };
    let lock = ForeignLock::PidFile {
        path: place.path("STATE.md.lock"),
        wait_ms: settings.lock_wait,
        empty_stale_ms: 1_000,
        stale_ms: 60_000,
    };
    Ok(Sources {
        files: ALL.map(source).into(),
        // In a folder that does not exist nobody can hold a lock.
        lock: view.files.is_folder(&place.folder).then_some(lock),
        take_in: TakeIn::OnWrite,
        ..Sources::default()
    })
}

/// The bytes of a file as a record value.
///
/// **Shape**: `{"text"}`, or `{"hex"}` where they are not UTF-8.
pub(super) fn value_of(bytes: &[u8]) -> Value {
    let member = match std::str::from_utf8(bytes) {
        Ok(text) => ("text", Value::from(text)),
        Err(_) => ("hex", hex(bytes).into()),
    };
    Value::Object(Object::from_iter([(member.0.to_owned(), member.1)]))
}

fn hex(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).expect("four bits are one digit");
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// The bytes of a file from its record value.
pub(super) fn bytes_of(value: &Value) -> Vec<u8> {
    if let Some(text) = value.get("text").and_then(Value::as_str) {
        return text.as_bytes().to_vec();
    }
    let hex = value.get("hex").and_then(Value::as_str).unwrap_or_default();
    hex.as_bytes().chunks(2).filter_map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

/// A document as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stored {
    /// Its text; what is not UTF-8 shows as the replacement character.
    pub(super) text: String,
    /// Whether it is UTF-8.
    pub(super) is_utf8: bool,
}

/// Reads a document.
pub(super) fn load(records: &dyn Records, place: &Place, name: &'static str) -> Option<Stored> {
    let value = records.get(&place.key(name))?;
    if let Some(text) = value.get("text").and_then(Value::as_str) {
        return Some(Stored { text: text.to_owned(), is_utf8: true });
    }
    Some(Stored { text: String::from_utf8_lossy(&bytes_of(&value)).into_owned(), is_utf8: false })
}

/// The change that gives a document another text, or takes it away; none where it has it already.
pub(super) fn change(records: &dyn Records, place: &Place, name: &'static str, text: Option<String>) -> Option<Change> {
    change_from(records.get(&place.key(name)), place, name, text)
}

/// The same, where it is known what stands there.
pub(super) fn change_from(
    before: Option<Value>,
    place: &Place,
    name: &'static str,
    text: Option<String>,
) -> Option<Change> {
    let key = place.key(name);
    let after = text.map(|text| value_of(text.as_bytes()));
    (before != after).then_some(Change { key, before, after })
}

/// Why a file that is no readable file cannot be used.
pub(super) fn unusable(path: &ProjectPath, what: Irregular) -> Refusal {
    let (class, code) = match what {
        Irregular::Link => (RefusalClass::Refused, "path_outside_project"),
        Irregular::TooLarge => (RefusalClass::Corrupt, "too_large"),
        Irregular::Folder | Irregular::Special | Irregular::Unreadable => (RefusalClass::Corrupt, "state_corrupt"),
    };
    Refusal::new(class, code, format!("{path} {what}"))
        .with("path", path.as_str())
        .hint(format!("move {path} away or mend it"))
}

/// The refusal for a document that stands there and cannot be used, if that is why it has no record.
pub(super) fn hidden(view: &View<'_>, place: &Place, name: &'static str) -> Option<Refusal> {
    let limit = ALL.iter().find(|(document, _)| *document == name).map_or(0, |(_, limit)| *limit);
    match view.files.read(&place.path(name), limit) {
        FileState::Irregular(what) => Some(unusable(&place.path(name), what)),
        FileState::Absent | FileState::Bytes(_) => None,
    }
}
