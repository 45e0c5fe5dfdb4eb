//! Comparing JSON: a wanted value may say less than the value that came.

use serde_json::{Number, Value};

/// What `got` lacks of `want`.
///
/// Objects may hold more members; lists match element by element; numbers compare by value, not by their text.
pub fn differences(want: &Value, got: &Value, place: &str) -> Vec<String> {
    match (want, got) {
        (Value::Object(want), Value::Object(got)) => want
            .iter()
            .flat_map(|(key, value)| match got.get(key) {
                Some(there) => differences(value, there, &format!("{place}.{key}")),
                None => vec![format!("{place}.{key}: missing")],
            })
            .collect(),
        (Value::Array(want), Value::Array(got)) if want.len() == got.len() => want
            .iter()
            .zip(got)
            .enumerate()
            .flat_map(|(index, (want, got))| differences(want, got, &format!("{place}[{index}]")))
            .collect(),
        (Value::Number(want), Value::Number(got)) if equal_numbers(want, got) => Vec::new(),
        _ if want == got => Vec::new(),
        _ => vec![format!("{place}: wanted {want}, got {}", shorten(&got.to_string()))],
    }
}

/// The value at `path` within `value`.
///
/// **Shape**: `tasks[0].id`, `list[-1]`; a key that holds dots is written `["a.b"]`.
pub fn at<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
    let mut rest = path;
    let mut here = value;
    while !rest.is_empty() {
        if let Some(quoted) = rest.strip_prefix("[\"") {
            let (key, after) = quoted.split_once("\"]")?;
            (here, rest) = (here.get(key)?, after);
        } else if let Some(bracket) = rest.strip_prefix('[') {
            let (index, after) = bracket.split_once(']')?;
            (here, rest) = (element(here, index.parse().ok()?)?, after);
        } else if let Some(after) = rest.strip_prefix('.') {
            rest = after;
        } else {
            let end = rest.find(['.', '[']).unwrap_or(rest.len());
            (here, rest) = (here.get(&rest[..end])?, &rest[end..]);
        }
    }
    Some(here)
}

/// The text, cut where a message would drown in it.
pub fn shorten(text: &str) -> String {
    const LIMIT: usize = 600;
    match text.char_indices().nth(LIMIT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn element(list: &Value, index: i64) -> Option<&Value> {
    let list = list.as_array()?;
    let from_front = usize::try_from(index).ok();
    let from_back = || usize::try_from(index.unsigned_abs()).ok().and_then(|back| list.len().checked_sub(back));
    list.get(from_front.or_else(from_back)?)
}

fn equal_numbers(want: &Number, got: &Number) -> bool {
    if let (Some(want), Some(got)) = (want.as_i128(), got.as_i128()) {
        return want == got;
    }
    want == got || matches!((want.as_f64(), got.as_f64()), (Some(want), Some(got)) if want.to_bits() == got.to_bits())
}

#[cfg(test)]
mod tests {
    use super::{at, differences};
    use serde_json::{Value, json};

    fn check(want: &Value, got: &Value, expected: &[&str]) {
        assert_eq!(differences(want, got, "$"), expected);
    }

    #[test]
    fn a_wanted_value_may_say_less() {
        check(&json!({"a": 1}), &json!({"a": 1, "b": 2}), &[]);
        check(&json!({"a": 1, "c": 3}), &json!({"a": 2}), &["$.a: wanted 1, got 2", "$.c: missing"]);
        check(&json!([1]), &json!([1, 2]), &["$: wanted [1], got [1,2]"]);
        check(&json!([{"a": "x"}]), &json!([{"a": "y"}]), &["$[0].a: wanted \"x\", got \"y\""]);
        check(&json!(1), &json!(1.0), &[]);
        check(&json!(1), &json!(true), &["$: wanted 1, got true"]);
        check(&json!({}), &json!(null), &["$: wanted {}, got null"]);
    }

    #[test]
    fn paths_reach_members_elements_and_dotted_keys() {
        let value = json!({"a": [{"b": 1}, {"b": 2}], "x.y": {"z": 3}});
        assert_eq!(at(&value, "a[0].b"), Some(&json!(1)));
        assert_eq!(at(&value, "a[-1].b"), Some(&json!(2)));
        assert_eq!(at(&value, "[\"x.y\"].z"), Some(&json!(3)));
        assert_eq!(at(&value, "a[2]"), None);
        assert_eq!(at(&value, "a.b"), None);
    }
}
