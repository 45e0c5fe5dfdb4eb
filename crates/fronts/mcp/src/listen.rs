//! A server on a port: connections, their number and their deadlines, and the end.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::ServerHandler;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::guard::Guard;
use crate::host::Host;
use crate::http::{Leaving, Routes};
use crate::identity::IdentityDefaults;
use crate::idle::{Idle, Seat};
use crate::patience::Patience;
use crate::server::{BLOCKING_THREADS, Server};
use crate::{HttpOptions, ServeError, ToolNames, signals};

/// How many connections are served at a time.
///
/// One more takes the place of the one that has been idle longest; while all are answering it waits, and the others
/// unaccepted.
const MAX_CONNECTIONS: usize = 256;

/// How long a request's head may take, and how long a connection may be idle between two.
const HEAD_TIME: Duration = Duration::from_secs(10);

/// How long an answer may wait for a client that does not read.
const WRITE_TIME: Duration = Duration::from_secs(30);

/// How many headers a request may have; more are answered with 431.
const MAX_HEADERS: usize = 100;

/// From how many bytes on no more is read of a head that has not ended; it is answered with 431.
const MAX_HEAD_BYTES: usize = 64 * 1024;

/// How long calls that are under way are waited for at the end, and then the connections that carry their answers.
const LAST_CALLS: Duration = Duration::from_secs(15);
const LAST_ANSWERS: Duration = Duration::from_secs(1);

/// How long a connection is waited for that is to leave and has never asked for anything.
const FIRST_HEAD: Duration = Duration::from_millis(20);

/// Serves until a signal asks to stop; requests that are under way are finished first.
pub(crate) fn serve(
    host: Arc<dyn Host>,
    names: ToolNames,
    identity: IdentityDefaults,
    http: HttpOptions,
    on_ready: impl FnOnce(SocketAddr),
) -> Result<(), ServeError> {
    serve_as(host, names, identity, http, on_ready, |server| server)
}

/// As [`serve`]; messages are answered by what `handler` makes of the server.
pub(crate) fn serve_as<H: ServerHandler + Clone + Sync>(
    host: Arc<dyn Host>,
    names: ToolNames,
    identity: IdentityDefaults,
    http: HttpOptions,
    on_ready: impl FnOnce(SocketAddr),
    handler: impl FnOnce(Server) -> H,
) -> Result<(), ServeError> {
    // Many clients share the process, so it is no session of theirs.
    let server = Server::new(host, names, IdentityDefaults { session: None, ..identity });
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(BLOCKING_THREADS)
        .enable_all()
        .build()?;
    let ended = runtime.block_on(async {
        let stop = signals::stop()?;
        let listener = bind(http.address).await?;
        let bound = listener.local_addr()?;
        let guard = Guard::new(bound, &http)?;
        on_ready(bound);
        let routes = Routes::new(server.clone(), &handler(server), guard, http.nonce, stop.clone());
        serve_listener(listener, routes, MAX_CONNECTIONS, stop).await;
        Ok(())
    });
    runtime.shutdown_background();
    ended
}

async fn bind(address: SocketAddr) -> Result<TcpListener, ServeError> {
    TcpListener::bind(address).await.map_err(|problem| match problem.kind() {
        io::ErrorKind::AddrInUse => ServeError::PortInUse(address),
        _ => ServeError::Io(problem),
    })
}

/// Serves the connections of `listener`, so many at a time, until `stop` is cancelled.
pub(crate) async fn serve_listener<H: ServerHandler + Clone + Sync>(
    listener: TcpListener,
    routes: Routes<H>,
    max_connections: usize,
    stop: CancellationToken,
) {
    let routes = Arc::new(routes);
    let connections = TaskTracker::new();
    let cut = CancellationToken::new();
    let (places, idle) = (Arc::new(Semaphore::new(max_connections)), Arc::new(Idle::default()));
    loop {
        let accepted = tokio::select! {
            biased;
            () = stop.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        let Ok((stream, _)) = accepted else {
            // Out of file descriptors, most likely: other connections must end first.
            sleep(Duration::from_millis(50)).await;
            continue;
        };
        let place = tokio::select! {
            biased;
            () = stop.cancelled() => break,
            place = free_place(&places, &idle) => place,
        };
        // An answer is one small write; waiting to fill a packet would only delay it.
        let _ = stream.set_nodelay(true);
        let (routes, seat, stop, cut) = (Arc::clone(&routes), idle.seat(), stop.clone(), cut.clone());
        connections.spawn(async move {
            tokio::select! {
                () = cut.cancelled() => {}
                () = serve_connection(stream, routes, seat, stop) => {}
            }
            drop(place);
        });
    }
    drop(listener);
    let calls = routes.calls();
    calls.close();
    connections.close();
    // Whoever does not end in time is cut off: what was committed stays committed.
    let _ = timeout(LAST_CALLS, calls.wait()).await;
    let _ = timeout(LAST_ANSWERS, connections.wait()).await;
    cut.cancel();
    connections.wait().await;
}

/// A place for one more connection; where there is none, the one that has been idle longest makes room.
async fn free_place(places: &Arc<Semaphore>, idle: &Idle) -> OwnedSemaphorePermit {
    let mut place = pin!(Arc::clone(places).acquire_owned());
    let place = tokio::select! {
        biased;
        place = place.as_mut() => place,
        () = idle.dismiss() => place.await,
    };
    place.expect("the semaphore is never closed")
}

/// Serves one connection until it ends or is dismissed, or until `stop` is cancelled and its last answer is out.
///
/// A stream of events counts as waiting: it ends where a newcomer finds no place, and its client comes back.
pub(crate) async fn serve_connection<S, H>(stream: S, routes: Arc<Routes<H>>, seat: Seat, stop: CancellationToken)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    H: ServerHandler + Clone + Sync,
{
    let seat = Arc::new(seat);
    let at_seat = Arc::clone(&seat);
    let service = service_fn(move |mut request: Request<Incoming>| {
        let (routes, seat) = (Arc::clone(&routes), Arc::clone(&at_seat));
        async move {
            seat.answer();
            request.extensions_mut().insert(Leaving(seat.leaving().clone()));
            let answer = routes.answer(request).await;
            seat.wait();
            Ok::<_, Infallible>(answer)
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_headers(MAX_HEADERS)
        .max_buf_size(MAX_HEAD_BYTES)
        .serve_connection(TokioIo::new(Patience::new(stream, WRITE_TIME)), service);
    let mut connection = pin!(connection);
    // A connection that breaks is the client's affair.
    tokio::select! {
        _ = connection.as_mut() => {}
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
        () = seat.dismissed() => {
            connection.as_mut().graceful_shutdown();
            // Half a head is given up; a request that came at the last moment is not.
            let patience = if seat.has_asked() { LAST_ANSWERS } else { FIRST_HEAD };
            while timeout(patience, connection.as_mut()).await.is_err() && seat.is_answering() {}
        }
    }
}
