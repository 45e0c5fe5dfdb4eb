//! What `doctor` found.

use model::Object;

use super::{WIDTH, objects, text};
use crate::printable::wrap;
use crate::terminal::Palette;

/// One block a finding, or one line when there is none.
pub(crate) fn render(report: &Object, palette: Palette) -> String {
    let mut lines = Vec::new();
    for finding in objects(report, "findings") {
        let severity = text(finding, "severity");
        let shown = if severity == "error" { palette.red(&severity) } else { palette.yellow(&severity) };
        let fixed = if finding.get("fixed").and_then(model::Value::as_bool) == Some(true) { "  (fixed)" } else { "" };
        let code = palette.bold(&text(finding, "code"));
        lines.push(format!("{shown}  {code}  {}{fixed}", text(finding, "where")).trim_end().to_owned());
        lines.extend(wrap(&text(finding, "message"), WIDTH - 2).into_iter().map(|line| format!("  {line}")));
        let fix = text(finding, "fix");
        if !fix.is_empty() && fixed.is_empty() {
            lines.extend(wrap(&format!("fix: {fix}"), WIDTH - 2).into_iter().map(|line| format!("  {line}")));
        }
    }
    let is_fixed = |one: &&Object| one.get("fixed").and_then(model::Value::as_bool) == Some(true);
    let fixed = objects(report, "findings").filter(is_fixed).count();
    let found = objects(report, "findings").count() - fixed;
    let mended = if fixed > 0 { format!(" {fixed} fixed.") } else { String::new() };
    lines.push(match found {
        0 => format!("No findings{}.{mended}", if fixed > 0 { " left" } else { "" }),
        1 => format!("1 finding.{mended}"),
        _ => format!("{found} findings.{mended}"),
    });
    let backup = text(report, "backup");
    if !backup.is_empty() {
        lines.push(format!("The former store is kept in {backup}"));
    }
    lines.join("\n")
}

/// What is about to be done.
pub(crate) fn plan(steps: &[&str]) -> String {
    let mut lines = vec!["Plan:".to_owned()];
    for (number, step) in (1..).zip(steps) {
        let mut wrapped = wrap(step, WIDTH - 5).into_iter();
        lines.extend(wrapped.next().map(|first| format!("  {number}. {first}")));
        lines.extend(wrapped.map(|line| format!("     {line}")));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn findings_are_blocks() {
        let report = json!({"ok": false, "findings": [
            {"code": "outside_row_invalid", "where": "tasks/T1", "severity": "error", "message": "the row's status is \"ba\u{1b}nana\"", "fix": "mainstay hseos tasks done T1", "fixed": false, "reason": "bad_status"},
            {"code": "irregular_row", "where": "state/9lives", "severity": "warning", "message": "the key has an unusual form, which every reader of the table must be ready for", "fix": null, "fixed": false},
        ]});
        let expected = "\
error  outside_row_invalid  tasks/T1
  the row's status is \"banana\"
  fix: mainstay hseos tasks done T1
warning  irregular_row  state/9lives
  the key has an unusual form, which every reader of the table must be ready for
2 findings.";
        assert_eq!(render(report.as_object().unwrap(), Palette::PLAIN), expected);
        let clean = json!({"ok": true, "findings": []});
        assert_eq!(render(clean.as_object().unwrap(), Palette::PLAIN), "No findings.");
    }
}
