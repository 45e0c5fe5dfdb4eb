//! Somebody who has the files alone.

use serde_json::Value;

use super::Story;
use crate::desk::{Desk, snapshot};
use crate::upgrade::{SCENARIO, at, state};

impl Story {
    /// A stranger who has only the files reads the same scenario.
    pub(super) fn reads_alike(&self) {
        let now = state(&self.desk);
        // Of two tasks with one number the files give the first all subtasks, whoever was broken down.
        let unread =
            ["plan_heading_unreadable", "task_not_in_plan", "plan_unrecognised", "plan_has_no_ids", "duplicate_number"];
        let is_unread = |warning: &Value| unread.iter().any(|code| warning["code"] == *code);
        if !now["drift"].is_null() || now["warnings"].as_array().unwrap().iter().any(is_unread) {
            return;
        }
        let stranger = Desk::new();
        for (path, _) in snapshot(&self.desk.root()) {
            if path.starts_with(SCENARIO) && self.desk.at(&path).is_file() {
                stranger.edit(&path, std::fs::read(self.desk.at(&path)).unwrap());
            } else if path.starts_with(SCENARIO) {
                std::fs::create_dir_all(stranger.at(&path)).unwrap();
            }
        }
        let theirs = state(&stranger);
        for list in ["completedTasks", "inProgressTasks", "failedTasks"] {
            let named = |state: &Value| -> Vec<(String, String)> {
                let tasks = state[list].as_array().unwrap().iter();
                tasks.map(|task| (task["id"].to_string(), task["name"].to_string())).collect()
            };
            assert_eq!(named(&theirs), named(&now), "{list}: {}", self.desk.text(&at("tasks.md")));
        }
        assert_eq!(theirs["progress"], now["progress"]);
    }
}
