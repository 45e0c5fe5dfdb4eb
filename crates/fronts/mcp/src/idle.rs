//! Connections that wait for a request, and which of them leaves when a newcomer finds no place.
//!
//! A client may hold connections that it does not use; without this, some hundred of them would shut everyone out.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// The number of a connection that is answering a request.
const ANSWERING: u64 = 0;

/// The connections that wait, the longest first.
#[derive(Default)]
pub(crate) struct Idle {
    waiting: Mutex<Waiting>,
    came: Notify,
}

#[derive(Default)]
struct Waiting {
    last: u64,
    leave: BTreeMap<u64, CancellationToken>,
}

impl Idle {
    /// The seat of a new connection, which waits.
    pub(crate) fn seat(self: &Arc<Self>) -> Seat {
        let (number, has_asked) = (AtomicU64::new(ANSWERING), AtomicBool::new(false));
        let seat = Seat { idle: Arc::clone(self), number, has_asked, leave: CancellationToken::new() };
        seat.wait();
        seat
    }

    /// Asks the connection that has waited longest to leave, as soon as one waits.
    pub(crate) async fn dismiss(&self) {
        loop {
            let longest = self.lock().leave.pop_first();
            if let Some((_, leave)) = longest {
                return leave.cancel();
            }
            self.came.notified().await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One connection among those that wait or answer.
pub(crate) struct Seat {
    idle: Arc<Idle>,
    number: AtomicU64,
    has_asked: AtomicBool,
    leave: CancellationToken,
}

impl Seat {
    /// A request has come.
    pub(crate) fn answer(&self) {
        self.has_asked.store(true, Ordering::Relaxed);
        let number = self.number.swap(ANSWERING, Ordering::Relaxed);
        self.idle.lock().leave.remove(&number);
    }

    /// Its answer is ready; the connection waits from now on.
    pub(crate) fn wait(&self) {
        let mut waiting = self.idle.lock();
        waiting.last += 1;
        let number = waiting.last;
        waiting.leave.insert(number, self.leave.clone());
        drop(waiting);
        self.number.store(number, Ordering::Relaxed);
        self.idle.came.notify_one();
    }

    /// Whether a request is being answered.
    pub(crate) fn is_answering(&self) -> bool {
        self.number.load(Ordering::Relaxed) == ANSWERING
    }

    /// Whether a request has ever come.
    pub(crate) fn has_asked(&self) -> bool {
        self.has_asked.load(Ordering::Relaxed)
    }

    /// What is cancelled when the connection is to leave.
    pub(crate) fn leaving(&self) -> &CancellationToken {
        &self.leave
    }

    /// Returns when the connection is to leave.
    pub(crate) async fn dismissed(&self) {
        self.leave.cancelled().await;
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.answer();
    }
}
