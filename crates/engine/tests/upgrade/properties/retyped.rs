//! Rows that get another good id, what is asked of the tasks that wait then, and commits that were killed.

use serde_json::json;

use super::Story;
use super::broken::is_row;
use crate::upgrade::unpublished::unpublish;
use crate::upgrade::{at, state};

impl Story {
    /// Types another good id over that of a row: in the whole file, or in its line but for the links.
    pub(super) fn retype(&self, pick: usize, way: u8) {
        let Some(line) = self.line("tasks.md", is_row, pick) else { return };
        let entry = line.trim_start().splitn(3, ' ').nth(2).unwrap_or_default().to_owned();
        let Some((id, title)) = entry.split_once(": ") else { return };
        let typed = if way == 2 { id.trim_start_matches('0').to_owned() } else { format!("{id}b") };
        self.edit("tasks.md", |text| match way {
            0 => text.replace(id, &typed),
            1 | 2 => text.replacen(&format!(" {id}: "), &format!(" {typed}: "), 1),
            _ => text.replacen(&entry, &format!("{typed}: New {title}"), 1),
        });
    }

    /// The call that takes a retyped or a cut row in is killed before plan.md is published; then that is edited.
    pub(super) fn kill(&self, pick: usize, way: u8) {
        let Ok(before) = std::fs::read_to_string(self.desk.at(&at("plan.md"))) else { return };
        if way < 4 {
            self.retype(pick, way);
        } else if let Some(line) = self.line("tasks.md", is_row, pick) {
            self.edit("tasks.md", |text| text.replacen(&format!("{line}\n"), "", 1));
        }
        let answered = self.desk.call("activity", json!({"text": "killed"})).is_ok();
        if answered && self.desk.text(&at("plan.md")) != before {
            unpublish(&self.desk, "plan.md", &before);
            self.edit("plan.md", |text| format!("Edited by hand: {}.\n\n{text}", self.words));
        }
    }

    /// Makes a rename that is offered, or confirms the first removal that waits.
    pub(super) fn settle_waiting(&self, renames: bool) {
        let drift = &state(&self.desk)["drift"];
        let (pair, removal) = (&drift["possibleRenames"][0], &drift["pendingRemovals"][0]["id"]);
        let arguments = match (pair["old"].as_str(), removal.as_str()) {
            (Some(old), _) if renames => json!({"renames": {old: pair["new"]}}),
            (_, Some(id)) => json!({"confirmRemovals": [id]}),
            _ => json!({"writePlan": true}),
        };
        drop(self.desk.call("reconcile", arguments));
    }
}
