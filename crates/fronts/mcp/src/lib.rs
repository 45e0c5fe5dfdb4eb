//! Serves a project to MCP clients, over stdio and over streamable HTTP.
//!
//! This front turns bytes into a [`model::Call`] and a reply into bytes; it decides nothing. The
//! protocol is spoken by `rmcp`, whose types never leave this crate, and so is everything that is
//! asynchronous: both entry points block, on a runtime of their own.
//!
//! | module | its one noun |
//! |---|---|
//! | `host` | what the front asks of the engine |
//! | `server` | one MCP request and its result |
//! | `tools` | the tools as they are listed |
//! | `offers` | capabilities, resources and prompts as they are listed |
//! | `identity` | who calls, from `_meta` |
//! | `session`, `sessions` | what a client listens to; the sessions over HTTP by their ids |
//! | `watcher`, `telling`, `notices` | the journal followed for all sessions; how each is told: by its connection, by events |
//! | `replay` | what streams of single requests have sent, for clients that come back |
//! | `logging` | the warnings of calls, for clients that ask for them |
//! | `errors` | the one table from refusals to JSON-RPC; why serving ended |
//! | `message` | one JSON-RPC message before it is known to be one |
//! | `stdio`, `lines` | a server on two byte streams |
//! | `listen`, `idle`, `http`, `guard`, `patience` | a server on a port: connections, the unused ones, routes, who may ask, stalled clients |
//! | `signals` | being asked to stop |
//! | `suite` | what the public conformance suite asks for, in a build for it alone |
//!
//! **Stateless calls**: actor, session and request id come with each call, so every protocol revision
//! that `rmcp` speaks (2024-11-05 to 2026-07-28, the newest without `initialize`) behaves alike and
//! no client is told from another by its name. What the protocol calls a session carries nothing but
//! what its client listens to, and calls need none.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod errors;
mod guard;
mod host;
mod http;
mod identity;
mod idle;
mod lines;
mod listen;
mod logging;
mod message;
mod notices;
mod offers;
mod patience;
mod replay;
mod server;
mod session;
mod sessions;
mod signals;
mod stdio;
#[cfg(feature = "conformance")]
mod suite;
mod telling;
mod tools;
mod watcher;

#[cfg(test)]
#[path = "../tests/in_process/mod.rs"]
mod in_process;

use std::net::SocketAddr;
use std::sync::Arc;

use engine::Engine;

pub use errors::ServeError;
pub use identity::IdentityDefaults;
#[cfg(feature = "conformance")]
pub use suite::serve_suite;

/// How tools are spelled in `tools/list`; calls accept both spellings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ToolNames {
    /// With underscores, which every host accepts.
    #[default]
    Underscore,
    /// As the format's seed spells them, where it does.
    Seed,
}

/// What both servers are told.
#[derive(Clone, Copy, Debug, Default)]
pub struct ServeOptions {
    /// How tools are spelled in `tools/list`.
    pub tool_names: ToolNames,
}

/// Where the HTTP server listens, and whom it lets in.
#[derive(Clone)]
pub struct HttpOptions {
    /// The address to listen on; port 0 takes a free one.
    pub address: SocketAddr,
    /// The bearer token that `/mcp` asks for; an address that is not loopback needs one.
    pub token: Option<String>,
    /// Origins of web pages that may ask, besides the server's own: `https://app.example`.
    pub allow_origins: Vec<String>,
    /// Returned by `GET /health`, so that a `stop` command recognises its own server.
    pub nonce: Option<String>,
}

/// Serves on standard input and output until the input ends or a signal asks to stop.
///
/// Standard output carries nothing but protocol. A process without a session is one of its own.
///
/// **Errors**: `io_error` when no runtime can be started, `internal_error` when the protocol loop broke.
pub fn serve_stdio(engine: Arc<Engine>, options: ServeOptions, identity: IdentityDefaults) -> Result<(), ServeError> {
    let ServeOptions { tool_names } = options;
    engine.start_writer();
    stdio::serve(engine, tool_names, identity)
}

/// Serves `/mcp` and `/health` on a port until a signal asks to stop; `on_ready` is told the address once it listens.
///
/// **Errors**: `port_in_use`; `token_required` for an address that is not loopback without a token, and for an empty
/// token; `config_invalid` for a token that no client could show; `invalid_argument` for an origin that is none; `io_error`.
pub fn serve_http(
    engine: Arc<Engine>,
    options: ServeOptions,
    identity: IdentityDefaults,
    http: HttpOptions,
    on_ready: impl FnOnce(SocketAddr),
) -> Result<(), ServeError> {
    let ServeOptions { tool_names } = options;
    guard::check(&http)?;
    engine.start_writer();
    listen::serve(engine, tool_names, identity, http, on_ready)
}
