//! Work that is ready, or blocked.

use model::Object;

use super::{WIDTH, beside, column, objects, text, texts, widest};
use crate::terminal::Palette;

/// One line a piece of work: the ready ones, or the blocked ones with what blocks them.
pub(crate) fn render(report: &Object, blocked: bool, palette: Palette) -> String {
    let items: Vec<&Object> = objects(report, if blocked { "blocked" } else { "ready" }).collect();
    if items.is_empty() {
        return if blocked { "Nothing is blocked." } else { "Nothing is ready." }.to_owned();
    }
    let width = |name: &str, most: usize| {
        let all: Vec<String> = items.iter().map(|item| text(item, name)).collect();
        widest(all.iter().map(String::as_str), most)
    };
    let (format, id, owner) = (width("format", 12), width("id", 20), width("owner", 16));
    let lines = items.iter().map(|item| {
        let waits = texts(item, "blocked_by").join(", ");
        let why = text(item, "why");
        let tail = match (waits.is_empty(), why.is_empty()) {
            (false, _) => format!("  (waits: {waits})"),
            (true, false) if !blocked => format!("  ({why})"),
            _ => String::new(),
        };
        let (of, name) = (column(&text(item, "format"), format), column(&text(item, "id"), id));
        let title = text(item, "title");
        let taken = format + id + owner + 6;
        let room = WIDTH.saturating_sub(taken);
        // Why it is ready is said where there is room for it.
        let has_room = title.chars().count() + tail.chars().count() <= room;
        let tail = if blocked || has_room { tail } else { String::new() };
        let title = beside(&title, &tail, room);
        let line = format!("{}  {}  {title}", palette.bold(&name), column(&text(item, "owner"), owner));
        format!("{of}  {line}").trim_end().to_owned()
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn work_is_listed() {
        let report = json!({
            "ready": [{"format": "hseos", "id": "T2", "title": "Wire it", "owner": "GHOST", "why": "x"}],
            "blocked": [{"format": "upgrade", "id": "1.2", "title": "long ".repeat(30), "owner": null, "blocked_by": ["1.1"]}],
        });
        let report = report.as_object().unwrap();
        assert_eq!(render(report, false, Palette::PLAIN), "hseos  T2  GHOST  Wire it  (x)");
        let blocked = render(report, true, Palette::PLAIN);
        assert!(blocked.starts_with("upgrade  1.2    long long") && blocked.ends_with("…  (waits: 1.1)"), "{blocked}");
        assert_eq!(blocked.chars().count(), WIDTH);
        let none = json!({"ready": [], "blocked": []});
        assert_eq!(render(none.as_object().unwrap(), false, Palette::PLAIN), "Nothing is ready.");
    }
}
