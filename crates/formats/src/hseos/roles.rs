//! The role table: which agent may write what.
//!
//! **Source**: seed, section 8.

use model::{Refusal, Value, Warning};

use super::config::RolePolicy;

/// What an agent may give a field.
enum May {
    Any,
    Only(&'static [&'static str]),
}

/// A line of the table.
struct Grant {
    agent: &'static str,
    field: &'static str,
    may: May,
}

const fn grant(agent: &'static str, field: &'static str, may: May) -> Grant {
    Grant { agent, field, may }
}

const ORCHESTRATOR: &str = "ORBIT";

/// `deployment.` stands for every key that begins so.
static GRANTS: &[Grant] = &[
    grant(ORCHESTRATOR, "phase", May::Any),
    grant(ORCHESTRATOR, "active_agent", May::Any),
    grant(ORCHESTRATOR, "status", May::Any),
    grant(ORCHESTRATOR, "epic_id", May::Any),
    grant("NYX", "phase", May::Only(&["discovery"])),
    grant("VECTOR", "phase", May::Only(&["planning"])),
    grant("CIPHER", "phase", May::Only(&["solutioning"])),
    grant("RAZOR", "phase", May::Only(&["coordination"])),
    grant("GHOST", "phase", May::Only(&["execution"])),
    grant("GHOST", "active_agent", May::Any),
    grant("GLITCH", "phase", May::Only(&["validation"])),
    grant("FORGE", "phase", May::Only(&["release"])),
    grant("KUBE", "phase", May::Only(&["gitops"])),
    grant("KUBE", "deployment.", May::Any),
    grant("SABLE", "status", May::Only(&["healthy", "degraded"])),
    grant("QUILL", "phase", May::Only(&["knowledge"])),
];

/// An agent wrote what belongs to others.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Breach {
    agent: String,
    field: String,
    value: String,
    /// For a field, the values that this agent may give it; for a tool, the agents that may call it.
    allowed: Vec<String>,
}

/// Checks one field of a write; `active_agent` is the present one.
pub(super) fn check_field(agent: &str, field: &str, value: &str, active_agent: Option<&str>) -> Option<Breach> {
    let governed = GRANTS.iter().map(|grant| grant.field).find(|known| covers(known, field))?;
    if !is_listed(agent) || field == "active_agent" && active_agent == Some(agent) {
        return None;
    }
    let mut allowed = Vec::new();
    for grant in GRANTS.iter().filter(|grant| grant.agent == agent && grant.field == governed) {
        match grant.may {
            May::Any => return None,
            May::Only(values) if values.contains(&value) => return None,
            May::Only(values) => allowed.extend(values.iter().map(|value| (*value).to_owned())),
        }
    }
    Some(Breach { agent: agent.into(), field: field.into(), value: value.into(), allowed })
}

/// Checks a call of `tool` about the task `id`, which belongs to its `owner`, if any, and to ORBIT.
pub(super) fn check_task(agent: &str, tool: &str, id: &str, owner: Option<&str>) -> Option<Breach> {
    if !is_listed(agent) || agent == ORCHESTRATOR || owner == Some(agent) {
        return None;
    }
    let allowed = owner.into_iter().chain([ORCHESTRATOR]).map(str::to_owned).collect();
    Some(Breach { agent: agent.into(), field: tool.into(), value: id.into(), allowed })
}

/// Turns breaches into warnings, a refusal, or nothing, as the project wants it.
pub(super) fn judge(breaches: &[Breach], policy: RolePolicy) -> Result<Vec<Warning>, Refusal> {
    match (policy, breaches.first()) {
        (RolePolicy::Off, _) => Ok(Vec::new()),
        (RolePolicy::Deny, Some(first)) => Err(Refusal::refused("role_violation", first.message())
            .field(first.field.as_str())
            .allowed(first.allowed())
            .with("agent", first.agent.as_str())
            .with("value", first.value.as_str())),
        _ => Ok(breaches.iter().map(Breach::to_warning).collect()),
    }
}

impl Breach {
    fn message(&self) -> String {
        format!("{} may not write {} = {:?}", self.agent, self.field, self.value)
    }

    fn allowed(&self) -> Value {
        self.allowed.iter().map(String::as_str).collect()
    }

    fn to_warning(&self) -> Warning {
        Warning::new("role_violation", self.message())
            .with("agent", self.agent.as_str())
            .with("field", self.field.as_str())
            .with("value", self.value.as_str())
            .with("allowed", self.allowed())
    }
}

fn covers(known: &str, field: &str) -> bool {
    known == field || known.ends_with('.') && field.starts_with(known)
}

fn is_listed(agent: &str) -> bool {
    GRANTS.iter().any(|grant| grant.agent == agent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_the_table() {
        let allowed = [
            ("ORBIT", "phase", "x"),
            ("ORBIT", "epic_id", ""),
            ("NYX", "phase", "discovery"),
            ("GHOST", "active_agent", "NYX"),
            ("KUBE", "deployment.dev.version", "1"),
            ("SABLE", "status", "healthy"),
            ("SABLE", "branch", "x"),
            ("HELPER", "phase", "x"),
            ("VECTOR", "active_agent", "anyone"),
            ("NYX", "deployments", "x"),
        ];
        for (agent, field, value) in allowed {
            assert_eq!(check_field(agent, field, value, Some("VECTOR")), None, "{agent} {field}");
        }
        let breaches = [
            ("ORBIT", "deployment.dev.version", "1", vec![]),
            ("NYX", "phase", "release", vec!["discovery"]),
            ("NYX", "active_agent", "x", vec![]),
            ("SABLE", "status", "purple", vec!["healthy", "degraded"]),
            ("VECTOR", "epic_id", "x", vec![]),
        ];
        for (agent, field, value, expected) in breaches {
            let breach = check_field(agent, field, value, Some("VECTOR")).unwrap();
            assert_eq!(breach.allowed, expected, "{agent} {field}");
        }
    }

    #[test]
    fn tasks_belong_to_their_owner_and_to_orbit() {
        assert_eq!(check_task("GHOST", "tasks_update", "T1", Some("GHOST")), None);
        assert_eq!(check_task("ORBIT", "tasks_add", "T1", None), None);
        assert_eq!(check_task("cli", "tasks_add", "T1", None), None);
        assert_eq!(check_task("NYX", "tasks_update", "T1", Some("GHOST")).unwrap().allowed, ["GHOST", "ORBIT"]);
        assert_eq!(check_task("NYX", "tasks_add", "T1", None).unwrap().allowed, ["ORBIT"]);
    }
}
