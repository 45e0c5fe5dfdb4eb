//! What backup, import and gc did.

use model::Object;

use super::{WIDTH, text, texts};
use crate::printable::wrap;

/// Where the copy is, and up to where it reaches.
pub(crate) fn backup(report: &Object) -> String {
    let (bytes, revision) = (text(report, "bytes"), text(report, "revision"));
    format!("{}\n{bytes} bytes, up to revision {revision}; it was opened and is whole", text(report, "path"))
}

/// What came in.
pub(crate) fn import(report: &Object) -> String {
    if report.contains_key("changed") {
        return format!(
            "{} of {} records were new or different; now at revision {}",
            text(report, "changed"),
            text(report, "records"),
            text(report, "revision")
        );
    }
    format!(
        "{} entries, {} records, {} checkpoints; now at revision {}",
        text(report, "entries"),
        text(report, "records"),
        text(report, "checkpoints"),
        text(report, "revision")
    )
}

/// Which links were made, or taken away.
pub(crate) fn shims(report: &Object) -> String {
    let folder = text(report, "folder");
    let told = |name: &str, done: &str| {
        let names = texts(report, name).join(", ");
        if names.is_empty() { Vec::new() } else { wrap(&format!("{done}: {names}"), WIDTH) }
    };
    let mut lines = told("created", "made");
    lines.extend(told("kept", "there already"));
    lines.extend(told("removed", "removed"));
    if lines.is_empty() {
        lines.push("none of the links stands there".to_owned());
    }
    lines.insert(0, folder);
    lines.join("\n")
}

/// What was folded and freed.
pub(crate) fn gc(report: &Object) -> String {
    let dropped = text(report, "dropped");
    let mut lines = if report.contains_key("dry_run") {
        vec![format!("{dropped} entries would be folded away; the store has {} bytes", text(report, "bytes_before"))]
    } else {
        let (before, after) = (text(report, "bytes_before"), text(report, "bytes_after"));
        vec![format!("{dropped} entries folded away; the store went from {before} to {after} bytes")]
    };
    lines.extend(texts(report, "removed").into_iter().map(|path| format!("removed {path}")));
    let held = text(report, "held");
    if !held.is_empty() {
        lines.extend(wrap(&format!("older entries stay because of {held}"), WIDTH));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn reports_read_well() {
        let done = json!({"dropped": 7, "bytes_before": 900, "bytes_after": 400, "removed": [".mainstay/trash/a"], "held": "x"});
        let expected = "\
7 entries folded away; the store went from 900 to 400 bytes
removed .mainstay/trash/a
older entries stay because of x";
        assert_eq!(gc(done.as_object().unwrap()), expected);
        let brought = json!({"entries": 2, "records": 3, "checkpoints": 0, "revision": 2});
        assert_eq!(import(brought.as_object().unwrap()), "2 entries, 3 records, 0 checkpoints; now at revision 2");
    }
}
