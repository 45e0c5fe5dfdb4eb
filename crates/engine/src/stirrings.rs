//! What a server tells its clients: which spaces an entry touched, and that a format was turned on or off.

use std::ops::ControlFlow;
use std::time::Duration;

use model::{Refusal, Revision, Space};

use crate::addresses::Address;
use crate::engine::Engine;

/// What has happened since the last look.
#[derive(Clone, Debug, Default)]
pub struct Stir {
    /// The newest entry that was looked at.
    pub revision: Revision,
    /// The spaces that entries touched.
    pub spaces: Vec<Space>,
    /// Other formats are on than before, and so other tools and resources are listed.
    pub lists: bool,
    /// The journal was not followed for a while: anything may have happened.
    pub missed: bool,
}

impl Stir {
    /// Whether anything has happened.
    pub fn is_news(&self) -> bool {
        self.missed || self.lists || !self.spaces.is_empty()
    }

    /// Whether what stands at a URI may have changed.
    pub fn touches(&self, uri: &str) -> bool {
        let is_about = |address: Address| self.spaces.iter().any(|space| address.is_about(space));
        self.missed || (!self.spaces.is_empty() && Address::read(uri).is_ok_and(is_about))
    }
}

/// The pause after the journal could not be read.
const PAUSE: Duration = Duration::from_secs(1);

impl Engine {
    /// Tells of what happens from now on, until it is told to stop; blocks.
    ///
    /// The first stir is empty and says where it begins: nothing that is committed after it is missed. About once a
    /// second a stir comes in which nothing has happened. What minor entries touch is not told: they note that
    /// somebody read or is there.
    ///
    /// **Errors**: what keeps the journal from being read at the beginning. Later it is tried again.
    pub fn stirrings(&self, told: &mut dyn FnMut(&Stir) -> ControlFlow<()>) -> Result<(), Refusal> {
        let mut follower = self.follow(None, None, false)?;
        let mut on = self.names_on();
        let mut stir = Stir { revision: follower.seen(), ..Stir::default() };
        while told(&stir).is_continue() {
            let spaces = follower.wait_for_spaces().unwrap_or_else(|_| {
                std::thread::sleep(PAUSE);
                Vec::new()
            });
            let now = self.names_on();
            stir = Stir { revision: follower.seen(), spaces, lists: now != on, missed: false };
            on = now;
        }
        Ok(())
    }

    fn names_on(&self) -> Vec<&'static str> {
        self.formats_on().iter().map(|format| format.name()).collect()
    }
}
