//! Folders of tasks: made, removed when empty, archived with what they hold, healed after a crash.

use mainstay_engine::{Identity, RollbackQuery, UndoQuery};
use model::{Call, ProjectPath, Space};
use serde_json::json;
use store::{ImageState, Mark};

use super::{PLAN, at, planned, reply};
use crate::desk::{Desk, anyone, told};

fn broken_down() -> Desk {
    let desk = planned();
    desk.done(
        "break_down_task",
        json!({"parentTaskId": "01", "subtasks": [{"description": "X"}, {"description": "Y"}]}),
    );
    desk
}

fn image(path: &str, confirmed: Mark, intended: Option<Mark>) -> ImageState {
    ImageState { path: ProjectPath::new(path).unwrap(), space: Space::known("upgrade/net"), confirmed, intended }
}

fn folder() -> Mark {
    Mark::Digest("folder".to_owned())
}

#[test]
fn empty_folders_come_and_go_with_their_tasks() {
    let desk = broken_down();
    assert_eq!(desk.names(&at("tasks")), ["01.01-x", "01.02-y"]);
    desk.done("break_down_task", json!({"parentTaskId": "01", "subtasks": []}));
    assert_eq!(desk.names(&at("tasks")), [""; 0]);
    let states = desk.store().read().unwrap().images(&Space::known("upgrade/net")).unwrap();
    assert!(states.iter().all(|state| !state.path.as_str().contains("/tasks/")), "{states:?}");
}

#[test]
fn a_folder_that_holds_something_is_archived_whole() {
    let desk = broken_down();
    desk.edit(&at("tasks/01.01-x/notes.txt"), "half done\n");
    let reply = reply(&desk, "break_down_task", json!({"parentTaskId": "01", "subtasks": []}));
    let to = reply["subtasksArchived"][0]["to"].as_str().unwrap();
    assert_eq!(desk.text(&format!("{to}/notes.txt")), "half done\n");
    assert_eq!(desk.names(&at("tasks")), [""; 0]);
}

#[test]
fn something_put_there_at_the_last_moment_stays() {
    let desk = broken_down();
    // The task is forgotten; its folder was to go, and someone was quicker than the next request.
    desk.done("break_down_task", json!({"parentTaskId": "01", "subtasks": []}));
    desk.edit(&at("tasks/01.01-x/late.txt"), "late\n");
    desk.tamper(|txn| txn.put_image(&image(&at("tasks/01.01-x"), folder(), Some(Mark::Absent))).unwrap());
    desk.done("activity", json!({"text": "on"}));
    assert_eq!(desk.text(&at("tasks/01.01-x/late.txt")), "late\n");
}

#[test]
fn a_task_md_that_someone_edited_is_not_removed_by_healing() {
    let desk = planned();
    desk.done("start_task", json!({"taskId": "01"}));
    let path = at("tasks/09-gone/task.md");
    desk.edit(&path, "mine\n");
    desk.tamper(|txn| txn.put_image(&image(&path, Mark::Digest("ours".into()), Some(Mark::Absent))).unwrap());
    desk.done("activity", json!({"text": "on"}));
    assert_eq!(desk.text(&path), "mine\n");
}

#[test]
fn folders_that_a_crash_left_behind_are_healed() {
    let desk = broken_down();
    std::fs::remove_dir(desk.at(&at("tasks/01.01-x"))).unwrap();
    std::fs::create_dir(desk.at(&at("tasks/09-gone"))).unwrap();
    desk.tamper(|txn| {
        txn.put_image(&image(&at("tasks/01.01-x"), Mark::Absent, Some(folder()))).unwrap();
        txn.put_image(&image(&at("tasks/09-gone"), folder(), Some(Mark::Absent))).unwrap();
    });
    // Its file was to go before it.
    let path = at("tasks/09-gone/task.md");
    desk.edit(&path, "seed\n");
    desk.tamper(|txn| txn.put_image(&image(&path, crate::desk::mark(b"seed\n"), Some(Mark::Absent))).unwrap());
    // A refused request heals as well.
    assert_eq!(desk.refused("start_task", json!({"taskId": "77"})), "task_not_found");
    assert_eq!(desk.names(&at("tasks")), ["01.01-x", "01.02-y"]);
}

#[test]
fn a_file_where_the_folder_belongs_is_refused() {
    let desk = planned().write(&at("tasks/01-a"), "no folder\n");
    assert_eq!(desk.refused("start_task", json!({"taskId": "01"})), "image_unreadable");
    std::os::unix::fs::symlink("/tmp", desk.at(&at("tasks/02-b"))).unwrap();
    let refused = desk.refused("start_task", json!({"taskId": "02", "force": true}));
    assert_eq!(refused, "path_outside_project");
    assert_eq!(desk.text(&at("tasks/01-a")), "no folder\n");
}

#[test]
fn a_lost_task_md_comes_back_as_it_was_last_seen() {
    let desk = planned();
    desk.done("start_task", json!({"taskId": "01"}));
    desk.edit(&at("tasks/01-a/task.md"), "researched\n");
    desk.done("activity", json!({"text": "seen"}));
    std::fs::remove_dir_all(desk.at(&at("tasks"))).unwrap();
    desk.done("activity", json!({"text": "not by this"}));
    assert!(!desk.stands(&at("tasks")));
    let reply = desk.done("start_task", json!({"taskId": "01"}));
    assert_eq!(told(&reply), ["image_restored"]);
    assert_eq!(desk.text(&at("tasks/01-a/task.md")), "researched\n");
}

#[test]
fn a_rollback_of_one_scenario_leaves_the_folders_of_others() {
    let notes = |scenario: &str| format!(".github/upgrades/{scenario}/tasks/01.01-x/notes.md");
    let desk = Desk::new().write(".github/upgrades/x/plan.md", PLAN).write(".github/upgrades/y/plan.md", PLAN);
    let break_down = |scenario: &str, session: &str, names: &[&str]| {
        let subtasks: Vec<_> = names.iter().map(|name| json!({"description": name})).collect();
        let arguments = json!({"scenarioId": scenario, "parentTaskId": "01", "subtasks": subtasks});
        let identity = Identity { session: Some(session.into()), ..anyone() };
        desk.engine().call(&Call::new("break_down_task", arguments.as_object().unwrap().clone()), &identity).unwrap();
    };
    for scenario in ["x", "y"] {
        break_down(scenario, "good", &["X", "Y"]);
        desk.edit(&notes(scenario), "precious\n");
    }
    break_down("x", "bad", &["Z"]);
    break_down("y", "bad", &["Z"]);
    let query = UndoQuery { session: Some("bad".into()), ..UndoQuery::default() };
    let undone = desk.engine().undo(query, &anyone()).unwrap();
    assert!(desk.stands(&notes("x")) && desk.stands(&notes("y")));
    // One entry brought back the folders of both.
    let before = undone.body["revision"].as_u64().unwrap() - 1;
    let query = RollbackQuery { to: before.to_string(), space: Some("upgrade/x".into()) };
    desk.engine().rollback(query, &anyone()).unwrap();
    assert!(!desk.stands(&notes("x")));
    assert_eq!(desk.text(&notes("y")), "precious\n");
    // And that is taken back as well.
    desk.engine().undo(UndoQuery::default(), &anyone()).unwrap();
    assert_eq!(desk.text(&notes("x")), "precious\n");
}
