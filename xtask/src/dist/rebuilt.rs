//! The program built once more, from a copy of the sources in another folder: the same bytes must come out.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::product::{Product, output};

use super::shown;

/// Compares a program of this checkout with one that is built elsewhere from the same files.
pub(super) fn check(binary: &Path) -> Result<(), String> {
    let place = tempfile::Builder::new().prefix("mainstay-elsewhere-").tempdir().map_err(|error| error.to_string())?;
    let (checkout, target) = (place.path().join("another/folder"), place.path().join("target"));
    copy_sources(&checkout)?;
    println!("building once more in {}", place.path().display());
    let other = Product::released_from(&checkout, &target)?.binary;
    let read = |path: &Path| fs::read(path).map_err(|error| shown(path, &error));
    let (here, there) = (read(binary)?, read(&other)?);
    if here == there {
        println!("built once more elsewhere: the same {} bytes", here.len());
        return Ok(());
    }
    let at = here.iter().zip(&there).position(|(one, other)| one != other).unwrap_or(here.len().min(there.len()));
    Err(format!("built elsewhere, the program differs: {} and {} bytes, first at {at}", here.len(), there.len()))
}

// Every file that git knows, as it stands, changed or not.
fn copy_sources(to: &Path) -> Result<(), String> {
    let root = testkit::repository();
    let listed = output(Command::new("git").arg("-C").arg(&root).args(["ls-files", "-z"]))?;
    for path in listed.split('\0').filter(|path| !path.is_empty()) {
        let (from, to) = (root.join(path), to.join(path));
        let folder = to.parent().ok_or("a file lies in no folder")?;
        fs::create_dir_all(folder).map_err(|error| shown(folder, &error))?;
        // What was removed and not yet committed is no source.
        if from.is_file() {
            fs::copy(&from, &to).map_err(|error| shown(&from, &error))?;
        }
    }
    Ok(())
}
