//! What is offered besides tools, as the protocol lists it: capabilities, resources, templates, prompts.

use engine::{PROMPTS, PromptText, RESOURCE_TEMPLATES};
use model::Refusal;
use rmcp::model::{
    GetPromptResult, Prompt, PromptArgument, PromptMessage, Resource, ResourceTemplate, Role, ServerCapabilities,
};

use crate::host::Host;

/// What every client is told of the server.
pub(crate) const INSTRUCTIONS: &str = "The working state of this project: what is being built, its tasks, their owners \
and history. Read it before you start and write it as you go; every write is durable, atomic and can be undone. Say who \
you are in _meta.actor or the tool's own argument. A retry with the same _meta.requestId is applied once. The prompts \
resume, handoff and plan-next sum it up; mainstay://state, tasks and history can be read and subscribed to.";

/// What a client is told of this server: that there is no project, where there is none.
pub(crate) fn instructions(host: &dyn Host) -> String {
    match host.no_project() {
        Some(Refusal { message, hint: Some(hint), .. }) => format!("{message}: {hint}"),
        Some(Refusal { message, .. }) => message,
        None => INSTRUCTIONS.to_owned(),
    }
}

/// What a client with a session, or one of the newest revision, may use.
#[expect(deprecated, reason = "logging leaves the protocol some day; hosts that speak older revisions use it")]
pub(crate) fn capabilities() -> ServerCapabilities {
    ServerCapabilities::builder()
        .enable_tools()
        .enable_tool_list_changed()
        .enable_resources()
        .enable_resources_subscribe()
        .enable_resources_list_changed()
        .enable_prompts()
        .enable_completions()
        .enable_logging()
        .build()
}

/// What a client of an older revision may use that cannot be told anything by itself.
pub(crate) fn capabilities_without_session() -> ServerCapabilities {
    ServerCapabilities::builder().enable_tools().enable_resources().enable_prompts().enable_completions().build()
}

/// A resource.
pub(crate) fn resource(resource: engine::Resource) -> Resource {
    let shown = Resource::new(resource.uri, resource.name).with_mime_type(resource.mime);
    if resource.description.is_empty() { shown } else { shown.with_description(resource.description) }
}

/// The families of resources.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    let shown = |one: &engine::ResourceTemplate| {
        ResourceTemplate::new(one.uri, one.name).with_description(one.description).with_mime_type(one.mime)
    };
    RESOURCE_TEMPLATES.iter().map(shown).collect()
}

/// The prompts.
pub(crate) fn prompts() -> Vec<Prompt> {
    let shown = |prompt: &engine::Prompt| {
        let argument = |one: &engine::PromptArgument| {
            PromptArgument::new(one.name).with_description(one.description).with_required(false)
        };
        let arguments = prompt.arguments.iter().map(argument).collect();
        Prompt::new(prompt.name, Some(prompt.description), Some(arguments)).with_title(prompt.title)
    };
    PROMPTS.iter().map(shown).collect()
}

/// A prompt that was told: one message of the person's.
pub(crate) fn prompt_result(told: PromptText) -> GetPromptResult {
    GetPromptResult::new(vec![PromptMessage::new_text(Role::User, told.text)]).with_description(told.description)
}
