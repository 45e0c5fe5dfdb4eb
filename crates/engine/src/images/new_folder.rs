//! Files whose folder is yet to be made.

use cap_std::fs::MetadataExt as _;
use model::ProjectPath;

use super::files::ProjectFiles;

/// Whether the folder of `path` is yet to be made, and will lie in the file system of the engine's own folder.
///
/// Then the temporary file may lie there too. In a folder of its own nobody would look for it if its writer
/// were killed, and the folder would stay.
pub(crate) fn is_in_new_folder(files: &ProjectFiles, path: &ProjectPath) -> bool {
    let device = |path: &str| files.dir().symlink_metadata(path).ok().map(|metadata| metadata.dev());
    let mut folder = path.parent();
    if folder.as_ref().is_none_or(|folder| device(folder.as_str()).is_some()) {
        return false;
    }
    while let Some(missing) = folder.take_if(|folder| device(folder.as_str()).is_none()) {
        folder = missing.parent();
    }
    let above = folder.map_or_else(|| device("."), |folder| device(folder.as_str()));
    above.is_some() && above == device(".mainstay")
}

#[cfg(test)]
mod tests {
    use format::Files as _;
    use model::ProjectPath;

    use super::is_in_new_folder;
    use crate::images::{Prepared, ProjectFiles, sweep_apart};

    #[test]
    fn a_killed_writer_leaves_nothing_where_the_folder_would_be() {
        let root = tempfile::tempdir().unwrap();
        let files = &ProjectFiles::open(root.path()).unwrap();
        let (home, new) = (ProjectPath::known(".mainstay"), ProjectPath::known("folder/beneath/file"));
        assert!(!is_in_new_folder(files, &new), "without the engine's folder there is nowhere else");
        files.dir().create_dir(".mainstay").unwrap();
        assert!(is_in_new_folder(files, &new) && !is_in_new_folder(files, &ProjectPath::known("file")));
        // Killed before the commit.
        drop(Prepared::write_apart(files, &new, &new, b"left").unwrap());
        assert!(!files.is_folder(&ProjectPath::known("folder")));
        assert_eq!(files.list(&home).len(), 1);
        sweep_apart(files);
        assert_eq!(files.list(&home), [""; 0]);
        // Published, the folders come with it.
        let prepared = Prepared::write_apart(files, &new, &new, b"new").unwrap();
        assert!(prepared.publish(files, None).unwrap());
        assert_eq!(files.dir().read_to_string("folder/beneath/file").unwrap(), "new");
        assert_eq!(files.list(&home), [""; 0]);
        assert!(!is_in_new_folder(files, &new));
    }
}
