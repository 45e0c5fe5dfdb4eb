//! The routes of the HTTP server: `/mcp`, `/health`, and nothing else.

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::{Extensions, Method, Request, Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Empty, Full};
use hyper::body::Body;
use model::{Object, Value};
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::guard::{self, Denied, Guard};
use crate::message;
use crate::notices::{self, Ending};
use crate::replay::{self, Replay};
use crate::server::{Server, VERSION};
use crate::session::Session;
use crate::sessions::{Known, Sessions};
use crate::watcher::Joining;

/// The body of every answer.
pub(crate) type Answer = Response<BoxBody<Bytes, Infallible>>;

/// How long a body may take to come.
const BODY_TIME: Duration = Duration::from_secs(10);

/// How many bytes of messages may be under way at a time: eight of the greatest.
///
/// A message that was read takes up to some thirty times the bytes of its text.
const ROOM: usize = 8 * message::MAX_BYTES;

/// How much of a body that is too large is still read, so that its sender comes to read the answer.
const MAX_SKIPPED: usize = 4 * message::MAX_BYTES;

/// What a web page of an allowed origin may send.
const ALLOWED_HEADERS: &str = "accept, authorization, content-type, last-event-id, mcp-method, mcp-name, \
mcp-protocol-version, mcp-session-id";

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");
const VERSION_HEADER: HeaderName = HeaderName::from_static("mcp-protocol-version");

/// The first revision of the protocol whose clients expect an event without data, and the first without sessions.
const PRIMED_SINCE: &str = "2025-11-25";
const SESSIONLESS_SINCE: &str = "2026-07-28";

/// What is cancelled when the connection of a request is to leave.
#[derive(Clone)]
pub(crate) struct Leaving(pub(crate) CancellationToken);

/// Marks a request whose client takes one JSON answer and no events before it.
#[derive(Clone)]
pub(crate) struct OneAnswer;

/// Answers requests, whatever connection they come on; `H` is what answers messages.
pub(crate) struct Routes<H = Server> {
    server: Server,
    mcp: StreamableHttpService<H, NeverSessionManager>,
    /// As `mcp`, for clients with a session: they may come back for the rest of a broken answer.
    resumable: StreamableHttpService<H, NeverSessionManager>,
    sessions: Sessions,
    guard: Guard,
    nonce: Option<String>,
    room: Arc<Semaphore>,
    stop: CancellationToken,
}

impl<H: ServerHandler + Clone + Sync> Routes<H> {
    pub(crate) fn new(
        server: Server,
        handler: &H,
        guard: Guard,
        nonce: Option<String>,
        stop: CancellationToken,
    ) -> Self {
        // Our guard has checked the Host by then, with its port, and the Origin.
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_max_request_body_bytes(message::MAX_BYTES)
            .disable_allowed_hosts();
        let mcp = |sessions: NeverSessionManager| {
            let handler = handler.clone();
            StreamableHttpService::new(move || Ok(handler.clone()), Arc::new(sessions), config.clone())
        };
        Self {
            mcp: mcp(NeverSessionManager::default()),
            resumable: mcp(NeverSessionManager::default().with_event_store(Arc::new(Replay::default()))),
            sessions: Sessions::default(),
            server,
            guard,
            nonce,
            room: Arc::new(Semaphore::new(ROOM)),
            stop,
        }
    }

    /// What is under way, from the moment a message is whole.
    pub(crate) fn calls(&self) -> &TaskTracker {
        self.server.calls()
    }

    /// Answers one request. Nothing runs before its source is checked.
    pub(crate) async fn answer<B>(&self, request: Request<B>) -> Answer
    where
        B: Body<Data = Bytes> + Send + 'static,
    {
        if self.stop.is_cancelled() {
            return denied(Denied::Stopping);
        }
        if let Err(no) = self.guard.check_source(request.uri(), request.headers()) {
            return denied(no);
        }
        let origin = request.headers().get(header::ORIGIN).cloned();
        let mut answer = match (request.uri().path(), request.method()) {
            ("/mcp" | "/health", &Method::OPTIONS) if origin.is_some() => preflight(),
            ("/mcp", &Method::POST) => self.post(request).await.unwrap_or_else(denied),
            ("/mcp", &Method::GET) => self.get(request).await.unwrap_or_else(denied),
            ("/mcp", &Method::DELETE) => self.delete(request.headers()).unwrap_or_else(denied),
            ("/mcp", _) => denied(self.guard.check_token(request.headers()).err().unwrap_or(Denied::Method("POST"))),
            ("/health", &Method::GET) => json(StatusCode::OK, &Value::Object(self.health().await)),
            ("/health", _) => denied(Denied::Method("GET")),
            _ => denied(Denied::Path),
        };
        if let Some(origin) = origin {
            answer.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
            answer.headers_mut().append(header::VARY, HeaderValue::from_static("origin"));
            answer.headers_mut().insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from(SESSION));
        }
        answer
    }

    /// **Shape**: `{"status":"ok","server","project","version","nonce"?}`.
    async fn health(&self) -> Object {
        let mut health = Object::new();
        health.insert("status".into(), "ok".into());
        health.insert("server".into(), self.server.name().await.into());
        health.insert("project".into(), self.server.root().into());
        health.insert("version".into(), VERSION.into());
        health.insert("pid".into(), std::process::id().into());
        if let Some(nonce) = &self.nonce {
            health.insert("nonce".into(), nonce.as_str().into());
        }
        health
    }

    async fn post<B>(&self, request: Request<B>) -> Result<Answer, Denied>
    where
        B: Body<Data = Bytes> + Send + 'static,
    {
        let (mut head, body) = request.into_parts();
        self.guard.check_token(&head.headers)?;
        guard::check_accept(&head.headers)?;
        // A client that waits for leave to send its body is told at once.
        let waits = head.headers.contains_key(header::EXPECT);
        match guard::check_body_head(&head.headers) {
            Err(Denied::TooLarge) if !waits => return Err(read_body(body).await.err().unwrap_or(Denied::TooLarge)),
            checked => checked?,
        }
        let body = read_body(body).await?;
        let under_way = self.calls().token();
        if self.stop.is_cancelled() {
            return Err(Denied::Stopping);
        }
        let room = self.room_for(&body).await;
        // Of the value only this stays: the protocol's own reader makes one more.
        let (id, initializes) = match message::read(&body) {
            Ok(value) => (message::id(&value), value.get("method").is_some_and(|method| method == "initialize")),
            Err(error) => return Ok(bad_message(message::error_bytes(error, None))),
        };
        let known = self.session_of(&head.headers)?;
        let fresh = known.is_none() && initializes && guard::takes_events(&head.headers);
        let session = if fresh { Some(Arc::<Session>::default()) } else { known };
        let ends = self.ends(&head.extensions);
        if !guard::takes_events(&head.headers) {
            head.extensions.insert(OneAnswer);
        }
        prepare(&mut head.headers);
        // The call may outlive a client that leaves, and its message with it.
        head.extensions.insert(room.clone());
        let mcp = if session.is_some() { &self.resumable } else { &self.mcp };
        if let Some(session) = session.clone() {
            head.extensions.insert(session);
        }
        let mut answer = mcp.handle(Request::from_parts(head, Full::new(body))).await;
        drop((room, under_way));
        if let Some(session) = session.filter(|session| fresh && session.has_begun())
            && let Some(id) = self.sessions.keep(session)
        {
            answer.headers_mut().insert(SESSION, HeaderValue::from_str(&id).expect("hexadecimal digits"));
        }
        if !is_json(answer.headers()) {
            answer = answer.map(|body| Ending::new(body, ends).boxed());
        }
        match answer.status() {
            // What was declared as JSON and is JSON is not a message.
            StatusCode::UNSUPPORTED_MEDIA_TYPE => Ok(bad_message(message::error_bytes(message::shapeless(), id))),
            StatusCode::BAD_REQUEST if !is_json(answer.headers()) => Err(Denied::ProtocolVersion),
            _ => Ok(answer),
        }
    }

    /// Opens the stream of a session, or goes on with the stream of one of its requests.
    async fn get<B>(&self, request: Request<B>) -> Result<Answer, Denied>
    where
        B: Body<Data = Bytes> + Send + 'static,
    {
        let (mut head, _) = request.into_parts();
        self.guard.check_token(&head.headers)?;
        if !head.headers.contains_key(SESSION) {
            return Err(Denied::Method("POST"));
        }
        if !guard::takes_events(&head.headers) {
            return Err(Denied::AcceptEvents);
        }
        let session = self.session_of(&head.headers)?.ok_or(Denied::Session)?;
        let ends = self.ends(&head.extensions);
        let last = text(&head.headers, &LAST_EVENT);
        if last.is_some_and(replay::is_ours) {
            prepare(&mut head.headers);
            let answer = self.resumable.handle(Request::from_parts(head, Empty::<Bytes>::new())).await;
            return Ok(answer.map(|body| Ending::new(body, ends).boxed()));
        }
        let stream = session.open(last.and_then(|last| last.parse().ok()));
        // Where the journal cannot be read, the stream stands and nothing comes of it.
        let _ = self.server.join(&session, Joining::InTime).await;
        let primed = text(&head.headers, &VERSION_HEADER).is_some_and(|version| version >= PRIMED_SINCE);
        let mut answer = Response::new(Ending::new(notices::body(stream, primed), ends).boxed());
        let headers = answer.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        Ok(answer)
    }

    fn delete(&self, headers: &HeaderMap) -> Result<Answer, Denied> {
        self.guard.check_token(headers)?;
        let id = text(headers, &SESSION).ok_or(Denied::Method("POST"))?;
        if !self.sessions.end(id) {
            return Err(Denied::Session);
        }
        let mut answer = Response::new(Empty::new().boxed());
        *answer.status_mut() = StatusCode::NO_CONTENT;
        Ok(answer)
    }

    /// The session that a request names; none where it names none, or one of an earlier process.
    fn session_of(&self, headers: &HeaderMap) -> Result<Option<Arc<Session>>, Denied> {
        let sessionless = text(headers, &VERSION_HEADER).is_some_and(|version| version >= SESSIONLESS_SINCE);
        match text(headers, &SESSION).filter(|_| !sessionless).map(|id| self.sessions.find(id)) {
            Some(Known::Here(session)) => Ok(Some(session)),
            Some(Known::Ended) => Err(Denied::Session),
            Some(Known::Not) | None => Ok(None),
        }
    }

    /// What ends the stream of an answer: the server, or its connection making room.
    fn ends(&self, extensions: &Extensions) -> [CancellationToken; 2] {
        let leaving = extensions.get::<Leaving>().map(|leaving| leaving.0.clone()).unwrap_or_default();
        [self.stop.clone(), leaving]
    }

    /// Waits until a message may be read: small ones hardly ever do.
    async fn room_for(&self, body: &Bytes) -> Room {
        let bytes = u32::try_from(body.len()).expect("a body is bounded").max(1);
        let permit = Arc::clone(&self.room).acquire_many_owned(bytes).await;
        Room { _permit: Arc::new(permit.expect("the semaphore is never closed")) }
    }
}

/// What a message takes of [`ROOM`], until nobody holds it any more.
#[derive(Clone)]
struct Room {
    _permit: Arc<OwnedSemaphorePermit>,
}

/// Makes a checked head what the protocol's own service expects; the token goes no further.
fn prepare(headers: &mut HeaderMap) {
    headers.remove(header::AUTHORIZATION);
    headers.insert(header::ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

async fn read_body<B: Body<Data = Bytes>>(body: B) -> Result<Bytes, Denied> {
    let mut body = pin!(body);
    let mut read = BytesMut::new();
    let mut length = 0;
    let reading = async {
        while let Some(frame) = body.frame().await {
            let Ok(data) = frame.map_err(|_| Denied::Broken)?.into_data() else {
                continue;
            };
            length += data.len();
            if length > MAX_SKIPPED {
                break;
            }
            if length <= message::MAX_BYTES {
                read.extend_from_slice(&data);
            }
        }
        if length > message::MAX_BYTES { Err(Denied::TooLarge) } else { Ok(()) }
    };
    timeout(BODY_TIME, reading).await.map_err(|_| Denied::Slow)??;
    Ok(read.freeze())
}

/// The answer to a request that is not carried out.
///
/// **Shape**: `{"error":{"code","message"}}`.
pub(crate) fn denied(no: Denied) -> Answer {
    let (status, code, message) = no.answer();
    let error = Object::from_iter([("code".to_owned(), code.into()), ("message".to_owned(), message.into())]);
    let mut answer = json(status, &Value::Object(Object::from_iter([("error".to_owned(), Value::Object(error))])));
    let mut set = |name: HeaderName, value| drop(answer.headers_mut().insert(name, HeaderValue::from_static(value)));
    match no {
        Denied::Token => set(header::WWW_AUTHENTICATE, "Bearer"),
        Denied::Method(allowed) => set(header::ALLOW, allowed),
        // The rest of the body is not worth waiting for.
        Denied::TooLarge | Denied::Slow | Denied::Broken => set(header::CONNECTION, "close"),
        _ => {}
    }
    answer
}

/// Tells a browser that a page of an allowed origin may ask; the origin itself is added to every answer.
fn preflight() -> Answer {
    let mut answer = Response::new(Empty::new().boxed());
    *answer.status_mut() = StatusCode::NO_CONTENT;
    let headers = answer.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, POST, DELETE"));
    headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static(ALLOWED_HEADERS));
    answer
}

fn is_json(headers: &HeaderMap) -> bool {
    headers.get(header::CONTENT_TYPE).is_some_and(|declared| declared == "application/json")
}

fn bad_message(error: Vec<u8>) -> Answer {
    answer_with(StatusCode::BAD_REQUEST, error)
}

fn json(status: StatusCode, value: &Value) -> Answer {
    answer_with(status, value.to_string().into_bytes())
}

fn answer_with(status: StatusCode, body: Vec<u8>) -> Answer {
    let mut answer = Response::new(Full::new(Bytes::from(body)).boxed());
    *answer.status_mut() = status;
    answer.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    answer
}
