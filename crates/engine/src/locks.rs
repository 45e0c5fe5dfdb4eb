//! Locks between our own processes: one per format, then the project's queue.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use model::{Refusal, RefusalClass};
use mutants::planted;

use crate::home::open_plain;
use crate::{faults, refusals};

/// How long a request waits for locks in all.
pub(crate) const WAIT: Duration = Duration::from_secs(5);

/// How long an event waits for locks before it is left to the next request.
pub(crate) const EVENT_WAIT: Duration = Duration::from_secs(3);

/// How many threads of this process stand in the kernel's queues at most.
///
/// A thread whose request gave up stays there, with its file, until the holder is gone.
const SEATS: usize = 8;

/// The pause between two looks at a lock, where all seats are taken.
const REST: Duration = Duration::from_millis(5);

/// A moment at which a request gives up waiting.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline(Instant);

impl Deadline {
    /// So long from now.
    pub(crate) fn within(wait: Duration) -> Self {
        Self(Instant::now() + wait)
    }

    /// What is left.
    pub(crate) fn left(self) -> Duration {
        self.0.saturating_duration_since(Instant::now())
    }
}

/// A held lock; dropping it, or dying, releases it.
///
/// The file is never removed: a second inode under the same name would be a second lock.
#[derive(Debug)]
pub(crate) struct FileLock {
    // Held for its lock alone.
    _file: File,
    path: PathBuf,
}

impl FileLock {
    /// Takes the lock at `path`, waiting in the kernel's queue until `deadline`.
    ///
    /// **Errors**: `store_busy`, naming the holder; `path_outside_project` for a link, `write_failed`.
    pub(crate) fn acquire(path: &Path, deadline: Deadline) -> Result<Self, Refusal> {
        loop {
            let file = open_plain(OpenOptions::new().read(true).write(true).create(true).truncate(false), path)
                .map_err(|error| refusals::of_opening(path, &error))?;
            faults::steal(path);
            let Some(mut file) = lock_until(file, deadline).map_err(|error| refusals::of_io(path, &error))? else {
                return Err(busy(path));
            };
            if is_still_there(&file, path) || planted("lock_deleted_on_release") {
                // Who holds it is for messages only; that it is held is what the kernel knows.
                drop(write_holder(&mut file));
                return Ok(Self { _file: file, path: path.to_owned() });
            }
        }
    }

    /// Whether something stands at `path` that can be no lock file, so that every write is refused.
    pub(crate) fn is_obstructed(path: &Path) -> bool {
        std::fs::symlink_metadata(path).is_ok_and(|found| !found.is_file())
    }

    /// Who holds the lock at `path` now, for `doctor`; `None` when nobody does.
    pub(crate) fn holder(path: &Path) -> Option<String> {
        let file = open_plain(OpenOptions::new().read(true), path).ok()?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => Some(read_holder(path)),
            _ => None,
        }
    }
}

impl Drop for FileLock {
    fn drop(&mut self) {
        if planted("lock_deleted_on_release") {
            drop(std::fs::remove_file(&self.path));
        }
    }
}

/// Takes a lock on a folder itself, for what has no lock file; dropping the handle releases it.
///
/// **Errors**: `store_busy` after [`WAIT`], `write_failed`.
pub(crate) fn lock_folder(folder: &Path) -> Result<File, Refusal> {
    let failed = |error| refusals::of_io(folder, &error);
    let opened = File::open(folder).map_err(failed)?;
    lock_until(opened, Deadline::within(WAIT)).map_err(failed)?.ok_or_else(|| {
        let message = format!("another command is at work on files of hosts in {}", folder.display());
        Refusal::new(RefusalClass::Unavailable, "store_busy", message).hint("repeat the command")
    })
}

fn lock_until(file: File, deadline: Deadline) -> io::Result<Option<File>> {
    match file.try_lock() {
        Ok(()) => return Ok(Some(file)),
        Err(TryLockError::WouldBlock) => {}
        Err(TryLockError::Error(error)) => return Err(error),
    }
    if deadline.left().is_zero() {
        return Ok(None);
    }
    let Some(seat) = Seat::take() else { return look_again(file, deadline) };
    // Only a blocking lock stands in the kernel's fair queue. A thread that comes too late drops
    // the file, and with it the lock, as soon as it gets it.
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let locked = file.lock();
        drop(seat);
        drop(sender.send(locked.map(|()| file)));
    });
    match receiver.recv_timeout(deadline.left()) {
        Ok(locked) => locked.map(Some),
        Err(_) => Ok(None),
    }
}

fn look_again(file: File, deadline: Deadline) -> io::Result<Option<File>> {
    while !deadline.left().is_zero() {
        std::thread::sleep(REST.min(deadline.left()));
        match file.try_lock() {
            Ok(()) => return Ok(Some(file)),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Ok(None)
}

/// The right to a thread that waits in the kernel's queue.
struct Seat;

static TAKEN: AtomicUsize = AtomicUsize::new(0);

impl Seat {
    fn take() -> Option<Self> {
        let more = |taken| (taken < SEATS).then_some(taken + 1);
        TAKEN.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok().map(|_| Self)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        TAKEN.fetch_sub(1, Ordering::Relaxed);
    }
}

fn is_still_there(file: &File, path: &Path) -> bool {
    match (file.metadata(), path.symlink_metadata()) {
        (Ok(held), Ok(there)) => held.ino() == there.ino() && held.dev() == there.dev(),
        _ => false,
    }
}

/// The width of the holder's line, so that one write replaces the last one whole.
const HOLDER_WIDTH: usize = 20;

fn write_holder(file: &mut File) -> io::Result<()> {
    file.seek(SeekFrom::Start(0))?;
    file.write_all(format!("pid {:<width$}\n", std::process::id(), width = HOLDER_WIDTH - 5).as_bytes())
}

fn read_holder(path: &Path) -> String {
    let mut text = String::new();
    let read = open_plain(OpenOptions::new().read(true), path).and_then(|file| file.take(64).read_to_string(&mut text));
    match read {
        Ok(_) if text.starts_with("pid ") => text.trim().to_owned(),
        _ => "unknown".to_owned(),
    }
}

fn busy(path: &Path) -> Refusal {
    let holder = read_holder(path);
    Refusal::new(RefusalClass::Unavailable, "store_busy", format!("the project is in use by {holder}"))
        .with("holder", holder)
        .with("lock", path.display().to_string())
        .hint("wait for that process, or end it, and repeat the command")
}

#[cfg(test)]
mod tests {
    use super::{Deadline, FileLock, HOLDER_WIDTH, SEATS};
    use std::time::Duration;

    const AT_ONCE: Duration = Duration::ZERO;

    #[test]
    fn a_lock_is_held_until_it_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.lock");
        assert_eq!(FileLock::holder(&path), None, "nobody has made it yet");
        let held = FileLock::acquire(&path, Deadline::within(AT_ONCE)).unwrap();
        let us = format!("pid {}", std::process::id());
        assert_eq!(FileLock::holder(&path).as_deref(), Some(us.as_str()));
        let refusal = FileLock::acquire(&path, Deadline::within(AT_ONCE)).unwrap_err();
        assert_eq!((refusal.code.as_ref(), refusal.details["holder"].as_str()), ("store_busy", Some(us.as_str())));
        drop(held);
        assert_eq!(FileLock::holder(&path), None);
        FileLock::acquire(&path, Deadline::within(AT_ONCE)).unwrap();
        assert!(path.is_file(), "the file stays");
    }

    #[test]
    fn a_shorter_holder_leaves_nothing_of_a_longer_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.lock");
        std::fs::write(&path, format!("pid {:<width$}\n", u32::MAX, width = HOLDER_WIDTH - 5)).unwrap();
        let _held = FileLock::acquire(&path, Deadline::within(AT_ONCE)).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!((text.len(), text.trim()), (HOLDER_WIDTH, format!("pid {}", std::process::id()).as_str()));
    }

    #[test]
    fn a_lock_that_cannot_be_made_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let refusal = FileLock::acquire(&folder.path().join("none/a.lock"), Deadline::within(AT_ONCE)).unwrap_err();
        assert_eq!(refusal.code, "write_failed");
    }

    #[test]
    fn waits_that_timed_out_leave_few_threads_and_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap().join("a.lock");
        let held = FileLock::acquire(&path, Deadline::within(AT_ONCE)).unwrap();
        for _ in 0..3 * SEATS {
            FileLock::acquire(&path, Deadline::within(Duration::from_millis(1))).unwrap_err();
        }
        let files = std::fs::read_dir("/proc/self/fd").unwrap();
        let open = files.filter(|file| std::fs::read_link(file.as_ref().unwrap().path()).is_ok_and(|to| to == path));
        assert!(open.count() <= SEATS + 1);
        drop(held);
        // Whoever sits in no seat comes through too.
        FileLock::acquire(&path, Deadline::within(Duration::from_mins(1))).unwrap();
    }
}
