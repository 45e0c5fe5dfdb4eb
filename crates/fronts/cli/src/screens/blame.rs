//! Who gave each field its present value.

use model::Object;

use super::{WIDTH, column, objects, text, when, widest};
use crate::printable::cut;
use crate::terminal::Palette;

/// **Shape**: `rev  time  actor  key field = value`, in columns, cut to the width.
pub(crate) fn render(report: &Object, palette: Palette) -> String {
    let rows: Vec<[String; 4]> = objects(report, "fields")
        .map(|field| {
            let name = format!("{} {}", text(field, "key"), text(field, "field"));
            let what = format!("{} = {}", name.trim_end(), text(field, "value"));
            [text(field, "revision"), when(&text(field, "at")), text(field, "actor"), what]
        })
        .collect();
    let width = |place: usize, most: usize| widest(rows.iter().map(|row| row[place].as_str()), most);
    let (revision, at, actor) = (width(0, 20), width(1, 24), width(2, 16));
    let left = WIDTH.saturating_sub(revision + at + actor + 6);
    let lines = rows.iter().map(|[rev, time, who, what]| {
        let rev = palette.bold(&format!("{rev:>revision$}"));
        let time = palette.dim(&format!("{time:at$}"));
        format!("{rev}  {time}  {}  {}", column(who, actor), cut(what, left)).trim_end().to_owned()
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_are_lines() {
        let field = |key: &str, field: Option<&str>, actor: &str, revision: u64| {
            json!({"space": "hseos", "key": key, "field": field, "value": "v", "actor": actor,
                   "at": "2026-01-02T03:04:05.678Z", "session": null, "call": "x", "revision": revision})
        };
        let fields = [field("task/T1", Some("status"), "GHOST", 12), field("state/a", None, "git:1a2b3c4", 3)];
        let expected = "\
12  2026-01-02 03:04:05  GHOST        task/T1 status = v
 3  2026-01-02 03:04:05  git:1a2b3c4  state/a = v";
        assert_eq!(render(json!({"fields": fields}).as_object().unwrap(), Palette::PLAIN), expected);
    }
}
