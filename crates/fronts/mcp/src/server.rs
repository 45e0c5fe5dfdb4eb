//! One MCP request and its result: the protocol's handler.

use std::sync::Arc;

use engine::{Completable, Completion};
use http::request::Parts;
use model::{Call, Object, Refusal, Value};
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult, CompletionInfo,
    CustomRequest, CustomResult, DiscoverResult, ErrorCode, Extensions, GetPromptRequestParams, GetPromptResponse,
    Implementation, InitializeRequestParams, InitializeResult, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, Reference, ResourceContents, ServerConfig, SubscribeRequestParams, SubscriptionFilter,
    UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::host::Host;
use crate::http::OneAnswer;
use crate::identity::IdentityDefaults;
use crate::session::{MAX_SUBSCRIPTIONS, MAX_URI, Session};
use crate::watcher::{Joining, Watcher};
use crate::{ToolNames, errors, identity, logging, offers, telling, tools};

/// How many requests may be with the engine at a time; the others wait their turn.
const MAX_CALLS: usize = 64;

/// How many resources may be read at a time: each may hold a list of the whole journal's newest part.
const MAX_READS: usize = 4;

/// How many threads the runtime may keep for blocking work: every call, and room for health answers and files.
pub(crate) const BLOCKING_THREADS: usize = MAX_CALLS + 32;

/// The version that the server gives of itself.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The server's name where no format brings one.
const DEFAULT_NAME: &str = "mainstay";

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
    "resources/subscribe",
    "resources/unsubscribe",
    "subscriptions/listen",
    "prompts/list",
    "prompts/get",
    "completion/complete",
    "logging/setLevel",
];

/// The server, as one of the requests it answers sees it.
#[derive(Clone)]
pub(crate) struct Server {
    host: Arc<dyn Host>,
    names: ToolNames,
    defaults: Arc<IdentityDefaults>,
    calls: TaskTracker,
    room: Arc<Semaphore>,
    reads: Arc<Semaphore>,
    watcher: Arc<Watcher>,
    /// The one session of a server on stdio; over HTTP each request brings its own.
    session: Option<Arc<Session>>,
    /// Cancelled when no more requests come: what listens ends.
    ending: CancellationToken,
}

impl Server {
    pub(crate) fn new(host: Arc<dyn Host>, names: ToolNames, defaults: IdentityDefaults) -> Self {
        let room = Arc::new(Semaphore::new(MAX_CALLS));
        Self {
            watcher: Watcher::new(Arc::clone(&host)),
            host,
            names,
            defaults: Arc::new(defaults),
            calls: TaskTracker::new(),
            room,
            reads: Arc::new(Semaphore::new(MAX_READS)),
            session: None,
            ending: CancellationToken::new(),
        }
    }

    /// The server of one client, with its session.
    pub(crate) fn with_session(self, session: Arc<Session>) -> Self {
        Self { session: Some(session), ..self }
    }

    /// What is cancelled when no more requests come.
    pub(crate) fn ending(&self) -> &CancellationToken {
        &self.ending
    }

    /// Adds a session to those that are told what happens; returns once nothing more can be missed.
    pub(crate) async fn join(&self, session: &Arc<Session>, joining: Joining) -> Result<(), ErrorData> {
        let (watcher, session) = (Arc::clone(&self.watcher), Arc::clone(session));
        self.ask(move |_| watcher.join(&session, joining)).await
    }

    /// The session of a request, if it has one.
    fn session_of(&self, extensions: &Extensions) -> Option<Arc<Session>> {
        let of_request = || extensions.get::<Parts>()?.extensions.get::<Arc<Session>>().cloned();
        self.session.clone().or_else(of_request)
    }

    /// The level of log messages that a request may be answered with.
    fn level_of(&self, context: &RequestContext<RoleServer>) -> Option<logging::Severity> {
        let parts = context.extensions.get::<Parts>();
        if parts.is_some_and(|parts| parts.extensions.get::<OneAnswer>().is_some()) {
            return None;
        }
        logging::level_of_request(&context.meta).or_else(|| self.session_of(&context.extensions)?.level())
    }

    fn needed_session(&self, extensions: &Extensions) -> Result<Arc<Session>, ErrorData> {
        self.session_of(extensions).ok_or_else(|| {
            let refusal = Refusal::refused("session_required", "without a session there is nobody to be told anything")
                .hint("initialize, accept text/event-stream, and send the Mcp-Session-Id that comes back");
            errors::refused_request(&refusal)
        })
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
        ServerConfig::new(offers::capabilities())
            .with_server_info(Implementation::new(DEFAULT_NAME, VERSION))
            .with_instructions(offers::INSTRUCTIONS)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let mut negotiated = self.negotiate_initialize(&request)?;
        context.peer.set_peer_info(request);
        match self.session_of(&context.extensions) {
            Some(session) => {
                session.begin();
                if self.session.is_some() {
                    // What happens from this answer on is told, however long the client takes to say that it is there.
                    let watcher = Arc::clone(&self.watcher);
                    let _ = self.ask(move |_| watcher.run()).await;
                }
            }
            None => negotiated.capabilities = offers::capabilities_without_session(),
        }
        negotiated.instructions = Some(self.ask(offers::instructions).await?);
        Ok(negotiated.with_server_info(self.implementation().await))
    }

    async fn discover(&self, _context: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let mut info = self.get_info().with_server_info(self.implementation().await);
        info.instructions = Some(self.ask(offers::instructions).await?);
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
        let tool = name.clone();
        let answer = self.ask(move |host| {
            let name = host.tool(&name).map_or(name, |tool| tool.name.to_owned());
            host.call(&Call::new(name, arguments), &identity)
        });
        let result = match answer.await? {
            Ok(reply) => {
                if self.level_of(&context).is_some_and(|level| level <= logging::Severity::WARNING) {
                    logging::send_warnings(&context.peer, &tool, &reply.warnings).await;
                }
                CallToolResult::structured(Value::Object(reply.into_object()))
            }
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
        Ok(ListResourcesResult::with_all_items(resources.into_iter().map(offers::resource).collect()))
    }

    async fn list_resource_templates(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(offers::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri.clone();
        let _one = self.reads.acquire().await.expect("the semaphore is never closed");
        let read = self.ask(move |host| host.read_resource(&uri)).await?;
        let read = read.map_err(|no| errors::refused_request(&no))?;
        let contents = ResourceContents::text(read.text, request.uri).with_mime_type(read.mime);
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let session = self.needed_session(&context.extensions)?;
        let (watcher, subscribed) = (Arc::clone(&self.watcher), Arc::clone(&session));
        let asked = self.ask(move |host| {
            host.check_resource(&request.uri)?;
            subscribed.subscribe(&request.uri)?;
            watcher.join(&subscribed, Joining::InTime);
            Ok(())
        });
        asked.await?.map_err(|no| errors::refused_request(&no))?;
        if self.session.is_some() {
            telling::over_peer(session, context.peer);
        }
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.needed_session(&context.extensions)?.unsubscribe(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let mut accepted = requested.clone();
        if let Some(uris) = &mut accepted.resource_subscriptions {
            uris.retain(|uri| uri.len() <= MAX_URI && self.host.is_resource(uri));
            uris.truncate(MAX_SUBSCRIPTIONS);
        }
        // The answer goes out before the session joins; what happens in between is not to be missed.
        self.watcher.run();
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        telling::over_subscription(self, &context).await
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        if let Some(session) = self.session.clone() {
            telling::over_peer(Arc::clone(&session), context.peer);
            // Where the journal cannot be read, nobody is told of it.
            let _ = self.join(&session, Joining::Late).await;
        }
    }

    async fn set_level(
        &self,
        request: logging::LevelRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.needed_session(&context.extensions)?.set_level(logging::level(&request));
        Ok(())
    }

    async fn list_prompts(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(offers::prompts()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let identity = identity::of_call(&context.meta, &self.defaults).map_err(|no| errors::refused_request(&no))?;
        let arguments: Object = request.arguments.unwrap_or_default();
        let told = self.ask(move |host| host.prompt(&request.name, &arguments, &identity)).await?;
        Ok(offers::prompt_result(told.map_err(|no| errors::refused_request(&no))?).into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let completed = self.ask(move |host| {
            let what = match &request.r#ref {
                Reference::Prompt(prompt) => Completable::Prompt(&prompt.name),
                Reference::Resource(template) => Completable::Template(&template.uri),
                _ => return Err(Refusal::invalid("ref", "only prompts and templates of resources are completed")),
            };
            host.complete(what, &request.argument.name, &request.argument.value)
        });
        let Completion { values, total } = completed.await?.map_err(|no| errors::refused_request(&no))?;
        let has_more = total > values.len();
        let info = CompletionInfo::with_pagination(values, u32::try_from(total).ok(), has_more);
        Ok(CompleteResult::new(info.map_err(|why| ErrorData::internal_error(why, None))?))
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
