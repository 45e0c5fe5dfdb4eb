//! The store that fails on purpose, tried on this one.

use model::{Change, EntryCause, RecordKey, Revision, Space, Timestamp, Value};
use store::suite::{Failing, FailingOpener, Faults};
use store::{NewEntry, Opener, Store, StoreError};

use crate::{MemoryOpener, MemoryStore};

fn write(store: &dyn Store) -> Result<(), StoreError> {
    let space = Space::known("s");
    let key = RecordKey::new(space.clone(), "k", "1");
    let mut txn = store.begin()?;
    let before = txn.record(&key)?.map(|record| record.value);
    txn.savepoint()?;
    txn.append(&NewEntry {
        at: Timestamp::from_millis(0),
        actor: "a",
        session: None,
        request_id: None,
        space: &space,
        call: "c",
        cause: EntryCause::Call,
        changes: &[Change { key, before, after: Some(Value::from(1)) }],
        moves: &[],
        takes_back: &[],
    })?;
    txn.release()?;
    txn.put_meta("m", Some("1"))?;
    txn.commit()
}

#[test]
fn each_call_can_fail_and_then_nothing_is_committed() {
    let untroubled = Faults::at(0);
    write(&Failing::new(Box::new(MemoryStore::default()), untroubled.clone())).unwrap();
    assert_eq!(untroubled.calls(), 7);
    for nth in 1..=7 {
        let store = MemoryStore::default();
        let faults = Faults::at(nth);
        let failing = Failing::new(Box::new(store.clone()), faults.clone());
        assert!(!faults.have_struck());
        assert!(matches!(write(&failing), Err(StoreError::Io(_))), "call {nth}");
        assert!(faults.have_struck());
        assert_eq!(store.read().unwrap().head().unwrap(), Revision(0), "call {nth}");
        write(&failing).unwrap();
    }
}

#[test]
fn an_opener_can_fail_too() {
    let folder = std::path::Path::new("folder");
    let memory = MemoryOpener::default();
    let opener = FailingOpener::new(memory.clone(), Faults::at(1));
    assert!(opener.create(folder).is_err());
    assert!(memory.open(folder).unwrap().is_none());
    write(opener.create(folder).unwrap().as_ref()).unwrap();
    assert!(memory.open(folder).unwrap().is_some());
}

#[test]
fn a_forgotten_state_is_not_current() {
    let folder = std::path::Path::new("folder");
    let opener = MemoryOpener::default();
    let store = opener.create(folder).unwrap();
    opener.forget(folder);
    assert!(!store.is_current());
    assert!(opener.create(folder).unwrap().is_current());
    assert!(!store.is_current());
}
