//! JSON as it stands in image files: two blanks of indent, a line break at the end.

use model::{Object, Value};
use serde::Serialize;

/// The text of a JSON image.
///
/// **Shape**: two-space indent, `": "` between name and value, `[]` and `{}` when empty, characters
/// beyond ASCII as they are, members in their order, one final line break.
pub fn document(value: &impl Serialize) -> String {
    let mut text = text(value);
    text.push('\n');
    text
}

/// The same without the final line break, for people at a terminal.
pub fn text(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).expect("a JSON value can be written")
}

/// Whether [`document`] of a value has at most so many bytes; one that is far from it need not be written to know.
pub fn fits(value: &Object, limit: usize) -> bool {
    most(value, 1, limit).is_some() || document(value).len() <= limit
}

// What is left of the bytes when each letter costs as much as one may.
fn most(members: &Object, depth: usize, left: usize) -> Option<usize> {
    let name = |name: &String| 6 * name.len() + 2 * depth + 8;
    members.iter().try_fold(left, |left, (key, value)| of_value(value, depth, left.checked_sub(name(key))?))
}

fn of_value(value: &Value, depth: usize, left: usize) -> Option<usize> {
    let left = left.checked_sub(2 * depth + 8)?;
    match value {
        Value::String(text) => left.checked_sub(6 * text.len()),
        Value::Number(number) => left.checked_sub(number.as_str().len()),
        Value::Array(items) => items.iter().try_fold(left, |left, item| of_value(item, depth + 1, left)),
        Value::Object(members) => most(members, depth + 1, left),
        Value::Null | Value::Bool(_) => Some(left),
    }
}

#[cfg(test)]
mod tests {
    use model::Object;
    use serde_json::json;

    #[test]
    fn what_fits_is_told_with_and_without_writing_it() {
        let value = json!({"a": ["\u{1}".repeat(50), {}, [], {"b": [[1.5, null]]}], "c": "x".repeat(100)});
        let value: &Object = value.as_object().unwrap();
        let length = super::document(value).len();
        for (limit, expected) in [(0, false), (length - 1, false), (length, true), (10 * length, true)] {
            assert_eq!(super::fits(value, limit), expected, "{limit}");
        }
        assert!(super::most(value, 1, length - 1).is_none(), "an estimate is never too low");
    }

    #[test]
    fn documents_look_like_those_of_other_tools() {
        let value = json!({"z": [], "a": {"é": "✓", "e": {}}, "n": [1, 1.50, "\u{1}"]});
        let expected = concat!(
            "{\n  \"z\": [],\n  \"a\": {\n    \"é\": \"✓\",\n    \"e\": {}\n  },\n",
            "  \"n\": [\n    1,\n    1.5,\n    \"\\u0001\"\n  ]\n}\n"
        );
        assert_eq!(super::document(&value), expected);
    }
}
