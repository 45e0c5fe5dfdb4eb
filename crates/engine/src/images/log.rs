//! Adding lines to a log that stays short.

use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};

use cap_std::fs::{OpenOptions, OpenOptionsExt as _};
use model::ProjectPath;
use rustix::fs::OFlags;

use super::files::ProjectFiles;
use super::replace::{Prepared, make_folders, sync_folder_of};

/// Largest part of a log that is looked at, from its end. **Units**: bytes.
const LIMIT: u64 = 16 * 1024 * 1024;

/// Adds a line to a log and keeps the last `keep` lines, safe on disk before it returns.
pub(crate) fn append_line(files: &ProjectFiles, path: &ProjectPath, line: &str, keep: usize) -> io::Result<()> {
    make_folders(files, path)?;
    // A pipe in its place must neither block nor be written to.
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true).custom_flags(flags.bits().cast_signed());
    let mut file = files.dir().open_with(path.as_str(), &options)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"));
    }
    // A line that someone left without its end stays a line of its own.
    let length = file.seek(SeekFrom::End(0))?;
    let mut last = [b'\n'];
    if length > 0 {
        file.seek(SeekFrom::Start(length - 1))?;
        file.read_exact(&mut last)?;
    }
    let end = if last == [b'\n'] { "" } else { "\n" };
    file.write_all(format!("{end}{line}\n").as_bytes())?;
    file.sync_all()?;
    let length = file.seek(SeekFrom::End(0))?;
    file.seek(SeekFrom::Start(length.saturating_sub(LIMIT)))?;
    let mut bytes = Vec::new();
    file.take(LIMIT).read_to_end(&mut bytes)?;
    // Of a larger log the first line that is seen may be half of one, and is never kept: there are
    // more lines than are kept, or the log is left as it is.
    let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    if lines.len() > keep {
        let kept = lines[lines.len() - keep..].concat();
        let stamp = files.stamp(path);
        Prepared::write(files, path, &kept)?.publish(files, stamp)?;
    }
    sync_folder_of(files, path)
}

#[cfg(test)]
mod tests {
    use super::{LIMIT, append_line};
    use crate::images::ProjectFiles;
    use model::ProjectPath;

    #[test]
    fn a_line_without_its_end_gets_one() {
        let root = tempfile::tempdir().unwrap();
        let (files, path) = (ProjectFiles::open(root.path()).unwrap(), root.path().join("log"));
        std::fs::write(&path, "theirs").unwrap();
        append_line(&files, &ProjectPath::known("log"), "ours", 9).unwrap();
        append_line(&files, &ProjectPath::known("log"), "ours", 9).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "theirs\nours\nours\n");
    }

    #[test]
    fn of_a_log_past_the_limit_only_the_end_is_read() {
        let root = tempfile::tempdir().unwrap();
        let (files, path) = (ProjectFiles::open(root.path()).unwrap(), root.path().join("log"));
        let log = ProjectPath::known("log");
        // A hole of far more than is read.
        std::fs::File::create(&path).unwrap().set_len(LIMIT << 14).unwrap();
        append_line(&files, &log, "", 2).unwrap();
        assert_eq!(
            std::fs::metadata(&path).unwrap().len(),
            (LIMIT << 14) + 2,
            "its last line gets an end, and it has no third yet"
        );
        append_line(&files, &log, "one", 2).unwrap();
        append_line(&files, &log, "two", 2).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "one\ntwo\n");
    }
}
