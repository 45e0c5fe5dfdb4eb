//! A mark on the file of a table image by which a read sees, without opening it, that nobody wrote.
//!
//! After our commit the file gets a time of its own, one nanosecond past the clock's tick: whoever
//! writes later, within the same tick too, gives it another. What waits in a log or journal beside it
//! is not in the file yet, so those have to be empty or away.

use std::ffi::OsString;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use model::Revision;
use rusqlite::Connection;
use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, UTIME_OMIT, utimensat};

/// Marks the file that shows `revision` and answers the mark; nothing where somebody wrote meanwhile.
///
/// `seen` is the connection's `data_version` within the transaction that was just committed.
pub(super) fn set(connection: &Connection, place: &Path, seen: i64, revision: Revision) -> Option<String> {
    let metadata = place.symlink_metadata().ok()?;
    let omit = Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT };
    let nanos = metadata.mtime_nsec() + 1;
    let next = Timespec { tv_sec: metadata.mtime() + nanos / 1_000_000_000, tv_nsec: nanos % 1_000_000_000 };
    let times = Timestamps { last_access: omit, last_modification: next };
    utimensat(CWD, place, &times, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    // Whoever committed between our commit and the mark would hide behind it.
    let now = data_version(connection).ok()?;
    (now == seen).then(|| of(place, revision).ok()).flatten()
}

/// Counts the commits of other connections, as this one sees them.
pub(super) fn data_version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get(0))
}

/// Whether the file still bears the mark of a revision, and nothing waits beside it.
pub(super) fn stands(place: &Path, revision: Revision, mark: &str) -> bool {
    let is_still = |suffix: &str| match beside(place, suffix).symlink_metadata() {
        Ok(metadata) => metadata.is_file() && metadata.len() == 0,
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    };
    is_still("-wal") && is_still("-journal") && of(place, revision).is_ok_and(|now| now == mark)
}

// **Shape**: `REVISION INODE SIZE SECONDS.NANOSECONDS`.
fn of(place: &Path, revision: Revision) -> io::Result<String> {
    let metadata = place.symlink_metadata()?;
    let (inode, size) = (metadata.ino(), metadata.len());
    Ok(format!("{revision} {inode} {size} {}.{:09}", metadata.mtime(), metadata.mtime_nsec()))
}

/// A file that SQLite puts beside the database.
pub(super) fn beside(place: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(place);
    name.push(suffix);
    name.into()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use model::Revision;
    use rusqlite::Connection;

    use super::{data_version, set, stands};

    struct Desk {
        place: PathBuf,
        ours: Connection,
        theirs: Connection,
        _folder: tempfile::TempDir,
    }

    fn desk(mode: &str) -> Desk {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("project.db");
        let open = || Connection::open(&place).unwrap();
        let (ours, theirs) = (open(), open());
        ours.query_row(&format!("PRAGMA journal_mode={mode}"), [], |_| Ok(())).unwrap();
        ours.execute_batch("CREATE TABLE t (x); INSERT INTO t VALUES (1); PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
        Desk { place, ours, theirs, _folder: folder }
    }

    fn empty(connection: &Connection) {
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    }

    #[test]
    fn whoever_writes_is_seen() {
        for mode in ["WAL", "DELETE"] {
            for checkpoints in [true, false] {
                let desk = desk(mode);
                let seen = data_version(&desk.ours).unwrap();
                let mark = set(&desk.ours, &desk.place, seen, Revision(7)).unwrap();
                assert!(stands(&desk.place, Revision(7), &mark), "{mode}");
                assert!(!stands(&desk.place, Revision(8), &mark), "another revision");
                // One page, the same size, and soon enough for the clock to stand still.
                desk.theirs.execute_batch("UPDATE t SET x = 2").unwrap();
                if checkpoints {
                    empty(&desk.theirs);
                }
                assert!(!stands(&desk.place, Revision(7), &mark), "{mode}, {checkpoints}");
            }
        }
    }

    #[test]
    fn whoever_writes_before_the_mark_keeps_it_from_being_set() {
        let desk = desk("WAL");
        let seen = data_version(&desk.ours).unwrap();
        desk.theirs.execute_batch("UPDATE t SET x = 2").unwrap();
        empty(&desk.theirs);
        assert_eq!(set(&desk.ours, &desk.place, seen, Revision(7)), None);
    }

    #[test]
    fn another_file_is_seen() {
        let desk = desk("WAL");
        let mark = set(&desk.ours, &desk.place, data_version(&desk.ours).unwrap(), Revision(1)).unwrap();
        let copy = desk.place.with_extension("copy");
        std::fs::copy(&desk.place, &copy).unwrap();
        std::fs::rename(&copy, &desk.place).unwrap();
        assert!(!stands(&desk.place, Revision(1), &mark));
    }
}
