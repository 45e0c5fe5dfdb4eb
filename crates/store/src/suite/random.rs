//! The case of random operations: whatever happens, the store holds what a plain map holds.

use std::collections::BTreeMap;

use model::{Change, RecordKey, Scan, Space, Value};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::desk::{Desk, entry, page};
use crate::{Opener, Reads, Splice, Unwinder, to_text};

/// What one request does.
#[derive(Clone, Debug)]
struct Request {
    /// Records to set (`Some`) or to delete.
    writes: BTreeMap<RecordKey, Option<Value>>,
    /// Whether it is rolled back to its savepoint.
    given_up: bool,
}

/// Some requests in one transaction.
#[derive(Clone, Debug)]
struct Group {
    requests: Vec<Request>,
    commits: bool,
}

type Records = BTreeMap<RecordKey, Value>;

/// Random transactions leave the records of a plain map; journal and records tell the same story.
pub fn random_operations(opener: &dyn Opener) {
    let config = Config { cases: 24, failure_persistence: None, ..Config::default() };
    TestRunner::new(config)
        .run(&prop::collection::vec(groups(), 1..8), |groups| {
            let desk = Desk::new(opener);
            let (mut expected, mut appended) = (Records::new(), Vec::new());
            for group in groups {
                let (mut records, mut entries) = (expected.clone(), Vec::new());
                let mut txn = desk.store.begin().unwrap();
                for request in group.requests {
                    txn.savepoint().unwrap();
                    let changes = changes(&records, &request.writes);
                    txn.append(&entry(&changes)).unwrap();
                    if request.given_up {
                        txn.rollback().unwrap();
                    } else {
                        txn.release().unwrap();
                        apply(&mut records, &changes);
                        entries.push(changes);
                    }
                }
                if group.commits {
                    txn.commit().unwrap();
                    expected = records;
                    appended.extend(entries);
                }
            }
            let store = desk.again();
            let view = store.read().unwrap();
            prop_assert_eq!(read_all(view.as_ref()), expected.clone());
            prop_assert_eq!(fold(view.as_ref()), texts(&expected));
            prop_assert_eq!(unwind_all(view.as_ref()), appended);
            prop_assert_eq!(store.check().unwrap(), [""; 0]);
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}"));
}

fn groups() -> impl Strategy<Value = Group> {
    let key = ("s(/a)?", prop::sample::select(vec!["k", "l"]), "0?[0-2]|[aé]{0,2}")
        .prop_map(|(space, kind, id)| RecordKey::new(Space::new(space), kind, id));
    let writes = prop::collection::btree_map(key, prop::option::weighted(0.7, values()), 0..5);
    let request = (writes, prop::bool::weighted(0.2)).prop_map(|(writes, given_up)| Request { writes, given_up });
    (prop::collection::vec(request, 0..4), prop::bool::weighted(0.8))
        .prop_map(|(requests, commits)| Group { requests, commits })
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        "-?[1-9][0-9]{0,22}(\\.[0-9]{1,3})?(e[+-][0-9])?".prop_map(|text| serde_json::from_str(&text).unwrap()),
        "[a-cé😀\"\\\\\u{0}]{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec(("[a-dé]{0,2}", inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn changes(records: &Records, writes: &BTreeMap<RecordKey, Option<Value>>) -> Vec<Change> {
    let change = |(key, after): (&RecordKey, &Option<Value>)| Change {
        key: key.clone(),
        before: records.get(key).cloned(),
        after: after.clone(),
    };
    writes.iter().map(change).collect()
}

fn apply(records: &mut Records, changes: &[Change]) {
    for change in changes {
        match &change.after {
            Some(value) => drop(records.insert(change.key.clone(), value.clone())),
            None => drop(records.remove(&change.key)),
        }
    }
}

/// Every record, and with it that scans answer in the order of the map.
fn read_all(reads: &dyn Reads) -> Records {
    let mut records = Records::new();
    for space in reads.spaces().unwrap() {
        for kind in reads.kinds(&space).unwrap() {
            let found = reads.scan(&space, &kind, &Scan::all()).unwrap();
            assert!(found.is_sorted_by(|a, b| a.id < b.id));
            for record in found {
                records.insert(RecordKey::new(space.clone(), kind.clone(), record.id), record.value);
            }
        }
    }
    records
}

fn texts(records: &Records) -> BTreeMap<RecordKey, String> {
    records.iter().map(|(key, value)| (key.clone(), to_text(value).unwrap())).collect()
}

/// The records that the entries alone amount to.
fn fold(reads: &dyn Reads) -> BTreeMap<RecordKey, String> {
    let mut records = BTreeMap::new();
    for entry in page(reads, None, 0).into_iter().rev() {
        for change in entry.changes {
            // What the stored form says is what counts.
            let splice = Splice::from_bytes(&change.splice.to_bytes()).unwrap();
            let before = records.remove(&change.key);
            if let Some(after) = splice.apply(before.as_deref()).unwrap() {
                records.insert(change.key, after);
            }
        }
    }
    records
}

/// The changes of every entry, oldest first.
fn unwind_all(reads: &dyn Reads) -> Vec<Vec<Change>> {
    let mut unwinder = Unwinder::new(reads);
    let stored = page(reads, None, 0).into_iter();
    let mut entries: Vec<_> = stored.map(|entry| unwinder.entry(entry).unwrap().changes).collect();
    entries.reverse();
    entries
}
