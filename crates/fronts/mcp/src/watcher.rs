//! The one thread that follows the journal for all sessions of a server, while any of them listens.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use engine::Stir;
use model::Revision;

use crate::host::Host;
use crate::session::Session;

/// For how long what has happened is told to a session that joins late.
///
/// The protocol's own library acknowledges `subscriptions/listen` before its session can join.
const LATE: Duration = Duration::from_secs(2);

/// How long those are held up who must not be.
const SOON: Duration = Duration::from_millis(20);

/// The pause after the journal could not be read.
const PAUSE: Duration = Duration::from_millis(250);

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
    lately: VecDeque<(Instant, Stir)>,
    /// When it was found out late what has happened, and up to which entry.
    anew: Option<(Instant, Revision)>,
}

impl Members {
    // The sessions that still listen; the others are forgotten.
    fn listening(&mut self) -> Vec<Arc<Session>> {
        let mut listening = Vec::new();
        self.sessions.retain(|one| {
            let session = one.upgrade().filter(|session| session.is_listening());
            let listens = session.is_some();
            listening.extend(session);
            listens
        });
        listening
    }
}

impl Watcher {
    pub(crate) fn new(host: Arc<dyn Host>) -> Arc<Self> {
        Arc::new(Self { host, members: Mutex::default() })
    }

    /// Adds a session, and returns once nothing that is committed from now on can be missed; blocks.
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
                if let Some((_, revision)) = members.anew.filter(|(at, _)| now.duration_since(*at) < LATE) {
                    session.tell_anew(revision);
                }
            }
            members.sessions.push(Arc::downgrade(session));
        }
        drop(members);
        self.run();
    }

    /// Makes sure that the journal is followed from now on, for a session that joins in a moment; blocks.
    pub(crate) fn run(self: &Arc<Self>) {
        self.begin(self.lock(), None);
    }

    /// The same, where nobody may be held up: what is missed until the journal can be read is made up for then.
    pub(crate) fn run_soon(self: &Arc<Self>) {
        if let Ok(members) = self.members.try_lock() {
            self.begin(members, Some(SOON));
        }
    }

    // The members are held until the thread has found its beginning: another session must not believe that it runs.
    fn begin(self: &Arc<Self>, mut members: MutexGuard<'_, Members>, patience: Option<Duration>) {
        if std::mem::replace(&mut members.runs, true) {
            return;
        }
        let (ready, begun) = channel();
        let watcher = Arc::clone(self);
        let thread = std::thread::Builder::new().name("mainstay-watcher".into()).spawn(move || watcher.follow(ready));
        members.runs = thread.is_ok();
        if thread.is_ok() {
            let _ = match patience {
                Some(patience) => begun.recv_timeout(patience).is_ok(),
                None => begun.recv().is_ok(),
            };
        }
    }

    fn follow(&self, ready: Sender<()>) {
        let mut ready = Some(ready);
        let began = Instant::now();
        loop {
            let mut is_beginning = true;
            let mut told = |stir: &Stir| {
                if !std::mem::take(&mut is_beginning) {
                    return self.tell(stir, began);
                }
                let is_waited_for = ready.take().is_some_and(|ready| ready.send(()).is_ok());
                if !is_waited_for {
                    self.tell_anew(stir.revision);
                }
                ControlFlow::Continue(())
            };
            let followed = catch_unwind(AssertUnwindSafe(|| self.host.stirrings(&mut told)));
            if matches!(followed, Ok(Ok(()))) {
                return;
            }
            // The journal cannot be read, or reading it broke. Whoever waits is let go and told when it can be.
            drop(ready.take());
            std::thread::sleep(PAUSE);
            let mut members = self.lock();
            if members.listening().is_empty() && began.elapsed() >= LATE {
                members.runs = false;
                return;
            }
        }
    }

    // Nobody knows what happened before: everything may have.
    fn tell_anew(&self, revision: Revision) {
        let mut members = self.lock();
        members.anew = Some((Instant::now(), revision));
        let listening = members.listening();
        drop(members);
        for session in listening {
            session.tell_anew(revision);
        }
    }

    /// Tells all sessions that still listen; ends when there are none.
    fn tell(&self, stir: &Stir, began: Instant) -> ControlFlow<()> {
        let mut members = self.lock();
        let listening = members.listening();
        let happened = stir.lists || !stir.spaces.is_empty();
        if happened {
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
        if happened {
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
