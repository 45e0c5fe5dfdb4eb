//! A disk as a power failure may leave it: what is safe, and what was done since.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::{fs, io};

/// Which promises a file system keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Model {
    /// What POSIX promises and no more: data is safe after its file's fsync, names after their folder's.
    Strict,
    /// A journal of names: they survive in their order, and every fsync makes all of them safe. Data as above.
    Ordered,
}

/// The number of a file or folder. The root is 0.
pub(super) type Id = usize;

/// The root of every tree.
pub(super) const ROOT: Id = 0;

/// A file or a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Node {
    File(Vec<u8>),
    Folder(BTreeMap<String, Id>),
    Link(Vec<u8>),
}

/// Files and folders by number; what no name leads to is not there.
#[derive(Clone, Debug)]
pub(super) struct Tree(Vec<Node>);

/// Something that was done and is not safe yet.
#[derive(Clone, Debug)]
pub(super) enum Op {
    Write {
        file: Id,
        at: usize,
        bytes: Arc<[u8]>,
    },
    Length {
        file: Id,
        length: usize,
    },
    Name {
        folder: Id,
        name: String,
        node: Id,
    },
    NoName {
        folder: Id,
        name: String,
    },
    /// Happens as a whole; safe when both folders are.
    Rename {
        from: (Id, String),
        to: (Id, String),
        node: Id,
        from_safe: bool,
        to_safe: bool,
    },
}

/// The disk at one moment.
#[derive(Clone, Debug)]
pub(super) struct Disk {
    model: Model,
    /// As programs see it.
    pub(super) live: Tree,
    /// What survives in any case.
    pub(super) safe: Tree,
    /// In the order in which it was done.
    pub(super) pending: Vec<Op>,
}

impl Op {
    /// Whether it is about a name, not about the bytes of a file.
    pub(super) fn is_name(&self) -> bool {
        !matches!(self, Self::Write { .. } | Self::Length { .. })
    }
}

impl Tree {
    fn new() -> Self {
        Self(vec![Node::Folder(BTreeMap::new())])
    }

    pub(super) fn node(&self, id: Id) -> &Node {
        &self.0[id]
    }

    fn names(&mut self, folder: Id) -> &mut BTreeMap<String, Id> {
        match &mut self.0[folder] {
            Node::Folder(names) => names,
            other => unreachable!("names are put into folders alone, not into {other:?}"),
        }
    }

    fn bytes(&mut self, file: Id) -> &mut Vec<u8> {
        match &mut self.0[file] {
            Node::File(bytes) => bytes,
            other => unreachable!("bytes are written to files alone, not to {other:?}"),
        }
    }

    /// What stands at a path.
    pub(super) fn find(&self, path: &Path) -> Option<Id> {
        path.iter().try_fold(ROOT, |id, part| match &self.0[id] {
            Node::Folder(names) => names.get(part.to_str()?).copied(),
            _ => None,
        })
    }

    /// Does what was done.
    pub(super) fn apply(&mut self, op: &Op) {
        match op {
            Op::Write { file, at, bytes } => {
                let held = self.bytes(*file);
                let end = at + bytes.len();
                if held.len() < end {
                    held.resize(end, 0);
                }
                held[*at..end].copy_from_slice(bytes);
            }
            Op::Length { file, length } => self.bytes(*file).resize(*length, 0),
            Op::Name { folder, name, node } => {
                self.names(*folder).insert(name.clone(), *node);
            }
            Op::NoName { folder, name } => {
                self.names(*folder).remove(name);
            }
            Op::Rename { from, to, node, .. } => {
                self.names(from.0).remove(&from.1);
                self.names(to.0).insert(to.1.clone(), *node);
            }
        }
    }

    /// Every path with what stands there, folders before what is in them.
    pub(super) fn walk(&self) -> Vec<(String, &Node)> {
        let mut found = Vec::new();
        let mut waiting = vec![(String::new(), ROOT)];
        while let Some((path, id)) = waiting.pop() {
            if let Node::Folder(names) = &self.0[id] {
                let below = |(name, id): (&String, &Id)| (format!("{path}/{name}").trim_matches('/').to_owned(), *id);
                waiting.extend(names.iter().map(below));
            }
            found.push((path, &self.0[id]));
        }
        found.sort_by(|one, other| one.0.cmp(&other.0));
        found
    }

    /// Makes it real in an empty folder.
    pub(super) fn write(&self, root: &Path) -> io::Result<()> {
        for (path, node) in self.walk().into_iter().skip(1) {
            match node {
                Node::Folder(_) => fs::create_dir(root.join(path))?,
                Node::File(bytes) => fs::write(root.join(path), bytes)?,
                Node::Link(target) => {
                    std::os::unix::fs::symlink(String::from_utf8_lossy(target).as_ref(), root.join(path))?;
                }
            }
        }
        Ok(())
    }
}

impl Disk {
    /// With nothing on it.
    pub(super) fn empty(model: Model) -> Self {
        Self { model, live: Tree::new(), safe: Tree::new(), pending: Vec::new() }
    }

    /// What stands in a folder, all of it safe.
    pub(super) fn at_rest(model: Model, root: &Path) -> io::Result<Self> {
        let mut disk = Self::empty(model);
        disk.adopt(root, ROOT)?;
        disk.safe = disk.live.clone();
        Ok(disk)
    }

    fn adopt(&mut self, folder: &Path, id: Id) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if is_forgotten(&name) {
                continue;
            }
            let kind = entry.file_type()?;
            let node = if kind.is_dir() {
                Node::Folder(BTreeMap::new())
            } else if kind.is_symlink() {
                Node::Link(fs::read_link(entry.path())?.into_os_string().into_encoded_bytes())
            } else {
                Node::File(fs::read(entry.path())?)
            };
            let made = self.make(node);
            self.live.apply(&Op::Name { folder: id, name, node: made });
            if kind.is_dir() {
                self.adopt(&entry.path(), made)?;
            }
        }
        Ok(())
    }

    /// A new file or folder, to which no name leads yet.
    pub(super) fn make(&mut self, node: Node) -> Id {
        let id = self.live.0.len();
        self.live.0.push(node.clone());
        self.safe.0.push(node);
        id
    }

    /// Something is done.
    pub(super) fn act(&mut self, op: Op) {
        self.live.apply(&op);
        self.pending.push(op);
    }

    /// Something is done whose loss harms nobody: it counts as safe.
    pub(super) fn act_safely(&mut self, op: &Op) {
        self.live.apply(op);
        self.safe.apply(op);
    }

    /// A file or folder is made safe.
    pub(super) fn sync(&mut self, id: Id) {
        let all_names = self.model == Model::Ordered;
        let mut later = Vec::new();
        for mut op in std::mem::take(&mut self.pending) {
            let is_safe = match &mut op {
                Op::Write { file, .. } | Op::Length { file, .. } => *file == id,
                _ if all_names => true,
                Op::Name { folder, .. } | Op::NoName { folder, .. } => *folder == id,
                Op::Rename { from, to, from_safe, to_safe, .. } => {
                    *from_safe |= from.0 == id;
                    *to_safe |= to.0 == id;
                    *from_safe && *to_safe
                }
            };
            if is_safe {
                self.safe.apply(&op);
            } else {
                later.push(op);
            }
        }
        self.pending = later;
    }

    /// Everything is made safe.
    pub(super) fn sync_all(&mut self) {
        for op in std::mem::take(&mut self.pending) {
            self.safe.apply(&op);
        }
    }

    /// Which promises it keeps.
    pub(super) fn model(&self) -> Model {
        self.model
    }
}

/// Whether a file is memory shared between processes, of which nothing outlives the machine.
pub(super) fn is_forgotten(name: &str) -> bool {
    name.ends_with("-shm")
}

#[cfg(test)]
mod tests {
    use super::{Disk, Model, Node, Op, ROOT};
    use std::collections::BTreeMap;

    fn file(disk: &mut Disk, name: &str, bytes: &[u8]) -> usize {
        let node = disk.make(Node::File(Vec::new()));
        disk.act(Op::Name { folder: ROOT, name: name.into(), node });
        disk.act(Op::Write { file: node, at: 0, bytes: bytes.into() });
        node
    }

    fn safe(disk: &Disk) -> Vec<String> {
        let shown = |(path, node): (String, &Node)| match node {
            Node::File(bytes) => format!("{path}={}", String::from_utf8_lossy(bytes)),
            _ => path,
        };
        disk.safe.walk().into_iter().skip(1).map(shown).collect()
    }

    #[test]
    fn data_is_safe_with_its_file_and_a_name_with_its_folder() {
        let mut disk = Disk::empty(Model::Strict);
        let one = file(&mut disk, "one", b"1");
        file(&mut disk, "two", b"2");
        disk.sync(one);
        assert_eq!(safe(&disk), [""; 0]);
        disk.sync(ROOT);
        assert_eq!(safe(&disk), ["one=1", "two="]);
        assert_eq!(disk.pending.len(), 1);
    }

    #[test]
    fn a_journal_makes_all_names_safe_at_once() {
        let mut disk = Disk::empty(Model::Ordered);
        let one = file(&mut disk, "one", b"1");
        file(&mut disk, "two", b"2");
        disk.sync(one);
        assert_eq!(safe(&disk), ["one=1", "two="]);
    }

    #[test]
    fn a_rename_is_safe_when_both_folders_are() {
        let mut disk = Disk::empty(Model::Strict);
        let folder = disk.make(Node::Folder(BTreeMap::new()));
        disk.act(Op::Name { folder: ROOT, name: "box".into(), node: folder });
        let one = file(&mut disk, "one", b"1");
        disk.sync(one);
        disk.sync(ROOT);
        let (from, to) = ((ROOT, "one".into()), (folder, "uno".into()));
        disk.act(Op::Rename { from, to, node: one, from_safe: false, to_safe: false });
        disk.sync(folder);
        assert_eq!(safe(&disk), ["box", "one=1"]);
        disk.sync(ROOT);
        assert_eq!(safe(&disk), ["box", "box/uno=1"]);
    }
}
