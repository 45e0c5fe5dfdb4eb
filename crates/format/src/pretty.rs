//! JSON as it stands in image files: two blanks of indent, a line break at the end.

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

#[cfg(test)]
mod tests {
    use serde_json::json;

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
