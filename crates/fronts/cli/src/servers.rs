//! The servers that a program can start, handed in by whoever puts the program together.

use std::net::SocketAddr;
use std::sync::Arc;

use engine::Engine;
use model::{Refusal, RefusalClass};

/// How tools are spelled in a server's list; calls accept both spellings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ToolNames {
    /// With underscores, as every host accepts them.
    #[default]
    Underscores,
    /// As the format's own documents spell them.
    Seed,
}

/// What every server is told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Serving {
    /// Who acts in calls that say nothing of their own.
    pub actor: Option<String>,
    /// The session of calls that name none.
    pub session: Option<String>,
    /// How tools are spelled in the list.
    pub tool_names: ToolNames,
}

/// Where and for whom an HTTP server listens.
#[derive(Clone, PartialEq, Eq)]
pub struct Listening {
    /// The address.
    pub address: SocketAddr,
    /// The bearer token that clients must show.
    pub token: Option<String>,
    /// Origins that may call beside the server's own.
    pub origins: Vec<String>,
    /// What `GET /health` shows to whoever started this process.
    pub nonce: Option<String>,
}

/// A server over standard input and output; returns when the client is gone.
pub type ServeStdio = fn(Arc<Engine>, Serving) -> Result<(), Refusal>;

/// A server over HTTP; says its address once it listens, returns when it was told to stop.
pub type ServeHttp = fn(Arc<Engine>, Serving, Listening, &mut dyn FnMut(SocketAddr)) -> Result<(), Refusal>;

/// The servers that this program can start.
#[derive(Clone, Copy, Debug)]
pub struct Servers {
    /// MCP over standard input and output.
    pub stdio: ServeStdio,
    /// MCP over HTTP.
    pub http: ServeHttp,
}

/// A server's failure, by its code, as a refusal of the command that started it.
pub fn server_failure(code: &'static str, message: String) -> Refusal {
    let class = match code {
        "port_in_use" => RefusalClass::Refused,
        "token_required" | "invalid_argument" | "config_invalid" => RefusalClass::Usage,
        _ => RefusalClass::Unavailable,
    };
    let refusal = Refusal::new(class, code, message);
    match code {
        "port_in_use" => refusal.hint("another port: mainstay up --port N, mainstay serve --http 127.0.0.1:N"),
        "token_required" => refusal.field("token-file").hint("--token-file F, or MAINSTAY_TOKEN in the environment"),
        "invalid_argument" => refusal.field("allow-origin"),
        "config_invalid" => refusal.field("token"),
        _ => refusal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_have_their_class() {
        let table = [
            ("port_in_use", RefusalClass::Refused),
            ("token_required", RefusalClass::Usage),
            ("invalid_argument", RefusalClass::Usage),
            ("config_invalid", RefusalClass::Usage),
            ("io_error", RefusalClass::Unavailable),
        ];
        for (code, class) in table {
            assert_eq!(server_failure(code, String::new()).class, class, "{code}");
        }
    }
}
