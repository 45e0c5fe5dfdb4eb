//! What MCP clients may read: state, tasks and history of the project, and the files of each format that is on.

use format::{FileState, Files as _, Format, View};
use model::{Call, Object, Origin, ProjectPath, Refusal, Value};

use crate::addresses::{Address, SCHEME, missing};
use crate::engine::{Engine, Identity};
use crate::history::HistoryQuery;
use crate::read::survey;
use crate::records::StoreRecords;

/// Something that MCP clients may read.
#[derive(Clone, Debug)]
pub struct Resource {
    /// `mainstay://state`, `mainstay://hseos/STATE.md`, `mainstay://hseos/state_read`.
    pub uri: String,
    /// A short name.
    pub name: String,
    /// One line.
    pub description: String,
    /// `text/markdown` or `application/json`.
    pub mime: &'static str,
}

/// A family of resources; its URI has variables.
#[derive(Clone, Copy, Debug)]
pub struct ResourceTemplate {
    /// **Source**: RFC 6570.
    pub uri: &'static str,
    /// A short name.
    pub name: &'static str,
    /// One line.
    pub description: &'static str,
    /// The type of what is read.
    pub mime: &'static str,
    /// The names of the variables.
    pub variables: &'static [&'static str],
}

/// The text of a resource.
#[derive(Clone, Debug)]
pub struct ResourceText {
    /// What stands there.
    pub text: String,
    /// Its type.
    pub mime: &'static str,
}

/// Every family of resources.
pub const RESOURCE_TEMPLATES: &[ResourceTemplate] = &[
    ResourceTemplate {
        uri: "mainstay://history{?since,space}",
        name: "history",
        description: "The journal since a revision, a time or a span back (2h, 3d), newest first; of one space or all",
        mime: JSON,
        variables: &["since", "space"],
    },
    ResourceTemplate {
        uri: "mainstay://records/{+space}",
        name: "records",
        description: "The records of a space, or of every space of a format",
        mime: JSON,
        variables: &["space"],
    },
];

const JSON: &str = "application/json";

/// The most entries that the history shows at once, without a moment to begin with and with one.
const LATEST: usize = 20;
const SINCE: usize = 200;

/// The most that a list of entries or records may take. **Units**: bytes.
const LIST_LIMIT: usize = 1024 * 1024;

/// The most that a file may hold to be read. **Units**: bytes.
const FILE_LIMIT: u64 = 8 * 1024 * 1024;

/// Whether a URI has the form of a resource: nothing else can ever be read or change.
pub fn is_resource(uri: &str) -> bool {
    Address::read(uri).is_ok()
}

impl Engine {
    /// The resources of the project and of the formats that are on.
    ///
    /// Of a format its files, and its reading tools that need no argument.
    pub fn resources(&self) -> Result<Vec<Resource>, Refusal> {
        let own = [
            ("state", "What every format says about itself, its work and who holds it"),
            ("tasks", "What could be started now, and what waits for what"),
            ("history", "The newest entries of the journal"),
        ];
        let mut resources: Vec<Resource> = own
            .into_iter()
            .map(|(name, description)| Resource {
                uri: format!("{SCHEME}{name}"),
                name: name.to_owned(),
                description: description.to_owned(),
                mime: JSON,
            })
            .collect();
        for format in self.formats_on() {
            for path in self.image_paths(format)? {
                resources.push(Resource {
                    uri: format!("{SCHEME}{}/{path}", format.name()),
                    description: format!("{path}, as {} renders it", format.name()),
                    mime: mime_of(&path),
                    name: path,
                });
            }
            for tool in readable(format) {
                resources.push(Resource {
                    uri: format!("{SCHEME}{}/{}", format.name(), tool.name),
                    name: tool.name.to_owned(),
                    description: tool.description.to_owned(),
                    mime: JSON,
                });
            }
        }
        Ok(resources)
    }

    /// The text of a resource.
    ///
    /// **Errors**: `resource_not_found`, `invalid_argument`, and what its tool refuses.
    pub fn read_resource(&self, uri: &str) -> Result<ResourceText, Refusal> {
        let object = match Address::read(uri)? {
            Address::State => self.status()?,
            Address::Tasks => self.next()?,
            Address::History { since, space } => {
                space.as_deref().map_or(Ok(()), |space| self.check_space(space))?;
                let limit = if since.is_some() { SINCE } else { LATEST };
                let query = HistoryQuery { space, since, limit, ..HistoryQuery::default() };
                let (entries, more) = self.entries_within(&query, LIST_LIMIT)?;
                Object::from_iter([("entries".to_owned(), Value::Array(entries)), ("more".to_owned(), more.into())])
            }
            Address::Records { space } => bounded(self.show(Some(&space), None)?),
            Address::Of { format, name } => {
                let mut on = self.formats_on().into_iter();
                let format = on.find(|one| one.name() == format).ok_or_else(|| missing(uri))?;
                return self.read_of(format, &name, uri);
            }
        };
        Ok(json(object))
    }

    /// Refuses a URI at which nothing can be read, without reading it.
    ///
    /// **Errors**: `resource_not_found`, `invalid_argument`.
    pub fn check_resource(&self, uri: &str) -> Result<(), Refusal> {
        match Address::read(uri)? {
            Address::Of { format, name } => {
                let mut on = self.formats_on().into_iter();
                let format = on.find(|one| one.name() == format).ok_or_else(|| missing(uri))?;
                let is_tool = readable(format).any(|tool| tool.name == name);
                let is_there = is_tool || self.image_paths(format)?.contains(&name);
                if is_there { Ok(()) } else { Err(missing(uri)) }
            }
            Address::History { since, space } => {
                space.as_deref().map_or(Ok(()), |space| self.check_space(space))?;
                since.map_or(Ok(()), |since| self.moment(&since, "since").map(drop))
            }
            Address::Records { space } => self.check_space(&space),
            Address::State | Address::Tasks => Ok(()),
        }
    }

    fn read_of(&self, format: &'static dyn Format, name: &str, uri: &str) -> Result<ResourceText, Refusal> {
        let identity = Identity { actor: None, session: None, request_id: None, origin: Origin::Mcp };
        if readable(format).any(|tool| tool.name == name) {
            let reply = self.call(&Call::new(name, Object::new()), &identity)?;
            return Ok(json(reply.to_object()));
        }
        if !self.image_paths(format)?.iter().any(|path| path == name) {
            return Err(missing(uri));
        }
        // What waits outside is taken in first, so that the file shows the records.
        if let Some(tool) = readable(format).next() {
            self.call(&Call::new(tool.name, Object::new()), &identity)?;
        }
        let path = ProjectPath::new(name).map_err(|_| missing(uri))?;
        match self.files().read(&path, FILE_LIMIT) {
            FileState::Bytes(bytes) => {
                Ok(ResourceText { text: String::from_utf8_lossy(&bytes).into_owned(), mime: mime_of(name) })
            }
            FileState::Absent | FileState::Irregular(_) => Err(missing(uri)),
        }
    }

    fn image_paths(&self, format: &'static dyn Format) -> Result<Vec<String>, Refusal> {
        let ctx = self.bare_context(Origin::Mcp)?;
        let store = self.opened_store()?;
        let snapshot = store.as_deref().map(store::Store::read).transpose();
        let snapshot = snapshot.map_err(|error| crate::refusals::of_store(&error))?;
        let records = StoreRecords::new(snapshot.as_deref());
        let view = View { records: &records, files: self.files(), probes: self.probes() };
        let mut paths = Vec::new();
        for space in format.spaces(None, &view, &ctx)? {
            let ground = survey(self, snapshot.as_deref(), format, space, &view, &ctx)?;
            let stands = |file: &&crate::ground::Inspected| matches!(file.now, FileState::Bytes(_));
            paths.extend(ground.files.iter().filter(stands).map(|file| file.source.path.as_str().to_owned()));
        }
        Ok(paths)
    }
}

/// The records, as many as fit; `more` tells whether others were left out.
fn bounded(mut shown: Object) -> Object {
    let mut more = false;
    if let Some(Value::Array(records)) = shown.get_mut("records") {
        let mut room = LIST_LIMIT;
        let fits = |record: &Value| {
            room = room.checked_sub(record.to_string().len())?;
            Some(())
        };
        let fitting = records.iter().map_while(fits).count();
        more = records.len() > fitting;
        records.truncate(fitting);
    }
    shown.insert("more".into(), more.into());
    shown
}

fn json(object: Object) -> ResourceText {
    ResourceText { text: Value::Object(object).to_string(), mime: JSON }
}

fn mime_of(path: &str) -> &'static str {
    match path.rsplit_once('.') {
        Some((_, "md")) => "text/markdown",
        Some((_, "json")) => JSON,
        _ => "text/plain",
    }
}

/// The listed tools of a format that read and need no argument.
pub(crate) fn readable(format: &dyn Format) -> impl Iterator<Item = &'static format::Tool> {
    let needs_nothing = |tool: &&format::Tool| {
        tool.is_read() && tool.listed == format::Listed::Yes && tool.params.iter().all(|param| !param.required)
    };
    format.surface().tools.iter().filter(needs_nothing)
}
