//! The contract suite, and what is special to files and processes.

mod copies;
mod damage;
mod files;
mod logs;
mod older;
mod processes;

use std::path::Path;

use model::{Change, EntryCause, RecordKey, Revision, Space, Timestamp, Value};
use rusqlite::Connection;
use store::{NewEntry, Store, StoreError, Txn};

store::contract_suite!(crate::SqliteOpener);

/// Adds one to a counter, in an entry of its own.
fn count(txn: &mut dyn Txn) -> Result<Revision, StoreError> {
    let space = Space::known("s");
    let key = RecordKey::new(space.clone(), "k", "counter");
    let before = txn.record(&key)?.map(|record| record.value);
    let now = before.as_ref().and_then(Value::as_u64).unwrap_or(0);
    let entry = NewEntry {
        at: Timestamp::from_millis(0),
        actor: "a",
        session: None,
        request_id: None,
        space: &space,
        call: "c",
        cause: EntryCause::Call,
        changes: &[Change { key, before, after: Some(Value::from(now + 1)) }],
        moves: &[],
        takes_back: &[],
    };
    txn.append(&entry)
}

/// Commits one more count.
fn commit_count(store: &dyn Store) -> Result<Revision, StoreError> {
    let mut txn = store.begin()?;
    let revision = count(txn.as_mut())?;
    txn.commit()?;
    Ok(revision)
}

/// Runs statements on the file behind the store's back.
fn meddle(folder: &Path, statements: &str) {
    let conn = Connection::open(folder.join("state.db")).unwrap();
    conn.execute_batch(statements).unwrap();
}
