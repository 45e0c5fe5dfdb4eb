//! The project that a command works on, before it is opened.

use std::sync::Arc;

use engine::{Engine, Identity, Setup};
use model::{Origin, Refusal};

use crate::hosts::Hosts;
use crate::route::Globals;
use crate::servers::Servers;

/// What a command starts from.
pub(crate) struct Project {
    /// What the engine is made from.
    pub(crate) setup: Setup,
    /// The servers that this program can start.
    pub(crate) servers: Servers,
    /// The doors for hosts.
    pub(crate) hosts: Hosts,
    /// The options that every command takes.
    pub(crate) globals: Globals,
}

impl Project {
    /// Who calls through `origin`.
    pub(crate) fn identity(&self, origin: Origin) -> Identity {
        self.globals.identity(&self.setup.env, origin)
    }

    /// The same start once more, for what must read the settings again.
    pub(crate) fn twin(&self) -> Self {
        let Setup { project, cwd, env, formats, stores } = &self.setup;
        let setup =
            Setup { project: project.clone(), cwd: cwd.clone(), env: env.clone(), formats, stores: Arc::clone(stores) };
        Self { setup, servers: self.servers, hosts: self.hosts, globals: self.globals.clone() }
    }

    /// As [`Project::open`], for a process that ends with its answer.
    ///
    /// The engine is never taken apart: ending gives everything back at once, and closing a database
    /// by the book costs a short command a tenth of its time.
    pub(crate) fn open_for_one_answer(self) -> Result<&'static Engine, Refusal> {
        Ok(Box::leak(Box::new(self.open()?)))
    }

    /// As [`Project::open_for_one_answer`], for a host, which is answered whatever the settings are.
    pub(crate) fn open_for_host(self) -> Result<&'static Engine, Refusal> {
        Ok(Box::leak(Box::new(Engine::open_for_host(self.into_setup())?)))
    }

    /// Finds the project; opens and creates nothing.
    pub(crate) fn open(self) -> Result<Engine, Refusal> {
        Engine::open(self.into_setup())
    }

    fn into_setup(self) -> Setup {
        let project = self.globals.project.or(self.setup.project);
        Setup { project, ..self.setup }
    }
}
