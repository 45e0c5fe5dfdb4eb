//! The one table from errors of stores, files and databases to refusals.

use std::io;
use std::path::Path;

use model::{ProjectPath, Refusal, RefusalClass, Warning};
use store::{StoreDamage, StoreError};

/// The code of a commit of which nobody can know whether it happened.
pub(crate) const OUTCOME_UNKNOWN: &str = "outcome_unknown";

/// The code of a request with a value that no store could give back.
pub(crate) const UNSTORABLE: &str = "value_unstorable";

/// A format that the project's own list leaves out.
pub(crate) fn format_off(format: &str, message: String) -> Refusal {
    Refusal::refused("format_off", message)
        .field("format")
        .with("format", format)
        .hint(format!("add {format:?} to `formats` in mainstay.toml and repeat the command"))
}

/// The code of a damaged store.
pub(crate) const STORE_CORRUPT: &str = "store_corrupt";

/// What a failing engine database means to the caller.
pub(crate) fn of_store(error: &StoreError) -> Refusal {
    match error {
        StoreError::Busy | StoreError::Conflict(_) => {
            Refusal::new(RefusalClass::Unavailable, "store_busy", format!("the project's store is busy: {error}"))
                .hint("repeat the command; with --request-id it is applied once")
        }
        StoreError::Unstorable => Refusal::refused(UNSTORABLE, error.to_string())
            .hint("at most 128 levels, numbers within a double's range, no name that begins with $serde_json::private"),
        StoreError::Corrupt(_) => Refusal::new(
            RefusalClass::Corrupt,
            STORE_CORRUPT,
            format!("the engine's database .mainstay/state.db cannot be read: {error}"),
        )
        .hint("mainstay doctor"),
        StoreError::Frozen(_) => Refusal::new(
            RefusalClass::Corrupt,
            STORE_CORRUPT,
            format!("the engine's database .mainstay/state.db must not be written: {error}"),
        )
        .hint("mainstay doctor --fix"),
        StoreError::TooNew { .. } => Refusal::new(
            RefusalClass::Unavailable,
            "schema_too_new",
            format!("a newer Mainstay wrote this project: {error}"),
        )
        .hint("update mainstay"),
        StoreError::Io(_) => Refusal::new(
            RefusalClass::Unavailable,
            "store_unavailable",
            format!("the project's store cannot be used: {error}"),
        )
        .hint("check the permissions and the free space of .mainstay/"),
    }
}

/// What readers of a damaged store are told.
pub(crate) fn warning_of(damage: &StoreDamage) -> Warning {
    let message = format!("the store is damaged: {}; mainstay doctor --fix mends it", damage.what);
    Warning::new(STORE_CORRUPT, message)
}

/// The same of an error that goes no further.
#[expect(clippy::needless_pass_by_value, reason = "it stands where an error is mapped")]
pub(crate) fn failed(error: StoreError) -> Refusal {
    of_store(&error)
}

/// What a failing commit means to the caller.
///
/// A disk that fails in the middle of it leaves open whether the commit will be found afterwards:
/// its log may be complete although the fsync was not. Nobody can say, so nobody says.
pub(crate) fn of_commit(error: &StoreError) -> Refusal {
    let StoreError::Io(why) = error else { return of_store(error) };
    Refusal::new(
        RefusalClass::Unavailable,
        OUTCOME_UNKNOWN,
        format!("the disk failed during the commit ({why}); the change may or may not be there"),
    )
    .hint("look with a read, or repeat the command with the same --request-id: it is applied once")
}

/// What an input or output error means to the caller; nothing was committed.
pub(crate) fn of_io(path: impl AsRef<Path>, error: &io::Error) -> Refusal {
    let path = path.as_ref().display();
    Refusal::new(RefusalClass::Unavailable, "write_failed", format!("cannot write {path}: {error}"))
        .with("path", path.to_string())
        .hint("check the permissions and the free space; nothing was changed")
}

/// An image that nobody could read back.
pub(crate) fn image_too_large(path: &ProjectPath, size: usize, limit: u64) -> Refusal {
    Refusal::refused("too_large", format!("{path} would have {size} bytes; at most {limit} are read"))
        .with("path", path.as_str())
        .with("limit", limit)
        .hint("nothing was changed; take more out of it at once")
}

/// Something of the engine's own folder that is not what the engine made.
pub(crate) fn outside(path: &str, what: &str) -> Refusal {
    Refusal::refused("path_outside_project", format!("{path} is {what}"))
        .with("path", path)
        .hint("remove it; Mainstay keeps a project's state in the project, in folders and files of its own")
}

/// What it means that a file of the engine's own folder cannot be opened.
pub(crate) fn of_opening(path: &Path, error: &io::Error) -> Refusal {
    match path.symlink_metadata() {
        Ok(metadata) if metadata.is_symlink() => outside(&path.display().to_string(), "a symbolic link"),
        _ => of_io(path, error),
    }
}

/// What a failing table image's file means to the caller.
pub(crate) fn of_table(place: &Path, error: &rusqlite::Error) -> Refusal {
    use rusqlite::ErrorCode::{DatabaseBusy, DatabaseCorrupt, DatabaseLocked, NotADatabase};
    let shown = place.display();
    if matches!(error, rusqlite::Error::InvalidPath(_)) {
        return table_corrupt(place, "it is no regular file");
    }
    match error.sqlite_error_code() {
        Some(NotADatabase | DatabaseCorrupt) => table_corrupt(place, &error.to_string()),
        Some(DatabaseBusy | DatabaseLocked) => Refusal::new(
            RefusalClass::Unavailable,
            "store_busy",
            format!("another program holds a write transaction on {shown}"),
        )
        .with("holder", format!("another program writing {shown}"))
        .hint("finish or close that program's transaction and repeat the command"),
        _ => Refusal::new(RefusalClass::Unavailable, "backend_unavailable", format!("cannot use {shown}: {error}"))
            .with("path", shown.to_string()),
    }
}

/// The file of the tables can neither be opened nor made.
pub(crate) fn table_impossible(place: &Path) -> Refusal {
    Refusal::new(RefusalClass::Unavailable, "backend_unavailable", format!("cannot create {}", place.display()))
        .with("path", place.display().to_string())
        .hint("check the folder above it, or set another db_path")
}

/// The file where the tables should be is no sound database.
pub(crate) fn table_corrupt(place: &Path, why: &str) -> Refusal {
    Refusal::new(RefusalClass::Corrupt, "db_corrupt", format!("{} is no sound database: {why}", place.display()))
        .with("path", place.display().to_string())
        .hint("if it is Mainstay's own, move the file away: the records are kept in .mainstay/ and the next write makes it \
             again; otherwise set another db_path")
}
