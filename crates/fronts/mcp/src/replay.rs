//! What streams of single requests have sent, so that a client whose connection broke hears the rest of its answer.

use std::collections::{HashMap, VecDeque};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use futures_core::Stream;
use rmcp::model::ServerJsonRpcMessage;
use rmcp::transport::streamable_http_server::session::ServerSseMessage;
use rmcp::transport::streamable_http_server::session::{EventId, EventStore, EventStoreError, EventStream};
use tokio::sync::{Notify, mpsc};

/// How much all streams together may keep; the oldest make room. **Units**: bytes of JSON.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// How many streams are kept.
const MAX_STREAMS: usize = 256;

type Later<'a, T> = Pin<Box<dyn Future<Output = Result<T, EventStoreError>> + Send + 'a>>;

/// The events of the streams of single requests.
#[derive(Clone, Default)]
pub(crate) struct Replay {
    kept: Arc<Mutex<Kept>>,
    came: Arc<Notify>,
}

#[derive(Default)]
struct Kept {
    streams: HashMap<String, Vec<ServerSseMessage>>,
    order: VecDeque<(String, usize)>,
    bytes: usize,
}

impl Replay {
    fn store(&self, stream: &str, event: &ServerSseMessage) -> EventId {
        let size =
            event.message.as_ref().map_or(0, |message| serde_json::to_vec(message.as_ref()).map_or(0, |it| it.len()));
        let mut kept = self.lock();
        let events = kept.streams.entry(stream.to_owned()).or_default();
        let id = format!("{stream}/{}", events.len());
        let mut event = event.clone();
        event.event_id = Some(id.clone());
        events.push(event);
        match kept.order.iter_mut().find(|(known, _)| known == stream) {
            Some((_, bytes)) => *bytes += size,
            None => kept.order.push_back((stream.to_owned(), size)),
        }
        kept.bytes += size;
        while kept.bytes > MAX_BYTES || kept.order.len() > MAX_STREAMS {
            let Some((oldest, bytes)) = kept.order.pop_front() else { break };
            kept.streams.remove(&oldest);
            kept.bytes -= bytes;
        }
        drop(kept);
        self.came.notify_waiters();
        id
    }

    /// What comes after an event; none where the stream is over or no longer kept.
    fn after(&self, stream: &str, index: usize) -> After {
        let kept = self.lock();
        let Some(events) = kept.streams.get(stream) else { return After::Over };
        match events.get(index + 1) {
            Some(event) => After::Event(Box::new(event.clone())),
            None if events.last().is_some_and(is_answer) => After::Over,
            None => After::Nothing,
        }
    }

    async fn send(self, stream: String, mut index: usize, events: mpsc::Sender<ServerSseMessage>) {
        loop {
            let came = self.came.notified();
            tokio::pin!(came);
            came.as_mut().enable();
            match self.after(&stream, index) {
                After::Over => return,
                After::Event(event) => {
                    index += 1;
                    if events.send(*event).await.is_err() {
                        return;
                    }
                }
                After::Nothing => tokio::select! {
                    () = events.closed() => return,
                    () = came => {}
                },
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

enum After {
    Event(Box<ServerSseMessage>),
    Nothing,
    Over,
}

fn is_answer(event: &ServerSseMessage) -> bool {
    let message = event.message.as_deref();
    matches!(message, Some(ServerJsonRpcMessage::Response(_) | ServerJsonRpcMessage::Error(_)))
}

/// Whether an id of an event is one of these, and not a revision.
pub(crate) fn is_ours(id: &str) -> bool {
    place(id).is_some()
}

fn place(id: &str) -> Option<(&str, usize)> {
    let (stream, index) = id.split_once('/')?;
    Some((stream, index.parse().ok()?))
}

impl EventStore for Replay {
    fn store_event<'a, 'b, 'c, 'z>(&'a self, stream_id: &'b str, event: &'c ServerSseMessage) -> Later<'z, EventId>
    where
        'a: 'z,
        'b: 'z,
        'c: 'z,
        Self: 'z,
    {
        Box::pin(std::future::ready(Ok(self.store(stream_id, event))))
    }

    fn replay_events_after<'a, 'b, 'z>(&'a self, last_event_id: &'b str) -> Later<'z, EventStream>
    where
        'a: 'z,
        'b: 'z,
        Self: 'z,
    {
        let (events, waiting) = mpsc::channel(1);
        if let Some((stream, index)) = place(last_event_id) {
            tokio::spawn(self.clone().send(stream.to_owned(), index, events));
        }
        let stream: EventStream = Box::pin(Events { waiting });
        Box::pin(std::future::ready(Ok(stream)))
    }
}

struct Events {
    waiting: mpsc::Receiver<ServerSseMessage>,
}

impl Stream for Events {
    type Item = ServerSseMessage;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<ServerSseMessage>> {
        self.waiting.poll_recv(cx)
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::{ErrorData, NumberOrString};

    use super::*;

    fn answer(size: usize) -> ServerSseMessage {
        let error = ErrorData::internal_error("x".repeat(size), None);
        ServerSseMessage::from_message(ServerJsonRpcMessage::error(error, Some(NumberOrString::Number(1))))
    }

    #[tokio::test]
    async fn a_stream_goes_on_after_the_event_that_was_heard_last() {
        let replay = Replay::default();
        let primed = replay.store("s", &ServerSseMessage::retry(std::time::Duration::from_secs(1)));
        assert!(is_ours(&primed) && !is_ours("17"));
        let (events, mut heard) = mpsc::channel(1);
        let sending = tokio::spawn(replay.clone().send("s".into(), 0, events));
        replay.store("s", &answer(3));
        assert_eq!(heard.recv().await.unwrap().event_id.as_deref(), Some("s/1"));
        assert!(heard.recv().await.is_none(), "the answer is the end");
        sending.await.unwrap();
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let replay = Replay::default();
        for number in 0..10 {
            replay.store(&format!("s{number}"), &answer(MAX_BYTES / 4));
        }
        assert!(replay.lock().bytes <= MAX_BYTES);
        assert!(matches!(replay.after("s0", 0), After::Over));
        assert!(replay.lock().streams.contains_key("s9"));
        for number in 0..2 * MAX_STREAMS {
            replay.store(&format!("t{number}"), &answer(0));
        }
        assert_eq!(replay.lock().streams.len(), MAX_STREAMS);
    }
}
