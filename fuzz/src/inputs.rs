//! The inputs that are kept in the tree, and the words that mean something.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// The files of a target in `fuzz/seeds` or `fuzz/crashes`, by name; none where there is no such folder.
pub(crate) fn of_folder(kind: &str, target: &str) -> Result<Vec<Vec<u8>>, String> {
    let folder = here().join(kind).join(target);
    let read = || -> io::Result<Vec<Vec<u8>>> {
        let entries = match fs::read_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<PathBuf>>>()?;
        paths.sort();
        paths.into_iter().map(fs::read).collect()
    };
    read().map_err(|error| format!("{}: {error}", folder.display()))
}

/// The words of a dictionary: one a line, `\n` and `\t` written out; lines that begin with `# ` are comments.
pub(crate) fn dictionary(name: &str) -> Result<Vec<Vec<u8>>, String> {
    let path = here().join("dict").join(format!("{name}.txt"));
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with("# "));
    Ok(lines.map(|line| line.replace("\\n", "\n").replace("\\t", "\t").into_bytes()).collect())
}

fn here() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}
