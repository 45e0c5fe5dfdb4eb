//! Where a table image's file may lie, and making it.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use format::{DatabaseProbe, TableSource};
use model::Refusal;
use mutants::planted;

/// The absolute path of the file.
///
/// **Errors**: `path_outside_project` when configuration leads out of the root, through `..` or
/// through a link; the user's own word (`anywhere`) may lead anywhere.
pub(crate) fn locate(root: &Path, source: &TableSource) -> Result<PathBuf, Refusal> {
    let place = root.join(&source.place);
    let outside = || {
        Refusal::refused("path_outside_project", format!("{} lies outside the project", source.place))
            .with("path", source.place.as_str())
    };
    let Some(name) = place.file_name() else {
        return Err(outside());
    };
    let folder = place.parent().ok_or_else(outside)?;
    let (existing, rest) = nearest_existing(folder);
    let real = existing.canonicalize().map_err(|_| outside())?;
    let real = rest.iter().fold(real, |path, part| path.join(part)).join(name);
    if source.anywhere {
        return Ok(real);
    }
    let climbs = rest.iter().any(|part| part == "..");
    let link = real.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink());
    let inside = if planted("string_prefix_path") {
        real.to_string_lossy().starts_with(&*root.to_string_lossy())
    } else {
        real.starts_with(root)
    };
    if climbs || link || !inside { Err(outside()) } else { Ok(real) }
}

/// Whether nothing stands at the place of a file that is remembered; one that cannot be looked at may be there.
pub(crate) fn is_gone(place: &str) -> bool {
    fs::symlink_metadata(place).is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}

fn nearest_existing(folder: &Path) -> (PathBuf, Vec<std::ffi::OsString>) {
    let mut existing = folder.to_path_buf();
    let mut rest = Vec::new();
    while !existing.exists() {
        match (existing.file_name(), existing.parent()) {
            (Some(name), Some(parent)) => {
                rest.push(name.to_owned());
                existing = parent.to_path_buf();
            }
            (None, Some(parent)) => {
                rest.push("..".into());
                existing = parent.to_path_buf();
            }
            _ => break,
        }
    }
    rest.reverse();
    (existing, rest)
}

/// Makes the file, readable by its owner alone, with its folders; their names are safe on disk.
///
/// Answers whether it was made by this call.
pub(super) fn create(place: &Path) -> io::Result<bool> {
    if let Some(folder) = place.parent() {
        make_folders(folder)?;
    }
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(place) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}

// The file's own name is safe with the first commit.
fn make_folders(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    let Some(parent) = folder.parent() else { return Ok(()) };
    make_folders(parent)?;
    match fs::create_dir(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    File::open(parent)?.sync_all()
}

/// Looks at the file without changing anything.
pub(crate) fn probe(place: &Path) -> DatabaseProbe {
    if place.exists() {
        let sound = super::connect(place, true)
            .and_then(|connection| connection.query_row("SELECT count(*) FROM sqlite_master", [], |_| Ok(())));
        return if sound.is_ok() { DatabaseProbe::Usable } else { DatabaseProbe::Corrupt };
    }
    let Some(folder) = place.parent() else {
        return DatabaseProbe::Impossible;
    };
    let (existing, _) = nearest_existing(folder);
    let writable = existing.is_dir()
        && rustix::fs::access(&existing, rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK).is_ok();
    if writable { DatabaseProbe::Creatable } else { DatabaseProbe::Impossible }
}

#[cfg(test)]
mod tests {
    use super::locate;
    use format::TableSource;

    /// `Ok` is relative to the root.
    fn check(place: &str, anywhere: bool, expected: Result<&str, &str>) {
        let top = tempfile::tempdir().unwrap();
        let root = top.path().canonicalize().unwrap().join("root");
        std::fs::create_dir_all(root.join("in")).unwrap();
        std::fs::create_dir_all(top.path().join("root-beside")).unwrap();
        std::os::unix::fs::symlink("in", root.join("to-in")).unwrap();
        std::os::unix::fs::symlink("..", root.join("out")).unwrap();
        std::os::unix::fs::symlink("in/p.db", root.join("p-link")).unwrap();
        let place = place.replace("ROOT", root.to_str().unwrap());
        let found = locate(&root, &TableSource { place: place.clone(), anywhere, tables: &[] });
        let found = found.map_err(|refusal| refusal.code.into_owned());
        let expected = expected.map(|path| root.join(path)).map_err(str::to_owned);
        assert_eq!(found, expected, "{place}");
    }

    #[test]
    fn places_inside_are_found() {
        check("p.db", false, Ok("p.db"));
        check("in/p.db", false, Ok("in/p.db"));
        check("new/deep/p.db", false, Ok("new/deep/p.db"));
        check("in/../p.db", false, Ok("p.db"));
        check("to-in/p.db", false, Ok("in/p.db"));
        check("ROOT/in/p.db", false, Ok("in/p.db"));
    }

    #[test]
    fn places_outside_are_refused() {
        for place in ["..", "../p.db", "in/../../p.db", "new/../../p.db", "out/p.db", "p-link", "/", "/p.db"] {
            check(place, false, Err("path_outside_project"));
        }
        check("ROOT-beside/p.db", false, Err("path_outside_project"));
    }

    #[test]
    fn the_users_own_word_leads_anywhere() {
        check("/p.db", true, Ok("/p.db"));
        check("to-in/p.db", true, Ok("in/p.db"));
    }
}
