//! What the tests of the format share: a world without a disk, which carries calls through as the engine would.

mod cases;
mod hosts;
mod mended;
mod properties;
mod readback;
mod untouched;

use std::cell::Cell;
use std::collections::BTreeMap;

use format::{
    DatabaseProbe, FileState, Files, Format, HealthProbe, HookEvent, Irregular, Look, Probes, Records, Seen, SeenFile,
    Touched, View,
};
use model::{
    Call, Change, Context, Environment, ImageContent, Object, Origin, ProjectPath, RecordId, RecordKey, Scan, Space,
    Timestamp, Value,
};

use super::Msd;
use super::documents::{ALL, Place};

thread_local! {
    static WORK: Cell<u64> = const { Cell::new(0) };
}

/// Counts one reading of a document, or one comparison of phases.
pub(in crate::msd) fn count_work() {
    WORK.with(|work| work.set(work.get() + 1));
}

/// How much was counted meanwhile.
pub(super) fn work_of(task: impl FnOnce()) -> u64 {
    let before = WORK.with(Cell::get);
    task();
    WORK.with(Cell::get) - before
}

/// Where the project's document stands.
pub(super) const STATE_PATH: &str = ".planning/STATE.md";

/// Records, files and a repository in memory.
#[derive(Clone, Debug, Default)]
pub(super) struct World {
    records: BTreeMap<RecordKey, Value>,
    files: BTreeMap<String, Vec<u8>>,
    irregular: BTreeMap<String, Irregular>,
    head: Option<String>,
    behind: Option<u64>,
}

impl World {
    pub(super) fn with_file(mut self, path: &str, bytes: impl AsRef<[u8]>) -> Self {
        self.files.insert(path.into(), bytes.as_ref().to_vec());
        self
    }

    pub(super) fn with_irregular(mut self, path: &str, what: Irregular) -> Self {
        self.irregular.insert(path.into(), what);
        self
    }

    pub(super) fn without_file(mut self, path: &str) -> Self {
        self.files.remove(path);
        self
    }

    pub(super) fn with_state(self, text: &str) -> Self {
        self.with_file(STATE_PATH, text)
    }

    pub(super) fn with_head(mut self, head: &str, behind: Option<u64>) -> Self {
        (self.head, self.behind) = (Some(head.to_owned()), behind);
        self
    }

    pub(super) fn file(&self, path: &str) -> Option<&str> {
        self.files.get(path).map(|bytes| std::str::from_utf8(bytes).unwrap())
    }

    pub(super) fn state(&self) -> &str {
        self.file(STATE_PATH).unwrap()
    }

    fn apply(&mut self, changes: &[Change]) {
        for change in changes {
            assert_eq!(self.records.get(&change.key), change.before.as_ref(), "{}", change.key);
            match &change.after {
                Some(value) => drop(self.records.insert(change.key.clone(), value.clone())),
                None => drop(self.records.remove(&change.key)),
            }
        }
    }

    /// Takes in what differs from the records; says how many changes that made.
    pub(super) fn take_in(&mut self, space: &Space) -> usize {
        let before = self.clone();
        let place = Place::of(space);
        let seen: Vec<Seen> = ALL
            .iter()
            .map(|(name, limit)| (place.path(name), *limit))
            .map(|(path, limit)| SeenFile { now: self.read(&path, limit), path, known: true, base: None })
            .map(Seen::File)
            .collect();
        let taken = Msd.take_in(space, &seen, &before.view(), &context());
        self.apply(&taken.changes);
        taken.changes.len()
    }

    fn view(&self) -> View<'_> {
        View { records: self, files: self, probes: self }
    }

    /// Carries a call through and gives the reply, or what is shown of the refusal.
    pub(super) fn call(&mut self, tool: &str, arguments: Value) -> Result<Value, Value> {
        self.call_at(tool, arguments, &context())
    }

    pub(super) fn call_at(&mut self, tool: &str, arguments: Value, ctx: &Context) -> Result<Value, Value> {
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        let call = Call::new(format!("msd_{tool}"), arguments);
        let tool = Msd.surface().tool(&call.tool).unwrap();
        let shown = |refusal: model::Refusal| Value::Object(Msd.refused(tool, refusal).to_answer());
        for space in Msd.spaces(Some(&call), &self.view(), ctx).map_err(shown)? {
            self.take_in(&space);
        }
        let before = self.clone();
        let outcome = Msd.handle(&call, &before.view(), ctx).map_err(shown)?;
        self.apply(&outcome.changes);
        for change in &outcome.changes {
            let space = &change.key.space;
            let touched = Touched { changes: &outcome.changes, paths: &[] };
            for image in Msd.render(space, &touched, &self.clone().view(), ctx) {
                match image.content {
                    ImageContent::Bytes(bytes) => drop(self.files.insert(image.path.as_str().into(), bytes)),
                    ImageContent::Absent => drop(self.files.remove(image.path.as_str())),
                    ImageContent::Folder | ImageContent::NoFolder => panic!("documents are files"),
                }
            }
        }
        Ok(Value::Object(outcome.reply.to_object()))
    }

    /// The code of a refusal.
    pub(super) fn refused(&mut self, tool: &str, arguments: Value) -> String {
        let refusal = self.call(tool, arguments).unwrap_err();
        refusal["error"]["code"].as_str().unwrap().to_owned()
    }

    /// The summary, and the work as `id state title`.
    pub(super) fn outlook(&mut self) -> (String, Vec<String>) {
        for place in Place::all(&self.clone().view()) {
            self.take_in(&place.space);
        }
        let work = Msd.work(&self.view(), &context()).into_iter();
        let line = |item: model::WorkItem| format!("{} {:?} {}", item.id, item.state, item.title);
        (Msd.summary(&self.view(), &context()), work.map(line).collect())
    }

    pub(super) fn glance(&self, event: &str, settings: Object) -> format::Glance {
        let event = HookEvent { name: event.into(), input: Object::new() };
        Msd.glance(&event, &Look { files: self, probes: self }, &Context { settings, ..context() })
    }
}

impl Records for World {
    fn get(&self, key: &RecordKey) -> Option<Value> {
        self.records.get(key).cloned()
    }

    fn scan(&self, _space: &Space, _kind: &'static str, _scan: &Scan) -> Vec<(RecordId, Value)> {
        panic!("documents are read one by one")
    }
}

impl Files for World {
    fn read(&self, path: &ProjectPath, limit: u64) -> FileState {
        if let Some(what) = self.irregular.get(path.as_str()) {
            return FileState::Irregular(*what);
        }
        if self.is_folder(path) {
            return FileState::Irregular(Irregular::Folder);
        }
        match self.files.get(path.as_str()) {
            None => FileState::Absent,
            Some(bytes) if bytes.len() as u64 > limit => FileState::Irregular(Irregular::TooLarge),
            Some(bytes) => FileState::Bytes(bytes.clone()),
        }
    }

    fn list(&self, folder: &ProjectPath) -> Vec<String> {
        let beneath = self.files.keys().filter_map(|file| file.strip_prefix(&format!("{folder}/")));
        let mut names: Vec<String> = beneath.map(|rest| rest.split('/').next().unwrap().to_owned()).collect();
        names.sort();
        names.dedup();
        names
    }

    fn is_folder(&self, path: &ProjectPath) -> bool {
        self.files.keys().any(|file| file.starts_with(&format!("{path}/")))
    }
}

impl Probes for World {
    fn health(&self, _port: u16) -> HealthProbe {
        panic!("no port is asked")
    }

    fn database(&self, _place: &str) -> DatabaseProbe {
        panic!("no database is looked at")
    }

    fn head(&self) -> Option<String> {
        self.head.clone()
    }

    fn commits_between(&self, _ancestor: &str, _head: &str) -> Option<u64> {
        self.behind
    }
}

/// A request by `cli` in `/project` at 2026-01-02T03:04:05.678Z.
pub(super) fn context() -> Context {
    Context {
        now: Timestamp::parse_rfc3339("2026-01-02T03:04:05.678Z").unwrap(),
        actor: "cli".into(),
        session: None,
        request_id: None,
        origin: Origin::Command,
        root: "/project".into(),
        tag: "0123456789abcdef".into(),
        env: Environment::new(),
        settings: Object::new(),
    }
}

/// The same request an hour later.
pub(super) fn later() -> Context {
    Context { now: Timestamp::from_millis(context().now.as_millis() + 3_600_000), ..context() }
}

impl World {
    pub(super) fn file_bytes(&self, path: &str) -> &[u8] {
        &self.files[path]
    }
}
