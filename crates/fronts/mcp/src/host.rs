//! What the front asks of the engine, as a trait, so that tests need no project.

use std::path::PathBuf;

use engine::{Engine, Identity, Resource};
use format::{Format, Tool};
use model::{Call, Refusal, Reply};

/// One project that answers. Every method may block.
pub(crate) trait Host: Send + Sync + 'static {
    /// The canonical project root.
    fn root(&self) -> PathBuf;
    /// All formats, in the order of the roll-call.
    fn formats(&self) -> &'static [&'static dyn Format];
    /// The formats that are on in this project.
    fn formats_on(&self) -> Vec<&'static dyn Format>;
    /// The tool of a name in either spelling.
    fn tool(&self, name: &str) -> Option<&'static Tool>;
    /// Carries a call through the rooms.
    fn call(&self, call: &Call, identity: &Identity) -> Result<Reply, Refusal>;
    /// What clients may read.
    fn resources(&self) -> Result<Vec<Resource>, Refusal>;
    /// The text of a resource.
    fn read_resource(&self, uri: &str) -> Result<String, Refusal>;
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

    fn tool(&self, name: &str) -> Option<&'static Tool> {
        Engine::tool(self, name).map(|(_, tool)| tool)
    }

    fn call(&self, call: &Call, identity: &Identity) -> Result<Reply, Refusal> {
        Engine::call(self, call, identity)
    }

    fn resources(&self) -> Result<Vec<Resource>, Refusal> {
        Engine::resources(self)
    }

    fn read_resource(&self, uri: &str) -> Result<String, Refusal> {
        Engine::read_resource(self, uri)
    }
}
