//! A project in memory, for tests: what is stored, and what stands in place of every file.

use std::collections::BTreeMap;

use format::{DatabaseProbe, FileState, Files, HealthProbe, Probes, Records, View};
use model::{ProjectPath, RecordId, RecordKey, Scan, Space, Value};

/// The project.
pub(super) struct World {
    /// What is stored; a scan finds nothing.
    pub(super) records: BTreeMap<RecordKey, Value>,
    /// What every file reads as.
    pub(super) file: FileState,
}

impl World {
    /// What a handler is shown of it, with `records` in place of its own.
    pub(super) fn view<'a>(&'a self, records: &'a dyn Records) -> View<'a> {
        View { records, files: self, probes: self }
    }
}

impl Records for World {
    fn get(&self, key: &RecordKey) -> Option<Value> {
        self.records.get(key).cloned()
    }

    fn scan(&self, _space: &Space, _kind: &'static str, _scan: &Scan) -> Vec<(RecordId, Value)> {
        Vec::new()
    }
}

impl Files for World {
    fn read(&self, _path: &ProjectPath, _limit: u64) -> FileState {
        self.file.clone()
    }

    fn list(&self, _folder: &ProjectPath) -> Vec<String> {
        Vec::new()
    }

    fn is_folder(&self, _path: &ProjectPath) -> bool {
        true
    }
}

impl Probes for World {
    fn health(&self, _port: u16) -> HealthProbe {
        HealthProbe::Silent
    }

    fn database(&self, _place: &str) -> DatabaseProbe {
        DatabaseProbe::Impossible
    }
}
