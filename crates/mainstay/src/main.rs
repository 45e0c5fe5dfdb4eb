//! Mainstay keeps the working state of a coding-agent project.
//!
//! This is the only place that names concrete stores, formats and servers: it reads the environment,
//! puts them together and hands over to the command line.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use engine::Setup;
use front_cli::{Doors, HostAnswer, Hosts, Listening, Servers, Serving, server_failure};
use front_mcp::{HttpOptions, IdentityDefaults, ServeError, ServeOptions, ToolNames};
use model::{Environment, Refusal};

/// The beginnings of the names of the variables that are let in.
const ADMITTED: &[&str] = &["MAINSTAY_", "HSEOS_", "ENEO_", "SKILLSTATE_", "MSD_", "GSD_", "CLAUDE_"];

/// The variables that are let in by their whole name.
const ADMITTED_WHOLE: &[&str] = &["NO_COLOR", "CLICOLOR_FORCE"];

fn main() -> ExitCode {
    let arguments: Vec<OsString> = env::args_os().collect();
    let setup = environment().map(|env| Setup {
        project: None,
        // A folder that is gone or unreadable is the engine's to report.
        cwd: env::current_dir().unwrap_or_else(|_| PathBuf::from(".")),
        env,
        formats: formats::ALL,
        stores: Arc::new(store_sqlite::SqliteOpener),
    });
    front_cli::run(&arguments, setup, Doors { servers: SERVERS, hosts: HOSTS })
}

/// The admitted variables.
///
/// **Errors**: `invalid_argument` for one that is not UTF-8: a token or a project that is not heard would be replaced
/// by none.
fn environment() -> Result<Environment, Refusal> {
    let admitted = |name: &str| ADMITTED_WHOLE.contains(&name) || ADMITTED.iter().any(|start| name.starts_with(start));
    env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value)))
        .filter(|(name, _)| admitted(name))
        .map(|(name, value)| match value.into_string() {
            Ok(value) => Ok((name, value)),
            Err(_) => Err(Refusal::invalid(name.as_str(), format!("the variable {name} is not valid UTF-8"))),
        })
        .collect()
}

const SERVERS: Servers = Servers {
    stdio: |engine, serving| {
        front_mcp::serve_stdio(engine, options(&serving), identity(&serving)).map_err(|error| failure(&error))
    },
    http: |engine, serving, listening, ready| {
        front_mcp::serve_http(engine, options(&serving), identity(&serving), http(listening), ready)
            .map_err(|error| failure(&error))
    },
};

const HOSTS: Hosts = Hosts {
    hook: |engine, event, host, identity| {
        front_hook::answer(engine, event, host, front_hook::read(), identity).map(host_answer)
    },
    statusline: |engine| front_hook::statusline(engine, front_hook::read()).map(host_answer),
    variable: |name| env::var_os(name),
};

fn host_answer(said: front_hook::Said) -> HostAnswer {
    HostAnswer { out: said.out, notes: said.notes, code: said.code }
}

fn identity(serving: &Serving) -> IdentityDefaults {
    IdentityDefaults { actor: serving.actor.clone(), session: serving.session.clone() }
}

fn options(serving: &Serving) -> ServeOptions {
    let tool_names = match serving.tool_names {
        front_cli::ToolNames::Underscores => ToolNames::Underscore,
        front_cli::ToolNames::Seed => ToolNames::Seed,
    };
    ServeOptions { tool_names }
}

fn http(listening: Listening) -> HttpOptions {
    let Listening { address, token, origins, nonce } = listening;
    HttpOptions { address, token, allow_origins: origins, nonce }
}

fn failure(error: &ServeError) -> Refusal {
    server_failure(error.code(), error.to_string())
}
