//! Changes of records: what was undone, redone, rolled back, and what differs.

use format::line_diff;
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

/// How many lines of a text's differences are shown.
const LINES: usize = 24;

/// How much of a long value stands before its first difference. **Units**: characters.
const LEAD: usize = 12;

/// **Shape**: `~ SPACE KEY`, then one line for each member that differs; texts of several lines as `diff -u` shows them.
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
            lines.extend(differing.flat_map(|name| member(Some(name), before.get(name), after.get(name), palette)));
        }
        _ => lines.extend(member(None, before, after, palette)),
    }
    lines
}

fn member(name: Option<&String>, before: Option<&Value>, after: Option<&Value>, palette: Palette) -> Vec<String> {
    let label = name.map(|name| format!("{}: ", printable::line(name))).unwrap_or_default();
    if let (Some(Value::String(before)), Some(Value::String(after))) = (before, after)
        && (before.contains('\n') || after.contains('\n'))
    {
        let mut lines = vec![cut(&format!("    {}", label.trim_end()), WIDTH).into_owned()];
        lines.extend(of_texts(before, after, palette));
        return lines;
    }
    let shown =
        |value: Option<&Value>| value.filter(|value| !value.is_null()).map(|value| printable::line(&value.to_string()));
    let value = match (shown(before), shown(after)) {
        (Some(before), Some(after)) => {
            // Both sides get their share of the line.
            let room = (WIDTH - 7).saturating_sub(label.chars().count()) / 2;
            let skipped = skipped(&before, &after, room);
            format!("{} → {}", from(&before, skipped, room), from(&after, skipped, room))
        }
        (None, Some(after)) => after,
        (Some(before), None) => before,
        (None, None) => "null".to_owned(),
    };
    vec![cut(&format!("    {label}{value}"), WIDTH).into_owned()]
}

fn of_texts(before: &str, after: &str, palette: Palette) -> Vec<String> {
    let hunks = line_diff::hunks(before, after);
    let count = hunks.lines().count();
    let most = if count > LINES { LINES - 1 } else { count };
    let shown = |line: &str| {
        let line = printable::line(line);
        let line = cut(&line, WIDTH - 4);
        let line = match line.chars().next() {
            Some('-') => palette.red(&line),
            Some('+') => palette.bold(&line),
            _ => palette.dim(&line),
        };
        format!("    {line}")
    };
    let mut lines: Vec<String> = hunks.lines().take(most).map(shown).collect();
    if count > most {
        lines.push(format!("    … and {} more lines (--json has both texts)", count - most));
    }
    lines
}

/// How much both values have in common at their beginning and need not show, if they do not fit. **Units**: characters.
fn skipped(before: &str, after: &str, room: usize) -> usize {
    let fits = |text: &str| text.chars().count() <= room;
    if fits(before) && fits(after) {
        return 0;
    }
    let same = before.chars().zip(after.chars()).take_while(|(before, after)| before == after).count();
    // What lies within the first half of the room is seen anyway.
    if same <= room / 2 { 0 } else { same - LEAD.min(same) }
}

fn from(text: &str, skipped: usize, room: usize) -> String {
    if skipped == 0 {
        return cut(text, room).into_owned();
    }
    let rest: String = std::iter::once('…').chain(text.chars().skip(skipped)).collect();
    cut(&rest, room).into_owned()
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
    fn where_long_values_differ_is_seen() {
        let old = (1..=40).fold(String::new(), |text, number| text + &format!("line {number}\n"));
        let new = old.replace("line 20\n", "line twenty\u{1b}\n").replace("line 38\n", "");
        let long = |end: &str| format!("{}{end}", "x".repeat(300));
        let report = json!({"since": 1, "revision": 2, "changes": [
            {"change": "changed", "space": "msd", "key": "document/STATE.md", "before": {"text": old, "note": long("a")},
             "after": {"text": new, "note": long("b, and on it goes for longer than there is room")}},
        ]});
        let shown = diff(report.as_object().unwrap(), Palette::PLAIN);
        let expected = "\
revision 1 to 2
~ msd document/STATE.md
    text:
    @@ -18,5 +18,5 @@
     line 18
     line 19
    -line 20
    +line twenty
     line 21
     line 22
    @@ -36,5 +36,4 @@
     line 36
     line 37
    -line 38
     line 39
     line 40
    note: …xxxxxxxxxxxxa\" → …xxxxxxxxxxxxb, and on it goes f…";
        assert_eq!(shown, expected);
        // All of it new: only so much is shown.
        let report = json!({"since": 1, "revision": 2, "changes": [
            {"change": "changed", "space": "msd", "key": "d", "before": {"text": "x\n"}, "after": {"text": old}}]});
        let shown = diff(report.as_object().unwrap(), Palette::PLAIN);
        assert_eq!(shown.lines().count(), 3 + LINES);
        assert!(shown.ends_with("    … and 19 more lines (--json has both texts)"), "{shown}");
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
