//! Scopes: the state of the project, and the copies of its sub-agents; where each lives.

use format::{FileState, Files, Irregular};
use model::{Context, ProjectPath, Refusal, Space};

/// The folder of the format.
pub(super) const FOLDER: &str = ".skillstate";

/// The state of main, or of one sub-agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// The project's own state.
    Main,
    /// A sub-agent's copy.
    Agent(AgentId),
}

/// The id of a sub-agent: `[A-Za-z0-9_-]{1,64}` and not `main`, so that it may name a folder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct AgentId(String);

/// What a space of the format holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// State and session meta of a scope.
    State(Scope),
    /// The checkpoints of a scope. Only what is about them has to read their files.
    Checkpoints(Scope),
}

impl AgentId {
    /// Accepts a well-formed id.
    pub(super) fn new(id: &str) -> Option<Self> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
        let fits = (1..=64).contains(&id.len()) && id.bytes().all(is_plain);
        (fits && id != "main").then(|| Self(id.to_owned()))
    }

    /// The id that an argument gives. **Errors**: `invalid_agent_id`.
    pub(super) fn given(id: &str) -> Result<Self, Refusal> {
        Self::new(id).ok_or_else(|| {
            Refusal::refused("invalid_agent_id", format!("{id:?} names no sub-agent"))
                .field("agent")
                .allowed("[A-Za-z0-9_-]{1,64}, not main")
        })
    }

    /// The id as text.
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

impl Scope {
    /// The scope that `agent` and the environment choose. **Errors**: `invalid_agent_id`.
    pub(super) fn chosen(agent: Option<&str>, ctx: &Context) -> Result<Self, Refusal> {
        match agent.or_else(|| ctx.var("SKILLSTATE_AGENT_ID")) {
            None | Some("main") => Ok(Self::Main),
            Some(id) => AgentId::given(id).map(Self::Agent),
        }
    }

    /// The sub-agent, if it is one.
    pub(super) fn agent(&self) -> Option<&AgentId> {
        match self {
            Self::Main => None,
            Self::Agent(id) => Some(id),
        }
    }

    /// The space of its state and session meta.
    pub(super) fn space(&self) -> Space {
        match self {
            Self::Main => Space::known("skillstate"),
            Self::Agent(id) => Space::new(format!("skillstate/agents/{}", id.0)),
        }
    }

    /// The space of its checkpoints.
    pub(super) fn checkpoint_space(&self) -> Space {
        Space::new(format!("{}/checkpoints", self.space()))
    }

    /// The state file.
    pub(super) fn state_path(&self) -> ProjectPath {
        self.beneath("skillstate.json")
    }

    /// The session meta file.
    pub(super) fn meta_path(&self) -> ProjectPath {
        self.beneath(".session-meta.json")
    }

    /// The folder of the checkpoints.
    pub(super) fn checkpoint_folder(&self) -> ProjectPath {
        self.beneath("checkpoints")
    }

    fn beneath(&self, name: &str) -> ProjectPath {
        let path = match self {
            Self::Main => format!("{FOLDER}/{name}"),
            Self::Agent(id) => format!("{FOLDER}/agents/{}/{name}", id.0),
        };
        ProjectPath::new(path).expect("ids hold neither dots nor slashes")
    }
}

impl Place {
    /// What the space holds; `None` for a space that no scope has.
    pub(super) fn of(space: &Space) -> Option<Self> {
        let parts: Vec<&str> = space.as_str().split('/').collect();
        let agent = |id: &str| AgentId::new(id).map(Scope::Agent);
        match parts[..] {
            ["skillstate"] => Some(Self::State(Scope::Main)),
            ["skillstate", "checkpoints"] => Some(Self::Checkpoints(Scope::Main)),
            ["skillstate", "agents", id] => agent(id).map(Self::State),
            ["skillstate", "agents", id, "checkpoints"] => agent(id).map(Self::Checkpoints),
            _ => None,
        }
    }
}

/// The folder of the sub-agents' copies.
pub(super) fn agents_folder() -> ProjectPath {
    ProjectPath::known(".skillstate/agents")
}

/// Refuses where the format is not in use: its folder does not stand and `mainstay.toml` does not list it.
///
/// **Errors**: `not_initialized`; `path_outside_project` for a folder that is a link out of the project.
pub(super) fn check_initialised(files: &dyn Files, ctx: &Context) -> Result<(), Refusal> {
    let folder = ProjectPath::known(FOLDER);
    let is_link = files.read(&folder, 0) == FileState::Irregular(Irregular::Link);
    if is_link && files.read(&Scope::Main.state_path(), 0) == FileState::Irregular(Irregular::Link) {
        return Err(outside(&folder));
    }
    if is_link || files.is_folder(&folder) || is_listed(ctx) {
        return Ok(());
    }
    Err(Refusal::refused("not_initialized", "this project keeps no skillstate notes")
        .hint("mainstay skillstate init turns them on"))
}

/// The refusal of a path that is a link.
pub(super) fn outside(path: &ProjectPath) -> Refusal {
    Refusal::refused("path_outside_project", format!("{path} is a symbolic link; links are not followed"))
        .with("path", path.as_str())
        .hint("replace the link by what it stands for")
}

fn is_listed(ctx: &Context) -> bool {
    let listed = ctx.settings.get("formats").and_then(model::Value::as_array);
    listed.is_some_and(|listed| listed.iter().any(|name| name.as_str() == Some("skillstate")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_never_leave_their_folder() {
        for id in ["a", "W_1-x", &"a".repeat(64)] {
            let scope = Scope::Agent(AgentId::new(id).unwrap());
            assert_eq!(scope.state_path().as_str(), format!(".skillstate/agents/{id}/skillstate.json"));
            assert_eq!(Place::of(&scope.space()), Some(Place::State(scope.clone())));
            assert_eq!(Place::of(&scope.checkpoint_space()), Some(Place::Checkpoints(scope)));
        }
        for id in ["", "main", "..", "a b", "a/b", "a.b", "ä", "a\n", &"a".repeat(65)] {
            assert_eq!(AgentId::new(id), None, "{id:?}");
        }
        assert_eq!(Place::of(&Space::known("skillstate/agents/../x")), None);
    }
}
