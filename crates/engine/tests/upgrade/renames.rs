//! Renames: the task keeps its place, and nobody else's work gives way.

use serde_json::{Value, json};

use super::{PLAN, at, ids, planned, reply, state};
use crate::desk::Desk;

/// A plan of which the second task is under way with a subtask of it.
fn under_way(plan: &str) -> Desk {
    let desk = Desk::new().write(&at("plan.md"), plan);
    desk.done("start_task", json!({"taskId": "01"}));
    desk.done("complete_task", json!({"taskId": "01", "filesModified": ["a.rs"]}));
    desk.edit(&at("tasks/01-a/progress-details.md"), "did it\n");
    let subtasks = json!([{"id": "02.01-x", "description": "X", "content": "about x"}]);
    desk.done("break_down_task", json!({"parentTaskId": "02", "subtasks": subtasks}));
    desk.done("start_task", json!({"taskId": "02.01"}));
    desk
}

fn rename(desk: &Desk, from: &str, to: &str, heading: &str) -> String {
    let plan = desk.text(&at("plan.md"));
    desk.edit(&at("plan.md"), plan.replace("02-b: Beta", heading));
    let before = desk.besides_locks();
    let code = desk.refused("reconcile", json!({"renames": {from: to}}));
    let after = desk.besides_locks();
    let files = |all: &std::collections::BTreeMap<String, _>| -> Vec<String> {
        all.keys().filter(|path| path.starts_with(".github")).cloned().collect()
    };
    assert_eq!(files(&after), files(&before));
    code
}

#[test]
fn a_renamed_task_keeps_its_place() {
    let desk = planned();
    desk.done("start_task", json!({"taskId": "01"}));
    desk.done("complete_task", json!({"taskId": "01"}));
    desk.done("start_task", json!({"taskId": "02"}));
    desk.edit(&at("plan.md"), PLAN.replace("02-b: Beta", "02-bb: Beta"));
    // Names are found as everywhere: by number, in any case.
    let told = reply(&desk, "reconcile", json!({"renames": {"02-B": "02-BB"}}));
    assert_eq!(told["availableTasks"], json!([]), "{told}");
    let now = state(&desk);
    assert_eq!(ids(&now["inProgressTasks"]), ["02-bb"]);
    assert_eq!((ids(&now["blockedTasks"]), now["tasksOutOfSync"].clone()), (vec!["03-c"], Value::Null));
    assert!(desk.text(&at("tasks.md")).contains("- 🔄 02-bb: Beta"));
    // A task.md that is still our writing names the task.
    assert!(desk.text(&at("tasks/02-bb/task.md")).starts_with("# 02-bb: Beta\n"));
}

#[test]
fn subtasks_take_no_place_of_others() {
    // An id without a number has none for subtasks: 02.01-x would have become 01-x.
    let desk = under_way(PLAN);
    assert_eq!(rename(&desk, "02-b", "TASK-002", "TASK-002: Beta"), "rename_invalid");
    assert_eq!(ids(&state(&desk)["completedTasks"]), ["01-a"]);

    // The number has a subtask already, which is completed.
    let desk = under_way(&format!("{PLAN}\n### 05-e: E\nDepends on: none\n"));
    desk.done("break_down_task", json!({"parentTaskId": "05", "subtasks": [{"id": "05.01-x", "description": "X"}]}));
    desk.done("complete_task", json!({"taskId": "05.01"}));
    assert_eq!(rename(&desk, "02-b", "05-f", "05-f: Beta"), "rename_invalid");
    assert_eq!(ids(&state(&desk)["completedTasks"]), ["01-a", "05.01-x"]);

    // A folder that nobody knows stands where the subtask's would be.
    let desk = under_way(PLAN);
    desk.edit(&at("tasks/07.01-x/notes.md"), "mine\n");
    assert_eq!(rename(&desk, "02", "07", "07-b: Beta"), "rename_invalid");
    assert_eq!(desk.text(&at("tasks/07.01-x/notes.md")), "mine\n");
}

#[test]
fn removals_are_confirmed_by_any_name() {
    let desk = planned();
    desk.done("start_task", json!({"taskId": "01"}));
    desk.edit(&at("plan.md"), PLAN.replace("### 01-a: Alpha\n\nDo a.\n\n", ""));
    assert_eq!(desk.refused("reconcile", json!({"confirmRemovals": ["03"]})), "not_pending");
    assert_eq!(desk.refused("reconcile", json!({"confirmRemovals": ["../x"]})), "invalid_task_id");
    let told = reply(&desk, "reconcile", json!({"confirmRemovals": ["01"]}));
    assert_eq!((told["applied"].to_string().contains("01-a"), told["drift"].clone()), (true, Value::Null), "{told}");
}

/// Every row that names the second task names it by another id, after it was completed.
fn retyped(plan: &str) -> Desk {
    let desk = Desk::new().write(&at("plan.md"), plan);
    desk.done("complete_task", json!({"taskId": "02", "force": true}));
    desk.edit(&at("tasks.md"), desk.text(&at("tasks.md")).replace("02-b", "02-bb"));
    let told = reply(&desk, "reconcile", json!({}));
    assert_eq!(told["drift"]["possibleRenames"][0], json!({"old": "02-b", "new": "02-bb", "why": "title"}), "{told}");
    desk
}

#[test]
fn a_rename_takes_the_words_of_the_section_along() {
    let plan = PLAN.replace("Beta\n", "Beta\n\nDone when: b is.\nDo b.\n");
    let desk = retyped(&plan);
    let told = reply(&desk, "reconcile", json!({"renames": {"02-b": "02-bb"}}));
    assert_eq!((told["drift"].clone(), super::codes(&told)), (Value::Null, vec![]), "{told}");
    assert_eq!(desk.text(&at("plan.md")), plan.replace("02-b", "02-bb"));
    assert_eq!(ids(&state(&desk)["completedTasks"]), ["02-bb"]);
    let started = reply(&desk, "start_task", json!({"taskId": "02-bb", "force": true}));
    assert_eq!(started["task"]["doneWhen"], json!("b is."), "{started}");
    assert_eq!(desk.text(&at("tasks/02-bb/task.md")), "# 02-bb: Beta\n\nDone when: b is.\nDo b.\n");
}

#[test]
fn words_that_must_give_way_are_kept_beside() {
    let plan = PLAN.replace("Beta\n", "Beta\n\nDo b.\n");
    for arguments in [json!({"renames": {"02-b": "02-bb"}}), json!({"confirmRemovals": ["02-b"]})] {
        let desk = retyped(&plan);
        let text = desk.text(&at("plan.md")).replace("02-bb: Beta\n", "02-bb: Beta\n\nOther words.\n");
        desk.edit(&at("plan.md"), &text);
        let mut dry = arguments.clone();
        dry["dryRun"] = json!(true);
        assert_eq!(super::codes(&reply(&desk, "reconcile", dry)), ["text_not_kept"]);
        let told = reply(&desk, "reconcile", arguments);
        assert_eq!(super::codes(&told), ["text_not_kept"], "{told}");
        assert_eq!(desk.text(told["warnings"][0]["keptAs"].as_str().unwrap()), text);
        assert_eq!(desk.text(&at("plan.md")), text.replace("### 02-b: Beta\n\nDo b.\n\n", ""));
        assert_eq!(desk.names(&at("")).iter().filter(|name| name.contains("conflict")).count(), 1);
    }
}

#[test]
fn a_retyped_id_with_links_of_the_old_one_is_a_rename() {
    let desk = planned();
    desk.done("start_task", json!({"taskId": "02", "force": true}));
    let rows = desk.text(&at("tasks.md"));
    assert!(rows.contains("02-b: Beta ([Content](tasks/02-b/task.md))"), "{rows}");
    desk.edit(&at("tasks.md"), rows.replace("02-b: Beta", "02-bb: Beta"));
    let told = reply(&desk, "reconcile", json!({}));
    assert_eq!(told["drift"]["pendingRemovals"][0]["id"], json!("02-b"), "{told}");
    assert_eq!(told["drift"]["possibleRenames"][0]["new"], json!("02-bb"), "{told}");
    assert!(!super::codes(&told).contains(&"rows_not_adopted"), "{told}");
}

#[test]
fn a_retyped_row_gives_its_title_and_takes_the_place_of_the_section() {
    let desk = planned();
    desk.done("activity", json!({"text": "x"}));
    let rows = desk.text(&at("tasks.md"));
    let moved = rows.replace("- 🔲 02-b: Beta\n", "").replace("03-c: Gamma\n", "03-c: Gamma\n- 🔲 2-b: Better\n");
    desk.edit(&at("tasks.md"), moved);
    desk.done("activity", json!({"text": "y"}));
    assert_eq!(desk.text(&at("plan.md")), PLAN.replace("02-b: Beta", "2-b: Better"));
    assert!(desk.text(&at("tasks.md")).contains("- 🔲 01-a: Alpha\n- 🔲 2-b: Better\n- 🔲 03-c: Gamma\n"));
    let now = state(&desk);
    assert_eq!((&now["drift"], &now["blockedTasks"][0]["id"]), (&Value::Null, &json!("2-b")), "{now}");
}
