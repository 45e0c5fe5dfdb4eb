//! A project in memory for targets that read files of one.

use std::cell::RefCell;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use engine::{Engine, Identity, Setup};
use model::{Call, Environment, Object, Origin, Refusal, Reply, Value};
use store_memory::MemoryOpener;
use tempfile::TempDir;

/// A project whose files lie where no disk slows them down.
pub(crate) struct World {
    folder: TempDir,
    stores: MemoryOpener,
}

thread_local! {
    static WORLD: RefCell<Option<World>> = const { RefCell::new(None) };
}

impl World {
    fn new() -> Self {
        let memory = PathBuf::from("/dev/shm");
        let parent = if memory.is_dir() { memory } else { std::env::temp_dir() };
        let folder = tempfile::Builder::new().prefix("mainstay-fuzz-").tempdir_in(parent);
        Self { folder: folder.expect("a folder can be made"), stores: MemoryOpener::default() }
    }

    /// A project with these files and nothing else; the same place each time.
    pub(crate) fn with<T>(files: &[(&str, &[u8])], work: impl FnOnce(&Self) -> T) -> T {
        WORLD.with(|slot| {
            let mut slot = slot.borrow_mut();
            let world = slot.get_or_insert_with(Self::new);
            world.clear();
            for (name, bytes) in files {
                let path = world.root().join(name);
                path.parent().map(fs::create_dir_all).transpose().expect("a folder in memory can be made");
                fs::write(path, bytes).expect("a file in memory can be written");
            }
            work(world)
        })
    }

    fn clear(&mut self) {
        self.stores.forget(&self.root().join(".mainstay"));
        for entry in fs::read_dir(self.root()).expect("the project can be listed").filter_map(Result::ok) {
            let path = entry.path();
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let removed = if is_folder { fs::remove_dir_all(path) } else { fs::remove_file(path) };
            removed.expect("what a target left can be removed");
        }
    }

    /// The project's root.
    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().expect("the folder stands")
    }

    /// What an engine or a front is made from; the clock stands still.
    pub(crate) fn setup(&self) -> Setup {
        let env = [("MAINSTAY_NOW", "2026-01-02T03:04:05Z"), ("MAINSTAY_TAG", "fuzz"), ("MAINSTAY_LOCK_WAIT_MS", "0")];
        Setup {
            project: Some(self.root()),
            cwd: self.root(),
            env: env.map(|(name, value)| (name.to_owned(), value.to_owned())).into_iter().collect::<Environment>(),
            formats: formats::ALL,
            stores: Arc::new(self.stores.clone()),
        }
    }

    /// Opens the project and calls a tool.
    pub(crate) fn call(&self, tool: &str, arguments: &str) -> Result<Reply, Refusal> {
        let arguments: Object = match serde_json::from_str(arguments) {
            Ok(Value::Object(arguments)) => arguments,
            _ => Object::new(),
        };
        Engine::open(self.setup())?.call(&Call::new(tool, arguments), &identity())
    }
}

/// Who calls.
pub(crate) fn identity() -> Identity {
    Identity { actor: Some("fuzz".into()), session: None, request_id: None, origin: Origin::Command }
}
