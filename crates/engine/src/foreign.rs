//! The foreign lock of a space, if it has one, within a write.

use std::time::Duration;

use format::ForeignLock;
use model::Refusal;

use crate::clock::Running;
use crate::engine::Engine;
use crate::images::{ForeignLockHeld, PidFileAges};

/// A foreign lock that is held until it is dropped.
pub(crate) struct ForeignGuard<'a>(ForeignLockHeld<'a>);

impl<'a> ForeignGuard<'a> {
    /// Takes the lock. The table image's lock is its own transaction and is not taken here.
    pub(crate) fn acquire(
        engine: &'a Engine,
        lock: Option<&ForeignLock>,
        now: Running,
    ) -> Result<Option<Self>, Refusal> {
        let files = engine.files();
        let held = match lock {
            None | Some(ForeignLock::Table) => return Ok(None),
            Some(ForeignLock::Folder { path, wait_ms, stale_ms }) => {
                ForeignLockHeld::folder(files, path, Duration::from_millis(*wait_ms), *stale_ms, now)?
            }
            Some(ForeignLock::PidFile { path, wait_ms, empty_stale_ms, stale_ms }) => {
                let ages = PidFileAges { empty_ms: *empty_stale_ms, live_ms: *stale_ms };
                ForeignLockHeld::pid_file(files, path, Duration::from_millis(*wait_ms), ages, now)?
            }
        };
        Ok(Some(Self(held)))
    }

    /// Checks that the lock is still ours.
    ///
    /// **Errors**: `lock_lost`.
    pub(crate) fn check(&self) -> Result<(), Refusal> {
        self.0.check()
    }
}
