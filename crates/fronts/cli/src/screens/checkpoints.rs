//! Checkpoints.

use model::Object;

use super::{WIDTH, column, objects, text, when, widest};
use crate::printable::cut;
use crate::terminal::Palette;

/// One line about a checkpoint that was just made or forgotten.
pub(crate) fn one(report: &Object) -> String {
    let (id, label) = (text(report, "id"), text(report, "label"));
    let named = if label.is_empty() { id } else { format!("{id} ({label})") };
    let line = if report.contains_key("dropped") {
        format!("forgot {named}")
    } else {
        format!("{named} is revision {}", text(report, "revision"))
    };
    cut(&line, WIDTH).into_owned()
}

/// One line a checkpoint, the oldest revision first.
pub(crate) fn list(report: &Object, palette: Palette) -> String {
    let rows: Vec<[String; 4]> = objects(report, "checkpoints")
        .map(|one| {
            let space = text(one, "space");
            let about = if space.is_empty() { text(one, "label") } else { format!("{} [{space}]", text(one, "label")) };
            [text(one, "id"), text(one, "revision"), when(&text(one, "at")), about]
        })
        .collect();
    if rows.is_empty() {
        return "No checkpoints.".to_owned();
    }
    let width = |place: usize| widest(rows.iter().map(|row| row[place].as_str()), 20);
    let (id, revision, at) = (width(0), width(1), width(2));
    let left = WIDTH.saturating_sub(id + revision + at + 6);
    let lines = rows.iter().map(|[name, number, time, about]| {
        let name = palette.bold(&column(name, id));
        let time = palette.dim(&format!("{time:at$}"));
        format!("{name}  {number:>revision$}  {time}  {}", cut(about, left)).trim_end().to_owned()
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn checkpoints_are_lines() {
        let one = |id: &str, revision: u64, label: Option<&str>, space: Option<&str>| {
            json!({"id": id, "revision": revision, "label": label, "space": space,
                   "at": "2026-01-02T03:04:05.678Z", "actor": "cli"})
        };
        let report =
            json!({"checkpoints": [one("c1", 3, None, None), one("c12", 140, Some("release"), Some("hseos"))]});
        let expected = "\
c1     3  2026-01-02 03:04:05
c12  140  2026-01-02 03:04:05  release [hseos]";
        assert_eq!(list(report.as_object().unwrap(), Palette::PLAIN), expected);
        assert_eq!(super::one(one("c1", 3, Some("a"), None).as_object().unwrap()), "c1 (a) is revision 3");
        assert_eq!(list(json!({"checkpoints": []}).as_object().unwrap(), Palette::PLAIN), "No checkpoints.");
    }
}
