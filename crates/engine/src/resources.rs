//! What MCP clients may read: the rendered files and the state of each format that is on.

use format::{FileState, Files as _, Format, View};
use model::{Call, Object, Origin, Refusal, Value};

use crate::engine::{Engine, Identity};
use crate::read::survey;
use crate::records::StoreRecords;

/// Something that MCP clients may read.
#[derive(Clone, Debug)]
pub struct Resource {
    /// `mainstay://hseos/STATE.md`, `mainstay://hseos/state_read`.
    pub uri: String,
    /// A short name.
    pub name: String,
    /// One line.
    pub description: String,
    /// `text/markdown` or `application/json`.
    pub mime: &'static str,
}

const SCHEME: &str = "mainstay://";

impl Engine {
    /// The resources of the formats that are on.
    ///
    /// Their files, and their reading tools that need no argument.
    pub fn resources(&self) -> Result<Vec<Resource>, Refusal> {
        let mut resources = Vec::new();
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
                    mime: "application/json",
                });
            }
        }
        Ok(resources)
    }

    /// The text of a resource.
    ///
    /// **Errors**: `resource_not_found`.
    pub fn read_resource(&self, uri: &str) -> Result<String, Refusal> {
        let missing = || Refusal::invalid("uri", format!("there is no resource {uri:?}"));
        let missing = || Refusal { code: "resource_not_found".into(), ..missing() };
        let (name, rest) = uri.strip_prefix(SCHEME).and_then(|rest| rest.split_once('/')).ok_or_else(missing)?;
        let format = self.formats_on().into_iter().find(|format| format.name() == name).ok_or_else(missing)?;
        let identity = Identity { actor: None, session: None, request_id: None, origin: Origin::Mcp };
        if readable(format).any(|tool| tool.name == rest) {
            let reply = self.call(&Call::new(rest, Object::new()), &identity)?;
            return Ok(Value::Object(reply.to_object()).to_string());
        }
        if !self.image_paths(format)?.iter().any(|path| path == rest) {
            return Err(missing());
        }
        // What waits outside is taken in first, so that the file shows the records.
        if let Some(tool) = readable(format).next() {
            self.call(&Call::new(tool.name, Object::new()), &identity)?;
        }
        let path = model::ProjectPath::new(rest).map_err(|_| missing())?;
        match self.files().read(&path, 8 * 1024 * 1024) {
            FileState::Bytes(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
            FileState::Absent | FileState::Irregular(_) => Err(missing()),
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

fn mime_of(path: &str) -> &'static str {
    match path.rsplit_once('.') {
        Some((_, "md")) => "text/markdown",
        Some((_, "json")) => "application/json",
        _ => "text/plain",
    }
}

fn readable(format: &dyn Format) -> impl Iterator<Item = &'static format::Tool> {
    let needs_nothing = |tool: &&format::Tool| {
        tool.is_read() && tool.listed == format::Listed::Yes && tool.params.iter().all(|param| !param.required)
    };
    format.surface().tools.iter().filter(needs_nothing)
}
