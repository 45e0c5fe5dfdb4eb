//! A checkout moves HEAD and brings other files: one entry by git, which one undo takes back.

use mainstay_engine::UndoQuery;
use serde_json::{Value, json};

use super::{PLAN, at, ids, planned, reply, state};
use crate::back::{newest, undo};
use crate::desk::Desk;

const ONE: &str = "1111111111111111111111111111111111111111";
const TWO: &str = "2222222222222222222222222222222222222222";
const FILES: [&str; 3] = ["plan.md", "tasks.md", "scenario.json"];

fn head(desk: &Desk, commit: &str) {
    desk.edit(".git/HEAD", "ref: refs/heads/main\n");
    desk.edit(".git/refs/heads/main", format!("{commit}\n"));
}

fn texts(desk: &Desk) -> [String; 3] {
    FILES.map(|name| desk.text(&at(name)))
}

fn check_out(desk: &Desk, commit: &str, texts: &[String; 3]) {
    head(desk, commit);
    for (name, text) in FILES.iter().zip(texts) {
        desk.edit(&at(name), text);
    }
}

/// 01 is done, 02 under way; and how the files stood before anything was done.
fn worked() -> (Desk, [String; 3]) {
    let desk = planned();
    head(&desk, ONE);
    desk.done("activity", json!({"text": "begin"}));
    let before = texts(&desk);
    desk.done("start_task", json!({"taskId": "01"}));
    desk.edit(&at("tasks/01-a/progress-details.md"), "did it\n");
    desk.done("complete_task", json!({"taskId": "01", "filesModified": ["src/a"]}));
    desk.done("start_task", json!({"taskId": "02"}));
    (desk, before)
}

fn standing(desk: &Desk) -> (Value, Value) {
    let state = state(desk);
    (ids(&state["completedTasks"]).into(), ids(&state["inProgressTasks"]).into())
}

#[test]
fn an_older_commit_takes_no_work_back() {
    let (desk, before) = worked();
    check_out(&desk, TWO, &before);
    assert_eq!(standing(&desk), (json!(["01-a"]), json!(["02-b"])));
    desk.done("activity", json!({"text": "on"}));
    assert_eq!(standing(&desk), (json!(["01-a"]), json!(["02-b"])));
    assert!(desk.text(&at("tasks.md")).contains("- ✅ 01-a"));
    assert_eq!(desk.text(&at("tasks/01-a/progress-details.md")), "did it\n");
}

#[test]
fn what_a_commit_brings_is_one_entry_by_git() {
    let (desk, _) = worked();
    let before = texts(&desk);
    let [plan, tasks, json] = before.clone();
    let brought = [
        plan.replace("### 03-c: Gamma\n", "### 03-c: Pulled\n\n### 04-d: New\n"),
        tasks.replace("03-c: Gamma", "03-c: Pulled"),
        json,
    ];
    check_out(&desk, TWO, &brought);
    // The command is about every space: what moved is taken in first, and then it is the newest entry.
    undo(&desk, newest()).unwrap();
    assert!(desk.journal()[1].ends_with("git:2222222 take_in"), "{:?}", desk.journal());
    assert_eq!(desk.text(&at("plan.md")), plan);
    let now = state(&desk);
    assert_eq!((&now["progress"]["total"], &now["drift"]), (&json!(3), &Value::Null), "{now}");
    assert_eq!(standing(&desk), (json!(["01-a"]), json!(["02-b"])));
    // The same commit is no move any more: an edit is somebody's.
    desk.edit(&at("plan.md"), plan.replace("Gamma", "By hand"));
    desk.done("activity", json!({"text": "on"}));
    assert!(desk.journal()[1].ends_with("external take_in"), "{:?}", desk.journal());
}

#[test]
fn a_branch_without_a_task_that_has_work_waits_for_a_word() {
    let (desk, _) = worked();
    let [plan, tasks, json] = texts(&desk);
    let gone = "### 01-a: Alpha\n\nDo a.\n\n";
    assert!(plan.contains(gone));
    check_out(&desk, TWO, &[plan.replace(gone, ""), super::without(&tasks, "01-a"), json]);
    desk.done("activity", json!({"text": "on"}));
    let now = state(&desk);
    assert_eq!(ids(&now["drift"]["pendingRemovals"]), ["01-a"], "{now}");
    // And back: the heading's return restores everything.
    head(&desk, ONE);
    desk.edit(&at("plan.md"), PLAN);
    desk.done("activity", json!({"text": "back"}));
    assert_eq!(standing(&desk), (json!(["01-a"]), json!(["02-b"])));
    assert_eq!(reply(&desk, "reconcile", json!({}))["drift"], Value::Null);
}

#[test]
fn a_tree_written_anew_with_the_same_bytes_is_no_change() {
    let (desk, _) = worked();
    let entries = desk.journal().len();
    check_out(&desk, TWO, &texts(&desk));
    assert_eq!(state(&desk)["drift"], Value::Null);
    undo(&desk, UndoQuery::default()).unwrap();
    assert_eq!(desk.journal().len(), entries + 1, "{:?}", desk.journal());
    assert!(desk.journal()[1].ends_with("start_task"));
}

#[test]
fn the_scenario_of_before_is_never_the_later_one() {
    let desk = planned();
    desk.done("activity", json!({"text": "x"}));
    // A call that changes nothing but what is shown moves the time past the clock, which stands still.
    desk.edit(&at("tasks/01-a/progress-details.md"), "did it\n");
    desk.done("reconcile", json!({}));
    let before = desk.text(&at("scenario.json"));
    desk.done("start_task", json!({"taskId": "01"}));
    desk.edit(&at("scenario.json"), before);
    assert_eq!(ids(&state(&desk)["inProgressTasks"]), ["01-a"]);
}
