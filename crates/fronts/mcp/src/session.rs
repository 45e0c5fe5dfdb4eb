//! What one client listens to: the resources it subscribed to, its log level, and what it was not told yet.
//!
//! What a client is to be told is kept as a set, not as a queue: a resource that changed a hundred times while a client
//! did not read is told once. So a session has a greatest size, and whoever tells it something never waits.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use engine::Stir;
use model::Refusal;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::logging::Severity;

/// How many resources one session may subscribe to, and how long their URIs may be. **Units** of the latter: bytes.
pub(crate) const MAX_SUBSCRIPTIONS: usize = 64;
pub(crate) const MAX_URI: usize = 1024;

/// How many streams of one session may be open; one more ends the oldest.
const MAX_STREAMS: usize = 4;

/// One client's session: a process on stdio, an `Mcp-Session-Id` over HTTP, or one `subscriptions/listen`.
#[derive(Default)]
pub(crate) struct Session {
    kept: Mutex<Kept>,
    stirred: Notify,
    ended: CancellationToken,
}

#[derive(Default)]
struct Kept {
    begun: bool,
    level: Option<Severity>,
    /// Each resource with the entry that touched it last.
    subscribed: BTreeMap<String, u64>,
    changed: BTreeSet<String>,
    lists: bool,
    lists_changed_at: u64,
    seen: u64,
    /// The open streams, the newest last; it alone is told.
    streams: Vec<u64>,
    last_stream: u64,
}

/// What a client is told at once.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct News {
    /// The newest entry that it covers: whoever heard it goes on from there.
    pub(crate) revision: u64,
    /// The resources that may have changed.
    pub(crate) resources: Vec<String>,
    /// Other tools and resources are listed than before.
    pub(crate) lists: bool,
}

impl Session {
    /// Marks that the client has begun the session, by `initialize`.
    pub(crate) fn begin(&self) {
        self.lock().begun = true;
    }

    /// Whether the client has begun the session.
    pub(crate) fn has_begun(&self) -> bool {
        self.lock().begun
    }

    /// The least severity of log messages that the client asked for; without it none is sent.
    pub(crate) fn level(&self) -> Option<Severity> {
        self.lock().level
    }

    /// Takes the client's word for the level.
    pub(crate) fn set_level(&self, level: Severity) {
        self.lock().level = Some(level);
    }

    /// Subscribes to a resource; twice is once.
    ///
    /// **Errors**: `too_many_subscriptions`, `invalid_argument` (field `uri`).
    pub(crate) fn subscribe(&self, uri: &str) -> Result<(), Refusal> {
        if uri.len() > MAX_URI {
            return Err(Refusal::invalid("uri", format!("a uri to subscribe to has at most {MAX_URI} bytes")));
        }
        let mut kept = self.lock();
        if kept.subscribed.len() >= MAX_SUBSCRIPTIONS && !kept.subscribed.contains_key(uri) {
            let message = format!("a session subscribes to at most {MAX_SUBSCRIPTIONS} resources");
            return Err(Refusal::refused("too_many_subscriptions", message).hint("resources/unsubscribe makes room"));
        }
        let seen = kept.seen;
        kept.subscribed.entry(uri.to_owned()).or_insert(seen);
        Ok(())
    }

    /// Ends a subscription; one that there is none of is ended already.
    pub(crate) fn unsubscribe(&self, uri: &str) {
        let mut kept = self.lock();
        kept.subscribed.remove(uri);
        kept.changed.remove(uri);
    }

    /// Whether anything that happens is of interest here.
    pub(crate) fn is_listening(&self) -> bool {
        let kept = self.lock();
        let wants = !kept.streams.is_empty() || !kept.subscribed.is_empty();
        wants && !self.ended.is_cancelled()
    }

    /// Whether a stream is open.
    pub(crate) fn has_stream(&self) -> bool {
        !self.lock().streams.is_empty()
    }

    /// Notes what has happened; never waits for the client.
    pub(crate) fn tell(&self, stir: &Stir) {
        let mut kept = self.lock();
        let Kept { subscribed, changed, seen, .. } = &mut *kept;
        *seen = stir.revision.0;
        for (uri, touched) in subscribed.iter_mut().filter(|(uri, _)| stir.touches(uri)) {
            *touched = stir.revision.0;
            changed.insert(uri.clone());
        }
        if stir.lists {
            kept.lists = true;
            kept.lists_changed_at = stir.revision.0;
        }
        drop(kept);
        self.stirred.notify_waiters();
    }

    /// Opens a stream of news; one that resumes hears again what came after the entry that it heard last.
    pub(crate) fn open(self: &Arc<Self>, heard: Option<u64>) -> Stream {
        let mut kept = self.lock();
        if let Some(heard) = heard {
            let missed = kept.subscribed.iter().filter(|(_, touched)| **touched > heard);
            let missed: Vec<String> = missed.map(|(uri, _)| uri.clone()).collect();
            kept.changed.extend(missed);
            kept.lists |= kept.lists_changed_at > heard;
        }
        if kept.streams.len() >= MAX_STREAMS {
            kept.streams.remove(0);
        }
        kept.last_stream += 1;
        let number = kept.last_stream;
        kept.streams.push(number);
        drop(kept);
        self.stirred.notify_waiters();
        Stream { session: Arc::clone(self), number }
    }

    /// Ends the session and all its streams.
    pub(crate) fn end(&self) {
        self.ended.cancel();
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One way on which a session is told its news.
pub(crate) struct Stream {
    session: Arc<Session>,
    number: u64,
}

impl Stream {
    /// The newest entry that the session has heard of.
    pub(crate) fn seen(&self) -> u64 {
        self.session.lock().seen
    }

    /// The next news, which no other stream is told; `None` once the stream is over.
    pub(crate) async fn next(&mut self) -> Option<News> {
        loop {
            let stirred = self.session.stirred.notified();
            tokio::pin!(stirred);
            stirred.as_mut().enable();
            match self.look() {
                Look::Over => return None,
                Look::News(news) => return Some(news),
                Look::Nothing => {}
            }
            tokio::select! {
                () = self.session.ended.cancelled() => return None,
                () = stirred => {}
            }
        }
    }

    fn look(&self) -> Look {
        let mut kept = self.session.lock();
        if !kept.streams.contains(&self.number) {
            return Look::Over;
        }
        let is_newest = kept.streams.last() == Some(&self.number);
        if !is_newest || (kept.changed.is_empty() && !kept.lists) {
            return Look::Nothing;
        }
        let resources = std::mem::take(&mut kept.changed).into_iter().collect();
        Look::News(News { revision: kept.seen, resources, lists: std::mem::take(&mut kept.lists) })
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.session.lock().streams.retain(|number| *number != self.number);
        // The one before it is told from now on.
        self.session.stirred.notify_waiters();
    }
}

enum Look {
    Over,
    Nothing,
    News(News),
}

#[cfg(test)]
mod tests {
    use model::{Revision, Space};

    use super::*;

    fn stir(revision: u64, spaces: &[&str]) -> Stir {
        let spaces = spaces.iter().map(|space| Space::new(*space)).collect();
        Stir { revision: Revision(revision), spaces, ..Stir::default() }
    }

    fn subscribed(uris: &[&str]) -> Arc<Session> {
        let session = Arc::new(Session::default());
        for uri in uris {
            session.subscribe(uri).unwrap();
        }
        session
    }

    #[tokio::test]
    async fn a_client_that_does_not_read_is_told_once() {
        let session = subscribed(&["mainstay://hseos/STATE.md", "mainstay://records/msd"]);
        for revision in 1..=1000 {
            session.tell(&stir(revision, &["hseos"]));
        }
        let mut stream = session.open(None);
        let news = stream.next().await.unwrap();
        assert_eq!((news.revision, news.resources.as_slice()), (1000, &["mainstay://hseos/STATE.md".to_owned()][..]));
        session.tell(&stir(1001, &["eneo"]));
        session.tell(&stir(1002, &["msd/api"]));
        assert_eq!(stream.next().await.unwrap().resources, ["mainstay://records/msd"]);
    }

    #[tokio::test]
    async fn a_resumed_stream_hears_what_came_after_the_entry_it_heard() {
        let session = subscribed(&["mainstay://hseos/STATE.md", "mainstay://records/msd"]);
        let mut stream = session.open(None);
        session.tell(&stir(5, &["msd"]));
        session.tell(&stir(6, &["hseos"]));
        // Handed over, and perhaps lost on its way.
        assert_eq!(stream.next().await.unwrap().resources.len(), 2);
        drop(stream);
        let mut resumed = session.open(Some(5));
        assert_eq!(resumed.next().await.unwrap().resources, ["mainstay://hseos/STATE.md"]);
    }

    #[tokio::test]
    async fn the_newest_stream_is_told_and_the_one_before_takes_over() {
        let session = subscribed(&["mainstay://state"]);
        let (mut old, mut new) = (session.open(None), session.open(None));
        session.tell(&stir(1, &["hseos"]));
        assert_eq!(new.next().await.unwrap().revision, 1);
        session.tell(&stir(2, &["hseos"]));
        drop(new);
        assert_eq!(old.next().await.unwrap().revision, 2);
        let _more: Vec<Stream> = (0..MAX_STREAMS).map(|_| session.open(None)).collect();
        assert_eq!(old.next().await, None, "too many streams end the oldest");
        session.end();
        assert!(!session.is_listening());
    }

    #[test]
    fn subscriptions_are_bounded() {
        let session = Session::default();
        for number in 0..MAX_SUBSCRIPTIONS {
            session.subscribe(&format!("mainstay://records/hseos/{number}")).unwrap();
        }
        session.subscribe("mainstay://records/hseos/0").unwrap();
        assert_eq!(session.subscribe("mainstay://state").unwrap_err().code, "too_many_subscriptions");
        session.unsubscribe("mainstay://records/hseos/0");
        session.subscribe("mainstay://state").unwrap();
        let long = format!("mainstay://{}", "x".repeat(MAX_URI));
        assert_eq!(session.subscribe(&long).unwrap_err().code, "invalid_argument");
    }
}
