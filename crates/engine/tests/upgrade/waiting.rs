//! Outside edits wait for a request that changes something: refusals and dry runs leave them alone.

use serde_json::json;

use super::{at, codes, ids, planned, reply, state};
use crate::desk::Desk;

fn started() -> Desk {
    let desk = planned();
    desk.done("start_task", json!({"taskId": "01"}));
    desk
}

#[test]
fn a_refusal_at_first_contact_leaves_no_store() {
    let desk = planned();
    let before = desk.snapshot();
    assert_eq!(desk.refused("start_task", json!({"taskId": "03"})), "task_blocked");
    assert_eq!(desk.snapshot(), before);
}

#[test]
fn a_refusal_takes_nothing_in() {
    let desk = started();
    let tasks = desk.text(&at("tasks.md"));
    desk.edit(&at("tasks.md"), tasks.replace("- 🔲 02-b: Beta\n", "- 🔲 02-b: Beta\n- 🔲 02-b: Beta\nloose prose\n"));
    desk.edit(&at("plan.md"), super::PLAN.replace("Gamma", "Delta"));
    let (before, journal) = (desk.besides_locks(), desk.journal());
    assert_eq!(desk.refused("complete_task", json!({"taskId": "03"})), "task_blocked");
    assert_eq!(reply(&desk, "reconcile", json!({"dryRun": true}))["applied"][0]["kind"], "retitled");
    let mut after = desk.besides_locks();
    after.retain(|path, _| !path.starts_with(".mainstay/state.db"));
    assert_eq!(after, before);
    assert_eq!(desk.journal(), journal);
    // They are told until somebody changes something; then they are kept beside and settled.
    let told = state(&desk);
    assert_eq!(
        (told["drift"]["damaged"].clone(), told["drift"]["titleChanges"][0]["to"].clone()),
        (json!(true), json!("Delta"))
    );
    let done = reply(&desk, "complete_task", json!({"taskId": "01"}));
    assert!(codes(&done).contains(&"tasks_md_damaged"), "{done}");
    let copies: Vec<_> = desk.names(super::SCENARIO).into_iter().filter(|name| name.contains("conflict")).collect();
    assert_eq!(copies.len(), 1);
    assert_eq!(done["warnings"][0]["keptAs"], json!(at(&copies[0])));
    assert!(desk.text(&at("tasks.md")).contains("03-c: Delta"));
    assert_eq!(state(&desk)["drift"], json!(null));
}

#[test]
fn scenario_json_keeps_its_line_ends() {
    let desk =
        planned().write(&at("scenario.json"), "\u{feff}{\r\n  \"scenarioId\": \"net\",\r\n  \"x\": 1.50\r\n}\r\n");
    desk.done("start_task", json!({"taskId": "01"}));
    let text = desk.text(&at("scenario.json"));
    assert!(text.starts_with("\u{feff}{\r\n") && text.contains("\"x\": 1.50,\r\n"), "{text:?}");
}

#[test]
fn what_was_taken_in_is_an_entry_of_its_own() {
    let desk = started();
    desk.edit(&at("plan.md"), format!("{}\n### 04-d: Delta\n", super::PLAN));
    desk.done("complete_task", json!({"taskId": "01"}));
    assert_eq!(desk.journal()[..2], ["4 cli complete_task", "3 external take_in"]);
    assert_eq!(ids(&state(&desk)["availableTasks"]), ["02-b"]);
    let drifts = desk.history().iter().filter(|entry| entry.to_string().contains("drift")).count();
    assert_eq!(drifts, 0, "what one request saw is not stored");
}

#[test]
fn a_plan_that_is_no_text_is_left_alone() {
    let desk = started();
    desk.edit(&at("plan.md"), [0xff, 0xfe, 0x00]);
    let done = reply(&desk, "complete_task", json!({"taskId": "01"}));
    assert!(codes(&done).contains(&"plan_unreadable"), "{done}");
    assert_eq!(std::fs::read(desk.at(&at("plan.md"))).unwrap(), [0xff, 0xfe, 0x00]);
    assert_eq!(state(&desk)["progress"]["total"], 3);
}

#[test]
fn links_and_conflict_markers_stop_changes_and_no_reads() {
    for name in ["plan.md", "tasks.md", "scenario.json"] {
        let desk = started();
        desk.remove(&at(name));
        std::os::unix::fs::symlink("/etc/hostname", desk.at(&at(name))).unwrap();
        assert_eq!(desk.refused("complete_task", json!({"taskId": "01"})), "path_outside_project", "{name}");
        assert!(codes(&state(&desk)).contains(&"path_outside_project"), "{name}");

        let desk = started();
        let text = desk.text(&at(name));
        desk.edit(&at(name), format!("<<<<<<< a\n{text}\n=======\n>>>>>>> b\n"));
        assert_eq!(desk.refused("complete_task", json!({"taskId": "01"})), "conflict_markers", "{name}");
        assert_eq!(state(&desk)["progress"]["total"], 3, "{name}");
    }
}
