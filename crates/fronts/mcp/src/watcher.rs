//! The one thread that follows the journal for all sessions of a server, while any of them listens.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use engine::Stir;

use crate::host::Host;
use crate::session::Session;

/// For how long what has happened is told to a session that joins late.
///
/// The protocol's own library acknowledges `subscriptions/listen` before its session can join.
const LATE: Duration = Duration::from_secs(2);

/// How long a session waits for the journal to be followed; one that had to begin without is told that it missed some.
const BEGIN: Duration = Duration::from_millis(250);

/// The pause after the journal could not be followed.
const PAUSE: Duration = Duration::from_secs(1);

/// How many stirs are kept for latecomers.
const KEPT: usize = 64;

/// Whether a session that joins is told what happened right before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Joining {
    /// It is answered after it has joined, and so misses nothing.
    InTime,
    /// It was answered before.
    Late,
}

/// Follows the journal and tells sessions.
pub(crate) struct Watcher {
    host: Arc<dyn Host>,
    members: Mutex<Members>,
}

#[derive(Default)]
struct Members {
    sessions: Vec<Weak<Session>>,
    runs: bool,
    /// Somebody listens already, and the journal is not followed yet.
    late: bool,
    lately: VecDeque<(Instant, Stir)>,
}

impl Watcher {
    pub(crate) fn new(host: Arc<dyn Host>) -> Arc<Self> {
        Arc::new(Self { host, members: Mutex::default() })
    }

    /// Adds a session, which is told of all that is committed from now on; blocks.
    pub(crate) fn join(self: &Arc<Self>, session: &Arc<Session>, joining: Joining) {
        let mut members = self.lock();
        let known = members.sessions.iter().any(|one| one.upgrade().is_some_and(|one| Arc::ptr_eq(&one, session)));
        if !known {
            if joining == Joining::Late {
                let now = Instant::now();
                let lately = members.lately.iter().filter(|(at, _)| now.duration_since(*at) < LATE);
                for (_, stir) in lately {
                    session.tell(stir);
                }
            }
            members.sessions.push(Arc::downgrade(session));
        }
        drop(members);
        self.run();
    }

    /// Makes sure that the journal is followed from now on, for a session that joins in a moment.
    ///
    /// Blocks for a moment. Where the journal cannot be read in it, sessions are told that they missed something once
    /// it can.
    pub(crate) fn run(self: &Arc<Self>) {
        let mut members = self.lock();
        if std::mem::replace(&mut members.runs, true) {
            return;
        }
        let (ready, begun) = channel();
        let watcher = Arc::clone(self);
        let thread = std::thread::Builder::new().name("mainstay-watcher".into()).spawn(move || watcher.follow(ready));
        members.runs = thread.is_ok();
        // Held until the thread has found its beginning: another session must not believe that it runs already.
        members.late = thread.is_ok() && begun.recv_timeout(BEGIN).is_err();
    }

    /// Follows the journal while somebody listens, however often it cannot be read in between.
    fn follow(&self, ready: Sender<()>) {
        let mut ready = Some(ready);
        let began = Instant::now();
        loop {
            let mut first = true;
            let mut told = |stir: &Stir| {
                if !std::mem::take(&mut first) {
                    return self.tell(stir, began);
                }
                ready.take().map(|ready| ready.send(()));
                // Who waits for this holds the lock, and says under it whether the wait was in vain.
                let late = std::mem::take(&mut self.lock().late);
                if late {
                    self.tell(&Stir { missed: true, lists: true, ..stir.clone() }, began)
                } else {
                    ControlFlow::Continue(())
                }
            };
            let followed = catch_unwind(AssertUnwindSafe(|| self.host.stirrings(&mut told)));
            if matches!(followed, Ok(Ok(()))) {
                return;
            }
            ready = None;
            self.lock().late = true;
            if self.tell(&Stir::default(), began).is_break() {
                return;
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// Tells all sessions that still listen; ends when there are none.
    fn tell(&self, stir: &Stir, began: Instant) -> ControlFlow<()> {
        let mut members = self.lock();
        let mut listening = Vec::new();
        members.sessions.retain(|one| {
            let session = one.upgrade().filter(|session| session.is_listening());
            let listens = session.is_some();
            listening.extend(session);
            listens
        });
        if stir.is_news() {
            if members.lately.len() >= KEPT {
                members.lately.pop_front();
            }
            members.lately.push_back((Instant::now(), stir.clone()));
        }
        // Whoever asked for it may be on the way.
        if listening.is_empty() && began.elapsed() >= LATE {
            members.runs = false;
            members.lately.clear();
            return ControlFlow::Break(());
        }
        drop(members);
        if stir.is_news() {
            for session in listening {
                session.tell(stir);
            }
        }
        ControlFlow::Continue(())
    }

    fn lock(&self) -> MutexGuard<'_, Members> {
        self.members.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
