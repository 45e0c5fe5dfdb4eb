//! STATE.md as text: what stands in its bullets, rows and notes, still escaped.

use format::markdown::{is_separator, lines, split_row};

use crate::hseos::render_state::{DASH, DEPLOYMENT, FEATURES, HEADINGS, MANAGED, TITLE, UPDATED};

/// What was understood of a file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct StateText {
    /// Keys with their texts, in the order of the file; the derived time is left out.
    pub(super) bullets: Vec<(String, String)>,
    /// The rows of the features table, where its heading stands.
    pub(super) features: Option<Table>,
    /// The rows of the deployment table, where its heading stands.
    pub(super) deployment: Option<Table>,
    /// What stands behind the notes' heading, where it stands.
    pub(super) notes: Option<String>,
    /// Whether the file has the section without which nothing in it counts.
    pub(super) is_ours: bool,
    /// Whether some line is nothing of the above.
    pub(super) is_odd: bool,
}

/// The rows of one table.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Table {
    /// Its rows, in the order of the file.
    pub(super) rows: Vec<TextRow>,
    /// Whether a line of its section is not understood; it may be a row that only looks gone.
    pub(super) is_broken: bool,
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
    let mut place = Place::default();
    let mut lines = lines(text).peekable();
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
            place = Place::default();
            out.enter(section);
            continue;
        }
        place.is_over_dashes = lines.peek().and_then(|next| split_row(next)).is_some_and(|cells| is_separator(&cells));
        let understood = match section {
            Section::Preamble => line == TITLE || line == MANAGED || line.starts_with(UPDATED),
            Section::Current => out.bullet(line),
            Section::Features => take_row(line, &mut place, FEATURES, &mut out.features),
            Section::Deployment => take_row(line, &mut place, DEPLOYMENT, &mut out.deployment),
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

/// Where in its section a line of a table stands.
#[derive(Default)]
struct Place {
    /// How many rows stand before it.
    rows: usize,
    /// Whether the line below it is the one of dashes, which makes it a header.
    is_over_dashes: bool,
}

/// Reads a line of a table's section. Answers whether it was understood.
fn take_row(line: &str, place: &mut Place, header: [&str; 4], table: &mut Option<Table>) -> bool {
    let table = table.get_or_insert_default();
    let understood = row(line, place, header, &mut table.rows);
    table.is_broken |= !understood;
    understood
}

fn row(line: &str, place: &mut Place, header: [&str; 4], rows: &mut Vec<TextRow>) -> bool {
    let Some(cells) = split_row(line) else { return false };
    place.rows += 1;
    match place.rows {
        1 if cells == header => return true,
        // A header in other words, or none, is no row either.
        1 if place.is_over_dashes || is_separator(&cells) => return false,
        2 if is_separator(&cells) => return true,
        _ => {}
    }
    let [name, first, second, third] = cells.as_slice() else { return false };
    let row = TextRow { name: name.replace("\\|", "|"), parts: [first, second, third].map(|cell| (*cell).to_owned()) };
    match rows.iter().find(|known| known.name == row.name) {
        _ if row.name.is_empty() => false,
        Some(known) => *known == row,
        None => {
            rows.push(row);
            true
        }
    }
}
