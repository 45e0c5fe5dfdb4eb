//! Plans that people change while tasks are under way.

use serde_json::{Value, json};

use super::{PLAN, SCENARIO, at, codes, ids, planned, reply, state, without};
use crate::desk::Desk;

/// With the first task completed, and details of it.
fn done() -> Desk {
    let desk = planned();
    desk.done("start_task", json!({"taskId": "01"}));
    desk.edit(&at("tasks/01-a/progress-details.md"), "did it\n");
    desk.done("complete_task", json!({"taskId": "01"}));
    desk
}

#[test]
fn a_scenario_that_is_away_comes_back_as_it_was() {
    let desk = done();
    std::fs::rename(desk.at(SCENARIO), desk.at("elsewhere")).unwrap();
    assert_eq!(state(&desk)["existingScenarios"], json!([]));
    assert_eq!(desk.refused("activity", json!({"text": "x"})), "no_active_scenario");
    std::fs::rename(desk.at("elsewhere"), desk.at(SCENARIO)).unwrap();
    let back = state(&desk);
    assert_eq!((ids(&back["completedTasks"]), back["drift"].clone()), (vec!["01-a"], Value::Null));
}

#[test]
fn a_rename_takes_subtasks_and_folders_along() {
    let desk = done();
    desk.done(
        "break_down_task",
        json!({"parentTaskId": "02", "subtasks": [
        {"description": "X", "content": "about x"}, {"description": "Y", "dependsOn": ["02.01-x"]}]}),
    );
    desk.done("complete_task", json!({"taskId": "02.01"}));
    desk.edit(&at("plan.md"), PLAN.replace("02-b: Beta", "07-b: Beta"));
    let drift = &state(&desk)["drift"];
    assert_eq!(drift["possibleRenames"][0], json!({"old": "02-b", "new": "07-b", "why": "title"}));
    let told = reply(&desk, "reconcile", json!({"renames": {"02-b": "07-b"}}));
    assert_eq!(told["drift"], Value::Null, "{told}");
    let now = state(&desk);
    assert_eq!(ids(&now["completedTasks"]), ["01-a", "07.01-x"]);
    assert_eq!(ids(&now["availableTasks"]), ["07.02-y"], "{}", desk.text(&at("tasks.md")));
    assert_eq!(desk.names(&at("tasks")), ["01-a", "07.01-x", "07.02-y"]);
    assert_eq!(desk.text(&at("tasks/07.01-x/task.md")), "about x\n");
    assert_eq!((now["tasksOutOfSync"].clone(), now["drift"].clone()), (Value::Null, Value::Null));
}

#[test]
fn hidden_work_returns_with_its_heading() {
    let desk = done();
    desk.edit(&at("plan.md"), PLAN.replace("### 01-a: Alpha\n\nDo a.\n\n", ""));
    desk.done("start_task", json!({"taskId": "02"}));
    assert!(!desk.text(&at("tasks.md")).contains("01-a"));
    assert_eq!(desk.refused("start_task", json!({"taskId": "01-a"})), "drift_conflict");
    desk.edit(&at("plan.md"), PLAN);
    desk.done("activity", json!({"text": "back"}));
    let now = state(&desk);
    assert_eq!((ids(&now["completedTasks"]), now["drift"].clone()), (vec!["01-a"], Value::Null));
}

#[test]
fn a_removed_row_of_work_waits_and_an_edited_section_stays() {
    let desk = planned();
    desk.done("start_task", json!({"taskId": "01"}));
    let tasks = desk.text(&at("tasks.md"));
    desk.edit(&at("tasks.md"), without(&tasks, "03-c"));
    desk.edit(&at("plan.md"), PLAN.replace("### 03-c: Gamma\n", "### 03-c: Gamma\n\nNow with words.\n"));
    let drift = &state(&desk)["drift"];
    assert_eq!(drift["conflicts"], json!([{"id": "03-c", "kind": "edited_vs_removed"}]));
    desk.done("activity", json!({"text": "x"}));
    assert!(desk.text(&at("tasks.md")).contains("03-c"));
}

#[test]
fn collapsed_subtasks_stay() {
    let desk = planned();
    desk.done(
        "break_down_task",
        json!({"parentTaskId": "01", "subtasks": [{"description": "X"}, {"description": "Y"}]}),
    );
    let tasks = desk.text(&at("tasks.md"));
    desk.edit(&at("tasks.md"), without(&tasks, "01.0"));
    let told = reply(&desk, "activity", json!({"text": "x"}));
    assert!(codes(&told).contains(&"children_collapsed"), "{told}");
    assert!(desk.text(&at("tasks.md")).contains("01.02-y"));
    // One of them is meant.
    desk.edit(&at("tasks.md"), without(&desk.text(&at("tasks.md")), "01.02-y"));
    assert_eq!(state(&desk)["drift"]["removed"], json!(["01.02-y"]));
}

#[test]
fn rows_that_cannot_be_adopted_are_kept_beside() {
    let desk = planned();
    desk.done("start_task", json!({"taskId": "01"}));
    let tasks = desk.text(&at("tasks.md"));
    desk.edit(&at("tasks.md"), tasks.replace("- 🔲 02-b", "- 🔲 88.01-lost: Lost\n- 🔲 02-b"));
    let told = reply(&desk, "activity", json!({"text": "x"}));
    assert!(codes(&told).contains(&"rows_not_adopted"), "{told}");
    let copy = told["warnings"][0]["keptAs"].as_str().unwrap();
    assert!(desk.text(copy).contains("88.01-lost"));
}

#[test]
fn crlf_and_byte_order_marks_stay() {
    let desk = Desk::new().write(&at("plan.md"), &format!("\u{feff}{}", PLAN.replace('\n', "\r\n")));
    desk.done("start_task", json!({"taskId": "01"}));
    desk.edit(&at("tasks.md"), desk.text(&at("tasks.md")).replace("- 🔲 02-b", "- 🔲 04-d: Delta\n- 🔲 02-b"));
    desk.done("activity", json!({"text": "x"}));
    let plan = desk.text(&at("plan.md"));
    assert!(plan.starts_with("\u{feff}# Plan\r\n") && plan.contains("Do a.\r\n\r\n### 04-d: Delta\r\n"), "{plan:?}");
}
