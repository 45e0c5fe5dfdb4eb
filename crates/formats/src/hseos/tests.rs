//! What the tests of the format share: a world without a disk; and cases of the six tools.

mod tools;

use std::collections::BTreeMap;

use format::{DatabaseProbe, FileState, Files, Format, HealthProbe, Probes, Records, Touched, View};
use model::{
    Call, Change, Context, Environment, ImageContent, Object, Origin, ProjectPath, RecordId, RecordKey, Scan, Space,
    Timestamp, Value,
};

use super::records::SPACE;
use super::{Hseos, sources};

/// Records, files and probes in memory.
#[derive(Clone, Debug)]
pub(super) struct World {
    pub(super) records: BTreeMap<RecordKey, Value>,
    files: BTreeMap<String, Vec<u8>>,
    health: HealthProbe,
    database: DatabaseProbe,
}

impl World {
    pub(super) fn new() -> Self {
        Self {
            records: BTreeMap::new(),
            files: BTreeMap::new(),
            health: HealthProbe::Silent,
            database: DatabaseProbe::Creatable,
        }
    }

    pub(super) fn with_file(mut self, path: &str, text: &str) -> Self {
        self.files.insert(path.into(), text.into());
        self
    }

    pub(super) fn with_health(mut self, health: HealthProbe) -> Self {
        self.health = health;
        self
    }

    pub(super) fn with_database(mut self, database: DatabaseProbe) -> Self {
        self.database = database;
        self
    }

    pub(super) fn view<'a>(&'a self, records: &'a dyn Records) -> View<'a> {
        View { records, files: self, probes: self }
    }

    pub(super) fn apply(&mut self, changes: &[Change]) {
        for change in changes {
            assert_eq!(self.records.get(&change.key), change.before.as_ref(), "{}", change.key);
            match &change.after {
                Some(value) => drop(self.records.insert(change.key.clone(), value.clone())),
                None => drop(self.records.remove(&change.key)),
            }
        }
    }
}

impl Records for World {
    fn get(&self, key: &RecordKey) -> Option<Value> {
        self.records.get(key).cloned()
    }

    fn scan(&self, space: &Space, kind: &'static str, scan: &Scan) -> Vec<(RecordId, Value)> {
        let within = self.records.iter().filter(|(key, _)| key.space == *space && key.kind == kind);
        let mut all: Vec<_> = within.map(|(key, value)| (key.id.clone(), value.clone())).collect();
        if scan.descending {
            all.reverse();
        }
        let behind = |id: &RecordId| {
            scan.after.as_ref().is_none_or(|after| if scan.descending { id < after } else { id > after })
        };
        all.into_iter().filter(|(id, _)| behind(id)).take(scan.limit).collect()
    }
}

impl Files for World {
    fn read(&self, path: &ProjectPath, _limit: u64) -> FileState {
        self.files.get(path.as_str()).map_or(FileState::Absent, |bytes| FileState::Bytes(bytes.clone()))
    }

    fn list(&self, _folder: &ProjectPath) -> Vec<String> {
        Vec::new()
    }

    fn is_folder(&self, path: &ProjectPath) -> bool {
        self.files.keys().any(|file| file.starts_with(&format!("{path}/")))
    }
}

impl Probes for World {
    fn health(&self, _port: u16) -> HealthProbe {
        self.health.clone()
    }

    fn database(&self, _place: &str) -> DatabaseProbe {
        self.database
    }
}

impl World {
    /// Carries a call through as the engine would, and gives the reply or the error object.
    pub(super) fn call(&mut self, tool: &str, arguments: Value, ctx: &Context) -> Result<Value, Value> {
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        let mut ctx = ctx.clone();
        if let Some(agent) = arguments.get("agent").and_then(Value::as_str) {
            ctx.actor = agent.to_owned();
        }
        let before = self.clone();
        let outcome = Hseos.handle(&Call::new(tool, arguments), &before.view(&before), &ctx);
        let outcome = outcome.map_err(|refusal| Value::Object(refusal.to_object()))?;
        self.apply(&outcome.changes);
        Ok(Value::Object(outcome.reply.to_object()))
    }

    /// Both files as they are rendered.
    pub(super) fn images(&self) -> (String, String) {
        let paths = [sources::state_path(), sources::tasks_path()];
        let touched = Touched { changes: &[], paths: &paths };
        let images = Hseos.render(&SPACE, &touched, &self.view(self), &context());
        let mut texts = images.into_iter().map(|image| match image.content {
            ImageContent::Bytes(bytes) => String::from_utf8(bytes).unwrap(),
            _ => panic!("both files always have content"),
        });
        (texts.next().unwrap(), texts.next().unwrap())
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
