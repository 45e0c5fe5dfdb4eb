//! STATE.md from the fields.
//!
//! **Source**: seed, section 6.

use format::Records;
use format::markdown::{escape_cell, escape_line, row};

use super::state_read::{Row, State};
use super::times;

/// What stands for missing or empty.
pub(super) const DASH: &str = "—";
/// The title.
pub(super) const TITLE: &str = "# Project State";
/// The first quote line.
pub(super) const MANAGED: &str =
    "> Managed by HSEOS. Do not edit manually — use `hseos state write` or let agents update this.";
/// How the second quote line begins.
pub(super) const UPDATED: &str = "> Last updated:";
/// The headings, in their order.
pub(super) const HEADINGS: [&str; 4] = ["## Current State", "## Features", "## Deployment", "## Notes"];
/// The header of the features table.
pub(super) const FEATURES: [&str; 4] = ["ID", "Feature", "Status", "Branch"];
/// The header of the deployment table.
pub(super) const DEPLOYMENT: [&str; 4] = ["Environment", "Version", "Status", "Last Deploy"];
/// The keys that have a bullet, in their order; `last_updated` follows them.
const BULLETS: [&str; 5] = ["branch", "epic_id", "phase", "active_agent", "status"];

/// The file.
pub(super) fn render(records: &dyn Records) -> String {
    let state = State::load(records);
    let updated = state.updated_at().map(|text| match times::parse(text) {
        Some(at) => at.to_seconds_text(),
        None => escape_line(text).into_owned(),
    });
    let updated = updated.as_deref().filter(|text| !text.is_empty()).unwrap_or(DASH);
    let mut bullets: Vec<String> = BULLETS.iter().map(|key| bullet(key, state.value(key))).collect();
    bullets.push(format!("- **last_updated:** {updated}"));
    let notes = state.value("notes").unwrap_or_default().replace('\0', "\u{fffd}");
    let notes = Some(notes.trim_end()).filter(|notes| !notes.is_empty()).unwrap_or(DASH);
    let blocks = [
        TITLE.to_owned(),
        format!("{MANAGED}\n{UPDATED} {updated}"),
        HEADINGS[0].to_owned(),
        bullets.join("\n"),
        HEADINGS[1].to_owned(),
        table(FEATURES, &state.features()),
        HEADINGS[2].to_owned(),
        table(DEPLOYMENT, &state.deployment()),
        HEADINGS[3].to_owned(),
        notes.to_owned(),
    ];
    blocks.join("\n\n") + "\n"
}

fn bullet(key: &str, value: Option<&str>) -> String {
    let value = value.filter(|value| !value.is_empty()).unwrap_or(DASH);
    format!("- **{key}:** {}", escape_line(value))
}

fn table(header: [&str; 4], rows: &[Row<'_>]) -> String {
    let mut lines = vec![row(&header), "|---|---|---|---|".to_owned()];
    for line in rows {
        let name = escape_cell(line.name);
        let parts = line.parts.map(|part| escape_cell(part.filter(|part| !part.is_empty()).unwrap_or(DASH)));
        lines.push(row(&[&name, &parts[0], &parts[1], &parts[2]]));
    }
    lines.join("\n")
}
