//! One MCP request and its result: the protocol's handler.

use std::sync::Arc;

use model::{Call, Refusal, Value};
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CustomRequest, CustomResult, DiscoverResult, ErrorCode,
    Implementation, InitializeRequestParams, InitializeResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Resource,
    ResourceContents, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use tokio::sync::Semaphore;
use tokio_util::task::TaskTracker;

use crate::host::Host;
use crate::identity::IdentityDefaults;
use crate::{ToolNames, errors, identity, tools};

/// How many requests may be with the engine at a time; the others wait their turn.
const MAX_CALLS: usize = 64;

/// How many threads the runtime may keep for blocking work: every call, and room for health answers and files.
pub(crate) const BLOCKING_THREADS: usize = MAX_CALLS + 32;

/// The version that the server gives of itself.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The server's name where no format brings one.
const DEFAULT_NAME: &str = "mainstay";

const INSTRUCTIONS: &str = "The working state of this project: what is being built, its tasks, their owners and \
history. Read it before you start and write it as you go; every write is durable, atomic and can be undone. Say who \
you are in _meta.actor or the tool's own argument. A retry with the same _meta.requestId is applied once.";

/// The methods that are offered: a request of one of these that is not understood has the wrong parameters.
const METHODS: &[&str] = &[
    "initialize",
    "ping",
    "server/discover",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/templates/list",
    "resources/read",
];

/// The server, as one of the requests it answers sees it.
#[derive(Clone)]
pub(crate) struct Server {
    host: Arc<dyn Host>,
    names: ToolNames,
    defaults: Arc<IdentityDefaults>,
    calls: TaskTracker,
    room: Arc<Semaphore>,
}

impl Server {
    pub(crate) fn new(host: Arc<dyn Host>, names: ToolNames, defaults: IdentityDefaults) -> Self {
        let room = Arc::new(Semaphore::new(MAX_CALLS));
        Self { host, names, defaults: Arc::new(defaults), calls: TaskTracker::new(), room }
    }

    /// What is under way; empty once every call has come back from the engine.
    pub(crate) fn calls(&self) -> &TaskTracker {
        &self.calls
    }

    /// The canonical project root, as text.
    pub(crate) fn root(&self) -> String {
        self.host.root().to_string_lossy().into_owned()
    }

    /// The name of the first format that is on and brings one, else of the first of the roll-call that does.
    ///
    /// A fresh project answers by the name that it will have after its first write.
    pub(crate) async fn name(&self) -> String {
        let host = Arc::clone(&self.host);
        let first = move || {
            let on = host.formats_on();
            on.iter().chain(host.formats()).find_map(|format| format.surface().server_name)
        };
        let found = tokio::task::spawn_blocking(first).await;
        found.ok().flatten().unwrap_or(DEFAULT_NAME).to_owned()
    }

    /// Asks the engine, off the threads that serve connections.
    ///
    /// What was asked is carried out even if nobody waits for the answer any more.
    ///
    /// **Errors**: an internal error when the engine panicked; the server lives on.
    async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&dyn Host) -> T + Send + 'static,
    ) -> Result<T, ErrorData> {
        let call = self.calls.token();
        let room = Arc::clone(&self.room).acquire_owned().await.expect("the semaphore is never closed");
        let host = Arc::clone(&self.host);
        let answer = tokio::task::spawn_blocking(move || {
            let answer = question(host.as_ref());
            drop((room, call));
            answer
        });
        answer.await.map_err(errors::broken_call)
    }

    async fn implementation(&self) -> Implementation {
        Implementation::new(self.name().await, VERSION)
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_resources().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new(DEFAULT_NAME, VERSION))
            .with_instructions(INSTRUCTIONS)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let negotiated = self.negotiate_initialize(&request)?;
        context.peer.set_peer_info(request);
        Ok(negotiated.with_server_info(self.implementation().await))
    }

    async fn discover(&self, _context: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let info = self.get_info().with_server_info(self.implementation().await);
        Ok(DiscoverResult::from_server_info(self.supported_protocol_versions().into_owned(), info))
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let names = self.names;
        Ok(ListToolsResult::with_all_items(self.ask(move |host| tools::listed(host, names)).await?))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let identity = identity::of_call(&context.meta, &self.defaults).map_err(|no| errors::refused_request(&no))?;
        let arguments = request.arguments.unwrap_or_default();
        let name = request.name.into_owned();
        let answer = self.ask(move |host| {
            let name = host.tool(&name).map_or(name, |tool| tool.name.to_owned());
            host.call(&Call::new(name, arguments), &identity)
        });
        let result = match answer.await? {
            Ok(reply) => CallToolResult::structured(Value::Object(reply.to_object())),
            Err(refusal) => errors::refused_call(&refusal)?,
        };
        Ok(result.into())
    }

    async fn list_resources(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let resources = self.ask(Host::resources).await?.map_err(|no| errors::refused_request(&no))?;
        Ok(ListResourcesResult::with_all_items(resources.into_iter().map(shown).collect()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri.clone();
        let read = self.ask(move |host| {
            let text = host.read_resource(&uri)?;
            let mime = host.resources()?.into_iter().find(|resource| resource.uri == uri).map(|found| found.mime);
            Ok((text, mime))
        });
        let (text, mime) = read.await?.map_err(|no: Refusal| errors::refused_request(&no))?;
        let contents = ResourceContents::text(text, request.uri).with_mime_type(mime.unwrap_or("text/plain"));
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        if METHODS.contains(&request.method.as_str()) {
            let refusal = Refusal::invalid("params", format!("the params of {} are not understood", request.method));
            return Err(errors::refused_request(&refusal));
        }
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method, None))
    }
}

fn shown(resource: engine::Resource) -> Resource {
    let shown = Resource::new(resource.uri, resource.name).with_mime_type(resource.mime);
    if resource.description.is_empty() { shown } else { shown.with_description(resource.description) }
}
