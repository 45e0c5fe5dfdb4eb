//! Locks that tools of others honour: a folder made by `mkdir`, a file with a process id.

use std::io::{self, Write as _};
use std::time::Duration;

use cap_std::fs::OpenOptions;
use format::{FileState, Files as _};
use model::{ProjectPath, Refusal, RefusalClass, Timestamp};
use rustix::fs::RenameFlags;

use super::files::ProjectFiles;
use crate::clock;
use crate::locks::Deadline;
use crate::refusals;

/// How long to rest between two tries. Others' locks cannot be queued for.
const REST: Duration = Duration::from_millis(50);

/// Largest owner file that is read. **Units**: bytes.
const OWNER_LIMIT: u64 = 4096;

/// A foreign lock that we hold; dropping it releases it if it is still ours.
pub(crate) struct ForeignLockHeld<'a> {
    files: &'a ProjectFiles,
    /// What carries our token: the owner file, or the lock file itself.
    owner: ProjectPath,
    /// The folder to be removed after the owner file, for a folder lock.
    folder: Option<ProjectPath>,
    text: String,
}

/// What a look at a taken lock says.
enum Judged {
    Free,
    Held(String),
    Stale(Vec<u8>),
}

impl<'a> ForeignLockHeld<'a> {
    /// Takes a folder lock.
    ///
    /// **Errors**: `lock_timeout`, naming the holder; `write_failed`.
    pub(crate) fn folder(
        files: &'a ProjectFiles,
        folder: &ProjectPath,
        wait: Duration,
        stale_ms: i64,
        now: Timestamp,
    ) -> Result<Self, Refusal> {
        let deadline = Deadline::within(wait);
        let owner = folder.join("owner").expect("a name beneath a valid path is valid");
        if let Some(parent) = folder.parent() {
            files.dir().create_dir_all(parent.as_str()).map_err(|error| refusals::of_io(parent.as_str(), &error))?;
        }
        loop {
            match files.dir().create_dir(folder.as_str()) {
                Ok(()) => {
                    let text = our_mark();
                    files
                        .dir()
                        .write(owner.as_str(), text.as_bytes())
                        .map_err(|error| refusals::of_io(owner.as_str(), &error))?;
                    return Ok(Self { files, owner, folder: Some(folder.clone()), text });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(refusals::of_io(folder.as_str(), &error)),
            }
            match judge(files, &owner, folder, stale_ms, now) {
                Judged::Free => {}
                Judged::Stale(mark) => reclaim(files, folder, &owner, &mark),
                Judged::Held(holder) => rest(deadline, folder, &holder)?,
            }
        }
    }

    /// Takes a lock file that holds its owner's process id.
    ///
    /// **Errors**: `lock_timeout`, naming the holder; `write_failed`.
    pub(crate) fn pid_file(files: &'a ProjectFiles, path: &ProjectPath, wait: Duration) -> Result<Self, Refusal> {
        let deadline = Deadline::within(wait);
        let text = format!("{}\n", std::process::id());
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        loop {
            match files.dir().open_with(path.as_str(), &options) {
                Ok(mut file) => {
                    file.write_all(text.as_bytes()).map_err(|error| refusals::of_io(path.as_str(), &error))?;
                    return Ok(Self { files, owner: path.clone(), folder: None, text });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(refusals::of_io(path.as_str(), &error)),
            }
            match files.read(path, OWNER_LIMIT) {
                FileState::Absent => {}
                FileState::Bytes(bytes) => match pid_of(&bytes) {
                    Some(pid) if !is_alive(pid) => {
                        // Only the very file that was judged is removed.
                        if files.read(path, OWNER_LIMIT) == FileState::Bytes(bytes) {
                            drop(files.dir().remove_file(path.as_str()));
                        }
                    }
                    pid => rest(deadline, path, &pid.map_or("unknown".into(), |pid| format!("pid {pid}")))?,
                },
                FileState::Irregular(_) => rest(deadline, path, "unknown")?,
            }
        }
    }

    /// Checks, right before the commit, that nobody took the lock away.
    ///
    /// **Errors**: `lock_lost`.
    pub(crate) fn check(&self) -> Result<(), Refusal> {
        if self.is_ours() {
            return Ok(());
        }
        let message = format!("the lock {} was taken away", self.owner);
        Err(Refusal::new(RefusalClass::Unavailable, "lock_lost", message)
            .hint("repeat the command; nothing was written"))
    }

    fn is_ours(&self) -> bool {
        self.files.read(&self.owner, OWNER_LIMIT) == FileState::Bytes(self.text.clone().into_bytes())
    }
}

impl Drop for ForeignLockHeld<'_> {
    fn drop(&mut self) {
        if !self.is_ours() {
            return;
        }
        // A lock that cannot be released goes stale; there is nobody here to tell.
        drop(self.files.dir().remove_file(self.owner.as_str()));
        if let Some(folder) = &self.folder {
            drop(self.files.dir().remove_dir(folder.as_str()));
        }
    }
}

fn rest(deadline: Deadline, lock: &ProjectPath, holder: &str) -> Result<(), Refusal> {
    let left = deadline.left();
    if left.is_zero() {
        let message = format!("{lock} is held by {holder}");
        return Err(Refusal::new(RefusalClass::Unavailable, "lock_timeout", message)
            .with("holder", holder)
            .hint("wait for that process, or end it, and repeat the command"));
    }
    let jitter = u64::from(clock::random().as_bytes()[0]) % 16;
    std::thread::sleep((REST + Duration::from_millis(jitter)).min(left));
    Ok(())
}

/// Our own line: who holds the lock, in terms that tell whether the process can be asked.
fn our_mark() -> String {
    let (host, boot, space) = machine();
    format!("{}\nmainstay {} {host} {boot} {space}\n", std::process::id(), clock::random())
}

fn machine() -> (String, String, String) {
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let space = std::fs::read_link("/proc/self/ns/pid").map(|link| link.to_string_lossy().into_owned());
    (host, boot.trim().to_owned(), space.unwrap_or_default())
}

// A time in the future is fresh; a stat that fails judges nothing.
fn judge(files: &ProjectFiles, owner: &ProjectPath, folder: &ProjectPath, stale_ms: i64, now: Timestamp) -> Judged {
    let dir = files.dir();
    let Ok(metadata) = dir.symlink_metadata(owner.as_str()).or_else(|_| dir.symlink_metadata(folder.as_str())) else {
        return Judged::Free;
    };
    let mark = match files.read(owner, OWNER_LIMIT) {
        FileState::Bytes(bytes) => bytes,
        _ => Vec::new(),
    };
    let text = String::from_utf8_lossy(&mark).into_owned();
    let mut lines = text.lines();
    let holder = lines.next().unwrap_or("unknown").to_owned();
    let words: Vec<&str> = lines.next().unwrap_or_default().split_whitespace().collect();
    let (host, boot, space) = machine();
    let asks_here = matches!(words[..], ["mainstay", _, h, b, s] if h == host && b == boot && s == space);
    if asks_here && holder.trim().parse().is_ok_and(|pid| !is_alive(pid)) {
        return Judged::Stale(mark);
    }
    let modified = metadata.modified().ok().and_then(|time| {
        let since = time.into_std().duration_since(std::time::UNIX_EPOCH).ok()?;
        i64::try_from(since.as_millis()).ok()
    });
    match modified {
        Some(modified) if now.as_millis() - modified >= stale_ms => Judged::Stale(mark),
        _ => Judged::Held(format!("pid {holder}")),
    }
}

// Two reclaimers must not remove each other's fresh lock: the folder is renamed away first, and
// renamed back, without replacing, when it is not the one that was judged.
fn reclaim(files: &ProjectFiles, folder: &ProjectPath, owner: &ProjectPath, judged: &[u8]) {
    let dir = files.dir();
    let aside = folder.beside(&format!(".mainstay-{}-{}", folder.name(), clock::random())).expect("a valid name");
    if dir.rename(folder.as_str(), dir, aside.as_str()).is_err() {
        return;
    }
    let moved_owner = aside.join(owner.name()).expect("a name beneath a valid path is valid");
    let found = match files.read(&moved_owner, OWNER_LIMIT) {
        FileState::Bytes(bytes) => bytes,
        _ => Vec::new(),
    };
    if found == judged {
        drop(dir.remove_dir_all(aside.as_str()));
    } else {
        // Whoever made a new lock meanwhile keeps it; the renamed one then stays aside.
        let _ = rustix::fs::renameat_with(dir, aside.as_str(), dir, folder.as_str(), RenameFlags::NOREPLACE);
    }
}

fn pid_of(bytes: &[u8]) -> Option<i32> {
    std::str::from_utf8(bytes).ok()?.trim().parse().ok()
}

fn is_alive(pid: i32) -> bool {
    // A process of someone else answers with EPERM, which is an answer.
    rustix::process::Pid::from_raw(pid)
        .is_some_and(|pid| rustix::process::test_kill_process(pid) != Err(rustix::io::Errno::SRCH))
}
