//! SKELETON: signatures that the fronts build on; bodies follow.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use format::{Format, HealthProbe, Tool};
use model::{Call, Environment, Object, Origin, ProjectPath, Refusal, Reply};
use store::Opener;

/// What an engine is made from. Only `main.rs` names concrete formats and stores.
pub struct Setup {
    /// The `--project` option; otherwise the root is found as `spec/README.md` says.
    pub project: Option<PathBuf>,
    /// The working folder of the process.
    pub cwd: PathBuf,
    /// The admitted environment variables.
    pub env: Environment,
    /// The roll-call of formats.
    pub formats: &'static [&'static dyn Format],
    /// How to open the project's store.
    pub stores: Arc<dyn Opener>,
}

/// Who calls, as far as the front knows.
#[derive(Clone, Debug)]
pub struct Identity {
    /// `--actor`, `MAINSTAY_ACTOR` (fronts read both), or what the client says.
    pub actor: Option<String>,
    /// `--session`, `MAINSTAY_SESSION`, a hook's or client's session id.
    pub session: Option<String>,
    /// The idempotency key.
    pub request_id: Option<String>,
    /// The door.
    pub origin: Origin,
}

/// Which entries `history` shows.
#[derive(Clone, Debug, Default)]
pub struct HistoryQuery {
    /// Only this space or what lies beneath it.
    pub space: Option<String>,
    /// Only entries that changed a record of this id.
    pub key: Option<String>,
    /// Only entries of this actor.
    pub actor: Option<String>,
    /// Only entries since: RFC 3339, a date, a span back (`2h`, `3d`), or a revision.
    pub since: Option<String>,
    /// At most so many; the commands' default is 20.
    pub limit: usize,
    /// Minor entries (touches) too.
    pub all: bool,
}

/// Something that MCP clients may read.
#[derive(Clone, Debug)]
pub struct Resource {
    /// `mainstay://hseos/STATE.md`, `mainstay://hseos/state`.
    pub uri: String,
    /// A short name.
    pub name: String,
    /// One line.
    pub description: String,
    /// `text/markdown` or `application/json`.
    pub mime: &'static str,
}

/// One project, ready to answer requests. `Send + Sync`; every method blocks and is cheap to call from a thread.
pub struct Engine {
    root: PathBuf,
    formats: &'static [&'static dyn Format],
}

#[allow(unused_variables)]
impl Engine {
    /// Finds the project and reads `mainstay.toml`; opens and creates nothing.
    pub fn open(setup: Setup) -> Result<Self, Refusal> {
        todo!()
    }
    /// The canonical project root.
    pub fn root(&self) -> &Path {
        &self.root
    }
    /// All formats that this program speaks.
    pub fn formats(&self) -> &'static [&'static dyn Format] {
        self.formats
    }
    /// The formats that are on in this project.
    pub fn formats_on(&self) -> Vec<&'static dyn Format> {
        todo!()
    }
    /// The format and tool of a name; dots count as underscores.
    pub fn tool(&self, name: &str) -> Option<(&'static dyn Format, &'static Tool)> {
        self.formats.iter().find_map(|format| Some((*format, format.surface().tool(name)?)))
    }
    /// Carries a call through the rooms. `unknown_tool` when no format has it.
    pub fn call(&self, call: &Call, identity: &Identity) -> Result<Reply, Refusal> {
        todo!()
    }
    /// Starts the one writer thread of a server: from now on writing calls share commits.
    pub fn start_writer(self: &Arc<Self>) {
        todo!()
    }
    /// `mainstay init`: `{created,kept,formats}`.
    pub fn init(&self, formats: &[String]) -> Result<Object, Refusal> {
        todo!()
    }
    /// `{formats:[{name,summary,work:[{id,title,state,owner,blocked_by}]}],last:{revision,at,actor,call,space}|null,warnings}`.
    pub fn status(&self) -> Result<Object, Refusal> {
        todo!()
    }
    /// `{entries:[{revision,at,actor,session,space,call,changes:[{key,before,after}]}]}`, newest first.
    pub fn history(&self, query: &HistoryQuery) -> Result<Object, Refusal> {
        todo!()
    }
    /// `{ok,findings:[{code,where,severity,message,fix,fixed,…}]}`; reads only.
    pub fn doctor(&self) -> Result<Object, Refusal> {
        todo!()
    }
    /// Asks the server on a loopback port how it is, as [`format::Probes::health`] does.
    pub fn health(&self, port: u16) -> HealthProbe {
        todo!()
    }
    /// The record of the server that a `start` command left at `path`; none where there is nothing that can be read.
    pub fn read_server_record(&self, path: &ProjectPath) -> Option<Object> {
        todo!()
    }
    /// Keeps the record of a started server at `path`: 0600, by temporary file and rename.
    pub fn write_server_record(&self, path: &ProjectPath, record: &Object) -> Result<(), Refusal> {
        todo!()
    }
    /// What MCP clients may read.
    pub fn resources(&self) -> Result<Vec<Resource>, Refusal> {
        todo!()
    }
    /// The text of a resource; `resource_not_found`.
    pub fn read_resource(&self, uri: &str) -> Result<String, Refusal> {
        todo!()
    }
}
