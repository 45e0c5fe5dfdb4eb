//! Cases about records: values, ids, ranges.

use model::{Change, Object, RecordId, RecordKey, Revision, Scan, Space, Value};

use super::desk::{Desk, SPACE, append, change, entry, ids, key, text_of};
use crate::{Opener, StoreError};

/// A record is created, replaced and deleted, and knows the revision that wrote it.
pub fn records_round_trip(opener: &dyn Opener) {
    let desk = Desk::new(opener);
    let task = key("task", "t-1");
    assert_eq!(desk.read().record(&task).unwrap(), None);
    desk.append(&[change(&task, None, Some(r#"{"title":"ä\u0000\"'; DROP TABLE record; --"}"#))]);
    desk.append(&[change(&key("task", "other"), None, Some("null"))]);
    let record = desk.read().record(&task).unwrap().unwrap();
    assert_eq!(record.id, RecordId::from("t-1"));
    assert_eq!(record.value["title"], "ä\0\"'; DROP TABLE record; --");
    assert_eq!(record.revision, Revision(1));

    desk.append(&[Change { key: task.clone(), before: Some(record.value.clone()), after: Some(Value::from(2)) }]);
    let second = desk.read().record(&task).unwrap().unwrap();
    assert_eq!((second.value.clone(), second.revision), (Value::from(2), Revision(3)));

    desk.append(&[Change { key: task.clone(), before: Some(second.value), after: None }]);
    assert_eq!(desk.read().record(&task).unwrap(), None);
    assert_eq!(text_of(desk.read().as_ref(), &key("task", "other")).as_deref(), Some("null"));
}

/// The text of numbers and the order of members come back as they were.
pub fn numbers_and_member_order_survive(opener: &dyn Opener) {
    let desk = Desk::new(opener);
    let texts = [
        "1.0",
        "0.10",
        "-0",
        "12345678901234567890",
        "-99999999999999999999",
        "1e+400",
        r#"{"z":1,"a":2,"m":{"y":[],"b":{}}}"#,
        r#"{"a":2,"z":1.50}"#,
        r#"["\u0000","😀","\\"]"#,
    ];
    for (number, text) in (1..).zip(texts) {
        let key = RecordKey::new(SPACE.clone(), "value", RecordId::from(number));
        desk.append(&[change(&key, None, Some(text))]);
        assert_eq!(text_of(desk.read().as_ref(), &key).as_deref(), Some(text));
        // What was read is a `before` that fits, also after the value has gone through a reader.
        desk.append(&[change(&key, Some(text), Some("0"))]);
        desk.append(&[change(&key, Some("0"), Some(text))]);
    }
    // A number that was computed may be written another way, but then for good.
    let computed = key("value", "computed");
    desk.append(&[Change { key: computed.clone(), before: None, after: Some(Value::from(1e300)) }]);
    let before = desk.read().record(&computed).unwrap().map(|record| record.value);
    desk.append(&[Change { key: computed, before, after: None }]);
}

/// Canonical decimals come first, as numbers; all other ids follow by bytes.
///
/// Both ways, with a start and a limit.
pub fn scans_are_in_order(opener: &dyn Opener) {
    let desk = Desk::new(opener);
    let ordered = [
        "0",
        "2",
        "10",
        "999999999999999999",
        "",
        "-1",
        "007",
        "02",
        "1.0",
        "1000000000000000000",
        "1e3",
        "99999999999999999999",
        "A",
        "Z",
        "a",
        "a/b",
        "aa",
        "b",
        "é",
        "😀",
    ];
    let mut shuffled = ordered.to_vec();
    shuffled.sort_by_key(|id| id.bytes().rev().collect::<Vec<_>>());
    let changes: Vec<_> = shuffled.iter().map(|id| change(&key("k", id), None, Some("1"))).collect();
    desk.append(&changes);
    desk.append(&[change(&key("j", "5"), None, Some("1")), change(&key("l", "5"), None, Some("1"))]);

    let view = desk.read();
    let reads = view.as_ref();
    assert_eq!(ids(reads, "k", &Scan::all()), ordered);
    let backwards: Vec<_> = ordered.iter().rev().copied().collect();
    assert_eq!(ids(reads, "k", &Scan::last(usize::MAX)), backwards);
    assert_eq!(ids(reads, "k", &Scan::last(3)), backwards[..3]);
    assert_eq!(ids(reads, "k", &Scan { limit: 5, ..Scan::all() }), ordered[..5]);
    assert_eq!(ids(reads, "k", &Scan { limit: 0, ..Scan::all() }), [""; 0]);
    for (place, id) in ordered.iter().enumerate() {
        let after = Some(RecordId::from(*id));
        let up = Scan { after: after.clone(), ..Scan::all() };
        assert_eq!(ids(reads, "k", &up), ordered[place + 1..], "up from {id:?}");
        let down = Scan { after: after.clone(), ..Scan::last(2) };
        let rest = &backwards[ordered.len() - place..];
        assert_eq!(ids(reads, "k", &down), rest[..rest.len().min(2)], "down from {id:?}");
    }
    let mut texts = Vec::new();
    let mut see = |id: RecordId, text: &str| {
        texts.push((id.to_string(), text.to_owned()));
        Ok(())
    };
    reads.texts(&SPACE, "k", &mut see).unwrap();
    assert_eq!(texts, ordered.map(|id| (id.to_owned(), "1".to_owned())));
    let mut seen = 0;
    let mut stop = |_: RecordId, _: &str| {
        seen += 1;
        Err(StoreError::Corrupt("no value".into()))
    };
    let stopped = reads.texts(&SPACE, "k", &mut stop);
    assert!(matches!(stopped, Err(StoreError::Corrupt(why)) if why == "no value") && seen == 1);
    // A start need not exist.
    assert_eq!(ids(reads, "k", &Scan { after: Some("3".into()), ..Scan::all() }), ordered[2..]);
    assert_eq!(ids(reads, "k", &Scan { after: Some("AA".into()), ..Scan::last(1) }), ["A"]);
    assert_eq!(ids(reads, "none", &Scan::all()), [""; 0]);
}

/// Ids that a careless store would take for the same are different records.
pub fn ids_do_not_run_into_each_other(opener: &dyn Opener) {
    let desk = Desk::new(opener);
    let ids = ["7", "07", "7.0", "+7", " 7", "7 ", "a", "A", "a\0", "a\0b", "é", "e\u{301}", "", "\0", "NULL", "null"];
    let changes: Vec<_> =
        ids.iter().map(|id| change(&key("k", id), None, Some(&Value::from(*id).to_string()))).collect();
    desk.append(&changes);
    for id in ids {
        let record = desk.read().record(&key("k", id)).unwrap();
        assert_eq!(record.map(|record| (record.id, record.value)), Some((id.into(), id.into())));
    }
    desk.append(&[change(&key("k", "7"), Some("\"7\""), None)]);
    assert!(desk.read().record(&key("k", "07")).unwrap().is_some());
    assert!(desk.read().record(&key("k", "7")).unwrap().is_none());
}

/// Kinds and spaces are those that hold records now, by bytes.
pub fn kinds_and_spaces(opener: &dyn Opener) {
    let desk = Desk::new(opener);
    assert_eq!(desk.read().spaces().unwrap(), []);
    assert_eq!(desk.read().kinds(&SPACE).unwrap(), [""; 0]);
    let mut changes = Vec::new();
    for (space, kind) in [("s/b", "z"), ("s", "b"), ("s", "a"), ("s", "é"), ("s", "B"), ("S", "a"), ("", "")] {
        for id in ["1", "x"] {
            let key = RecordKey::new(Space::new(space), kind, id);
            changes.push(change(&key, None, Some("1")));
        }
    }
    desk.append(&changes);
    let names: Vec<_> = desk.read().spaces().unwrap().iter().map(ToString::to_string).collect();
    assert_eq!(names, ["", "S", "s", "s/b"]);
    assert_eq!(desk.read().kinds(&Space::known("s")).unwrap(), ["B", "a", "b", "é"]);
    let gone: Vec<_> = changes[..2].iter().cloned().map(Change::inverse).collect();
    desk.append(&gone);
    assert_eq!(desk.read().spaces().unwrap().len(), 3);
    assert_eq!(desk.read().kinds(&Space::known("s/b")).unwrap(), [""; 0]);
}

/// A value that could not be read back is refused, and the transaction goes on without it.
pub fn unreadable_values_are_refused(opener: &dyn Opener) {
    let desk = Desk::new(opener);
    let deep = |depth| (0..depth).fold(Value::Null, |inner, _| Value::Array(vec![inner]));
    let mut object = Object::new();
    object.insert("$serde_json::private::Number".into(), Value::from("1"));
    desk.commit(|txn| {
        for value in [deep(128), Value::Object(object.clone())] {
            let changes = [
                change(&key("k", "first"), None, Some("1")),
                Change { key: key("k", "bad"), before: None, after: Some(value) },
            ];
            assert!(matches!(txn.append(&entry(&changes)), Err(StoreError::Unstorable)));
        }
        append(txn, &[Change { key: key("k", "deep"), before: None, after: Some(deep(127)) }]);
    });
    assert_eq!(ids(desk.read().as_ref(), "k", &Scan::all()), ["deep"]);
}
