//! Cases of stepping back over a change.

use model::{Change, RecordKey, Space, Value};

use super::step_back;

fn json(text: &str) -> Option<Value> {
    (text != "-").then(|| serde_json::from_str(text).unwrap())
}

fn check(before: &str, after: &str, now: &str, expected: &str) {
    let key = RecordKey::new(Space::known("s"), "k", "1");
    let change = Change { key, before: json(before), after: json(after) };
    assert_eq!(step_back(&change, json(now).as_ref()), json(expected), "{before} to {after}, now {now}");
}

#[test]
fn touches_since_then_stay() {
    check(r#"{"a":1}"#, r#"{"a":2}"#, r#"{"a":2}"#, r#"{"a":1}"#);
    check(r#"{"a":1,"t":1}"#, r#"{"a":2,"t":1}"#, r#"{"a":2,"t":9}"#, r#"{"a":1,"t":9}"#);
    check(r#"{"t":1}"#, r#"{"a":2,"t":1}"#, r#"{"a":2,"t":9}"#, r#"{"t":9}"#);
    check(r#"{"a":1,"t":1}"#, r#"{"t":1}"#, r#"{"t":9}"#, r#"{"t":9,"a":1}"#);
    check("-", r#"{"a":2}"#, r#"{"a":2,"t":9}"#, "-");
    check(r#"{"a":1}"#, "-", "-", r#"{"a":1}"#);
    check("1", "2", "3", "1");
}
