//! The records, as they stand or stood.

use model::Object;

use super::{WIDTH, objects, text};
use crate::printable::cut;
use crate::terminal::Palette;

/// **Shape**: one heading a space, then `KEY  VALUE`, the value as JSON, cut to the width.
pub(crate) fn render(report: &Object, palette: Palette) -> String {
    let mut lines = vec![format!("revision {}", text(report, "revision"))];
    let mut space = String::new();
    for record in objects(report, "records") {
        let own = text(record, "space");
        if own != space {
            lines.push(palette.bold(&cut(&own, WIDTH)));
            space = own;
        }
        let line = format!("  {}  {}", text(record, "key"), text(record, "value"));
        lines.push(cut(&line, WIDTH).into_owned());
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn records_stand_beneath_their_space() {
        let report = json!({"revision": 3, "records": [
            {"space": "hseos", "key": "state/phase", "value": {"value": "x".repeat(100)}},
            {"space": "hseos", "key": "task/T1", "value": {"status": "done"}},
            {"space": "upgrade/a", "key": "task/1", "value": 1},
        ]});
        let expected = "\
revision 3
hseos
  state/phase  {\"value\":\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…
  task/T1  {\"status\":\"done\"}
upgrade/a
  task/1  1";
        assert_eq!(render(report.as_object().unwrap(), Palette::PLAIN), expected);
    }
}
