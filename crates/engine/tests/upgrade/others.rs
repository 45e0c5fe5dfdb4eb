//! Several scenarios: what is wrong with one holds up nobody who means another.

use serde_json::json;

use super::{PLAN, at, codes, planned, reply};
use crate::desk::Desk;

/// A scenario that is done, beside the one under way.
fn beside() -> Desk {
    let desk = planned().write(".github/upgrades/old/plan.md", "## 01-x: X\n");
    desk.done("complete_task", json!({"taskId": "01", "scenarioId": "old"}));
    desk.done("start_task", json!({"taskId": "01"}));
    desk
}

#[test]
fn conflict_markers_of_another_scenario_stop_no_call() {
    let desk = beside();
    let path = ".github/upgrades/old/tasks.md";
    let markers = format!("<<<<<<< a\n{}=======\n>>>>>>> b\n", desk.text(path));
    desk.edit(path, &markers);
    let told = reply(&desk, "complete_task", json!({"taskId": "01"}));
    assert_eq!(told["completed"]["id"], "01-a");
    assert!(codes(&told).contains(&"conflict_markers"), "{told}");
    assert_eq!(desk.text(path), markers);
    // The one that is meant is frozen.
    assert_eq!(desk.refused("start_task", json!({"taskId": "01", "scenarioId": "old"})), "conflict_markers");
    let own = at("tasks.md");
    desk.edit(&own, format!("<<<<<<< a\n{}=======\n>>>>>>> b\n", desk.text(&own)));
    assert_eq!(desk.refused("start_task", json!({"taskId": "02"})), "conflict_markers");
}

#[test]
fn links_of_another_scenario_stop_no_call() {
    let desk = beside();
    let outside = tempfile::TempDir::new().unwrap();
    std::fs::write(outside.path().join("file"), "theirs\n").unwrap();
    let path = ".github/upgrades/old/tasks.md";
    desk.remove(path);
    std::os::unix::fs::symlink(outside.path().join("file"), desk.at(path)).unwrap();
    let told = reply(&desk, "complete_task", json!({"taskId": "01"}));
    assert_eq!(told["completed"]["id"], "01-a");
    assert_eq!(std::fs::read_to_string(outside.path().join("file")).unwrap(), "theirs\n");
    let refused = desk.refused("start_task", json!({"taskId": "01", "scenarioId": "old", "force": true}));
    assert_eq!(refused, "path_outside_project");
}

#[test]
fn before_anything_was_written_it_is_the_same() {
    let desk = planned().write(".github/upgrades/old/plan.md", "## 01-x: X\n");
    let done = r#"{"scenarioId":"old","properties":{"taskStates":{"01-x":"Completed"}}}"#;
    desk.edit(".github/upgrades/old/scenario.json", done);
    let outside = tempfile::TempDir::new().unwrap();
    std::os::unix::fs::symlink(outside.path(), desk.at(".github/upgrades/old/tasks.md")).unwrap();
    assert_eq!(desk.refused("start_task", json!({"taskId": "03"})), "task_blocked");
    assert_eq!(reply(&desk, "start_task", json!({"taskId": "01"}))["task"]["id"], "01-a");
    assert_eq!(desk.text(&at("plan.md")), PLAN);
}
