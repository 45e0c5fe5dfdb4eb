//! A project on disk with a store in memory, and what its tests ask about it.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use format::Format;
use mainstay_engine::{Engine, HistoryQuery, Identity, Setup};
use model::{Call, Environment, Object, Origin, ProjectPath, Refusal, Reply, Value};
use serde_json::json;
use sha2::{Digest as _, Sha256};
use store::{ImageState, Mark, Opener, Store, Txn};
use store_memory::MemoryOpener;
use tempfile::TempDir;

use crate::probe::{ITEMS, Probe, SPACE, item};

/// The formats of these tests.
pub(crate) static FORMATS: &[&dyn Format] = &[
    &Probe,
    &formats::hseos::Hseos,
    &formats::eneo::Eneo,
    &formats::skillstate::Skillstate,
    &formats::upgrade::Upgrade,
    &formats::msd::Msd,
];

/// The clock of a request that names none.
pub(crate) const NOW: &str = "2026-01-02T03:04:05.678Z";

/// A project in a folder of its own.
pub(crate) struct Desk {
    folder: Arc<TempDir>,
    pub(crate) opener: MemoryOpener,
    env: Environment,
}

impl Desk {
    /// An empty project of the test format.
    pub(crate) fn new() -> Self {
        let desk = Self {
            folder: Arc::new(TempDir::new().unwrap()),
            opener: MemoryOpener::default(),
            env: Environment::new(),
        };
        desk.write(".probe", "on\n").with("MAINSTAY_NOW", NOW).with("MAINSTAY_LOCK_WAIT_MS", "60000")
    }

    /// With something under `[probe]` in `mainstay.toml`.
    pub(crate) fn configured(settings: &str) -> Self {
        Self::new().write("mainstay.toml", &format!("[probe]\n{settings}\n"))
    }

    pub(crate) fn with(mut self, variable: &str, value: &str) -> Self {
        self.env.insert(variable.into(), value.into());
        self
    }

    /// The same project at another time.
    pub(crate) fn at_time(&self, now: &str) -> Self {
        let mut env = self.env.clone();
        env.insert("MAINSTAY_NOW".into(), now.into());
        Self { folder: Arc::clone(&self.folder), opener: self.opener.clone(), env }
    }

    pub(crate) fn write(self, path: &str, text: &str) -> Self {
        self.edit(path, text);
        self
    }

    /// Writes a file as someone outside would.
    pub(crate) fn edit(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub(crate) fn remove(&self, path: &str) {
        fs::remove_file(self.at(path)).unwrap();
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    pub(crate) fn text(&self, path: &str) -> String {
        fs::read_to_string(self.at(path)).unwrap()
    }

    pub(crate) fn stands(&self, path: &str) -> bool {
        self.at(path).symlink_metadata().is_ok()
    }

    /// The names in a folder, sorted.
    pub(crate) fn names(&self, folder: &str) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.at(folder)) else { return Vec::new() };
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort_unstable();
        names
    }

    pub(crate) fn engine(&self) -> Engine {
        self.open(Arc::new(self.opener.clone())).unwrap()
    }

    pub(crate) fn open(&self, stores: Arc<dyn Opener>) -> Result<Engine, Refusal> {
        self.open_in(self.env.clone(), stores)
    }

    fn open_in(&self, env: Environment, stores: Arc<dyn Opener>) -> Result<Engine, Refusal> {
        let setup = Setup { project: Some(self.root()), cwd: self.root(), env, formats: FORMATS, stores };
        Engine::open(setup)
    }

    /// A call that does not wait for locks that others hold.
    pub(crate) fn at_once(&self, tool: &str, arguments: Value) -> Result<Reply, Refusal> {
        let mut env = self.env.clone();
        env.insert("MAINSTAY_LOCK_WAIT_MS".into(), "0".into());
        call(&self.open_in(env, Arc::new(self.opener.clone()))?, tool, arguments)
    }

    /// A call in a process of its own.
    pub(crate) fn call(&self, tool: &str, arguments: Value) -> Result<Reply, Refusal> {
        call(&self.engine(), tool, arguments)
    }

    pub(crate) fn done(&self, tool: &str, arguments: Value) -> Reply {
        self.call(tool, arguments).unwrap()
    }

    /// The code with which a call is refused.
    pub(crate) fn refused(&self, tool: &str, arguments: Value) -> String {
        self.call(tool, arguments).unwrap_err().code.into_owned()
    }

    /// The same request again and again.
    pub(crate) fn repeat(&self, id: &str, tool: &str, arguments: Value) -> Result<Reply, Refusal> {
        let identity = Identity { request_id: Some(id.to_owned()), ..anyone() };
        self.engine().call(&Call::new(tool, object(arguments)), &identity)
    }

    pub(crate) fn store(&self) -> Box<dyn Store> {
        self.opener.open(&self.root().join(".mainstay")).unwrap().expect("the project has a store")
    }

    /// Writes into the store behind the engine's back.
    pub(crate) fn tamper(&self, write: impl FnOnce(&mut dyn Txn)) {
        let store = self.opener.create(&self.root().join(".mainstay")).unwrap();
        let mut txn = store.begin().unwrap();
        write(txn.as_mut());
        txn.commit().unwrap();
    }

    /// The value of an item.
    pub(crate) fn item(&self, key: &str) -> Option<Value> {
        self.store().read().unwrap().record(&item(key)).unwrap().map(|record| record.value)
    }

    /// What is remembered of an image.
    pub(crate) fn image(&self, path: &str) -> Option<ImageState> {
        let images = self.store().read().unwrap().images(&SPACE).unwrap();
        images.into_iter().find(|image| image.path.as_str() == path)
    }

    /// The newest entries: `revision actor call`.
    pub(crate) fn journal(&self) -> Vec<String> {
        let entries = self.history();
        let word = |entry: &Value, name: &str| entry[name].as_str().unwrap().to_owned();
        entries.iter().map(|e| format!("{} {} {}", e["revision"], word(e, "actor"), word(e, "call"))).collect()
    }

    pub(crate) fn history(&self) -> Vec<Value> {
        let query = HistoryQuery { limit: 1000, all: true, ..HistoryQuery::default() };
        self.engine().history(&query).unwrap()["entries"].as_array().unwrap().clone()
    }

    /// Records and journal tell the same story, files are what the records say, nothing is left over.
    pub(crate) fn is_in_order(&self) {
        let store = self.store();
        assert_eq!(store.check().unwrap(), Vec::<String>::new());
        let reads = store.read().unwrap();
        assert!(reads.pending_moves().unwrap().is_empty(), "a folder still waits to be moved");
        for image in reads.images(&SPACE).unwrap() {
            assert_eq!(image.intended, None, "{} is not confirmed", image.path);
            let mark = fs::read(self.at(image.path.as_str())).map_or(Mark::Absent, |bytes| mark(&bytes));
            assert_eq!(image.confirmed, mark, "{} is not what is remembered of it", image.path);
        }
        assert_eq!(self.text(ITEMS), self.rendered(), "the image is not the rendering");
        assert_eq!(self.temporary(), Vec::<String>::new());
    }

    /// The text image as the records would have it.
    pub(crate) fn rendered(&self) -> String {
        let records = self.store().read().unwrap().scan(&SPACE, "item", &model::Scan::all()).unwrap();
        let all: Vec<_> = records.into_iter().map(|record| (record.id, record.value)).collect();
        crate::probe::render_items(&all)
    }

    /// Temporary files that someone left.
    pub(crate) fn temporary(&self) -> Vec<String> {
        snapshot(&self.root()).into_keys().filter(|path| path.contains(".mainstay-")).collect()
    }

    /// Everything in the project folder, byte for byte and to the nanosecond.
    pub(crate) fn snapshot(&self) -> BTreeMap<String, Trace> {
        snapshot(&self.root())
    }

    /// The same without the lock files: who holds a lock writes its name there.
    pub(crate) fn besides_locks(&self) -> BTreeMap<String, Trace> {
        let mut traces = self.snapshot();
        traces.retain(|path, _| !path.starts_with(".mainstay/locks") && path != ".mainstay");
        traces
    }
}

/// What a file or folder looks like, down to its times.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Trace {
    bytes: Option<Vec<u8>>,
    link: Option<PathBuf>,
    modified: SystemTime,
    inode: u64,
    mode: u32,
}

/// Everything beneath a folder.
pub(crate) fn snapshot(root: &Path) -> BTreeMap<String, Trace> {
    let mut traces = BTreeMap::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let metadata = path.symlink_metadata().unwrap();
            let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
            let trace = Trace {
                bytes: metadata.is_file().then(|| fs::read(&path).unwrap_or_default()),
                link: fs::read_link(&path).ok(),
                modified: metadata.modified().unwrap(),
                inode: metadata.ino(),
                mode: metadata.mode(),
            };
            traces.insert(name, trace);
            if metadata.is_dir() {
                folders.push(path);
            }
        }
    }
    traces
}

pub(crate) fn anyone() -> Identity {
    Identity { actor: None, session: None, request_id: None, origin: Origin::Tool }
}

pub(crate) fn call(engine: &Engine, tool: &str, arguments: Value) -> Result<Reply, Refusal> {
    engine.call(&Call::new(tool, object(arguments)), &anyone())
}

fn object(value: Value) -> Object {
    match value {
        Value::Object(object) => object,
        other => panic!("{other} is no object"),
    }
}

/// The codes of a reply's warnings.
pub(crate) fn told(reply: &Reply) -> Vec<&str> {
    reply.warnings.iter().map(|warning| warning.code.as_ref()).collect()
}

/// What `put` takes.
pub(crate) fn pair(key: &str, value: &str) -> Value {
    json!({"key": key, "value": value})
}

/// The mark of bytes, as the store keeps it.
pub(crate) fn mark(bytes: &[u8]) -> Mark {
    use std::fmt::Write as _;
    let mut text = String::new();
    for byte in Sha256::digest(bytes) {
        write!(text, "{byte:02x}").unwrap();
    }
    Mark::Digest(text)
}

/// What a crash left of an image.
pub(crate) fn left(path: &'static str, confirmed: Mark, intended: Mark) -> ImageState {
    let path = ProjectPath::known(path);
    ImageState { path, space: SPACE, confirmed, intended: Some(intended) }
}
