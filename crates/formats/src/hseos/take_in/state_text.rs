//! STATE.md as text: what stands in its bullets, rows and notes, still escaped.

use format::markdown::{is_separator, lines, split_row};

use crate::hseos::render_state::{DASH, DEPLOYMENT, FEATURES, HEADINGS, MANAGED, TITLE, UPDATED};

/// What was understood of a file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct StateText {
    /// Keys with their texts, in the order of the file; the derived time is left out.
    pub(super) bullets: Vec<(String, String)>,
    /// The rows of the features table, where its heading stands.
    pub(super) features: Option<Vec<TextRow>>,
    /// The rows of the deployment table, where its heading stands.
    pub(super) deployment: Option<Vec<TextRow>>,
    /// What stands behind the notes' heading, where it stands.
    pub(super) notes: Option<String>,
    /// Whether the file has the section without which nothing in it counts.
    pub(super) is_ours: bool,
    /// Whether some line is nothing of the above.
    pub(super) is_odd: bool,
}

/// One row: its name, and its three cells as they stand in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TextRow {
    /// The first cell.
    pub(super) name: String,
    /// The others.
    pub(super) parts: [String; 3],
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    Preamble,
    Current,
    Features,
    Deployment,
    Foreign,
}

/// Reads a file; never fails.
pub(super) fn parse(text: &str) -> StateText {
    let mut out = StateText::default();
    let mut section = Section::Preamble;
    let mut table_line = 0;
    let mut lines = lines(text);
    while let Some(line) = lines.next() {
        let line = line.trim_end();
        if line.is_empty() {
            continue;
        }
        if line == HEADINGS[3] {
            let rest: Vec<&str> = lines.collect();
            out.notes = Some(rest.join("\n").trim_start_matches('\n').trim_end().to_owned());
            return out;
        }
        if line.starts_with("## ") {
            section = match HEADINGS.iter().position(|heading| *heading == line) {
                Some(0) => Section::Current,
                Some(1) => Section::Features,
                Some(2) => Section::Deployment,
                _ => Section::Foreign,
            };
            table_line = 0;
            out.enter(section);
            continue;
        }
        let understood = match section {
            Section::Preamble => line == TITLE || line == MANAGED || line.starts_with(UPDATED),
            Section::Current => out.bullet(line),
            Section::Features => row(line, &mut table_line, FEATURES, &mut out.features),
            Section::Deployment => row(line, &mut table_line, DEPLOYMENT, &mut out.deployment),
            Section::Foreign => false,
        };
        out.is_odd |= !understood;
    }
    out
}

/// Whether a text in a bullet, a cell or the notes stands for missing or empty.
pub(super) fn is_empty(text: &str) -> bool {
    text.is_empty() || text == DASH
}

impl StateText {
    fn enter(&mut self, section: Section) {
        match section {
            Section::Current => self.is_ours = true,
            Section::Features => drop(self.features.get_or_insert_default()),
            Section::Deployment => drop(self.deployment.get_or_insert_default()),
            Section::Foreign => self.is_odd = true,
            Section::Preamble => {}
        }
    }

    fn bullet(&mut self, line: &str) -> bool {
        let Some((key, text)) = line.strip_prefix("- **").and_then(|rest| rest.split_once(":**")) else { return false };
        let text = text.trim();
        if key == "last_updated" {
            return true;
        }
        if let Some(known) = self.bullet_text(key) {
            return known == text;
        }
        self.bullets.push((key.to_owned(), text.to_owned()));
        true
    }

    /// The text of a bullet.
    pub(super) fn bullet_text(&self, key: &str) -> Option<&str> {
        self.bullets.iter().find(|(known, _)| known == key).map(|(_, text)| text.as_str())
    }
}

fn row(line: &str, table_line: &mut usize, header: [&str; 4], rows: &mut Option<Vec<TextRow>>) -> bool {
    let Some(cells) = split_row(line) else { return false };
    *table_line += 1;
    if *table_line == 1 && cells == header || *table_line == 2 && is_separator(&cells) {
        return true;
    }
    let [name, first, second, third] = cells.as_slice() else { return false };
    let row = TextRow { name: name.replace("\\|", "|"), parts: [first, second, third].map(|cell| (*cell).to_owned()) };
    let rows = rows.get_or_insert_default();
    match rows.iter().find(|known| known.name == row.name) {
        _ if row.name.is_empty() => false,
        Some(known) => *known == row,
        None => {
            rows.push(row);
            true
        }
    }
}
