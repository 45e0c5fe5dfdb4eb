//! The stream of `GET /mcp`: what a session is told, as server-sent events.
//!
//! The id of an event is the revision of the journal that it covers. So a client that comes back with `Last-Event-ID`
//! hears of everything that was touched since, and nothing has to be kept for it.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::BodyExt;
use http_body_util::combinators::BoxBody;
use hyper::body::{Body, Frame};
use model::{Object, Value};
use tokio::sync::mpsc;
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

use crate::session::{News, Stream};

/// How long a client is to wait before it comes back. **Units**: milliseconds.
const RETRY: u64 = 1000;

/// How long nothing may be sent: less than what proxies wait, and soon enough to find out who is gone.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// The body of a stream, which goes on until the session or the client ends it.
///
/// `primed` begins with an event without data, which carries the first id; older clients take it for a broken message.
pub(crate) fn body(mut stream: Stream, primed: bool) -> BoxBody<Bytes, Infallible> {
    // One piece at a time: whoever does not read leaves the rest where it is told once.
    let (pieces, waiting) = mpsc::channel(1);
    tokio::spawn(async move {
        let data = if primed { "data: \n" } else { "" };
        let first = format!("id: {}\nretry: {RETRY}\n{data}\n", stream.seen());
        let mut piece = Some(first);
        loop {
            let next = piece.take().unwrap_or_else(|| ": still here\n\n".to_owned());
            if pieces.send(Bytes::from(next)).await.is_err() {
                return;
            }
            piece = tokio::select! {
                () = pieces.closed() => return,
                () = tokio::time::sleep(KEEP_ALIVE) => None,
                news = stream.next() => match news {
                    Some(news) => Some(events(&news)),
                    None => return,
                },
            };
        }
    });
    Pieces { waiting }.boxed()
}

/// News as events. Only the last one has an id: whoever heard less has to hear all of it again.
fn events(news: &News) -> String {
    let updated = |uri: &String| {
        message("notifications/resources/updated", Some(Object::from_iter([("uri".to_owned(), uri.as_str().into())])))
    };
    let mut messages: Vec<String> = news.resources.iter().map(updated).collect();
    if news.lists {
        messages.push(message("notifications/tools/list_changed", None));
        messages.push(message("notifications/resources/list_changed", None));
    }
    let last = messages.len().saturating_sub(1);
    let event = |(at, data): (usize, String)| {
        let id = if at == last { format!("id: {}\n", news.revision) } else { String::new() };
        format!("event: message\n{id}data: {data}\n\n")
    };
    messages.into_iter().enumerate().map(event).collect()
}

fn message(method: &str, params: Option<Object>) -> String {
    let mut message = Object::from_iter([("jsonrpc".to_owned(), "2.0".into()), ("method".to_owned(), method.into())]);
    if let Some(params) = params {
        message.insert("params".into(), Value::Object(params));
    }
    Value::Object(message).to_string()
}

struct Pieces {
    waiting: mpsc::Receiver<Bytes>,
}

impl Body for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.waiting.poll_recv(cx).map(|piece| piece.map(|piece| Ok(Frame::data(piece))))
    }
}

/// A body that ends, whole, when one of two tokens is cancelled: what is ready by then still goes out.
pub(crate) struct Ending {
    body: BoxBody<Bytes, Infallible>,
    ends: [Pin<Box<WaitForCancellationFutureOwned>>; 2],
}

impl Ending {
    pub(crate) fn new(body: BoxBody<Bytes, Infallible>, ends: [CancellationToken; 2]) -> Self {
        Self { body, ends: ends.map(|token| Box::pin(token.cancelled_owned())) }
    }
}

impl Body for Ending {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let frame = Pin::new(&mut self.body).poll_frame(cx);
        if frame.is_pending() && self.ends.iter_mut().any(|end| end.as_mut().poll(cx).is_ready()) {
            return Poll::Ready(None);
        }
        frame
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_event_has_an_id() {
        let news = News { revision: 7, resources: vec!["mainstay://a\"".into(), "mainstay://b".into()], lists: true };
        assert_eq!(
            events(&news),
            concat!(
                "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\",",
                "\"params\":{\"uri\":\"mainstay://a\\\"\"}}\n\n",
                "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\",",
                "\"params\":{\"uri\":\"mainstay://b\"}}\n\n",
                "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n",
                "event: message\nid: 7\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/list_changed\"}\n\n",
            )
        );
    }
}
