//! `hseos_detect`: which backend a session works with. Looks, and writes nothing.

use format::{DatabaseProbe, HealthProbe, View};
use model::{Context, Refusal, Reply, Value, Warning};

use super::config::{self, Config, Mode};
use super::records::members;

/// The name by which our server answers.
pub(super) const SERVER_NAME: &str = "hseos-project-state";

/// The tool: `{mode, configured}`.
pub(super) fn detect(view: &View<'_>, ctx: &Context) -> Result<Reply, Refusal> {
    let config = config::read(view.files, ctx)?;
    let (mode, warnings) = walk(&config, view, ctx);
    let body = members([("mode", mode.word().into()), ("configured", config.mode.word().into())]);
    Ok(Reply::new(body, warnings))
}

/// The backend, with a warning for each step down; only `hybrid` looks.
pub(super) fn walk(config: &Config, view: &View<'_>, ctx: &Context) -> (Mode, Vec<Warning>) {
    if config.mode != Mode::Hybrid {
        return (config.mode, Vec::new());
    }
    let mut warnings = Vec::new();
    for (at, mode) in config.fallback_chain.iter().enumerate() {
        let problem = match mode {
            Mode::SkillOnly | Mode::Hybrid => return (Mode::SkillOnly, warnings),
            Mode::McpSqlite => match server(config.port, view, ctx) {
                Server::Ours => return (*mode, warnings),
                Server::Silent => None,
                Server::Foreign => Some(foreign(config.port)),
            },
            Mode::CliSqlite => match view.probes.database(&config.place) {
                DatabaseProbe::Usable | DatabaseProbe::Creatable => return (*mode, warnings),
                DatabaseProbe::Impossible => None,
                DatabaseProbe::Corrupt => Some(corrupt(&config.place)),
            },
        };
        warnings.extend(problem);
        let next = config.fallback_chain.get(at + 1).copied().unwrap_or(Mode::SkillOnly);
        warnings.push(fallback(*mode, next));
    }
    (Mode::SkillOnly, warnings)
}

/// What listens on our port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Server {
    Ours,
    Foreign,
    Silent,
}

/// Asks the port; only a server of this project counts as ours.
pub(super) fn server(port: u16, view: &View<'_>, ctx: &Context) -> Server {
    match view.probes.health(port) {
        HealthProbe::Silent => Server::Silent,
        HealthProbe::Foreign => Server::Foreign,
        HealthProbe::Healthy(health) => {
            let says = |name, text| health.get(name).and_then(Value::as_str) == Some(text);
            if says("server", SERVER_NAME) && says("project", &ctx.root) { Server::Ours } else { Server::Foreign }
        }
    }
}

/// The warning about one step down.
pub(super) fn fallback(from: Mode, to: Mode) -> Warning {
    Warning::new("fallback", format!("{} unavailable, using {}", from.title(), to.title()))
}

fn foreign(port: u16) -> Warning {
    let message = format!("what answers on port {port} is not the server of this project");
    Warning::new("mcp_foreign_server", message).with("port", port)
}

fn corrupt(place: &str) -> Warning {
    Warning::new("db_corrupt", format!("{place} is no database that opens")).with("path", place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hseos::tests::{World, context};

    fn check(world: &World, mode: &str, warnings: &[&str]) {
        let reply = detect(&world.view(world), &context()).unwrap();
        assert_eq!(reply.body["mode"], mode);
        assert_eq!(reply.warnings.iter().map(|warning| warning.message.as_str()).collect::<Vec<_>>(), warnings);
    }

    fn hybrid() -> World {
        World::new().with_file("hseos.config.yaml", "state_management: {mode: hybrid}\n")
    }

    #[test]
    fn walks_the_chain() {
        let ours = members([("server", SERVER_NAME.into()), ("project", "/project".into())]);
        let theirs = members([("server", SERVER_NAME.into()), ("project", "/other".into())]);
        let to_cli = "MCP unavailable, using CLI";
        let to_files = "CLI unavailable, using markdown";
        let not_ours = "what answers on port 3100 is not the server of this project";
        check(&World::new(), "cli-sqlite", &[]);
        check(&hybrid().with_health(HealthProbe::Healthy(ours)), "mcp-sqlite", &[]);
        check(&hybrid().with_health(HealthProbe::Healthy(theirs)), "cli-sqlite", &[not_ours, to_cli]);
        check(&hybrid().with_health(HealthProbe::Foreign), "cli-sqlite", &[not_ours, to_cli]);
        check(&hybrid(), "cli-sqlite", &[to_cli]);
        check(&hybrid().with_database(DatabaseProbe::Usable), "cli-sqlite", &[to_cli]);
        check(&hybrid().with_database(DatabaseProbe::Impossible), "skill-only", &[to_cli, to_files]);
        let damaged = ".hseos/state/project.db is no database that opens";
        check(&hybrid().with_database(DatabaseProbe::Corrupt), "skill-only", &[to_cli, damaged, to_files]);
    }

    #[test]
    fn past_the_end_stands_skill_only() {
        let yaml = "state_management: {mode: hybrid, fallback_chain: [mcp-sqlite]}\n";
        check(&World::new().with_file("hseos.config.yaml", yaml), "skill-only", &["MCP unavailable, using markdown"]);
        let yaml = "state_management: {mode: hybrid, fallback_chain: [skill-only, mcp-sqlite]}\n";
        check(&World::new().with_file("hseos.config.yaml", yaml), "skill-only", &[]);
    }
}
