//! The project on one screen.

use std::collections::BTreeMap;

use model::Object;

use super::{WIDTH, beside, column, objects, text, texts, when, widest};
use crate::printable::cut;
use crate::terminal::Palette;

/// How many pieces of work a group shows.
const SHOWN: usize = 8;

/// Formats with their line and their work, who is at work, the last entry.
pub(crate) fn render(report: &Object, root: &str, palette: Palette) -> String {
    let formats: Vec<&Object> = objects(report, "formats").collect();
    let mut lines = vec![labelled("project", &crate::printable::line(root), palette)];
    if formats.is_empty() {
        lines.push("No format is on here yet. To begin:".to_owned());
        lines.push("  mainstay init   writes mainstay.toml and the files of a format".to_owned());
        lines.push("  mainstay up     does the same and serves the project to agents".to_owned());
        return lines.join("\n");
    }
    for format in &formats {
        lines.push(labelled(&text(format, "name"), &text(format, "summary"), palette));
    }
    for (title, state) in [("in progress", "in_progress"), ("blocked", "blocked"), ("ready", "ready")] {
        group(&mut lines, &formats, title, state, palette);
    }
    let agents = agents(&formats);
    if !agents.is_empty() {
        lines.push(labelled("agents", &agents, palette));
    }
    if let Some(last) = report.get("last").and_then(model::Value::as_object) {
        let (who, call, space) = (text(last, "actor"), text(last, "call"), text(last, "space"));
        let shown = format!("{}  {}  {who}  {call}  {space}", text(last, "revision"), when(&text(last, "at")));
        lines.push(labelled("last", &shown, palette));
    }
    lines.join("\n")
}

fn labelled(label: &str, value: &str, palette: Palette) -> String {
    let padded = column(label, 11);
    let value = cut(value, WIDTH - 12);
    format!("{} {value}", palette.bold(&padded)).trim_end().to_owned()
}

// The work of all formats in one list; each piece says whose it is where there are several.
fn group(lines: &mut Vec<String>, formats: &[&Object], title: &str, state: &str, palette: Palette) {
    let (mut names, mut items) = (Vec::new(), Vec::new());
    for format in formats {
        for item in objects(format, "work").filter(|item| text(item, "state") == state) {
            names.push(text(format, "name"));
            items.push(item);
        }
    }
    if items.is_empty() {
        return;
    }
    let of = if formats.len() > 1 { widest(names.iter().map(String::as_str), 12) + 2 } else { 0 };
    lines.push(format!("  {} ({})", palette.dim(title), items.len()));
    let shown = &items[..items.len().min(SHOWN)];
    let column_of = |name: &str, most: usize| {
        let texts: Vec<String> = shown.iter().map(|item| text(item, name)).collect();
        widest(texts.iter().map(String::as_str), most)
    };
    let (ids, owners) = (column_of("id", 20), column_of("owner", 16));
    for (name, item) in names.iter().zip(shown) {
        let waits = texts(item, "blocked_by").join(", ");
        let tail = if waits.is_empty() { String::new() } else { format!("  (waits: {waits})") };
        let (id, owner) = (column(&text(item, "id"), ids), column(&text(item, "owner"), owners));
        let title = beside(&text(item, "title"), &tail, WIDTH.saturating_sub(of + ids + owners + 8));
        let name = if of > 0 { column(name, of) } else { String::new() };
        lines.push(format!("    {name}{id}  {owner}  {title}").trim_end().to_owned());
    }
    if items.len() > SHOWN {
        lines.push(format!("    … and {} more", items.len() - SHOWN));
    }
}

/// Who has work in progress, and how much.
fn agents(formats: &[&Object]) -> String {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for item in formats.iter().flat_map(|format| objects(format, "work")) {
        let owner = text(item, "owner");
        if text(item, "state") == "in_progress" && !owner.is_empty() {
            *counts.entry(owner).or_default() += 1;
        }
    }
    counts.iter().map(|(owner, count)| format!("{owner} ({count})")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn item(id: &str, title: &str, state: &str, owner: &str, blocked_by: &[&str]) -> Value {
        json!({"id": id, "title": title, "state": state, "owner": owner, "blocked_by": blocked_by})
    }

    #[test]
    fn the_project_fits_a_screen() {
        let mut work = vec![
            item("T2", "Wire the login form", "in_progress", "GHOST", &[]),
            item("T6", "Plan\nthe \u{1b}[31mrelease", "blocked", "RAZOR", &["T2", "T5"]),
            item("T7", &"wait ".repeat(30), "blocked", "RAZOR", &["T6"]),
            item("T1", "Gone", "done", "GHOST", &[]),
        ];
        work.extend((10..20).map(|n| item(&format!("T{n}"), &"long ".repeat(30), "ready", "OPS", &[])));
        let report = json!({
            "formats": [{"name": "hseos", "summary": "phase execution, 12 open tasks", "work": work}],
            "last": {"revision": 12, "at": "2026-01-02T03:04:05.678Z", "actor": "GHOST", "call": "tasks_update", "space": "hseos"},
            "warnings": [],
        });
        let shown = render(report.as_object().unwrap(), "/srv/app", Palette::PLAIN);
        let ready = "    T10  OPS  long long long long long long long long long long long long long …";
        let mut expected = vec![
            "project     /srv/app",
            "hseos       phase execution, 12 open tasks",
            "  in progress (1)",
            "    T2  GHOST  Wire the login form",
            "  blocked (2)",
            "    T6  RAZOR  Plan the [31mrelease  (waits: T2, T5)",
            "    T7  RAZOR  wait wait wait wait wait wait wait wait wait wait w…  (waits: T6)",
            "  ready (10)",
            ready,
        ];
        assert_eq!(shown.lines().take(9).collect::<Vec<_>>(), expected);
        expected = vec![
            "    … and 2 more",
            "agents      GHOST (1)",
            "last        12  2026-01-02 03:04:05  GHOST  tasks_update  hseos",
        ];
        assert_eq!(shown.lines().skip(16).collect::<Vec<_>>(), expected);
        assert!(shown.lines().all(|line| line.chars().count() <= WIDTH));
    }

    #[test]
    fn the_work_of_several_formats_is_one_list() {
        let report = json!({
            "formats": [
                {"name": "hseos", "summary": "1 open task", "work": [item("T1", "Wire it", "ready", "OPS", &[])]},
                {"name": "upgrade", "summary": "net 0/2 0%", "work": [
                    item("01-a", "Alpha", "ready", "", &[]),
                    item("02-b", "Beta", "blocked", "", &["01-a"]),
                ]},
            ],
            "last": null,
        });
        let shown = render(report.as_object().unwrap(), "/srv/app", Palette::PLAIN);
        let expected = "\
project     /srv/app
hseos       1 open task
upgrade     net 0/2 0%
  blocked (1)
    upgrade  02-b    Beta  (waits: 01-a)
  ready (2)
    hseos    T1    OPS  Wire it
    upgrade  01-a       Alpha";
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_project_without_formats_says_how_to_begin() {
        let report = json!({"formats": [], "last": null, "warnings": []});
        let expected = "\
project     /srv/app
No format is on here yet. To begin:
  mainstay init   writes mainstay.toml and the files of a format
  mainstay up     does the same and serves the project to agents";
        assert_eq!(render(report.as_object().unwrap(), "/srv/app", Palette::PLAIN), expected);
    }
}
