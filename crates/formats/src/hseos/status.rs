//! `hseos_status`: mode, backend, database and server, for people and scripts.

use format::{DatabaseProbe, View};
use model::{Context, Refusal, Reply, Value};

use super::config::{self, Mode};
use super::detect::{self, Server};
use super::records::{members, object};

/// The tool: `{mode, backend, db_path, db_exists, server:{running,port}, fallback_chain}`.
pub(super) fn status(view: &View<'_>, ctx: &Context) -> Result<Reply, Refusal> {
    let config = config::read(view.files, ctx)?;
    let (backend, warnings) = detect::walk(&config, view, ctx);
    let running = detect::server(config.port, view, ctx) == Server::Ours;
    let exists = matches!(view.probes.database(&config.place), DatabaseProbe::Usable | DatabaseProbe::Corrupt);
    let path = if config.place.starts_with('/') {
        config.place.clone()
    } else {
        format!("{}/{}", ctx.root.trim_end_matches('/'), config.place)
    };
    let chain: Vec<Value> = match config.mode {
        Mode::Hybrid => config.fallback_chain.iter().map(|mode| mode.word().into()).collect(),
        _ => Vec::new(),
    };
    let body = members([
        ("mode", config.mode.word().into()),
        ("backend", backend.word().into()),
        ("db_path", path.into()),
        ("db_exists", exists.into()),
        ("server", object([("running", running.into()), ("port", config.port.into())])),
        ("fallback_chain", Value::Array(chain)),
    ]);
    Ok(Reply::new(body, warnings))
}
