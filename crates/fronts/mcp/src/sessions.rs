//! The sessions of clients over HTTP, by their ids.
//!
//! A session carries nothing but what a client listens to: who calls comes with each call. So one that an earlier
//! process of this server knew is answered as if it named none, but for what needs one.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::session::Session;

/// How many sessions there may be; one more ends the one that was used longest ago.
const MAX_SESSIONS: usize = 256;

/// How many ids of ended sessions are remembered, to say so.
const MAX_ENDED: usize = 1024;

/// What is known of a session's id.
pub(crate) enum Known {
    /// It is this one.
    Here(Arc<Session>),
    /// It has ended.
    Ended,
    /// Nothing: an earlier process may have made it.
    Not,
}

/// The sessions of a server.
#[derive(Default)]
pub(crate) struct Sessions {
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    sessions: HashMap<String, (Arc<Session>, u64)>,
    ended: VecDeque<String>,
    uses: u64,
}

impl Sessions {
    /// The session of an id.
    pub(crate) fn find(&self, id: &str) -> Known {
        let mut kept = self.lock();
        kept.uses += 1;
        let now = kept.uses;
        if let Some((session, used)) = kept.sessions.get_mut(id) {
            *used = now;
            return Known::Here(Arc::clone(session));
        }
        if kept.ended.iter().any(|ended| ended == id) { Known::Ended } else { Known::Not }
    }

    /// Keeps a session under an id of its own: 32 hexadecimal digits. None where the system gives no randomness.
    pub(crate) fn keep(&self, session: Arc<Session>) -> Option<String> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).ok()?;
        let id = format!("{:032x}", u128::from_be_bytes(bytes));
        let mut kept = self.lock();
        if kept.sessions.len() >= MAX_SESSIONS {
            // Those that somebody listens to at this moment go last.
            let oldest = kept.sessions.iter().min_by_key(|(_, (session, used))| (session.has_stream(), *used));
            if let Some(oldest) = oldest.map(|(id, _)| id.clone()) {
                kept.end(&oldest);
            }
        }
        kept.uses += 1;
        let now = kept.uses;
        kept.sessions.insert(id.clone(), (session, now));
        Some(id)
    }

    /// Ends a session; answers whether there was one.
    pub(crate) fn end(&self, id: &str) -> bool {
        self.lock().end(id)
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn end(&mut self, id: &str) -> bool {
        let Some((session, _)) = self.sessions.remove(id) else { return false };
        session.end();
        if self.ended.len() >= MAX_ENDED {
            self.ended.pop_front();
        }
        self.ended.push_back(id.to_owned());
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_session_that_was_used_longest_ago_makes_room_unless_someone_listens() {
        let sessions = Sessions::default();
        let listening = Arc::new(Session::default());
        let first = sessions.keep(Arc::clone(&listening)).unwrap();
        let _stream = listening.open(None);
        let second = sessions.keep(Arc::default()).unwrap();
        let third = sessions.keep(Arc::default()).unwrap();
        assert!(matches!(sessions.find(&second), Known::Here(_)));
        for _ in 3..=MAX_SESSIONS {
            sessions.keep(Arc::default()).unwrap();
        }
        assert!(matches!(sessions.find(&first), Known::Here(_)));
        assert!(matches!(sessions.find(&second), Known::Here(_)));
        assert!(matches!(sessions.find(&third), Known::Ended));
        assert!(sessions.end(&first) && !sessions.end(&first));
        assert!(matches!(sessions.find(&first), Known::Ended));
        assert!(!listening.is_listening());
        assert!(matches!(sessions.find("0123456789abcdef0123456789abcdef"), Known::Not));
    }
}
