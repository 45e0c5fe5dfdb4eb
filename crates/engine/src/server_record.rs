//! The record of a server that a command started: which process, which port, which nonce.

use format::{FileState, Files as _};
use model::{Object, ProjectPath, Refusal, Value};

use crate::engine::Engine;
use crate::images::{self, Prepared};
use crate::refusals;

/// Largest record that is read. **Units**: bytes.
const LIMIT: u64 = 16 * 1024;

impl Engine {
    /// The record at `path`; nothing where none can be read.
    pub fn read_server_record(&self, path: &ProjectPath) -> Option<Object> {
        match self.files().read(path, LIMIT) {
            FileState::Bytes(bytes) => serde_json::from_slice(&bytes).ok(),
            FileState::Absent | FileState::Irregular(_) => None,
        }
    }

    /// Keeps a record, replacing the last one atomically.
    pub fn write_server_record(&self, path: &ProjectPath, record: &Object) -> Result<(), Refusal> {
        let text = format!("{}\n", Value::Object(record.clone()));
        let files = self.files();
        let write = || {
            let stamp = files.stamp(path);
            Prepared::write(files, path, text.as_bytes())?.publish(files, stamp)?;
            images::sync_folder_of(files, path)
        };
        write().map_err(|error| refusals::of_io(path.as_str(), &error))
    }
}
