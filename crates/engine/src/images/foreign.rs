//! Locks that tools of others honour: a folder made by `mkdir`, a file with a process id.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::Duration;

use cap_std::fs::{MetadataExt as _, OpenOptions};
use format::FileState;
use model::{ProjectPath, Refusal, RefusalClass};
use rustix::fs::{Timespec, Timestamps, UTIME_NOW, UTIME_OMIT};

use super::files::ProjectFiles;
use super::holder::{
    Holder, Judged, PidFileAges, Shape, aside, judge_folder, judge_pid_file, our_mark, reclaim, release, sweep_aside,
};
use super::replace::rename_new;
use crate::clock::{self, Running};
use crate::locks::Deadline;
use crate::refusals;

/// How long to rest between two tries. Others' locks cannot be queued for.
const REST: Duration = Duration::from_millis(50);

/// How often a lock that vanished, or was taken away for being stale, is tried for without a rest.
const AT_ONCE: u32 = 20;

/// How often the holder of a pid file touches it.
const TOUCH: Duration = Duration::from_secs(10);

/// A foreign lock that we hold; dropping it releases it if it is still ours.
pub(crate) struct ForeignLockHeld<'a> {
    files: &'a ProjectFiles,
    lock: ProjectPath,
    shape: Shape,
    text: String,
    /// The very file that we made, where its text may be that of another holder too.
    file: Option<File>,
    // Ends the touching when it is dropped.
    _touching: Option<Sender<()>>,
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
        now: Running,
    ) -> Result<Self, Refusal> {
        if let Some(parent) = folder.parent() {
            files.dir().create_dir_all(parent.as_str()).map_err(|error| refusals::of_io(parent.as_str(), &error))?;
        }
        sweep_aside(files, folder, now.now());
        let judge = || judge_folder(files, folder, stale_ms, now.now());
        take(files, folder, Shape::Folder, wait, &judge, &|| Self::make_folder(files, folder))?
            .map_err(|error| refusals::of_io(folder.as_str(), &error))
    }

    /// Takes a lock file that holds its owner's process id.
    ///
    /// **Errors**: `lock_timeout`, naming the holder; `store_unavailable`.
    pub(crate) fn pid_file(
        files: &'a ProjectFiles,
        path: &ProjectPath,
        wait: Duration,
        ages: PidFileAges,
        now: Running,
    ) -> Result<Self, Refusal> {
        let judge = || judge_pid_file(files, path, ages, now.now());
        take(files, path, Shape::PidFile, wait, &judge, &|| Self::make_pid_file(files, path))?.map_err(|error| {
            let message = format!("the lock {path} cannot be made: {error}");
            Refusal::new(RefusalClass::Unavailable, "store_unavailable", message)
                .with("path", path.as_str())
                .hint("check the permissions and the free space; nothing was changed")
        })
    }

    // The folder is made aside and appears with its owner in it: one without an owner would be in
    // everybody's way until it is old. Nobody's folder is replaced, an empty one of another neither.
    fn make_folder(files: &'a ProjectFiles, folder: &ProjectPath) -> io::Result<Self> {
        let (dir, text) = (files.dir(), our_mark());
        if dir.symlink_metadata(folder.as_str()).is_ok() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        let aside = aside(folder);
        dir.create_dir(aside.as_str())?;
        let made = create(files, &Shape::Folder.owner(&aside), &text).and_then(|_| rename_new(files, &aside, folder));
        if let Err(error) = made {
            drop(dir.remove_dir_all(aside.as_str()));
            return Err(error);
        }
        Ok(Self { files, lock: folder.clone(), shape: Shape::Folder, text, file: None, _touching: None })
    }

    fn make_pid_file(files: &'a ProjectFiles, path: &ProjectPath) -> io::Result<Self> {
        let text = format!("{}\n", std::process::id());
        let file = create_whole(files, path, &text)?;
        let touching = file.try_clone().ok().and_then(|file| keep_fresh(file, TOUCH).ok());
        Ok(Self { files, lock: path.clone(), shape: Shape::PidFile, text, file: Some(file), _touching: touching })
    }

    /// Checks, right before the commit, that nobody took the lock away.
    ///
    /// **Errors**: `lock_lost`.
    pub(crate) fn check(&self) -> Result<(), Refusal> {
        if self.is_ours() {
            return Ok(());
        }
        let message = format!("the lock {} was taken away", self.shape.owner(&self.lock));
        Err(Refusal::new(RefusalClass::Unavailable, "lock_lost", message)
            .hint("repeat the command; nothing was written"))
    }

    // A folder's mark holds a token. A process id may stand in another's file, so the file counts too;
    // while it is open, no other can have its inode.
    fn is_ours(&self) -> bool {
        let is_our_file = self.file.as_ref().is_none_or(|file| {
            let there = self.files.dir().symlink_metadata(self.lock.as_str());
            matches!((file.metadata(), there), (Ok(ours), Ok(there))
                if ours.dev() == there.dev() && ours.ino() == there.ino())
        });
        is_our_file && self.shape.mark(self.files, &self.lock) == FileState::Bytes(self.text.clone().into_bytes())
    }
}

impl Drop for ForeignLockHeld<'_> {
    fn drop(&mut self) {
        if !self.is_ours() {
            return;
        }
        // A lock that cannot be released goes stale; there is nobody here to tell.
        match self.shape {
            Shape::Folder => release(self.files, &self.lock, &self.text),
            Shape::PidFile => drop(self.files.dir().remove_file(self.lock.as_str())),
        }
    }
}

// Tries until the lock is made or the wait is over. The inner result is that of making it.
fn take<'a>(
    files: &ProjectFiles,
    lock: &ProjectPath,
    shape: Shape,
    wait: Duration,
    judge: &dyn Fn() -> Judged,
    make: &dyn Fn() -> io::Result<ForeignLockHeld<'a>>,
) -> Result<io::Result<ForeignLockHeld<'a>>, Refusal> {
    let deadline = Deadline::within(wait);
    let mut at_once = 0;
    loop {
        match make() {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            answer => return Ok(answer),
        }
        match judge() {
            Judged::Free if at_once < AT_ONCE => at_once += 1,
            Judged::Stale { seen, .. } if at_once < AT_ONCE && reclaim(files, lock, shape, &seen) => at_once += 1,
            Judged::Free => rest(deadline, lock, None)?,
            Judged::Held { holder } | Judged::Stale { holder, .. } => rest(deadline, lock, Some(&holder))?,
        }
    }
}

// Without a holder, others take the lock in turn.
fn rest(deadline: Deadline, lock: &ProjectPath, holder: Option<&Holder>) -> Result<(), Refusal> {
    let left = deadline.left();
    if left.is_zero() {
        let name = holder.map_or("others in turn", |holder| &holder.name);
        let message = format!("{lock} is held by {name}");
        let mut refusal = Refusal::new(RefusalClass::Unavailable, "lock_timeout", message)
            .with("holder", name)
            .with("lock", lock.as_str());
        if let Some(pid) = holder.and_then(|holder| holder.pid) {
            refusal = refusal.with("holder_pid", pid);
        }
        return Err(refusal.hint("wait for that process, or end it, and repeat the command"));
    }
    let jitter = u64::from(clock::random().as_bytes()[0]) % 16;
    std::thread::sleep((REST + Duration::from_millis(jitter)).min(left));
    Ok(())
}

// Creates a file that must not exist; no half of it stays.
fn create(files: &ProjectFiles, path: &ProjectPath, text: &str) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    let mut file = files.dir().open_with(path.as_str(), &options)?.into_std();
    if let Err(error) = file.write_all(text.as_bytes()) {
        drop(files.dir().remove_file(path.as_str()));
        return Err(error);
    }
    Ok(file)
}

// The same, and nobody ever sees the file without its text: one without a process id would be in everybody's way until
// it is old. Where that cannot be had, such as without hard links, it is created and then filled.
fn create_whole(files: &ProjectFiles, path: &ProjectPath, text: &str) -> io::Result<File> {
    let dir = files.dir();
    if dir.symlink_metadata(path.as_str()).is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    // One name for all: whoever makes this lock holds its format's own lock. A killed one's is taken away here.
    let growing = path.beside(&format!(".mainstay-{}.tmp", path.name())).expect("a name beside a valid path is valid");
    drop(dir.remove_file(growing.as_str()));
    let Ok(file) = create(files, &growing, text) else { return create(files, path, text) };
    let linked = dir.hard_link(growing.as_str(), dir, path.as_str());
    drop(dir.remove_file(growing.as_str()));
    match linked {
        Ok(()) => Ok(file),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        Err(_) => create(files, path, text),
    }
}

// Touches a file again and again until what is answered is dropped.
fn keep_fresh(file: File, every: Duration) -> io::Result<Sender<()>> {
    let (stop, stopped) = mpsc::channel();
    let now = |tv_nsec| Timespec { tv_sec: 0, tv_nsec };
    let times = Timestamps { last_access: now(UTIME_OMIT), last_modification: now(UTIME_NOW) };
    std::thread::Builder::new().name("lock".into()).spawn(move || {
        while stopped.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
            // A lock that cannot be touched goes stale, which the check before the commit finds.
            let _ = rustix::fs::futimens(&file, &times);
        }
    })?;
    Ok(stop)
}

#[cfg(test)]
mod tests {
    use super::{ForeignLockHeld, Running, keep_fresh};
    use crate::images::{PidFileAges, ProjectFiles};
    use model::{ProjectPath, Timestamp};
    use std::fs::{self, File};
    use std::process::Command;
    use std::time::{Duration, SystemTime};

    const AGES: PidFileAges = PidFileAges { empty_ms: 1_000, live_ms: 60_000 };

    fn now() -> Running {
        Running::from(Timestamp::from_millis(0))
    }

    fn lock() -> ProjectPath {
        ProjectPath::known("a.lock")
    }

    #[test]
    fn a_held_file_is_touched() {
        let mut file = tempfile::tempfile().unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        let touching = keep_fresh(file.try_clone().unwrap(), Duration::from_millis(1)).unwrap();
        while file.metadata().unwrap().modified().unwrap() == SystemTime::UNIX_EPOCH {
            std::thread::yield_now();
        }
        drop(touching);
        std::io::Write::write_all(&mut file, b"x").unwrap();
    }

    #[test]
    fn a_file_with_the_same_process_id_is_not_ours() {
        let root = tempfile::tempdir().unwrap();
        let (files, path) = (ProjectFiles::open(root.path()).unwrap(), root.path().join("a.lock"));
        let held = ForeignLockHeld::pid_file(&files, &lock(), Duration::ZERO, AGES, now()).unwrap();
        held.check().unwrap();
        let text = fs::read(&path).unwrap();
        fs::remove_file(&path).unwrap();
        fs::write(&path, &text).unwrap();
        assert_eq!(held.check().unwrap_err().code, "lock_lost");
        drop(held);
        assert_eq!(fs::read(&path).unwrap(), text, "only our own lock is given back");
    }

    #[test]
    fn a_lock_that_cannot_be_made_is_told() {
        let root = tempfile::tempdir().unwrap();
        let files = ProjectFiles::open(root.path()).unwrap();
        let none = ProjectPath::known("none/a.lock");
        let refusal = ForeignLockHeld::pid_file(&files, &none, Duration::ZERO, AGES, now()).err().unwrap();
        assert_eq!(refusal.code, "store_unavailable");
    }

    /// A process that may write nothing into files, so that making a lock fails halfway.
    #[test]
    fn a_lock_that_cannot_be_written_is_not_left() {
        if std::env::var_os("MAY_NOT_WRITE").is_none() {
            let name = "images::foreign::tests::a_lock_that_cannot_be_written_is_not_left";
            let script = "ulimit -f 0; trap '' XFSZ; exec \"$0\" --exact \"$1\" --nocapture";
            let mut child = Command::new("sh");
            child.args(["-c", script]).arg(std::env::current_exe().unwrap()).arg(name).env("MAY_NOT_WRITE", "1");
            let output = child.output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
            return;
        }
        let root = tempfile::tempdir().unwrap();
        let files = ProjectFiles::open(root.path()).unwrap();
        assert!(File::create(root.path().join("probe")).and_then(|file| file.set_len(1)).is_err());
        fs::remove_file(root.path().join("probe")).unwrap();
        let refusal = ForeignLockHeld::folder(&files, &lock(), Duration::ZERO, 0, now()).err().unwrap();
        assert_eq!(refusal.code, "write_failed");
        let refusal = ForeignLockHeld::pid_file(&files, &lock(), Duration::ZERO, AGES, now()).err().unwrap();
        assert_eq!(refusal.code, "store_unavailable");
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 0, "no lock of ours stays");
    }
}
