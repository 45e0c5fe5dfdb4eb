//! What `init` did.

use model::Object;

use super::texts;

/// Which formats are on and which files are new; files that stood already are counted.
pub(crate) fn render(report: &Object) -> String {
    let mut lines = vec![format!("formats: {}", texts(report, "formats").join(", "))];
    lines.extend(texts(report, "created").into_iter().map(|path| format!("created {path}")));
    lines.extend(texts(report, "kept").into_iter().map(|path| format!("kept    {path}")));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    #[test]
    fn files_are_listed() {
        let report = json!({"created": ["mainstay.toml"], "kept": [".mainstay/.gitignore"], "formats": ["hseos"]});
        let expected = "formats: hseos\ncreated mainstay.toml\nkept    .mainstay/.gitignore";
        assert_eq!(super::render(report.as_object().unwrap()), expected);
    }
}
