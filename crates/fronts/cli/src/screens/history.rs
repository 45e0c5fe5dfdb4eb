//! The journal, one line an entry.

use model::Object;

use super::{WIDTH, column, objects, text, when, widest};
use crate::printable::cut;
use crate::terminal::Palette;

/// **Shape**: `rev  time  actor  call  changed keys`; the keys without their space, cut to the width.
///
/// Where the session is another one than that of the line above, a line says so first, whole: it is
/// what `undo --session` asks for.
pub(crate) fn render(report: &Object, palette: Palette) -> String {
    let rows: Vec<[String; 5]> = objects(report, "entries")
        .map(|entry| {
            let at = when(&text(entry, "at"));
            [text(entry, "revision"), at, text(entry, "actor"), text(entry, "call"), keys(entry)]
        })
        .collect();
    let width = |place: usize, most: usize| widest(rows.iter().map(|row| row[place].as_str()), most);
    let (revision, at, actor, call) = (width(0, 20), width(1, 24), width(2, 16), width(3, 20));
    let left = WIDTH.saturating_sub(revision + at + actor + call + 8);
    let mut last = String::new();
    let mut lines = Vec::new();
    for (entry, [rev, time, who, what, keys]) in objects(report, "entries").zip(&rows) {
        let session = text(entry, "session");
        if session != last {
            let shown = if session.is_empty() { "no session".to_owned() } else { format!("session {session}") };
            lines.push(palette.dim(&shown));
            last = session;
        }
        let (who, what, keys) = (column(who, actor), column(what, call), cut(keys, left));
        let rev = palette.bold(&format!("{rev:>revision$}"));
        let time = palette.dim(&format!("{time:at$}"));
        lines.push(format!("{rev}  {time}  {who}  {what}  {keys}").trim_end().to_owned());
    }
    lines.join("\n")
}

fn keys(entry: &Object) -> String {
    let space = format!("{}:", text(entry, "space"));
    let keys = objects(entry, "changes").map(|change| {
        let key = text(change, "key");
        key.strip_prefix(&space).map(str::to_owned).unwrap_or(key)
    });
    keys.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn entries_are_lines() {
        let change = |key: &str| json!({"key": key, "before": null, "after": 1});
        let report = json!({"entries": [
            {"revision": 12, "at": "2026-01-02T03:04:05.678Z", "actor": "GHO\u{1b}ST", "session": "s-\u{1b}1", "space": "hseos",
             "call": "state_write", "changes": [change("hseos:state/phase"), change("hseos:history/7"), change("hseos:state/a-rather-long-key")]},
            {"revision": 9, "at": "2026-01-01T00:00:00.000Z", "actor": "external", "session": null, "space": "hseos",
             "call": "take_in", "changes": []},
        ]});
        let expected = "\
session s-1
12  2026-01-02 03:04:05  GHOST     state_write  state/phase, history/7, state/a…
no session
 9  2026-01-01 00:00:00  external  take_in";
        let shown = render(report.as_object().unwrap(), Palette::PLAIN);
        assert_eq!(shown, expected);
        assert!(shown.lines().all(|line| line.chars().count() <= WIDTH));
    }

    #[test]
    fn no_entries_print_nothing() {
        assert_eq!(render(json!({"entries": []}).as_object().unwrap(), Palette::PLAIN), "");
    }
}
