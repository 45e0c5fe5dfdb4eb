//! What a call must pass before its scope is looked at, and which spaces it is about.
//!
//! **Order**: arguments, `not_initialized`, `spec_invalid`, agent id. The state file follows when it
//! is read, then `if_seq`, then the patch.

use format::{FileState, Files, Irregular, Records, Tool, View};
use model::{Call, Context, ProjectPath, Refusal, Scan, Space, Warning};

use super::records::Kind;
use super::scope::{AgentId, Place, Scope, agents_folder, check_initialised, outside};
use super::spec::{self, Spec};
use super::surface::SURFACE;
use super::{arguments, checkpoints, copies};

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
    let tool = checked(call, view, ctx)?;
    let spec = spec::load(view, ctx);
    let spec = if needs_spec(tool, call) { Ok(spec?) } else { spec };
    let scope = scope(tool, call, ctx)?;
    if !tool.is_read() {
        check_links(tool, &scope, view.files)?;
    }
    Ok(Admitted { tool: tool.name, scope, spec })
}

/// The spaces that a call is about, the one that it may change first.
///
/// Each call asks for them several times, so the spec is read only where its refusal comes first.
pub(super) fn spaces(call: &Call, view: &View<'_>, ctx: &Context) -> Result<Vec<Space>, Refusal> {
    let tool = checked(call, view, ctx)?;
    let scope = scope(tool, call, ctx).or_else(|wrong| {
        if needs_spec(tool, call) {
            spec::load(view, ctx)?;
        }
        Err(wrong)
    })?;
    Ok(spaces_of(tool, &scope, view))
}

// The tool of a call whose arguments are of the right types, in a project that uses the format.
fn checked(call: &Call, view: &View<'_>, ctx: &Context) -> Result<&'static Tool, Refusal> {
    let tool = SURFACE.tool(&call.tool).ok_or_else(|| arguments::unknown_tool(&call.tool))?;
    arguments::check(tool, &call.arguments)?;
    if !matches!(tool.name, "spec_get" | "skillstate_init") {
        check_initialised(view.files, ctx)?;
    }
    Ok(tool)
}

fn needs_spec(tool: &Tool, call: &Call) -> bool {
    match tool.name {
        "state_patch" | "state_validate" | "state_rollback" | "agent_merge" | "spec_get" | "spec_next" => true,
        "skillstate_init" => !call.arguments.contains_key("spec"),
        _ => false,
    }
}

fn scope(tool: &Tool, call: &Call, ctx: &Context) -> Result<Scope, Refusal> {
    match arguments::text(&call.arguments, "agent") {
        Some(id) if matches!(tool.name, "agent_read" | "agent_merge") => AgentId::given(id).map(Scope::Agent),
        // Hooks name their own scope; the environment of a session says nothing about it.
        None if tool.name.starts_with("skillstate_") => Ok(Scope::Main),
        None if tool.params.iter().all(|param| param.name != "agent") => Ok(Scope::Main),
        agent => Scope::chosen(agent, ctx),
    }
}

// Refuses a write next to links: through them something outside the project would be written.
fn check_links(tool: &Tool, scope: &Scope, files: &dyn Files) -> Result<(), Refusal> {
    let is_link = |path: &ProjectPath| files.read(path, 0) == FileState::Irregular(Irregular::Link);
    let main = (tool.name == "agent_merge").then_some(&Scope::Main);
    let metas = std::iter::once(scope).chain(main).map(Scope::meta_path);
    let folder = scope.checkpoint_folder();
    let mut files_beneath = Vec::new();
    if keeps_checkpoints(tool) {
        if is_link(&folder) && folder.join("0").is_ok_and(|beneath| is_link(&beneath)) {
            return Err(outside(&folder));
        }
        let names = files.list(&folder).into_iter();
        files_beneath = names.filter_map(|name| checkpoints::path(scope, checkpoints::id_of(&name)?)).collect();
    }
    match metas.chain(files_beneath).find(is_link) {
        Some(path) => Err(outside(&path)),
        None => Ok(()),
    }
}

fn keeps_checkpoints(tool: &Tool) -> bool {
    matches!(tool.name, "state_checkpoint" | "state_rollback" | "skillstate_init")
}

impl Admitted {
    /// The warning of tools that go on without a valid spec.
    pub(super) fn warning(&self) -> Option<Warning> {
        let refusal = self.spec.as_ref().err()?;
        Some(Warning { code: refusal.code.clone(), message: refusal.message.clone(), details: refusal.details.clone() })
    }
}

fn spaces_of(tool: &Tool, scope: &Scope, view: &View<'_>) -> Vec<Space> {
    let mut spaces = match tool.name {
        "spec_get" => return Vec::new(),
        "agent_list" => return all(view),
        "agent_merge" => vec![Scope::Main.space(), scope.space()],
        _ => vec![scope.space()],
    };
    if keeps_checkpoints(tool) {
        spaces.push(scope.checkpoint_space());
    }
    // A copy that is not there yet comes from main; what its response lacked is told to main.
    let asks_main = tool.name == "skillstate_respond" || !copies::is_known(view, scope);
    if asks_main && *scope != Scope::Main && tool.name != "agent_merge" {
        spaces.push(Scope::Main.space());
    }
    spaces
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
