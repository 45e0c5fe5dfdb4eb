//! Merging a copy back into what it was copied from, with what both stood for before.
//!
//! **Source**: `spec/skillstate.md`, section 3, `agent.merge`.

use std::collections::HashSet;

use model::{Object, Value};

use crate::equality::{canonical, equal};

/// Which side is kept where both changed the same thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// What the copy is merged into.
    Main,
    /// The copy.
    Sub,
}

/// Something that both sides changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Clash {
    /// Where: the names of members, joined by dots.
    pub path: String,
    /// What stands in main; `None` where it was removed.
    pub main: Option<Value>,
    /// What stands in the copy; `None` where it was removed.
    pub sub: Option<Value>,
}

/// What a merge came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Merged {
    /// The merged object.
    pub value: Object,
    /// What both sides changed, in the order of the merged members.
    pub clashes: Vec<Clash>,
}

/// Merges `sub` into `main`; `base` is what both stood for before.
///
/// Objects merge member by member, lists item by item. **Order**: main's members keep their places,
/// new ones follow in the order of the copy.
pub fn merge(base: &Object, main: &Object, sub: &Object, keep: Keep) -> Merged {
    let mut merger = Merger { keep, clashes: Vec::new() };
    let value = merger.members(base, main, sub, "");
    Merged { value, clashes: merger.clashes }
}

struct Merger {
    keep: Keep,
    clashes: Vec<Clash>,
}

impl Merger {
    fn members(&mut self, base: &Object, main: &Object, sub: &Object, above: &str) -> Object {
        let new = sub.keys().filter(|name| !main.contains_key(*name));
        let mut merged = Object::new();
        for name in main.keys().chain(new) {
            let path = if above.is_empty() { name.clone() } else { format!("{above}.{name}") };
            if let Some(value) = self.member(base.get(name), main.get(name), sub.get(name), &path) {
                merged.insert(name.clone(), value);
            }
        }
        merged
    }

    fn member(&mut self, base: Option<&Value>, main: Option<&Value>, sub: Option<&Value>, path: &str) -> Option<Value> {
        if same(sub, base) {
            return main.cloned();
        }
        if same(main, base) || same(main, sub) {
            return sub.cloned();
        }
        match (main, sub) {
            (Some(Value::Object(main)), Some(Value::Object(sub))) => {
                let none = Object::new();
                let base = base.and_then(Value::as_object).unwrap_or(&none);
                Some(Value::Object(self.members(base, main, sub, path)))
            }
            (Some(Value::Array(main)), Some(Value::Array(sub))) => {
                let base = base.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
                Some(Value::Array(items(base, main, sub)))
            }
            _ => {
                self.clashes.push(Clash { path: path.to_owned(), main: main.cloned(), sub: sub.cloned() });
                if self.keep == Keep::Main { main } else { sub }.cloned()
            }
        }
    }
}

/// Adds to a list the items that it does not hold yet, each once.
pub fn append(list: &mut Vec<Value>, items: &[Value]) {
    let mut held: HashSet<String> = list.iter().map(canonical).collect();
    list.extend(items.iter().filter(|item| held.insert(canonical(item))).cloned());
}

// Main without what the copy removed, then what the copy added.
fn items(base: &[Value], main: &[Value], sub: &[Value]) -> Vec<Value> {
    let set = |list: &[Value]| list.iter().map(canonical).collect::<HashSet<String>>();
    let (in_base, in_sub) = (set(base), set(sub));
    let is_removed = |item: &String| in_base.contains(item) && !in_sub.contains(item);
    let mut merged: Vec<Value> = main.iter().filter(|item| !is_removed(&canonical(item))).cloned().collect();
    let added: Vec<Value> = sub.iter().filter(|item| !in_base.contains(&canonical(item))).cloned().collect();
    append(&mut merged, &added);
    merged
}

fn same(a: Option<&Value>, b: Option<&Value>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => equal(a, b),
        (a, b) => a.is_none() && b.is_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Object {
        serde_json::from_str(text).unwrap()
    }

    fn check(base: &str, main: &str, sub: &str, expected: &str, clashes: &[&str]) {
        let merged = merge(&read(base), &read(main), &read(sub), Keep::Main);
        assert_eq!(Value::Object(merged.value).to_string(), expected, "{base} {main} {sub}");
        let paths: Vec<&str> = merged.clashes.iter().map(|clash| clash.path.as_str()).collect();
        assert_eq!(paths, clashes, "{base} {main} {sub}");
    }

    #[test]
    fn one_side_alone_wins() {
        check(r#"{"a":1}"#, r#"{"a":2}"#, r#"{"a":1.0}"#, r#"{"a":2}"#, &[]);
        check(r#"{"a":1}"#, r#"{"a":1}"#, r#"{"a":2}"#, r#"{"a":2}"#, &[]);
        check(r#"{"a":1}"#, r#"{"a":1,"m":1}"#, r#"{"s":1,"t":2}"#, r#"{"m":1,"s":1,"t":2}"#, &[]);
        check(r#"{"a":1}"#, "{}", r#"{"a":1}"#, "{}", &[]);
        check("{}", r#"{"a":3}"#, r#"{"a":3}"#, r#"{"a":3}"#, &[]);
    }

    #[test]
    fn objects_merge_within() {
        check(
            r#"{"o":{"x":1,"y":1,"z":1}}"#,
            r#"{"o":{"x":2,"y":1,"z":2}}"#,
            r#"{"o":{"x":1,"z":3,"n":{"d":1}}}"#,
            r#"{"o":{"x":2,"z":2,"n":{"d":1}}}"#,
            &["o.z"],
        );
        check(r#"{"o":1}"#, r#"{"o":{"x":1}}"#, r#"{"o":{"y":1}}"#, r#"{"o":{"x":1,"y":1}}"#, &[]);
    }

    #[test]
    fn lists_merge_by_item() {
        check(r#"{"l":["a"]}"#, r#"{"l":["a","m"]}"#, r#"{"l":["a","s"]}"#, r#"{"l":["a","m","s"]}"#, &[]);
        check(r#"{"l":[1,2,3]}"#, r#"{"l":[1,3,4]}"#, r#"{"l":[5,2,3,4,5]}"#, r#"{"l":[3,4,5]}"#, &[]);
        check(r#"{"l":"x"}"#, r#"{"l":[1]}"#, r#"{"l":[1.0,2]}"#, r#"{"l":[1,2]}"#, &[]);
        let mut list = vec![Value::from(1)];
        append(&mut list, read(r#"{"l":[1.0,{"a":1,"b":2},{"b":2,"a":1},"1"]}"#)["l"].as_array().unwrap());
        assert_eq!(Value::Array(list).to_string(), r#"[1,{"a":1,"b":2},"1"]"#);
    }

    #[test]
    fn what_both_changed_is_named() {
        check(r#"{"a":1}"#, r#"{"a":2}"#, r#"{"a":3}"#, r#"{"a":2}"#, &["a"]);
        check(r#"{"a":1}"#, r#"{"a":2}"#, "{}", r#"{"a":2}"#, &["a"]);
        check(r#"{"a":1}"#, "{}", r#"{"a":2}"#, "{}", &["a"]);
        check(r#"{"a":1}"#, r#"{"a":[2]}"#, r#"{"a":{"x":1}}"#, r#"{"a":[2]}"#, &["a"]);
        let (base, main, sub) = (read(r#"{"a":1}"#), read(r#"{"a":2}"#), read("{}"));
        let merged = merge(&base, &main, &sub, Keep::Sub);
        assert!(merged.value.is_empty());
        let clash = Clash { path: "a".to_owned(), main: Some(2.into()), sub: None };
        assert_eq!(merged.clashes, [clash]);
    }
}
