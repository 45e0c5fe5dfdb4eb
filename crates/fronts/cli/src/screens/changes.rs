//! Changes of records: what was undone, redone, rolled back, and what differs.

use model::{Object, Value};

use super::{WIDTH, objects, text};
use crate::printable::{self, cut};
use crate::terminal::Palette;

/// What `undo` and `redo` did.
pub(crate) fn undone(report: &Object, palette: Palette) -> String {
    let (word, entries) = match report.get("redone") {
        Some(entries) => ("redone", entries),
        None => ("undone", report.get("undone").unwrap_or(&Value::Null)),
    };
    let entries = entries.as_array().map_or(&[][..], Vec::as_slice);
    let numbers: Vec<String> = entries.iter().map(Value::to_string).collect();
    let head = format!("{word} {} by revision {}", numbers.join(", "), text(report, "revision"));
    with_changes(&head, report, palette)
}

/// What `rollback` did, or would do.
pub(crate) fn rollback(report: &Object, palette: Palette) -> String {
    let none = objects(report, "changes").next().is_none() && report.get("saved").is_none_or(Value::is_null);
    let head = if none {
        "Nothing to bring back.".to_owned()
    } else if report.contains_key("dry_run") {
        "This would change:".to_owned()
    } else {
        format!("rolled back by revision {}; saved as {}", text(report, "revision"), text(report, "saved"))
    };
    with_changes(&head, report, palette)
}

/// What differs since then.
pub(crate) fn diff(report: &Object, palette: Palette) -> String {
    let head = format!("revision {} to {}", text(report, "since"), text(report, "revision"));
    with_changes(&head, report, palette)
}

fn with_changes(head: &str, report: &Object, palette: Palette) -> String {
    let mut lines: Vec<String> = printable::wrap(head, WIDTH);
    for change in objects(report, "changes") {
        lines.extend(of_change(change, palette));
    }
    lines.join("\n")
}

/// **Shape**: `~ SPACE KEY`, then one line for each member that differs.
fn of_change(change: &Object, palette: Palette) -> Vec<String> {
    let sign = match text(change, "change").as_str() {
        "added" => palette.bold("+"),
        "removed" => palette.red("-"),
        _ => palette.yellow("~"),
    };
    let name = format!("{} {}", text(change, "space"), text(change, "key"));
    let mut lines = vec![format!("{sign} {}", cut(&name, WIDTH - 2))];
    let (before, after) = (change.get("before"), change.get("after"));
    match (before.and_then(Value::as_object), after.and_then(Value::as_object)) {
        (Some(before), Some(after)) => {
            let names = before.keys().chain(after.keys().filter(|name| !before.contains_key(*name)));
            let differing = names.filter(|name| before.get(*name) != after.get(*name));
            lines.extend(differing.map(|name| member(Some(name), before.get(name), after.get(name))));
        }
        _ => lines.push(member(None, before, after)),
    }
    lines
}

fn member(name: Option<&String>, before: Option<&Value>, after: Option<&Value>) -> String {
    let shown =
        |value: Option<&Value>| value.filter(|value| !value.is_null()).map(|value| printable::line(&value.to_string()));
    let label = name.map(|name| format!("{}: ", printable::line(name))).unwrap_or_default();
    let value = match (shown(before), shown(after)) {
        (Some(before), Some(after)) => {
            // Both sides get their share of the line.
            let room = (WIDTH - 7).saturating_sub(label.chars().count()) / 2;
            format!("{} → {}", cut(&before, room), cut(&after, room))
        }
        (None, Some(after)) => after,
        (Some(before), None) => before,
        (None, None) => "null".to_owned(),
    };
    cut(&format!("    {label}{value}"), WIDTH).into_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn differing_members_are_lines() {
        let long = "x".repeat(200);
        let report = json!({"undone": [12, 9], "revision": 13, "changes": [
            {"change": "changed", "space": "hseos", "key": "task/T2",
             "before": {"status": "done", "note": null, "owner": "A"}, "after": {"status": "pend\u{1b}ing", "note": long, "owner": "A"}},
            {"change": "added", "space": "hseos", "key": "state/phase", "before": null, "after": {"value": "x"}},
            {"change": "removed", "space": "upgrade/a", "key": "task/1", "before": 1, "after": null},
        ]});
        let shown = undone(report.as_object().unwrap(), Palette::PLAIN);
        let expected = "\
undone 12, 9 by revision 13
~ hseos task/T2
    status: \"done\" → \"pend\\u001bing\"
    note: \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…
+ hseos state/phase
    {\"value\":\"x\"}
- upgrade/a task/1
    1";
        assert_eq!(shown, expected);
        assert!(shown.lines().all(|line| line.chars().count() <= WIDTH));
    }

    #[test]
    fn a_rollback_says_what_it_saved() {
        let report = json!({"revision": 9, "saved": "c4", "changes": []});
        let shown = rollback(report.as_object().unwrap(), Palette::PLAIN);
        assert_eq!(shown, "rolled back by revision 9; saved as c4");
        let report = json!({"revision": 9, "saved": null, "changes": []});
        assert_eq!(rollback(report.as_object().unwrap(), Palette::PLAIN), "Nothing to bring back.");
    }
}
