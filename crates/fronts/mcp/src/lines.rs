//! The stdio transport: one JSON-RPC message a line, in both directions.
//!
//! Unlike the transport that `rmcp` brings, it answers what it cannot read, bounds a line by
//! [`message::MAX_BYTES`], stays up whatever comes before `initialize`, and ends only after every
//! call that is under way has been answered.

use std::collections::HashSet;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, GetExtensions, GetMeta, ProtocolVersion, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::message;

/// How many answers may wait for a client that does not read; then no further message is taken in.
const WAITING_ANSWERS: usize = 64;

/// Reads messages from a stream of lines and hands answers to a writer.
pub(crate) struct Lines<R> {
    read: BufReader<R>,
    line: Vec<u8>,
    /// The rest of a line that is too long is being skipped.
    skipping: bool,
    /// An error that is still to be handed to the writer.
    error: Option<Vec<u8>>,
    /// None once closed.
    answers: Option<mpsc::Sender<Vec<u8>>>,
    /// The client has begun one of the protocol's two lifecycles.
    begun: bool,
    ended: bool,
    stop: CancellationToken,
    calls: TaskTracker,
    ids: Ids,
    /// Cancelled once no more messages come, so that what only listens ends.
    ending: CancellationToken,
}

/// The ids of requests that are under way.
type Ids = Arc<Mutex<HashSet<RequestId>>>;

/// What the stream brought.
enum Line {
    Whole,
    TooLong,
    End,
}

/// What a line means.
enum Meaning {
    Message(Box<ClientJsonRpcMessage>),
    Nothing,
    Error(Vec<u8>),
}

/// Keeps [`TaskTracker::wait`] waiting, and the id taken, from the moment a request is read through its handler.
#[derive(Clone)]
struct UnderWay {
    _held: Arc<Held>,
}

struct Held {
    _token: tokio_util::task::task_tracker::TaskTrackerToken,
    id: RequestId,
    ids: Ids,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.id);
    }
}

/// A transport on `read`, and the writer for its answers.
///
/// The writer is to be polled until it ends, which it does when the transport is gone or `write` fails.
pub(crate) fn open<R, W>(
    read: R,
    write: W,
    stop: CancellationToken,
    calls: TaskTracker,
    ending: CancellationToken,
) -> (Lines<R>, impl Future<Output = io::Result<()>> + Send + 'static)
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send + 'static,
{
    let (answers, waiting) = mpsc::channel(WAITING_ANSWERS);
    let lines = Lines {
        read: BufReader::new(read),
        line: Vec::new(),
        skipping: false,
        error: None,
        answers: Some(answers),
        begun: false,
        ended: false,
        stop,
        calls,
        ids: Ids::default(),
        ending,
    };
    (lines, write_lines(write, waiting))
}

async fn write_lines(mut write: impl AsyncWrite + Unpin, mut waiting: mpsc::Receiver<Vec<u8>>) -> io::Result<()> {
    while let Some(mut line) = waiting.recv().await {
        line.push(b'\n');
        write.write_all(&line).await?;
        if waiting.is_empty() {
            write.flush().await?;
        }
    }
    write.shutdown().await
}

impl<R: AsyncRead + Unpin + Send> Lines<R> {
    /// Reads until a line is whole. What was read stays in `self` when the future is dropped.
    async fn next_line(&mut self) -> io::Result<Line> {
        loop {
            let read = self.read.fill_buf().await?;
            if read.is_empty() {
                return Ok(Line::End);
            }
            let end = read.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(read.len(), |end| end + 1);
            if !self.skipping {
                self.line.extend_from_slice(&read[..taken]);
            }
            self.read.consume(taken);
            let too_long = self.skipping || self.line.len() > message::MAX_BYTES + 1;
            match (end, too_long) {
                (None, false) => {}
                (None, true) => {
                    self.skipping = true;
                    self.line = Vec::new();
                }
                (Some(_), true) => {
                    self.skipping = false;
                    self.line = Vec::new();
                    return Ok(Line::TooLong);
                }
                (Some(_), false) => return Ok(Line::Whole),
            }
        }
    }

    fn meaning(&mut self) -> Meaning {
        let line = self.line.trim_ascii();
        let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
        if line.is_empty() {
            return Meaning::Nothing;
        }
        let value = match message::read(line) {
            Ok(value) => value,
            Err(error) => return Meaning::Error(message::error_bytes(error, None)),
        };
        let is_notification = value.get("method").is_some() && value.get("id").is_none();
        let id = message::id(&value);
        // A value takes many times the bytes of its text, and the protocol's own reader makes one more.
        drop(value);
        match serde_json::from_slice(line) {
            Ok(message) => self.admit(message),
            // Nobody waits for the answer to a notification.
            Err(_) if is_notification => Meaning::Nothing,
            Err(_) => Meaning::Error(message::error_bytes(message::shapeless(), id)),
        }
    }

    /// Lets through what the protocol loop can take.
    ///
    /// Requests always, unless another with their id is under way: the one answer with that id is the first's, so the
    /// error has none. Notifications once the client has begun. Answers belong to requests that this server never
    /// sends.
    fn admit(&mut self, mut message: ClientJsonRpcMessage) -> Meaning {
        match &mut message {
            ClientJsonRpcMessage::Request(request) => {
                let id = request.id.clone();
                if !self.ids.lock().unwrap_or_else(PoisonError::into_inner).insert(id.clone()) {
                    return Meaning::Error(message::error_bytes(message::doubled(&id), None));
                }
                self.begun |= begins(&request.request);
                let held = Held { _token: self.calls.token(), id, ids: Arc::clone(&self.ids) };
                request.request.extensions_mut().insert(UnderWay { _held: Arc::new(held) });
                Meaning::Message(Box::new(message))
            }
            ClientJsonRpcMessage::Notification(_) if self.begun => Meaning::Message(Box::new(message)),
            _ => Meaning::Nothing,
        }
    }
}

/// Whether the protocol loop leaves its opening phase at this request; in that phase it ends at a notification.
fn begins(request: &ClientRequest) -> bool {
    let meta = request.get_meta();
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::DiscoverRequest(_) | ClientRequest::PingRequest(_) => false,
        _ => {
            let known = |version| ProtocolVersion::KNOWN_VERSIONS.contains(&version);
            meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
                && meta.protocol_version().is_some_and(known)
        }
    }
}

impl<R: AsyncRead + Unpin + Send + 'static> Transport<RoleServer> for Lines<R> {
    type Error = io::Error;

    fn send(&mut self, item: ServerJsonRpcMessage) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let answers = self.answers.clone();
        async move {
            let answers = answers.ok_or_else(gone)?;
            let bytes = serde_json::to_vec(&item)?;
            answers.send(bytes).await.map_err(|_| gone())
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        let (answers, stop) = (self.answers.clone()?, self.stop.clone());
        while !self.ended {
            let room = tokio::select! {
                biased;
                () = stop.cancelled() => break,
                room = answers.reserve() => room,
            };
            let Ok(room) = room else { break };
            if let Some(error) = self.error.take() {
                room.send(error);
                continue;
            }
            drop(room);
            let line = tokio::select! {
                biased;
                () = stop.cancelled() => break,
                () = answers.closed() => break,
                line = self.next_line() => line,
            };
            let meaning = match line {
                Ok(Line::Whole) => self.meaning(),
                Ok(Line::TooLong) => Meaning::Error(message::error_bytes(message::too_large(), None)),
                Ok(Line::End) | Err(_) => break,
            };
            self.line.clear();
            match meaning {
                Meaning::Message(message) => return Some(*message),
                Meaning::Nothing => {}
                Meaning::Error(error) => self.error = Some(error),
            }
        }
        self.ended = true;
        self.ending.cancel();
        self.calls.close();
        self.calls.wait().await;
        None
    }

    async fn close(&mut self) -> io::Result<()> {
        self.answers = None;
        Ok(())
    }
}

fn gone() -> io::Error {
    io::Error::from(io::ErrorKind::BrokenPipe)
}
