//! The call that began a scenario, taken back: what it made goes, what is somebody else's stays.

use mainstay_engine::RollbackQuery;
use model::{ProjectPath, Space};
use serde_json::json;
use store::{ImageState, Mark};

use super::{at, planned};
use crate::back::{checkpoint, entry, newest, undo};
use crate::desk::{Desk, anyone, mark};

/// A project in which one task was begun, and the revision of that call.
fn begun(desk: Desk) -> (Desk, u64) {
    desk.done("start_task", json!({"taskId": "01-a"}));
    let revision = desk.history()[0]["revision"].as_u64().unwrap();
    (desk, revision)
}

/// What stands of the files that a scenario's first call writes.
fn standing(desk: &Desk) -> Vec<String> {
    let names = ["plan.md", "tasks.md", "scenario.json", "tasks/01-a/task.md"];
    names.into_iter().filter(|name| desk.stands(&at(name))).map(str::to_owned).collect()
}

#[test]
fn what_it_made_goes_and_comes_back() {
    let (desk, _) = begun(planned());
    let all = ["plan.md", "tasks.md", "scenario.json", "tasks/01-a/task.md"];
    assert_eq!(standing(&desk), all);
    undo(&desk, newest()).unwrap();
    assert_eq!(standing(&desk), ["plan.md"]);
    assert_eq!(desk.engine().doctor().unwrap()["findings"], json!([]));
    desk.engine().redo(&anyone()).unwrap();
    assert_eq!(standing(&desk), all);
    assert!(desk.text(&at("tasks.md")).contains("- 🔄 01-a: Alpha"));

    let (desk, _) = begun(planned());
    desk.done("complete_task", json!({"taskId": "01-a"}));
    desk.engine().rollback(RollbackQuery { to: "1".into(), space: None }, &anyone()).unwrap();
    assert_eq!(standing(&desk), ["plan.md"], "a rollback leads there too");
}

#[test]
fn a_plan_that_it_wrote_goes_too() {
    let desk = Desk::new().write(&at("tasks/01-a/notes.txt"), "mine\n").write(&at("tasks.md"), "- ✅ 01-a: Alpha\n");
    desk.done("reconcile", json!({"writePlan": true}));
    assert!(desk.stands(&at("plan.md")));
    undo(&desk, newest()).unwrap();
    assert_eq!(standing(&desk), ["tasks.md"]);
    assert_eq!(desk.text(&at("tasks/01-a/notes.txt")), "mine\n");
}

#[test]
fn what_stood_there_before_stays() {
    let (desk, _) = begun(planned().write(&at("tasks.md"), "## Tasks\n- 🔲 01-a: Alpha\n- 🔲 02-b: Beta\n"));
    undo(&desk, newest()).unwrap();
    assert_eq!(standing(&desk), ["plan.md", "tasks.md"]);
}

#[test]
fn what_somebody_edited_since_stays() {
    let (desk, revision) = begun(planned());
    let text = desk.text(&at("tasks.md")).replace("## Statistics", "## Notes\nmine\n\n## Statistics");
    desk.edit(&at("tasks.md"), &text);
    undo(&desk, entry(revision)).unwrap();
    assert_eq!(standing(&desk), ["plan.md", "tasks.md"]);
    assert_eq!(desk.text(&at("tasks.md")), text);
}

#[test]
fn a_task_md_that_was_found_stays() {
    let (desk, _) = begun(planned());
    desk.edit(&at("tasks/02-b/task.md"), "# What I want\n");
    desk.done("start_task", json!({"taskId": "02-b", "force": true}));
    undo(&desk, newest()).unwrap();
    assert_eq!(desk.text(&at("tasks/02-b/task.md")), "# What I want\n");
    assert_eq!(desk.engine().doctor().unwrap()["findings"], json!([]));
}

#[test]
fn a_crash_before_the_files_went_is_mended() {
    let (desk, _) = begun(planned());
    let text = desk.text(&at("tasks.md"));
    undo(&desk, newest()).unwrap();
    // Committed, and killed before it was published.
    desk.edit(&at("tasks.md"), &text);
    let path = ProjectPath::new(at("tasks.md")).unwrap();
    let (confirmed, intended) = (mark(text.as_bytes()), Some(Mark::Absent));
    let state = ImageState { path, space: Space::known("upgrade/net"), confirmed, intended };
    desk.tamper(|txn| txn.put_image(&state).unwrap());
    checkpoint(&desk, "healed");
    assert_eq!(standing(&desk), ["plan.md"]);
    let states = desk.store().read().unwrap().images(&state.space).unwrap();
    assert!(states.iter().all(|other| other.path != state.path), "{states:?}");
}
