//! What the front asks of the engine, as a trait, so that tests need no project.

use std::ops::ControlFlow;
use std::path::PathBuf;

use engine::{Completable, Completion, Engine, Identity, PromptText, Resource, ResourceText, Stir};
use format::{Format, Tool};
use model::{Call, Object, Refusal, Reply};

/// One project that answers. Every method may block.
pub(crate) trait Host: Send + Sync + 'static {
    /// The canonical project root.
    fn root(&self) -> PathBuf;
    /// All formats, in the order of the roll-call.
    fn formats(&self) -> &'static [&'static dyn Format];
    /// The formats that are on in this project.
    fn formats_on(&self) -> Vec<&'static dyn Format>;
    /// Why there is no project here, where there is none.
    fn no_project(&self) -> Option<Refusal>;
    /// The tool of a name in either spelling.
    fn tool(&self, name: &str) -> Option<&'static Tool>;
    /// Carries a call through the rooms.
    fn call(&self, call: &Call, identity: &Identity) -> Result<Reply, Refusal>;
    /// What clients may read.
    fn resources(&self) -> Result<Vec<Resource>, Refusal>;
    /// The text of a resource.
    fn read_resource(&self, uri: &str) -> Result<ResourceText, Refusal>;
    /// Refuses a URI at which nothing can be read.
    fn check_resource(&self, uri: &str) -> Result<(), Refusal>;
    /// Whether a URI has the form of one at which something may be read; asks no store.
    fn is_resource(&self, uri: &str) -> bool;
    /// Tells of what happens from now on, until it is told to stop; the first time at once, to say that it has begun.
    fn stirrings(&self, told: &mut dyn FnMut(&Stir) -> ControlFlow<()>) -> Result<(), Refusal>;
    /// Tells a prompt.
    fn prompt(&self, name: &str, arguments: &Object, identity: &Identity) -> Result<PromptText, Refusal>;
    /// Completes a value.
    fn complete(&self, what: Completable<'_>, argument: &str, begun: &str) -> Result<Completion, Refusal>;
}

impl Host for Engine {
    fn root(&self) -> PathBuf {
        Engine::root(self).to_owned()
    }

    fn formats(&self) -> &'static [&'static dyn Format] {
        Engine::formats(self)
    }

    fn formats_on(&self) -> Vec<&'static dyn Format> {
        Engine::formats_on(self)
    }

    fn no_project(&self) -> Option<Refusal> {
        Engine::no_project(self)
    }

    fn tool(&self, name: &str) -> Option<&'static Tool> {
        Engine::tool(self, name).map(|(_, tool)| tool)
    }

    fn call(&self, call: &Call, identity: &Identity) -> Result<Reply, Refusal> {
        Engine::no_project(self).map_or_else(|| Engine::call(self, call, identity), Err)
    }

    fn resources(&self) -> Result<Vec<Resource>, Refusal> {
        Engine::resources(self)
    }

    fn read_resource(&self, uri: &str) -> Result<ResourceText, Refusal> {
        Engine::read_resource(self, uri)
    }

    fn check_resource(&self, uri: &str) -> Result<(), Refusal> {
        Engine::check_resource(self, uri)
    }

    fn is_resource(&self, uri: &str) -> bool {
        engine::is_resource(uri)
    }

    fn stirrings(&self, told: &mut dyn FnMut(&Stir) -> ControlFlow<()>) -> Result<(), Refusal> {
        Engine::stirrings(self, told)
    }

    fn prompt(&self, name: &str, arguments: &Object, identity: &Identity) -> Result<PromptText, Refusal> {
        Engine::prompt(self, name, arguments, identity)
    }

    fn complete(&self, what: Completable<'_>, argument: &str, begun: &str) -> Result<Completion, Refusal> {
        Engine::complete(self, what, argument, begun)
    }
}
