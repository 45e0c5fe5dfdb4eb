//! What a call must pass before its scope is looked at, and which spaces it is about.
//!
//! **Order**: arguments, `not_initialized`, `spec_invalid`, agent id. The state file follows when it
//! is read, then `if_seq`, then the patch.

use format::{Files, Records, View};
use model::{Call, Context, Refusal, Scan, Space, Warning};

use super::records::Kind;
use super::scope::{AgentId, Place, Scope, agents_folder, check_initialised};
use super::spec::{self, Spec};
use super::surface::SURFACE;
use super::{arguments, copies};

/// A call that may be thought about.
pub(super) struct Admitted {
    /// The name of its tool.
    pub(super) tool: &'static str,
    /// The scope that it is about; main where it is about none.
    pub(super) scope: Scope,
    /// The spec in force; tools that need none go on without a valid one.
    pub(super) spec: Result<Spec, Refusal>,
}

/// Checks a call.
pub(super) fn admit(call: &Call, view: &View<'_>, ctx: &Context) -> Result<Admitted, Refusal> {
    let tool = SURFACE.tool(&call.tool).ok_or_else(|| arguments::unknown_tool(&call.tool))?;
    arguments::check(tool, &call.arguments)?;
    if !matches!(tool.name, "spec_get" | "skillstate_init") {
        check_initialised(view.files, ctx)?;
    }
    let spec = spec::load(view, ctx);
    let needs_spec = matches!(
        tool.name,
        "state_patch" | "state_validate" | "state_rollback" | "agent_merge" | "spec_get" | "spec_next"
    ) || tool.name == "skillstate_init" && !call.arguments.contains_key("spec");
    let spec = if needs_spec { Ok(spec?) } else { spec };
    let agent = arguments::text(&call.arguments, "agent");
    let scope = match agent {
        Some(id) if matches!(tool.name, "agent_read" | "agent_merge") => Scope::Agent(AgentId::given(id)?),
        None if tool.name != "spec_next" && !tool.name.starts_with("state_") => Scope::Main,
        _ => Scope::chosen(agent, ctx)?,
    };
    Ok(Admitted { tool: tool.name, scope, spec })
}

impl Admitted {
    /// The warning of tools that go on without a valid spec.
    pub(super) fn warning(&self) -> Option<Warning> {
        let refusal = self.spec.as_ref().err()?;
        Some(Warning { code: refusal.code.clone(), message: refusal.message.clone(), details: refusal.details.clone() })
    }

    /// The spaces that the call is about, the one that it may change first.
    pub(super) fn spaces(&self, view: &View<'_>) -> Vec<Space> {
        let mut spaces = match self.tool {
            "spec_get" => return Vec::new(),
            "agent_list" => return all(view),
            "agent_merge" => vec![Scope::Main.space(), self.scope.space()],
            _ => vec![self.scope.space()],
        };
        match self.tool {
            "state_checkpoint" | "state_rollback" | "skillstate_init" => spaces.push(self.scope.checkpoint_space()),
            _ => {}
        }
        // A copy that is not there yet comes from main; what its response lacked is told to main.
        let asks_main = self.tool == "skillstate_respond" || !copies::is_known(view, &self.scope);
        if asks_main && self.scope != Scope::Main && self.tool != "agent_merge" {
            spaces.push(Scope::Main.space());
        }
        spaces
    }
}

/// Every space of the format, checkpoints left out: main, then the copies by id.
pub(super) fn all(view: &View<'_>) -> Vec<Space> {
    std::iter::once(Scope::Main)
        .chain(agents(view.records, view.files).into_iter().map(Scope::Agent))
        .map(|scope| scope.space())
        .collect()
}

/// Every space of the format, each scope's checkpoints behind its state.
pub(super) fn all_with_checkpoints(view: &View<'_>) -> Vec<Space> {
    let with_checkpoints = |space: Space| match Place::of(&space) {
        Some(Place::State(scope)) => vec![space, scope.checkpoint_space()],
        _ => vec![space],
    };
    all(view).into_iter().flat_map(with_checkpoints).collect()
}

/// The sub-agents, by id: those that were forked here, and those that have a folder.
pub(super) fn agents(records: &dyn Records, files: &dyn Files) -> Vec<AgentId> {
    let forked = records.scan(&Scope::Main.space(), Kind::Agent.word(), &Scan::all());
    let forked = forked.into_iter().filter_map(|(id, _)| AgentId::new(id.as_str()));
    let has_folder = |id: &AgentId| agents_folder().join(id.as_str()).is_ok_and(|folder| files.is_folder(&folder));
    let foreign = files.list(&agents_folder()).into_iter().filter_map(|name| AgentId::new(&name)).filter(has_folder);
    let mut agents: Vec<AgentId> = forked.chain(foreign).collect();
    agents.sort_unstable();
    agents.dedup();
    agents
}
