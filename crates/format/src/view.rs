//! What a format may look at while it thinks.

use model::{Object, ProjectPath, RecordId, RecordKey, Refusal, RefusalClass, Scan, Space, Timestamp, Value};

use crate::Sheet;

/// What looks at one record after the other: its id, and its value as text.
pub type Visit<'a> = dyn FnMut(RecordId, &str) -> Result<(), serde_json::Error> + 'a;

/// Hands out what was read as values.
pub(crate) fn as_texts(records: Vec<(RecordId, Value)>, visit: &mut Visit<'_>) {
    for (id, value) in records {
        // The text of a value is always that of a value.
        drop(visit(id, &value.to_string()));
    }
}

/// Reads records lazily: one, or a range; never the whole store.
///
/// A store that fails beneath answers nothing from then on; the engine notices and throws the
/// thought away, so a format need not.
pub trait Records {
    /// The value of one record.
    fn get(&self, key: &RecordKey) -> Option<Value>;

    /// A range of one kind, in the order of [`RecordId`].
    fn scan(&self, space: &Space, kind: &'static str, scan: &Scan) -> Vec<(RecordId, Value)>;

    /// Hands out every record of one kind with the JSON text of its value, in the order of [`RecordId`].
    ///
    /// Where there are many, the text costs less than the value; [`crate::read_all`] makes types of it.
    /// `visit` answers an error for a text that is no value: the store is damaged.
    fn texts(&self, space: &Space, kind: &'static str, visit: &mut Visit<'_>) {
        as_texts(self.scan(space, kind, &Scan::all()), visit);
    }

    /// The newest stored value of a record that is wanted, walking back through its journal.
    ///
    /// The value that is stored now is offered first; what a draft lays over it is not offered.
    fn earlier(&self, key: &RecordKey, wanted: &mut dyn FnMut(&Value) -> bool) -> Option<Value> {
        self.get(key).filter(wanted)
    }
}

/// What stands at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileState {
    /// Nothing.
    Absent,
    /// A regular file with these bytes.
    Bytes(Vec<u8>),
    /// Something that cannot be read as a file of ours.
    Irregular(Irregular),
}

/// Why something at a path is no file that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Irregular {
    /// A folder.
    Folder,
    /// A symbolic link, dangling or not; links are never followed for what we write.
    Link,
    /// A pipe, socket or device.
    Special,
    /// Permission or an input error.
    Unreadable,
    /// More bytes than the source allows.
    TooLarge,
}

impl std::fmt::Display for Irregular {
    /// **Shape**: what follows "it": `is a folder`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Folder => "is a folder",
            Self::Link => "is a symbolic link",
            Self::Special => "is no regular file",
            Self::Unreadable => "is not readable",
            Self::TooLarge => "is too large",
        })
    }
}

/// Reads project files; never writes, never leaves the project root.
pub trait Files {
    /// What stands at `path`; a file of more than `limit` bytes is [`Irregular::TooLarge`].
    fn read(&self, path: &ProjectPath, limit: u64) -> FileState;

    /// The names in a folder, sorted by bytes; empty when there is no such folder.
    fn list(&self, folder: &ProjectPath) -> Vec<String>;

    /// The folders within a folder, each with those of `names` that stand in it: at less cost than listing each.
    ///
    /// **Order**: by name; what stands in one as `names` has it. A link is no folder.
    fn holding(&self, folder: &ProjectPath, names: &[&'static str]) -> Vec<(String, Vec<&'static str>)> {
        let within = |name: &str| folder.join(name).ok().filter(|path| self.is_folder(path));
        let folders = self.list(folder).into_iter().filter_map(|name| within(&name).map(|path| (name, path)));
        let held = |path: &ProjectPath| {
            let stand = self.list(path);
            names.iter().copied().filter(|name| stand.iter().any(|other| other == name)).collect()
        };
        folders.map(|(name, path)| (name, held(&path))).collect()
    }

    /// Whether a folder (not a link to one) stands at `path`.
    fn is_folder(&self, path: &ProjectPath) -> bool;

    /// When a regular file or a folder was last modified; a hint for people, never a proof of anything.
    fn modified(&self, _path: &ProjectPath) -> Option<Timestamp> {
        None
    }
}

/// What answered `GET /health` on a loopback port.
#[derive(Clone, Debug, PartialEq)]
pub enum HealthProbe {
    /// Nothing, or not within the time.
    Silent,
    /// 200 with a JSON object.
    Healthy(Object),
    /// 200 with something else, or another status.
    Foreign,
}

/// What stands where a table image should live.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DatabaseProbe {
    /// A database that opens.
    Usable,
    /// Nothing, but it could be created.
    Creatable,
    /// Nothing, and it cannot be created.
    Impossible,
    /// A file that is no database.
    Corrupt,
}

/// How the working tree of a folder stands; nothing of it where git does not answer in time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GitProbe {
    /// The branch, or the short commit of a detached head.
    pub branch: Option<String>,
    /// How many paths differ between the index and HEAD.
    pub staged: u64,
    /// How many paths differ between the tree and the index; untracked ones do not count.
    pub modified: u64,
}

/// Looks at the world outside the project; only what cannot be told from records and files asks.
pub trait Probes {
    /// Asks a server on a loopback port how it is; answers within 500 ms.
    fn health(&self, port: u16) -> HealthProbe;

    /// Looks at a database file, given as the user's configuration names it.
    fn database(&self, place: &str) -> DatabaseProbe;

    /// Reads a file that the user names, relative to the project root or absolute, within it or not.
    fn file(&self, _place: &str, _limit: u64) -> FileState {
        FileState::Absent
    }

    /// The names of the regular files in a folder that the user names, sorted; `None` where there is no such folder.
    fn folder(&self, _place: &str) -> Option<Vec<String>> {
        None
    }

    /// Asks git about a folder, given by its absolute path; answers within 300 ms.
    fn git(&self, _folder: &str) -> GitProbe {
        GitProbe::default()
    }

    /// The commit that HEAD names, where the project root itself holds a repository; git is not asked.
    fn head(&self) -> Option<String> {
        None
    }

    /// How many commits lead from `ancestor` to `head`; `None` where it is no ancestor or git is silent.
    fn commits_between(&self, _ancestor: &str, _head: &str) -> Option<u64> {
        None
    }

    /// How many events of a tool wait in the spool.
    fn spooled(&self, _tool: &str) -> usize {
        0
    }

    /// Whether a folder lock was made by a process of ours, on this machine, that is gone.
    fn is_abandoned(&self, _lock: &ProjectPath) -> bool {
        false
    }

    /// Has the format work out a question, where nobody waits for it; `None` where that took too much.
    ///
    /// **Errors**: the call is to be thought again, once there is an answer; the format hands that on.
    fn ponder(&self, _question: &[Value]) -> Result<Option<Sheet>, Refusal> {
        let message = "there is nobody here to work it out";
        Err(Refusal::new(RefusalClass::Unavailable, "store_unavailable", message))
    }

    /// The absolute path of this very program.
    fn program(&self) -> String {
        "mainstay".to_owned()
    }
}

/// Everything that a format may look at.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// The records as they stand at this point of the request.
    pub records: &'a dyn Records,
    /// The project's files.
    pub files: &'a dyn Files,
    /// The rest.
    pub probes: &'a dyn Probes,
}

impl<'a> View<'a> {
    /// The same surroundings over other records.
    #[must_use]
    pub fn over<'b>(&self, records: &'b dyn Records) -> View<'b>
    where
        'a: 'b,
    {
        View { records, files: self.files, probes: self.probes }
    }
}
