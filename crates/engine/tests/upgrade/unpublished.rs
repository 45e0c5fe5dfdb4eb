//! Files that a commit did not get to publish, and edits of them: nothing that was answered is lost.

use model::{ProjectPath, Space};
use serde_json::json;
use store::{ImageState, Mark};

use super::{PLAN, at, codes, ids, planned, reply, state};
use crate::desk::{Desk, mark};

/// Puts a file back to what it was before the last commit, as a kill before its publishing leaves it.
pub(super) fn unpublish(desk: &Desk, name: &str, before: &str) {
    let path = at(name);
    let wanted = desk.text(&path);
    assert_ne!(wanted, before, "the commit meant to change {name}");
    desk.edit(&path, before);
    desk.tamper(|txn| {
        let state = ImageState {
            path: ProjectPath::new(path.as_str()).unwrap(),
            space: Space::new("upgrade/net"),
            confirmed: mark(before.as_bytes()),
            intended: Some(mark(wanted.as_bytes())),
        };
        txn.put_image(&state).unwrap();
        let Mark::Digest(digest) = mark(before.as_bytes()) else { panic!("bytes have a digest") };
        txn.put_blob(&digest, before.as_bytes()).unwrap();
    });
}

/// Takes a file away that the last commit meant to make, as a kill before its publishing leaves it.
fn withhold(desk: &Desk, name: &str) {
    let path = at(name);
    let wanted = desk.text(&path);
    desk.remove(&path);
    desk.tamper(|txn| {
        let state = ImageState {
            path: ProjectPath::new(path.as_str()).unwrap(),
            space: Space::new("upgrade/net"),
            confirmed: Mark::Absent,
            intended: Some(mark(wanted.as_bytes())),
        };
        txn.put_image(&state).unwrap();
    });
}

#[test]
fn rows_link_to_what_the_same_request_makes_good() {
    let desk = planned();
    desk.done("start_task", json!({"taskId": "01"}));
    let before = desk.text(&at("tasks.md"));
    let wish = json!([{"id": "02.01-x", "description": "X", "content": "mine"}]);
    desk.done("break_down_task", json!({"parentTaskId": "02", "subtasks": wish}));
    withhold(&desk, "tasks/02.01-x/task.md");
    unpublish(&desk, "tasks.md", &before);
    assert_eq!(codes(&reply(&desk, "activity", json!({"text": "on"}))), [""; 0]);
    assert_eq!(desk.text(&at("tasks/02.01-x/task.md")), "mine\n");
    let rows = desk.text(&at("tasks.md"));
    assert!(rows.contains("- 🔲 02.01-x: X ([Content](tasks/02.01-x/task.md))\n"), "{rows}");
    assert_eq!(state(&desk)["tasksOutOfSync"], json!(null));
}

#[test]
fn an_edited_plan_lacks_nothing_that_rows_brought() {
    let desk = planned();
    desk.done("start_task", json!({"taskId": "01"}));
    let tasks = desk.text(&at("tasks.md"));
    let rows = "- 🔲 02-b: Better\n- 🔲 09-new: Brought by a row\n";
    desk.edit(&at("tasks.md"), tasks.replace("- 🔲 02-b: Beta\n", rows));
    desk.done("activity", json!({"text": "x"}));
    unpublish(&desk, "plan.md", PLAN);
    desk.edit(&at("plan.md"), PLAN.replace("Do a.", "Do a, with care."));
    let told = reply(&desk, "reconcile", json!({}));
    assert_eq!((told["drift"].clone(), told["progress"]["total"].clone()), (json!(null), json!(4)), "{told}");
    let expected = PLAN.replace("Do a.", "Do a, with care.");
    let expected = expected.replace("### 02-b: Beta\n", "### 02-b: Better\n\n### 09-new: Brought by a row\n");
    assert_eq!(desk.text(&at("plan.md")), expected);
    assert!(desk.text(&at("tasks.md")).contains(rows));
}

/// Every section of it has words.
fn with_words() -> String {
    PLAN.replace("Beta\n", "Beta\n\nDo b.\n").replace("Gamma\n", "Gamma\n\nDo c.\n")
}

#[test]
fn an_edited_plan_keeps_the_words_of_a_row_that_was_retyped() {
    for (from, to) in [("02-b: Beta", "02-bb: Beta"), ("02-b: Beta", "2-b: Better")] {
        let plan = with_words();
        let desk = planned();
        desk.edit(&at("plan.md"), &plan);
        desk.done("start_task", json!({"taskId": "01"}));
        desk.edit(&at("tasks.md"), desk.text(&at("tasks.md")).replace(from, to));
        desk.done("activity", json!({"text": "x"}));
        assert_eq!(desk.text(&at("plan.md")), plan.replace(from, to));
        unpublish(&desk, "plan.md", &plan);
        let edited = plan.replace("Do a.", "Do a, with care.");
        desk.edit(&at("plan.md"), &edited);
        let told = reply(&desk, "reconcile", json!({}));
        assert_eq!((&told["drift"], &told["progress"]["total"]), (&json!(null), &json!(3)), "{told}");
        assert_eq!(desk.text(&at("plan.md")), edited.replace(from, to));
    }
}

#[test]
fn a_plan_that_comes_again_comes_with_its_words() {
    let plan = with_words();
    let desk = planned();
    desk.edit(&at("plan.md"), &plan);
    desk.done("start_task", json!({"taskId": "01"}));
    desk.remove(&at("plan.md"));
    desk.done("activity", json!({"text": "x"}));
    withhold(&desk, "plan.md");
    desk.edit(&at("plan.md"), "# Mine\n\n### 01-a: Alpha\n\nMy own.\n");
    desk.done("activity", json!({"text": "y"}));
    let expected = plan.replace("# Plan\n\n## Tasks", "# Mine").replace("Do a.", "My own.");
    assert_eq!(desk.text(&at("plan.md")), expected);
}

#[test]
fn a_section_that_was_to_go_with_its_words_is_kept_beside() {
    let plan = with_words();
    let desk = planned();
    desk.edit(&at("plan.md"), &plan);
    desk.done("start_task", json!({"taskId": "01"}));
    desk.edit(&at("tasks.md"), super::without(&desk.text(&at("tasks.md")), "02-b"));
    desk.done("activity", json!({"text": "x"}));
    unpublish(&desk, "plan.md", &plan);
    desk.edit(&at("plan.md"), plan.replace("Do a.", "Do a, with care."));
    let told = reply(&desk, "activity", json!({"text": "y"}));
    let lost = told["warnings"].as_array().unwrap().iter().find(|one| one["code"] == "text_not_kept").unwrap();
    assert!(desk.text(lost["keptAs"].as_str().unwrap()).contains("Do a, with care.\n\n### 02-b: Beta\n\nDo b.\n"));
    assert!(!desk.text(&at("plan.md")).contains("02-b"));
}

#[test]
fn edited_rows_lack_no_line_of_activity() {
    let desk = planned();
    desk.done("activity", json!({"text": "first"}));
    let tasks = desk.text(&at("tasks.md"));
    desk.done("activity", json!({"text": "second"}));
    unpublish(&desk, "tasks.md", &tasks);
    desk.edit(&at("tasks.md"), tasks.replace("## Statistics", "## Notes\nby hand\n\n## Statistics"));
    desk.done("start_task", json!({"taskId": "01"}));
    let text = desk.text(&at("tasks.md"));
    assert!(text.contains(": first\n") && text.contains(": second\n") && text.contains("by hand"), "{text}");
    // Once published, lines that someone takes out are out.
    desk.edit(&at("tasks.md"), super::without(&text, ": second"));
    desk.done("complete_task", json!({"taskId": "01"}));
    let text = desk.text(&at("tasks.md"));
    assert!(text.contains(": first\n") && !text.contains(": second\n"), "{text}");
}

#[test]
fn a_file_that_is_told_to_be_written_again_is() {
    for name in ["plan.md", "tasks.md", "scenario.json"] {
        let desk = planned();
        desk.done("start_task", json!({"taskId": "01"}));
        desk.done("complete_task", json!({"taskId": "01"}));
        let text = desk.text(&at(name));
        desk.remove(&at(name));
        // The call changes nothing itself, and the clock stands still.
        let told = reply(&desk, "complete_task", json!({"taskId": "01"}));
        assert_eq!((told["alreadyCompleted"].clone(), codes(&told)), (json!(true), vec!["image_restored"]), "{name}");
        let back = desk.text(&at(name));
        assert_eq!(without_time(&back), without_time(&text), "{name}");
        assert_eq!(codes(&reply(&desk, "complete_task", json!({"taskId": "01"}))), [""; 0], "{name}");
    }
}

fn without_time(text: &str) -> String {
    super::without(text, "lastUpdateTime")
}

#[test]
fn a_later_scenario_json_without_states_is_silent() {
    let desk = planned();
    desk.done("start_task", json!({"taskId": "01"}));
    desk.done("complete_task", json!({"taskId": "01"}));
    desk.edit(&at("scenario.json"), r#"{"scenarioId": "net", "lastUpdateTime": "2126-01-10T09:00:00Z"}"#);
    let now = state(&desk);
    assert_eq!((ids(&now["completedTasks"]), codes(&now)), (vec!["01-a"], vec![]));
    // Empty states are states.
    let text = r#"{"lastUpdateTime": "2126-01-10T09:00:00Z", "properties": {"taskStates": {}}}"#;
    desk.edit(&at("scenario.json"), text);
    assert_eq!(codes(&state(&desk)), ["task_states_edited"]);
}

#[test]
fn what_finds_no_room_is_told_once() {
    let desk = planned();
    desk.done("start_task", json!({"taskId": "01"}));
    let more: Vec<String> = (0..2_100).map(|number| format!("\n### 04-task{number}\n")).collect();
    let unknown: Vec<String> = (0..3_000).map(|number| format!("99-{number}")).collect();
    let needy = format!("### 02-b: Beta\nDepends on: {}\n", unknown.join(", "));
    desk.edit(&at("plan.md"), PLAN.replace("### 02-b: Beta\n", &needy) + &more.concat());
    let told = state(&desk);
    let count = |code: &str| codes(&told).into_iter().filter(|other| *other == code).count();
    assert_eq!((count("too_large"), count("unknown_dependency")), (1, 21));
    assert_eq!(told["progress"]["total"], json!(2_000));
}
