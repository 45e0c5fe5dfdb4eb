//! Being told that files of a folder have changed; what differs between operating systems stands here.

use std::path::Path;
use std::time::Duration;

#[cfg(target_os = "linux")]
pub(crate) use linux::Wakeups;

#[cfg(not(target_os = "linux"))]
pub(crate) use elsewhere::Wakeups;

#[cfg(target_os = "linux")]
mod linux {
    use std::io;
    use std::mem::MaybeUninit;
    use std::os::fd::OwnedFd;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::fs::inotify::{self, CreateFlags, Reader, WatchFlags};

    use super::{Duration, Path};

    /// Tells of changes in one folder.
    pub(crate) struct Wakeups(OwnedFd);

    impl Wakeups {
        /// Of a folder; nothing where it is not there, or the system's watches are used up.
        pub(crate) fn of(folder: &Path) -> Option<Self> {
            Self::watch(folder).ok()
        }

        // A writer's commit grows the store's log, and its end closes it.
        fn watch(folder: &Path) -> io::Result<Self> {
            let watch = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
            let changes = WatchFlags::MODIFY | WatchFlags::CLOSE_WRITE | WatchFlags::CREATE | WatchFlags::MOVED_TO;
            inotify::add_watch(&watch, folder, changes)?;
            Ok(Self(watch))
        }

        /// Waits for a change; answers whether there was one.
        pub(crate) fn wait(&self, longest: Duration) -> bool {
            let timeout = Timespec::try_from(longest).expect("a pause is short");
            let mut waited = [PollFd::new(&self.0, PollFlags::IN)];
            if !poll(&mut waited, Some(&timeout)).is_ok_and(|ready| ready > 0) {
                return false;
            }
            let mut buffer = [MaybeUninit::uninit(); 4096];
            let mut events = Reader::new(&self.0, &mut buffer);
            while events.next().is_ok() {}
            true
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod elsewhere {
    use super::{Duration, Path};

    /// Tells of nothing: there is no watching here yet.
    pub(crate) enum Wakeups {}

    impl Wakeups {
        pub(crate) fn of(_folder: &Path) -> Option<Self> {
            None
        }

        pub(crate) fn wait(&self, _longest: Duration) -> bool {
            match *self {}
        }
    }
}
