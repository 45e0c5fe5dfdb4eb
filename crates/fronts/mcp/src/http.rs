//! The routes of the HTTP server: `/mcp`, `/health`, and nothing else.

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::{Method, Request, Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Empty, Full};
use hyper::body::Body;
use model::{Object, Value};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::guard::{self, Denied, Guard};
use crate::message;
use crate::server::{Server, VERSION};

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
const ALLOWED_HEADERS: &str = "accept, authorization, content-type, mcp-method, mcp-name, mcp-protocol-version";

/// Answers requests, whatever connection they come on.
pub(crate) struct Routes {
    server: Server,
    mcp: StreamableHttpService<Server, NeverSessionManager>,
    guard: Guard,
    nonce: Option<String>,
    room: Arc<Semaphore>,
    stop: CancellationToken,
}

impl Routes {
    pub(crate) fn new(server: Server, guard: Guard, nonce: Option<String>, stop: CancellationToken) -> Self {
        let per_request = server.clone();
        // Our guard has checked the Host by then, with its port, and the Origin.
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_max_request_body_bytes(message::MAX_BYTES)
            .disable_allowed_hosts();
        let sessions = Arc::new(NeverSessionManager::default());
        let mcp = StreamableHttpService::new(move || Ok(per_request.clone()), sessions, config);
        Self { server, mcp, guard, nonce, room: Arc::new(Semaphore::new(ROOM)), stop }
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
            ("/mcp", _) => denied(self.guard.check_token(request.headers()).err().unwrap_or(Denied::Method("POST"))),
            ("/health", &Method::GET) => json(StatusCode::OK, &Value::Object(self.health().await)),
            ("/health", _) => denied(Denied::Method("GET")),
            _ => denied(Denied::Path),
        };
        if let Some(origin) = origin {
            answer.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
            answer.headers_mut().append(header::VARY, HeaderValue::from_static("origin"));
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
        // Of the value only the id stays: the protocol's own reader makes one more.
        let id = match message::read(&body) {
            Ok(value) => message::id(&value),
            Err(error) => return Ok(bad_message(message::error_bytes(error, None))),
        };
        prepare(&mut head.headers);
        // The call may outlive a client that leaves, and its message with it.
        head.extensions.insert(room.clone());
        let answer = self.mcp.handle(Request::from_parts(head, Full::new(body))).await;
        drop((room, under_way));
        match answer.status() {
            // What was declared as JSON and is JSON is not a message.
            StatusCode::UNSUPPORTED_MEDIA_TYPE => Ok(bad_message(message::error_bytes(message::shapeless(), id))),
            StatusCode::BAD_REQUEST if !is_json(answer.headers()) => Err(Denied::ProtocolVersion),
            _ => Ok(answer),
        }
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
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, POST"));
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
