//! Moving folders of the project, to the trash and back.

use std::io;

use cap_std::fs::{DirEntry, OpenOptions, OpenOptionsExt as _};
use model::{FolderMove, ProjectPath};
use rustix::fs::OFlags;

use super::files::ProjectFiles;
use super::replace::{make_folders, rename_new, sync_folder_of};

/// What became of a folder move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MoveOutcome {
    /// It is done, now or already before a crash.
    Done,
    /// Nothing stands at either end, or something at both: someone else moved it; it is left alone.
    Impossible,
}

/// Carries a move out, or finds that it has already happened; safe on disk before it returns.
///
/// A rename within one file system; across file systems the folder is copied, made safe, and then
/// removed at its old place, so that it exists at one place at least at every moment.
///
/// **Errors**: it cannot happen now; nothing is half done that the next try does not finish.
pub(crate) fn carry_out(files: &ProjectFiles, step: &FolderMove) -> io::Result<MoveOutcome> {
    let names = Names::of(step)?;
    if is_folder(files, &names.leaving)? {
        return finish(files, step, &names);
    }
    match (is_folder(files, &step.from)?, is_folder(files, &step.to)?) {
        (false, true) => return Ok(MoveOutcome::Done),
        (true, false) => {}
        _ => return Ok(MoveOutcome::Impossible),
    }
    make_folders(files, &step.to)?;
    match rename_new(files, &step.from, &step.to) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => return copy_over(files, step, &names),
        Err(error) => return Err(error),
    }
    sync_folder_of(files, &step.to)?;
    sync_folder_of(files, &step.from)?;
    Ok(MoveOutcome::Done)
}

/// Removes a folder from the trash for good; answers whether there was one.
pub(crate) fn remove_trashed(files: &ProjectFiles, folder: &ProjectPath) -> io::Result<bool> {
    if !folder.as_str().starts_with(".mainstay/trash/") || !is_folder(files, folder)? {
        return Ok(false);
    }
    files.dir().remove_dir_all(folder.as_str())?;
    sync_folder_of(files, folder)?;
    Ok(true)
}

/// The names under which a folder is on its way between two file systems.
///
/// The copy grows under a name of its own. Once it is complete the old folder gets its other name,
/// which says so from then on: whoever finds that name has the rest to do.
struct Names {
    growing: ProjectPath,
    leaving: ProjectPath,
}

impl Names {
    fn of(step: &FolderMove) -> io::Result<Self> {
        let beside = |path: &ProjectPath, end: &str| {
            path.beside(&format!(".mainstay-{}.{end}", path.name())).map_err(|_| invalid_name())
        };
        Ok(Self { growing: beside(&step.to, "tmp")?, leaving: beside(&step.from, "leaving")? })
    }
}

fn copy_over(files: &ProjectFiles, step: &FolderMove, names: &Names) -> io::Result<MoveOutcome> {
    // What cannot be copied refuses before anything is changed.
    look_through(files, &step.from)?;
    if files.dir().symlink_metadata(names.growing.as_str()).is_ok() {
        files.dir().remove_dir_all(names.growing.as_str())?;
    }
    copy_folder(files, &step.from, &names.growing)?;
    sync_folder_of(files, &names.growing)?;
    rename_new(files, &step.from, &names.leaving)?;
    finish(files, step, names)
}

// The copy is complete; it gets its real name before the old folder goes.
fn finish(files: &ProjectFiles, step: &FolderMove, names: &Names) -> io::Result<MoveOutcome> {
    sync_folder_of(files, &names.leaving)?;
    match (is_folder(files, &names.growing)?, is_folder(files, &step.to)?) {
        (true, false) => rename_new(files, &names.growing, &step.to)?,
        (false, true) => {}
        // Someone put another folder there before the copy had its name: all stays where it was.
        (true, true) => {
            rename_new(files, &names.leaving, &step.from)?;
            files.dir().remove_dir_all(names.growing.as_str())?;
            return Ok(MoveOutcome::Impossible);
        }
        // Someone took the copy away: the old folder is all there is.
        (false, false) => {
            rename_new(files, &names.leaving, &step.from)?;
            return carry_out(files, step);
        }
    }
    sync_folder_of(files, &step.to)?;
    files.dir().remove_dir_all(names.leaving.as_str())?;
    sync_folder_of(files, &names.leaving)?;
    Ok(MoveOutcome::Done)
}

// A folder that cannot be looked at is not taken for one that is gone: the move waits.
fn is_folder(files: &ProjectFiles, path: &ProjectPath) -> io::Result<bool> {
    Ok(files.look(path)?.is_some_and(|metadata| metadata.is_dir()))
}

/// Something in a folder that can be copied.
enum Thing {
    Folder,
    Link,
    File,
}

fn thing(entry: &DirEntry, folder: &ProjectPath) -> io::Result<(Thing, String, ProjectPath)> {
    let name = entry.file_name().into_string().map_err(|_| invalid_name())?;
    let path = folder.join(&name).map_err(|_| invalid_name())?;
    let kind = entry.file_type()?;
    let thing = if kind.is_dir() {
        Thing::Folder
    } else if kind.is_symlink() {
        Thing::Link
    } else if kind.is_file() {
        Thing::File
    } else {
        let message = format!("{path} is no file, folder or link and cannot be copied to another file system");
        return Err(io::Error::new(io::ErrorKind::InvalidData, message));
    };
    Ok((thing, name, path))
}

fn look_through(files: &ProjectFiles, folder: &ProjectPath) -> io::Result<()> {
    for entry in files.dir().read_dir(folder.as_str())? {
        if let (Thing::Folder, _, path) = thing(&entry?, folder)? {
            look_through(files, &path)?;
        }
    }
    Ok(())
}

fn copy_folder(files: &ProjectFiles, from: &ProjectPath, to: &ProjectPath) -> io::Result<()> {
    let dir = files.dir();
    dir.create_dir(to.as_str())?;
    for entry in dir.read_dir(from.as_str())? {
        let (thing, name, source) = thing(&entry?, from)?;
        let target = to.join(&name).map_err(|_| invalid_name())?;
        match thing {
            Thing::Folder => copy_folder(files, &source, &target)?,
            Thing::Link => dir.symlink_contents(dir.read_link_contents(source.as_str())?, target.as_str())?,
            Thing::File => copy_file(files, &source, &target)?,
        }
    }
    // Last, since a folder that may not be written to cannot be filled.
    dir.set_permissions(to.as_str(), dir.symlink_metadata(from.as_str())?.permissions())?;
    sync_folder_of(files, &to.join(".mainstay").map_err(|_| invalid_name())?)
}

// Neither a link nor a pipe that came in its place since is followed or waited for.
fn copy_file(files: &ProjectFiles, from: &ProjectPath, to: &ProjectPath) -> io::Result<()> {
    let (mut read, mut write) = (OpenOptions::new(), OpenOptions::new());
    read.read(true).custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed());
    write.write(true).create_new(true);
    let mut source = files.dir().open_with(from.as_str(), &read)?;
    let metadata = source.metadata()?;
    if !metadata.is_file() {
        return Err(invalid_name());
    }
    let mut target = files.dir().open_with(to.as_str(), &write)?;
    io::copy(&mut source, &mut target)?;
    target.set_permissions(metadata.permissions())?;
    target.sync_all()
}

fn invalid_name() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "a name in the folder cannot be moved")
}

#[cfg(test)]
mod tests {
    use super::{MoveOutcome, Names, carry_out, copy_over};
    use crate::images::ProjectFiles;
    use model::{FolderMove, ProjectPath};
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::Path;

    fn step() -> FolderMove {
        FolderMove { from: ProjectPath::known("box"), to: ProjectPath::known("trash/box") }
    }

    /// Every path beneath a folder, sorted.
    fn names(root: &Path) -> Vec<String> {
        let (mut names, mut folders) = (Vec::new(), vec![root.to_path_buf()]);
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                names.push(path.strip_prefix(root).unwrap().to_str().unwrap().to_owned());
                if path.symlink_metadata().unwrap().is_dir() {
                    folders.push(path);
                }
            }
        }
        names.sort_unstable();
        names
    }

    /// Folders end with a slash; what a killed copy left comes to the same end.
    fn check(left: &[&str], outcome: MoveOutcome, expected: &[&str]) {
        let root = tempfile::tempdir().unwrap();
        for path in left {
            let at = root.path().join(path);
            fs::create_dir_all(at.parent().unwrap()).unwrap();
            fs::write(at, "kept").unwrap();
        }
        let files = ProjectFiles::open(root.path()).unwrap();
        assert_eq!(carry_out(&files, &step()).unwrap(), outcome, "{left:?}");
        let found: Vec<String> =
            names(root.path()).into_iter().filter(|path| root.path().join(path).is_file()).collect();
        assert_eq!(found, expected, "{left:?}");
    }

    #[test]
    fn a_copy_that_was_killed_is_finished() {
        use MoveOutcome::{Done, Impossible};
        let moved: &[&str] = &["trash/box/a", "trash/box/b"];
        check(&["box/a", "box/b"], Done, moved);
        check(
            &[
                ".mainstay-box.leaving/a",
                ".mainstay-box.leaving/b",
                "trash/.mainstay-box.tmp/a",
                "trash/.mainstay-box.tmp/b",
            ],
            Done,
            moved,
        );
        check(&[".mainstay-box.leaving/a", "trash/box/a", "trash/box/b"], Done, moved);
        check(&[".mainstay-box.leaving/a", ".mainstay-box.leaving/b"], Done, moved);
        check(
            &[".mainstay-box.leaving/a", "box/new", "trash/box/a", "trash/box/b"],
            Done,
            &["box/new", "trash/box/a", "trash/box/b"],
        );
        check(
            &[".mainstay-box.leaving/a", "trash/.mainstay-box.tmp/a", "trash/box/theirs"],
            Impossible,
            &["box/a", "trash/box/theirs"],
        );
        check(&["box/a", "trash/box/b"], Impossible, &["box/a", "trash/box/b"]);
        check(&[], Impossible, &[]);
    }

    #[test]
    fn a_folder_that_cannot_be_looked_at_is_moved_later() {
        let root = tempfile::tempdir().unwrap();
        let files = ProjectFiles::open(root.path()).unwrap();
        let there = root.path().join("deep");
        std::os::unix::fs::symlink("deep", &there).unwrap();
        for (from, to) in [("deep/box", "trash/box"), ("box", "deep/box")] {
            let step = FolderMove { from: ProjectPath::known(from), to: ProjectPath::known(to) };
            assert!(carry_out(&files, &step).is_err(), "{from} to {to}");
        }
        fs::remove_file(&there).unwrap();
        fs::create_dir_all(there.join("box")).unwrap();
        let step = FolderMove { from: ProjectPath::known("deep/box"), to: ProjectPath::known("trash/box") };
        assert_eq!(carry_out(&files, &step).unwrap(), MoveOutcome::Done);
    }

    #[test]
    fn a_copy_is_whole() {
        let root = tempfile::tempdir().unwrap();
        let files = ProjectFiles::open(root.path()).unwrap();
        fs::create_dir_all(root.path().join("box/deep")).unwrap();
        fs::create_dir_all(root.path().join("trash/.mainstay-box.tmp/half")).unwrap();
        fs::write(root.path().join("box/deep/file"), "kept").unwrap();
        std::os::unix::fs::symlink("nowhere", root.path().join("box/link")).unwrap();
        for (path, mode) in [("box/deep/file", 0o640), ("box/deep", 0o700)] {
            fs::set_permissions(root.path().join(path), fs::Permissions::from_mode(mode)).unwrap();
        }
        copy_over(&files, &step(), &Names::of(&step()).unwrap()).unwrap();
        assert_eq!(
            names(root.path()),
            ["trash", "trash/box", "trash/box/deep", "trash/box/deep/file", "trash/box/link"]
        );
        assert_eq!(fs::read_link(root.path().join("trash/box/link")).unwrap(), Path::new("nowhere"));
        let mode = |path| fs::metadata(root.path().join(path)).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode("trash/box/deep"), mode("trash/box/deep/file")), (0o700, 0o640));
    }

    #[test]
    fn a_pipe_refuses_a_copy_before_anything_is_changed() {
        let root = tempfile::tempdir().unwrap();
        let files = ProjectFiles::open(root.path()).unwrap();
        fs::create_dir_all(root.path().join("box/deep")).unwrap();
        fs::create_dir(root.path().join("trash")).unwrap();
        let pipe = root.path().join("box/deep/pipe");
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mknodat(rustix::fs::CWD, pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        let before = names(root.path());
        let error = copy_over(&files, &step(), &Names::of(&step()).unwrap()).unwrap_err();
        assert!(error.to_string().contains("box/deep/pipe"), "{error}");
        assert_eq!(names(root.path()), before);
    }
}
