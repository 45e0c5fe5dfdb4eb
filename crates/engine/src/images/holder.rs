//! Who holds a lock that tools of others honour, and how one that nobody holds is taken away.

use std::io;

use cap_std::fs::{Metadata, MetadataExt as _};
use format::{FileState, Files as _};
use model::{ProjectPath, Timestamp};

use super::files::ProjectFiles;
use super::replace::rename_new;
use crate::clock;

/// The age from which what lies beside a lock is nobody's any more. **Units**: milliseconds.
const ABANDONED: i64 = 60_000;

/// Largest mark of a holder that is read. **Units**: bytes.
const MARK_LIMIT: u64 = 4096;

/// The two shapes of a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// A folder with an `owner` file in it.
    Folder,
    /// A file that holds its owner's process id.
    PidFile,
}

/// From what age a pid file is stale. **Units**: milliseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PidFileAges {
    /// Without a process id in it.
    pub(crate) empty_ms: i64,
    /// Of a living process, or one that cannot be read.
    pub(crate) live_ms: i64,
}

/// What tells that a lock is still the one that was judged.
///
/// A folder's inode number comes back as soon as the folder is gone, so its time counts too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    device: u64,
    inode: u64,
    modified: (i64, i64),
    mark: FileState,
}

/// What a look at a taken lock says.
pub(super) enum Judged {
    Free,
    Held { holder: Holder },
    Stale { seen: Seen, holder: Holder },
}

/// Who holds a lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Holder {
    /// How the lock names it.
    pub(super) name: String,
    /// Its process, if the lock says which.
    pub(super) pid: Option<i32>,
}

impl Shape {
    /// The file that says who holds the lock.
    pub(super) fn owner(self, lock: &ProjectPath) -> ProjectPath {
        match self {
            Self::Folder => lock.join("owner").expect("a name beneath a valid path is valid"),
            Self::PidFile => lock.clone(),
        }
    }

    /// What the holder of the lock wrote.
    pub(super) fn mark(self, files: &ProjectFiles, lock: &ProjectPath) -> FileState {
        files.read(&self.owner(lock), MARK_LIMIT)
    }

    // The mark first: one that is read after the look at the lock may be that of its next holder.
    fn look(self, files: &ProjectFiles, lock: &ProjectPath) -> io::Result<(Seen, Metadata)> {
        let mark = self.mark(files, lock);
        let metadata = files.dir().symlink_metadata(lock.as_str())?;
        let modified = (metadata.mtime(), metadata.mtime_nsec());
        Ok((Seen { device: metadata.dev(), inode: metadata.ino(), modified, mark }, metadata))
    }
}

/// Judges a folder lock. A stat that fails judges nothing.
pub(super) fn judge_folder(files: &ProjectFiles, lock: &ProjectPath, stale_ms: i64, now: Timestamp) -> Judged {
    let shape = Shape::Folder;
    let Ok((seen, of_folder)) = shape.look(files, lock) else { return Judged::Free };
    let metadata = files.dir().symlink_metadata(shape.owner(lock).as_str()).unwrap_or(of_folder);
    let text = match &seen.mark {
        FileState::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        _ => String::new(),
    };
    let mut lines = text.lines();
    let pid = lines.next().unwrap_or("unknown");
    let words: Vec<&str> = lines.next().unwrap_or_default().split_whitespace().collect();
    let (host, boot, space) = machine();
    let asks_here = matches!(words[..], ["mainstay", _, h, b, s] if h == host && b == boot && s == space);
    let is_dead = asks_here && pid_of(pid.as_bytes()).is_some_and(|pid| !is_alive(pid));
    let holder = Holder { name: format!("pid {pid}"), pid: pid_of(pid.as_bytes()) };
    if is_dead || is_older(&metadata, stale_ms, now) { Judged::Stale { seen, holder } } else { Judged::Held { holder } }
}

/// Whether a folder lock is one of ours whose process is gone, whatever its age.
pub(crate) fn is_abandoned(files: &ProjectFiles, lock: &ProjectPath) -> bool {
    matches!(judge_folder(files, lock, i64::MAX, Timestamp::from_millis(0)), Judged::Stale { .. })
}

/// Judges a pid file. Something else in its place is nobody's to take away.
pub(super) fn judge_pid_file(files: &ProjectFiles, lock: &ProjectPath, ages: PidFileAges, now: Timestamp) -> Judged {
    let Ok((seen, metadata)) = Shape::PidFile.look(files, lock) else { return Judged::Free };
    let pid = match &seen.mark {
        FileState::Bytes(bytes) => pid_of(bytes),
        _ => None,
    };
    let name = match pid {
        _ if !metadata.is_file() => "something that is no file".to_owned(),
        None => "unknown".to_owned(),
        Some(pid) => format!("pid {pid}"),
    };
    let holder = Holder { name, pid };
    let is_stale = match (&seen.mark, pid) {
        // A process that bears our id and does not hold the lock is one that was killed: in a
        // container each has the same. Two of ours never meet here, since each holds its format's lock.
        (_, Some(pid)) if is_us(pid) || !is_alive(pid) => true,
        (FileState::Bytes(_), None) => is_older(&metadata, ages.empty_ms, now),
        _ => is_older(&metadata, ages.live_ms, now),
    };
    if is_stale && metadata.is_file() { Judged::Stale { seen, holder } } else { Judged::Held { holder } }
}

/// Takes a stale lock away if it is still the one that was judged; answers whether it is gone.
pub(super) fn reclaim(files: &ProjectFiles, lock: &ProjectPath, shape: Shape, judged: &Seen) -> bool {
    shape.look(files, lock).is_ok_and(|(seen, _)| seen == *judged) && take_away(files, lock, shape, judged)
}

// Two reclaimers must not remove each other's fresh lock: the lock is renamed away first, and
// renamed back, without replacing, when it is not the one that was judged.
fn take_away(files: &ProjectFiles, lock: &ProjectPath, shape: Shape, judged: &Seen) -> bool {
    let dir = files.dir();
    let aside = aside(lock);
    if dir.rename(lock.as_str(), dir, aside.as_str()).is_err() {
        return false;
    }
    if shape.look(files, &aside).is_ok_and(|(seen, _)| seen == *judged) {
        // A file may stand where the folder of a lock belongs.
        let removed = match shape {
            Shape::Folder if files.is_folder(&aside) => dir.remove_dir_all(aside.as_str()),
            _ => dir.remove_file(aside.as_str()),
        };
        // What stays is swept by the next who takes the lock.
        drop(removed);
        return true;
    }
    // Whoever made a new lock meanwhile keeps it; the renamed one then stays aside.
    drop(rename_new(files, &aside, lock));
    false
}

/// Releases a folder lock that still bears our mark: it goes in one step, and never stands without its owner.
pub(super) fn release(files: &ProjectFiles, lock: &ProjectPath, text: &str) {
    if let Ok((seen, _)) = Shape::Folder.look(files, lock)
        && seen.mark == FileState::Bytes(text.as_bytes().to_vec())
    {
        take_away(files, lock, Shape::Folder, &seen);
    }
}

/// A fresh name beside a lock, for what is to become one or was one.
pub(super) fn aside(lock: &ProjectPath) -> ProjectPath {
    lock.beside(&format!("{}{}", prefix(lock), clock::random())).expect("a valid name")
}

/// Removes what killed processes left beside a lock: at once where its owner can be asked, else after a minute.
pub(super) fn sweep_aside(files: &ProjectFiles, lock: &ProjectPath, now: Timestamp) {
    let Some(parent) = lock.parent() else { return };
    for name in files.list(&parent).into_iter().filter(|name| name.starts_with(&prefix(lock))) {
        let Ok(path) = parent.join(&name) else { continue };
        if matches!(judge_folder(files, &path, ABANDONED, now), Judged::Stale { .. }) {
            // What stays is in nobody's way.
            let is_folder = files.is_folder(&path);
            let (dir, path) = (files.dir(), path.as_str());
            drop(if is_folder { dir.remove_dir_all(path) } else { dir.remove_file(path) });
        }
    }
}

fn prefix(lock: &ProjectPath) -> String {
    format!(".mainstay-{}-", lock.name())
}

/// Our own mark in a folder: who holds the lock, in terms that tell whether the process can be asked.
pub(super) fn our_mark() -> String {
    let (host, boot, space) = machine();
    format!("{}\nmainstay {} {host} {boot} {space}\n", std::process::id(), clock::random())
}

fn machine() -> (String, String, String) {
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let space = std::fs::read_link("/proc/self/ns/pid").map(|link| link.to_string_lossy().into_owned());
    (host, boot.trim().to_owned(), space.unwrap_or_default())
}

// A time in the future is fresh.
fn is_older(metadata: &Metadata, age_ms: i64, now: Timestamp) -> bool {
    let modified = metadata.mtime().saturating_mul(1000).saturating_add(metadata.mtime_nsec() / 1_000_000);
    now.as_millis().saturating_sub(modified) >= age_ms
}

fn pid_of(bytes: &[u8]) -> Option<i32> {
    std::str::from_utf8(bytes).ok()?.trim().parse().ok().filter(|pid| *pid > 0)
}

fn is_us(pid: i32) -> bool {
    u32::try_from(pid).is_ok_and(|pid| pid == std::process::id())
}

fn is_alive(pid: i32) -> bool {
    // A process of someone else answers with EPERM, which is an answer.
    rustix::process::Pid::from_raw(pid)
        .is_some_and(|pid| rustix::process::test_kill_process(pid) != Err(rustix::io::Errno::SRCH))
}

#[cfg(test)]
mod tests {
    use super::{Judged, PidFileAges, Seen, Shape, is_abandoned, judge_folder, judge_pid_file, our_mark, take_away};
    use crate::images::ProjectFiles;
    use model::{ProjectPath, Timestamp};
    use std::fs::{self, File};
    use std::path::Path;
    use std::time::{Duration, SystemTime};

    const AGES: PidFileAges = PidFileAges { empty_ms: 1_000, live_ms: 60_000 };

    fn now() -> Timestamp {
        Timestamp::from_millis(2_000_000_000_000)
    }

    fn lock() -> ProjectPath {
        ProjectPath::known("a.lock")
    }

    fn age(path: &Path, age_ms: u64) {
        let then = SystemTime::UNIX_EPOCH + Duration::from_millis(2_000_000_000_000 - age_ms);
        File::open(path).unwrap().set_modified(then).unwrap();
    }

    fn stale(judged: Judged) -> Seen {
        match judged {
            Judged::Stale { seen, .. } => seen,
            _ => panic!("it is stale"),
        }
    }

    /// What was judged goes; what took its place in between stays as it is.
    fn check_swap(shape: Shape, make: impl Fn(&Path), swap: impl Fn(&Path), judge: impl Fn(&ProjectFiles) -> Judged) {
        let root = tempfile::tempdir().unwrap();
        let (files, path) = (ProjectFiles::open(root.path()).unwrap(), root.path().join("a.lock"));
        make(&path);
        let seen = stale(judge(&files));
        swap(&path);
        let there = shape.look(&files, &lock()).unwrap().0;
        assert!(!take_away(&files, &lock(), shape, &seen));
        assert_eq!(shape.look(&files, &lock()).unwrap().0, there);
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 1, "nothing is left aside");
        assert!(take_away(&files, &lock(), shape, &there));
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_folder_made_meanwhile_without_an_owner_is_not_taken_away() {
        let old = |path: &Path| {
            fs::create_dir(path).unwrap();
            age(path, 30_000);
        };
        let swap = |path: &Path| {
            fs::remove_dir(path).unwrap();
            fs::create_dir(path).unwrap();
        };
        check_swap(Shape::Folder, old, swap, |files| judge_folder(files, &lock(), 30_000, now()));
    }

    #[test]
    fn a_folder_whose_owner_comes_late_is_not_taken_away() {
        let old = |path: &Path| {
            fs::create_dir(path).unwrap();
            age(path, 30_000);
        };
        let write = |path: &Path| fs::write(path.join("owner"), "4711\n").unwrap();
        check_swap(Shape::Folder, old, write, |files| judge_folder(files, &lock(), 30_000, now()));
    }

    #[test]
    fn a_pid_file_of_the_next_holder_is_not_taken_away() {
        let old = |path: &Path| {
            fs::write(path, "1\n").unwrap();
            age(path, 60_000);
        };
        let same_pid = |path: &Path| {
            fs::remove_file(path).unwrap();
            fs::write(path, "1\n").unwrap();
        };
        let touched = |path: &Path| age(path, 0);
        check_swap(Shape::PidFile, old, same_pid, |files| judge_pid_file(files, &lock(), AGES, now()));
        check_swap(Shape::PidFile, old, touched, |files| judge_pid_file(files, &lock(), AGES, now()));
    }

    #[test]
    fn a_pid_file_is_judged_by_its_text_and_its_age() {
        let us = std::process::id().to_string();
        for (text, age_ms, expected) in [
            ("", 999, false),
            ("", 1_000, true),
            ("who", 999, false),
            ("-5", 1_000, true),
            ("0", 999, false),
            ("1\n", 59_999, false),
            ("1\n", 60_000, true),
            (us.as_str(), 0, true),
        ] {
            let root = tempfile::tempdir().unwrap();
            let files = ProjectFiles::open(root.path()).unwrap();
            fs::write(root.path().join("a.lock"), text).unwrap();
            age(&root.path().join("a.lock"), age_ms);
            let judged = judge_pid_file(&files, &lock(), AGES, now());
            assert_eq!(matches!(judged, Judged::Stale { .. }), expected, "{text:?} of {age_ms} ms");
        }
    }

    #[test]
    fn only_what_a_dead_process_of_ours_holds_is_abandoned() {
        let root = tempfile::tempdir().unwrap();
        let (files, lock) = (ProjectFiles::open(root.path()).unwrap(), ProjectPath::known("lock"));
        assert!(!is_abandoned(&files, &lock), "nobody holds it");
        fs::create_dir(root.path().join("lock")).unwrap();
        assert!(!is_abandoned(&files, &lock), "it may be half made");
        let ours = our_mark();
        let (_, who) = ours.split_once('\n').unwrap();
        // No kernel gives a process this id.
        let dead = 1_999_999_999;
        for (owner, expected) in [(ours.clone(), false), (format!("{dead}\n{who}"), true), (format!("{dead}\n"), false)]
        {
            fs::write(root.path().join("lock/owner"), &owner).unwrap();
            assert_eq!(is_abandoned(&files, &lock), expected, "{owner}");
        }
    }
}
