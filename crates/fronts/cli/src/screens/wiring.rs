//! What `init --host` did, or would do.

use model::Object;

use super::{objects, text, texts};
use crate::printable;

/// A line for each file, the differences where nothing was done yet, and what is left to do.
pub(crate) fn render(report: &Object) -> String {
    let mut lines: Vec<String> = Vec::new();
    let formats = texts(report, "formats");
    if !formats.is_empty() {
        lines.push(super::init::render(report));
    }
    for file in objects(report, "files") {
        let action = text(file, "action");
        lines.push(format!("{action:<7} {}  ({})", text(file, "path"), texts(file, "for").join("; ")));
        if let Some(diff) = file.get("diff").and_then(model::Value::as_str).filter(|diff| !diff.is_empty()) {
            lines.push(printable::text(diff).trim_end_matches('\n').to_owned());
        }
    }
    lines.extend(objects(report, "notes").map(|note| format!("note: {}", text(note, "message"))));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    #[test]
    fn files_differences_and_notes_are_shown() {
        let report = json!({
            "scope": "project", "hosts": ["claude"],
            "files": [
                {"path": ".mcp.json", "action": "created", "for": ["claude: server"], "diff": "--- a\n+x\n"},
                {"path": "CLAUDE.md", "action": "kept", "for": ["claude: instructions"], "diff": ""},
            ],
            "notes": [{"code": "then", "message": "look"}],
        });
        let expected =
            "created .mcp.json  (claude: server)\n--- a\n+x\nkept    CLAUDE.md  (claude: instructions)\nnote: look";
        assert_eq!(super::render(report.as_object().unwrap()), expected);
    }
}
