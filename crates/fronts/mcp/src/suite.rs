//! The tools, prompts and resources that the public conformance suite asks for, upon the server as it is.
//!
//! Compiled with the feature `conformance` alone. Sessions, streams, subscriptions, log levels, the guard and the routes
//! are those of every other server; this module only says what its scenarios expect to hear.
//!
//! **Source**: the descriptions of the scenarios in `@modelcontextprotocol/conformance` 0.1.16.

use std::net::SocketAddr;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use engine::{Completable, Completion, Identity, PromptText, Resource, ResourceText, Stir};
use format::{Format, Tool};
use http::request::Parts;
use model::{Call, Object, Refusal, RefusalClass, Reply, Value, Warning};
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult, ContentBlock,
    GetPromptRequestParams, GetPromptResponse, GetPromptResult, InitializeRequestParams, InitializeResult,
    ListPromptsResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProgressNotificationParam, Prompt,
    PromptArgument, PromptMessage, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
    ResourceContents, Role, ServerConfig, SubscribeRequestParams, UnsubscribeRequestParams,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};

use crate::host::Host;
use crate::http::Leaving;
use crate::server::Server;
use crate::{HttpOptions, IdentityDefaults, ServeError, ToolNames, listen, logging};

/// One red pixel, and a tenth of a second of silence.
const IMAGE: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const AUDIO: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=";

/// What the suite's scenarios wait between two messages.
const PAUSE: Duration = Duration::from_millis(50);

const SCHEMA: &str = r##"{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","$defs":{"address":{
"type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},"properties":{"name":{"type":
"string"},"address":{"$ref":"#/$defs/address"}},"additionalProperties":false}"##;

const TOOLS: &[&str] = &[
    "test_simple_text",
    "test_image_content",
    "test_audio_content",
    "test_embedded_resource",
    "test_multiple_content_types",
    "test_tool_with_logging",
    "test_tool_with_progress",
    "test_error_handling",
    "test_reconnection",
];

/// Serves the suite's tools until a signal asks to stop.
///
/// **Errors**: as [`crate::serve_http`].
pub fn serve_suite(http: HttpOptions, on_ready: impl FnOnce(SocketAddr)) -> Result<(), ServeError> {
    let host: Arc<dyn Host> = Arc::new(Nowhere);
    listen::serve_as(host, ToolNames::Underscore, IdentityDefaults::default(), http, on_ready, |server| Suite {
        server,
    })
}

/// A project with two resources and two prompts, in which nothing happens.
struct Nowhere;

impl Host for Nowhere {
    fn root(&self) -> PathBuf {
        "/".into()
    }

    fn formats(&self) -> &'static [&'static dyn Format] {
        &[]
    }

    fn formats_on(&self) -> Vec<&'static dyn Format> {
        Vec::new()
    }

    fn no_project(&self) -> Option<Refusal> {
        None
    }

    fn tool(&self, _name: &str) -> Option<&'static Tool> {
        None
    }

    fn call(&self, _call: &Call, _identity: &Identity) -> Result<Reply, Refusal> {
        Err(Refusal::new(RefusalClass::Usage, "unknown_tool", "no such tool"))
    }

    fn resources(&self) -> Result<Vec<Resource>, Refusal> {
        let resource = |name: &str, mime| Resource {
            uri: format!("test://{name}"),
            name: name.to_owned(),
            description: format!("The suite's {name}"),
            mime,
        };
        Ok(vec![
            resource("static-text", "text/plain"),
            resource("static-binary", "image/png"),
            resource("watched-resource", "text/plain"),
        ])
    }

    fn read_resource(&self, uri: &str) -> Result<ResourceText, Refusal> {
        let template = uri.strip_prefix("test://template/").and_then(|rest| rest.strip_suffix("/data"));
        if let Some(id) = template {
            let data = [("id", id), ("data", &format!("Data for ID: {id}"))];
            let object: Object = data.into_iter().map(|(name, value)| (name.to_owned(), Value::from(value))).collect();
            return Ok(ResourceText { text: Value::Object(object).to_string(), mime: "application/json" });
        }
        self.check_resource(uri)?;
        Ok(ResourceText { text: "This is the content of the static text resource.".to_owned(), mime: "text/plain" })
    }

    fn check_resource(&self, uri: &str) -> Result<(), Refusal> {
        let known = self.resources()?.iter().any(|resource| resource.uri == uri);
        if known { Ok(()) } else { Err(Refusal::refused("resource_not_found", "no such resource")) }
    }

    fn is_resource(&self, uri: &str) -> bool {
        uri.starts_with("test://")
    }

    fn stirrings(&self, told: &mut dyn FnMut(&Stir) -> ControlFlow<()>) -> Result<(), Refusal> {
        while told(&Stir::default()).is_continue() {
            std::thread::sleep(PAUSE);
        }
        Ok(())
    }

    fn prompt(&self, name: &str, arguments: &Object, _identity: &Identity) -> Result<PromptText, Refusal> {
        match name {
            "test_simple_prompt" => {
                Ok(PromptText { description: "A simple prompt", text: "This is a simple prompt for testing.".into() })
            }
            "test_prompt_with_arguments" => {
                let text = format!("Prompt with arguments: {}", Value::Object(arguments.clone()));
                Ok(PromptText { description: "A prompt with arguments", text })
            }
            _ => Err(Refusal::invalid("name", "no such prompt")),
        }
    }

    fn complete(&self, what: Completable<'_>, _argument: &str, begun: &str) -> Result<Completion, Refusal> {
        match what {
            Completable::Prompt("test_prompt_with_arguments") => {
                Ok(Completion { values: vec![format!("{begun}Value1"), format!("{begun}Value2")], total: 2 })
            }
            _ => Err(Refusal::invalid("ref", "no such reference")),
        }
    }
}

/// The server, with the suite's tools before its own.
#[derive(Clone)]
struct Suite {
    server: Server,
}

impl Suite {
    async fn call(&self, name: &str, context: &RequestContext<RoleServer>) -> Option<CallToolResult> {
        let say = async |message: &str| {
            let warning = Warning::new("suite", message);
            logging::send_warnings(&context.peer, name, &[warning]).await;
            tokio::time::sleep(PAUSE).await;
        };
        Some(match name {
            "test_simple_text" => text("This is a simple text response for testing."),
            "test_image_content" => CallToolResult::success(vec![ContentBlock::image(IMAGE, "image/png")]),
            "test_audio_content" => CallToolResult::success(vec![ContentBlock::audio(AUDIO, "audio/wav")]),
            "test_embedded_resource" => CallToolResult::success(vec![embedded("test://embedded-resource")]),
            "test_multiple_content_types" => CallToolResult::success(vec![
                ContentBlock::text("Multiple content types test:"),
                ContentBlock::image(IMAGE, "image/png"),
                embedded("test://mixed-content-resource"),
            ]),
            "test_tool_with_logging" => {
                for message in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
                    say(message).await;
                }
                text("Tool with logging executed successfully")
            }
            "test_tool_with_progress" => {
                let token = context.meta.get_progress_token();
                for (progress, token) in [0.0, 50.0, 100.0].into_iter().zip(std::iter::repeat(token)) {
                    if let Some(token) = token {
                        let told = ProgressNotificationParam::new(token, progress).with_total(100.0);
                        let _ = context.peer.notify_progress(told).await;
                    }
                    tokio::time::sleep(PAUSE).await;
                }
                text("Tool with progress executed successfully")
            }
            "test_error_handling" => {
                let content = vec![ContentBlock::text("This tool intentionally returns an error for testing")];
                CallToolResult::error(content)
            }
            "test_reconnection" => {
                say("The connection leaves in a moment").await;
                // As if a newcomer needed its place.
                let parts = context.extensions.get::<Parts>();
                if let Some(leaving) = parts.and_then(|parts| parts.extensions.get::<Leaving>()) {
                    leaving.0.cancel();
                }
                tokio::time::sleep(PAUSE).await;
                text("Reconnection test completed")
            }
            _ => return None,
        })
    }
}

fn text(text: &str) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}

fn embedded(uri: &str) -> ContentBlock {
    ContentBlock::resource(
        ResourceContents::text("This is an embedded resource content.", uri).with_mime_type("text/plain"),
    )
}

fn object(text: &str) -> Object {
    serde_json::from_str(text).expect("the text is a JSON object")
}

impl ServerHandler for Suite {
    fn get_info(&self) -> ServerConfig {
        self.server.get_info()
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        self.server.initialize(request, context).await
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tool = |name: &'static str, schema: &str| {
            rmcp::model::Tool::new(name, format!("The suite's {name}"), object(schema))
        };
        let mut tools: Vec<_> = TOOLS.iter().map(|name| tool(name, r#"{"type":"object"}"#)).collect();
        tools.push(tool("json_schema_2020_12_tool", SCHEMA));
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        match self.call(&request.name, &context).await {
            Some(result) => Ok(result.into()),
            None => self.server.call_tool(request, context).await,
        }
    }

    async fn list_resources(
        &self,
        page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.server.list_resources(page, context).await
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        if request.uri == "test://static-binary" {
            let contents = ResourceContents::blob(IMAGE, request.uri).with_mime_type("image/png");
            return Ok(ReadResourceResult::new(vec![contents]).into());
        }
        self.server.read_resource(request, context).await
    }

    #[expect(deprecated, reason = "the suite speaks the older revisions")]
    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.server.subscribe(request, context).await
    }

    #[expect(deprecated, reason = "the suite speaks the older revisions")]
    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.server.unsubscribe(request, context).await
    }

    async fn set_level(
        &self,
        request: logging::LevelRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.server.set_level(request, context).await
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        self.server.complete(request, context).await
    }

    async fn list_prompts(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let prompt = |name: &str, arguments: &[&str]| {
            let arguments = arguments.iter().map(|name| PromptArgument::new(*name).with_required(true)).collect();
            Prompt::new(name, Some(format!("The suite's {name}")), Some(arguments))
        };
        Ok(ListPromptsResult::with_all_items(vec![
            prompt("test_simple_prompt", &[]),
            prompt("test_prompt_with_arguments", &["arg1", "arg2"]),
            prompt("test_prompt_with_embedded_resource", &["resourceUri"]),
            prompt("test_prompt_with_image", &[]),
        ]))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let content = match request.name.as_str() {
            "test_prompt_with_embedded_resource" => embedded("test://example-resource"),
            "test_prompt_with_image" => ContentBlock::image(IMAGE, "image/png"),
            _ => return self.server.get_prompt(request, context).await,
        };
        Ok(GetPromptResult::new(vec![PromptMessage::new(Role::User, content)]).into())
    }
}
