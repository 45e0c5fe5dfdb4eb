//! JSON Merge Patch.
//!
//! **Source**: RFC 7396.

use model::{Object, Value};

/// Applies a merge patch to a value.
///
/// An object merges member by member, `null` removes, anything else replaces. A member that is
/// updated keeps its place; a new one goes last.
pub fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Object::new());
    }
    merge_members(target.as_object_mut().expect("it was made one above"), patch);
}

/// Applies the members of a merge patch to an object.
pub fn merge_members(target: &mut Object, patch: &Object) {
    for (name, change) in patch {
        match (change, target.get_mut(name)) {
            (Value::Null, _) => drop(target.shift_remove(name)),
            (change, Some(present)) => merge(present, change),
            (change, None) => {
                let mut new = Value::Null;
                merge(&mut new, change);
                target.insert(name.clone(), new);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(target: &str, patch: &str, expected: &str) {
        let read = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        let mut value = read(target);
        merge(&mut value, &read(patch));
        assert_eq!(value.to_string(), expected, "{target} {patch}");
    }

    #[test]
    fn the_appendix_of_the_rfc() {
        for (target, patch, expected) in [
            (r#"{"a":"b"}"#, r#"{"a":"c"}"#, r#"{"a":"c"}"#),
            (r#"{"a":"b"}"#, r#"{"b":"c"}"#, r#"{"a":"b","b":"c"}"#),
            (r#"{"a":"b"}"#, r#"{"a":null}"#, "{}"),
            (r#"{"a":"b","b":"c"}"#, r#"{"a":null}"#, r#"{"b":"c"}"#),
            (r#"{"a":["b"]}"#, r#"{"a":"c"}"#, r#"{"a":"c"}"#),
            (r#"{"a":"c"}"#, r#"{"a":["b"]}"#, r#"{"a":["b"]}"#),
            (r#"{"a":{"b":"c"}}"#, r#"{"a":{"b":"d","c":null}}"#, r#"{"a":{"b":"d"}}"#),
            (r#"{"a":[{"b":"c"}]}"#, r#"{"a":[1]}"#, r#"{"a":[1]}"#),
            (r#"["a","b"]"#, r#"["c","d"]"#, r#"["c","d"]"#),
            (r#"{"a":"b"}"#, r#"["c"]"#, r#"["c"]"#),
            (r#"{"a":"foo"}"#, "null", "null"),
            (r#"{"a":"foo"}"#, "\"bar\"", "\"bar\""),
            (r#"{"e":null}"#, r#"{"a":1}"#, r#"{"e":null,"a":1}"#),
            ("[1,2]", r#"{"a":"b","c":null}"#, r#"{"a":"b"}"#),
            ("{}", r#"{"a":{"bb":{"ccc":null}}}"#, r#"{"a":{"bb":{}}}"#),
        ] {
            check(target, patch, expected);
        }
    }

    #[test]
    fn places_are_kept() {
        check(r#"{"a":1,"b":2,"c":3}"#, r#"{"c":4,"a":5,"d":6,"b":null}"#, r#"{"a":5,"c":4,"d":6}"#);
        check(r#"{"a":1.50}"#, r#"{"b":9007199254740993}"#, r#"{"a":1.50,"b":9007199254740993}"#);
        check(r#"{"__proto__":1}"#, r#"{"__proto__":{"x":null,"":1}}"#, r#"{"__proto__":{"":1}}"#);
        check("{}", r#"{"a":[null,{"b":null}]}"#, r#"{"a":[null,{"b":null}]}"#);
    }
}
