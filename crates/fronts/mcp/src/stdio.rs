//! A server on standard input and output.

use std::sync::Arc;
use std::time::Duration;

use rmcp::service::ServerInitializeError;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use crate::host::Host;
use crate::identity::IdentityDefaults;
use crate::server::{BLOCKING_THREADS, Server};
use crate::session::Session;
use crate::{ServeError, ToolNames, lines, signals};

/// How long a client that does not read its last answers is waited for.
const LAST_ANSWERS: Duration = Duration::from_secs(1);

/// Serves until the input ends or a signal asks to stop.
pub(crate) fn serve(host: Arc<dyn Host>, names: ToolNames, mut identity: IdentityDefaults) -> Result<(), ServeError> {
    if identity.session.is_none() {
        identity.session = Some(fresh_session()?);
    }
    let server = Server::new(host, names, identity);
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().max_blocking_threads(BLOCKING_THREADS).build()?;
    let ended = runtime.block_on(async {
        let stop = signals::stop()?;
        serve_streams(server, tokio::io::stdin(), tokio::io::stdout(), stop).await
    });
    // A read of standard input that is under way cannot be taken back.
    runtime.shutdown_background();
    ended
}

/// Serves two byte streams until `read` ends, `write` fails or `stop` is cancelled.
///
/// Requests that were read by then are answered first.
pub(crate) async fn serve_streams(
    server: Server,
    read: impl AsyncRead + Unpin + Send + 'static,
    write: impl AsyncWrite + Unpin + Send + 'static,
    stop: CancellationToken,
) -> Result<(), ServeError> {
    let session = Arc::new(Session::default());
    let server = server.with_session(Arc::clone(&session));
    let (lines, writer) = lines::open(read, write, stop, server.calls().clone(), server.ending().clone());
    let writer = tokio::spawn(writer);
    let ended = match rmcp::serve_server(server, lines).await {
        Ok(running) => running.waiting().await.map(drop).map_err(|broken| ServeError::Broken(broken.to_string())),
        // The streams ended before the client began.
        Err(
            ServerInitializeError::ConnectionClosed(_)
            | ServerInitializeError::TransportError { .. }
            | ServerInitializeError::Cancelled,
        ) => Ok(()),
        Err(broken) => Err(ServeError::Broken(broken.to_string())),
    };
    session.end();
    // A client that is gone or does not read is no fault of the server's.
    let _ = tokio::time::timeout(LAST_ANSWERS, writer).await;
    ended
}

/// A session of this process's own: `mcp-` and 16 hexadecimal digits.
fn fresh_session() -> Result<String, ServeError> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).map_err(std::io::Error::from)?;
    Ok(format!("mcp-{:016x}", u64::from_be_bytes(bytes)))
}
