//! System calls, done once more on a [`Disk`] of ours.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::disk::{Disk, Id, Node, Op, ROOT, is_forgotten};
use super::log::SystemCall;

/// One program as it runs: what its descriptors stand for.
pub(super) struct Run {
    /// The project's folder, as the program sees it.
    root: PathBuf,
    open: BTreeMap<i64, Open>,
}

/// What a descriptor stands for.
#[derive(Clone, Copy)]
enum Open {
    Thing {
        id: Id,
        /// Where the next write goes.
        at: usize,
        appends: bool,
        /// What is written there needs no saving.
        idle: bool,
    },
    Elsewhere,
}

/// What a call meant.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// Nothing on this disk.
    Nothing,
    /// The disk holds something that is not safe yet.
    Changed,
    /// Something was made safe.
    Synced,
    /// Words for the caller.
    Spoke,
}

impl Run {
    /// Of a program on the project at `root`.
    pub(super) fn new(root: &Path) -> Self {
        Self { root: root.to_owned(), open: BTreeMap::new() }
    }

    /// Does the call on the disk. **Errors**: a call that would change the disk in a way that is not known here.
    pub(super) fn does(&mut self, call: &SystemCall, disk: &mut Disk) -> Result<Meaning, String> {
        match call.name.as_str() {
            "open" | "creat" => self.opens(call, disk, self.path_of(call, None, 0)),
            "openat" | "openat2" => self.opens(call, disk, self.path_of(call, Some(0), 1)),
            "dup" | "dup2" | "dup3" => {
                let same = self.open.get(&call.number(0)?).copied().unwrap_or(Open::Elsewhere);
                self.open.insert(call.result, same);
                Ok(Meaning::Nothing)
            }
            "write" | "writev" | "pwrite64" => self.writes(call, disk),
            "lseek" => {
                if let Some(Open::Thing { at, .. }) = self.open.get_mut(&call.number(0)?) {
                    *at = size(call.result)?;
                }
                Ok(Meaning::Nothing)
            }
            "ftruncate" => match self.open.get(&call.number(0)?) {
                Some(Open::Thing { id, .. }) => {
                    disk.act(Op::Length { file: *id, length: size(call.number(1)?)? });
                    Ok(Meaning::Changed)
                }
                _ => Ok(Meaning::Nothing),
            },
            "fsync" | "fdatasync" => match self.open.get(&call.number(0)?) {
                Some(Open::Thing { id, .. }) => {
                    disk.sync(*id);
                    Ok(Meaning::Synced)
                }
                _ => Ok(Meaning::Nothing),
            },
            "sync" | "syncfs" => {
                disk.sync_all();
                Ok(Meaning::Synced)
            }
            "mkdir" => Self::makes(disk, self.path_of(call, None, 0), Node::Folder(BTreeMap::new())),
            "mkdirat" => Self::makes(disk, self.path_of(call, Some(0), 1), Node::Folder(BTreeMap::new())),
            "symlink" => Self::makes(disk, self.path_of(call, None, 1), Node::Link(call.text(0))),
            "symlinkat" => Self::makes(disk, self.path_of(call, Some(1), 2), Node::Link(call.text(0))),
            "unlink" | "rmdir" => Self::unlinks(disk, self.path_of(call, None, 0)),
            "unlinkat" => Self::unlinks(disk, self.path_of(call, Some(0), 1)),
            "rename" => Self::renames(disk, self.path_of(call, None, 0), self.path_of(call, None, 1)),
            "renameat" | "renameat2" => {
                Self::renames(disk, self.path_of(call, Some(0), 1), self.path_of(call, Some(2), 3))
            }
            "link" => Self::links(disk, self.path_of(call, None, 0), self.path_of(call, None, 1)),
            "linkat" => Self::links(disk, self.path_of(call, Some(0), 1), self.path_of(call, Some(2), 3)),
            other => Err(format!("what {other} does to a disk is not known here: {}", call.shown())),
        }
    }

    /// A path within the project, from its folder and its name.
    fn path_of(&self, call: &SystemCall, folder: Option<usize>, name: usize) -> Option<PathBuf> {
        let name = PathBuf::from(String::from_utf8(call.text(name)).ok()?);
        let folder = folder.map_or_else(|| Some(self.root.clone()), |place| call.place_of(place))?;
        let path: PathBuf = folder.join(name).components().filter(|part| part.as_os_str() != ".").collect();
        path.strip_prefix(&self.root).ok().map(Path::to_owned)
    }

    fn opens(&mut self, call: &SystemCall, disk: &mut Disk, path: Option<PathBuf>) -> Result<Meaning, String> {
        let Some(path) = path.filter(|path| !is_forgotten(&name_of(path))) else {
            self.open.insert(call.result, Open::Elsewhere);
            return Ok(Meaning::Nothing);
        };
        let mut meaning = Meaning::Nothing;
        let id = match disk.live.find(&path) {
            Some(id) => {
                if call.has("O_TRUNC") || call.name == "creat" {
                    disk.act(Op::Length { file: id, length: 0 });
                    meaning = Meaning::Changed;
                }
                id
            }
            None if call.has("O_CREAT") || call.name == "creat" => {
                meaning = Self::makes(disk, Some(path.clone()), Node::File(Vec::new()))?;
                disk.live.find(&path).ok_or("what was made is there")?
            }
            None => return Err(format!("{} was opened and is not known", path.display())),
        };
        // Ours, and those that tools of others honour.
        let is_lock = path.iter().any(|part| part.to_string_lossy().contains(".lock"));
        let idle = path.starts_with(".mainstay/locks") || is_lock;
        self.open.insert(call.result, Open::Thing { id, at: 0, appends: call.has("O_APPEND"), idle });
        Ok(meaning)
    }

    fn writes(&mut self, call: &SystemCall, disk: &mut Disk) -> Result<Meaning, String> {
        let descriptor = call.number(0)?;
        let Some(Open::Thing { id, at, appends, idle }) = self.open.get_mut(&descriptor) else {
            return Ok(if descriptor == 1 { Meaning::Spoke } else { Meaning::Nothing });
        };
        let mut bytes = call.text(1);
        bytes.truncate(size(call.result)?);
        let length = match disk.live.node(*id) {
            Node::File(held) => held.len(),
            _ => return Err(format!("a folder was written to: {}", call.shown())),
        };
        let from = match call.name.as_str() {
            "pwrite64" => size(call.number(3)?)?,
            _ if *appends => length,
            _ => *at,
        };
        if call.name != "pwrite64" {
            *at = from + bytes.len();
        }
        let op = Op::Write { file: *id, at: from, bytes: bytes.into() };
        // Who holds a lock of ours is written for messages alone. A lock that others honour is waited for, when its text is
        // lost, as long as its format says: that is promised nowhere, and told in docs/durability.md.
        if *idle {
            disk.act_safely(&op);
            return Ok(Meaning::Nothing);
        }
        disk.act(op);
        Ok(Meaning::Changed)
    }

    fn makes(disk: &mut Disk, path: Option<PathBuf>, node: Node) -> Result<Meaning, String> {
        let Some(path) = path else { return Ok(Meaning::Nothing) };
        let (folder, name) = place(disk, &path)?;
        let node = disk.make(node);
        disk.act(Op::Name { folder, name, node });
        Ok(Meaning::Changed)
    }

    fn unlinks(disk: &mut Disk, path: Option<PathBuf>) -> Result<Meaning, String> {
        let Some(path) = path.filter(|path| !is_forgotten(&name_of(path))) else { return Ok(Meaning::Nothing) };
        let (folder, name) = place(disk, &path)?;
        disk.act(Op::NoName { folder, name });
        Ok(Meaning::Changed)
    }

    fn renames(disk: &mut Disk, from: Option<PathBuf>, to: Option<PathBuf>) -> Result<Meaning, String> {
        let (from, to) = match (from, to) {
            (Some(from), Some(to)) => (from, to),
            (None, None) => return Ok(Meaning::Nothing),
            (from, to) => return Err(format!("a rename over the border of the project: {from:?}, {to:?}")),
        };
        let node = disk.live.find(&from).ok_or_else(|| format!("{} was renamed and is not known", from.display()))?;
        let (from, to) = (place(disk, &from)?, place(disk, &to)?);
        disk.act(Op::Rename { from, to, node, from_safe: false, to_safe: false });
        Ok(Meaning::Changed)
    }

    fn links(disk: &mut Disk, from: Option<PathBuf>, to: Option<PathBuf>) -> Result<Meaning, String> {
        let (Some(from), Some(to)) = (from, to) else { return Ok(Meaning::Nothing) };
        let node = disk.live.find(&from).ok_or_else(|| format!("{} was linked and is not known", from.display()))?;
        let (folder, name) = place(disk, &to)?;
        disk.act(Op::Name { folder, name, node });
        Ok(Meaning::Changed)
    }
}

/// The folder that holds a path, and its name there.
fn place(disk: &Disk, path: &Path) -> Result<(Id, String), String> {
    let folder = path.parent().map_or(Some(ROOT), |folder| disk.live.find(folder));
    Ok((folder.ok_or_else(|| format!("the folder of {} is not known", path.display()))?, name_of(path)))
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn size(number: i64) -> Result<usize, String> {
    usize::try_from(number).map_err(|error| format!("{number}: {error}"))
}
