//! What others may put where a scenario stands, and what is answered.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use super::{PLAN, at, codes, ids, planned, reply, state};
use crate::desk::Desk;

/// Every writing tool, on a task or the whole scenario.
const WRITES: [(&str, &str); 5] = [
    ("start_task", r#"{"taskId": "01"}"#),
    ("complete_task", r#"{"taskId": "01", "force": true}"#),
    ("break_down_task", r#"{"parentTaskId": "01", "subtasks": [{"description": "X"}]}"#),
    ("reconcile", "{}"),
    ("activity", r#"{"text": "x"}"#),
];

fn arguments(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn ids_are_no_paths() {
    let desk = planned();
    desk.done("activity", json!({"text": "begin"}));
    let before = desk.besides_locks();
    for id in ["../../etc", "01-a/../../x", "/etc/passwd", "01-a\u{0}", "con", "..", "01-a\n", "\\\\host\\x", "01:a"] {
        for (tool, name) in [("start_task", "taskId"), ("complete_task", "taskId"), ("break_down_task", "parentTaskId")]
        {
            assert_eq!(
                desk.refused(tool, json!({name: id, "subtasks": []}).tap(tool)),
                "invalid_task_id",
                "{tool} {id:?}"
            );
        }
        assert_eq!(desk.refused("reconcile", json!({"confirmRemovals": [id]})), "invalid_task_id", "{id:?}");
        assert_eq!(desk.refused("recall", json!({"intent": "task", "taskId": id})), "invalid_task_id", "{id:?}");
        let wish = json!({"parentTaskId": "01", "subtasks": [{"id": id, "description": "x"}]});
        assert_eq!(desk.refused("break_down_task", wish), "invalid_task_id", "{id:?}");
    }
    assert_eq!(desk.besides_locks(), before);
}

/// Leaves out what a tool does not take.
trait Tap {
    fn tap(self, tool: &str) -> Value;
}

impl Tap for Value {
    fn tap(mut self, tool: &str) -> Value {
        if tool != "break_down_task" {
            self.as_object_mut().unwrap().shift_remove("subtasks");
        }
        self
    }
}

#[test]
fn a_folder_that_became_a_link_is_left_alone() {
    for (link, adopted) in [("", true), ("", false), ("tasks", true), ("tasks/01-a", true)] {
        let desk = planned();
        if adopted {
            desk.done("activity", json!({"text": "begin"}));
        }
        let outside = tempfile::TempDir::new().unwrap();
        fs::write(outside.path().join("plan.md"), PLAN).unwrap();
        let path = desk.at(if link.is_empty() { super::SCENARIO.to_owned() } else { at(link) }.as_str());
        if path.is_dir() {
            fs::remove_dir_all(&path).unwrap();
        }
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(outside.path(), &path).unwrap();
        for (tool, text) in WRITES {
            if let Err(refusal) = desk.call(tool, arguments(text)) {
                let known = ["no_active_scenario", "path_outside_project", "already_completed"];
                assert!(known.contains(&&*refusal.code), "{link:?} {tool}: {refusal:?}");
            }
        }
        let told = state(&desk);
        if link.is_empty() {
            assert_eq!((codes(&told), &told["hasActiveScenario"]), (vec!["path_outside_project"], &json!(false)));
            assert_eq!(told["warnings"][0]["path"], super::SCENARIO);
            // Another scenario is not taken for it without a word.
            desk.edit(".github/upgrades/other/plan.md", PLAN);
            let other = reply(&desk, "start_task", json!({"taskId": "01"}));
            assert_eq!((codes(&other), &other["scenarioId"]), (vec!["path_outside_project"], &json!("other")));
        }
        let left: Vec<_> = fs::read_dir(outside.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["plan.md"], "{link:?} adopted: {adopted}");
        assert_eq!(fs::read_to_string(outside.path().join("plan.md")).unwrap(), PLAN);
        assert!(path.symlink_metadata().unwrap().is_symlink());
    }
}

#[test]
fn something_else_in_the_place_of_a_folder_refuses_by_name() {
    for link in ["tasks", "tasks/01-a"] {
        let desk = planned().write(&at(link), "a file\n");
        assert_eq!(desk.refused("start_task", json!({"taskId": "01"})), "image_unreadable", "{link}");
        let wish = json!({"parentTaskId": "01", "subtasks": [{"id": "01.01-x", "description": "x", "content": "c"}]});
        let refused = desk.call("break_down_task", wish);
        assert!(refused.is_err() == (link == "tasks"), "{link}: {refused:?}");
        assert_eq!(desk.text(&at(link)), "a file\n");
    }
}

#[test]
fn a_file_of_any_kind_gets_a_coded_answer_and_stays() {
    let huge = "x".repeat(9 * 1024 * 1024);
    let kinds: [(&str, &[u8]); 7] = [
        ("empty", b""),
        ("nul", b"## 01-a\n\0"),
        ("utf16", b"\xff\xfe#\0 \0"),
        ("mojibake", "# T\n\n## Tasks\n- \u{f0}\u{178}\u{201d}\u{201e} 01-a: Alpha\n- âœ… 02-b: Beta\n".as_bytes()),
        ("bad utf-8", b"## 01-a: \xc3\x28\n"),
        ("markers", b"<<<<<<< a\n## 01-a: A\n=======\n## 01-a: B\n>>>>>>> b\n"),
        ("huge", huge.as_bytes()),
    ];
    for name in ["plan.md", "tasks.md", "scenario.json", "scenario-instructions.md"] {
        for (kind, bytes) in kinds {
            let desk = planned();
            desk.done("start_task", json!({"taskId": "01"}));
            desk.edit(&at("tasks/01-a/progress-details.md"), "did it\n");
            desk.edit(&at(name), bytes);
            // Reading never refuses, and keeps the task that has work.
            let now = state(&desk);
            assert_eq!(ids(&now["inProgressTasks"]), ["01-a"], "{name} {kind}");
            for (tool, text) in WRITES {
                if let Err(refusal) = desk.call(tool, arguments(text)) {
                    let known = ["conflict_markers", "too_large", "task_blocked", "already_completed"];
                    assert!(known.contains(&&*refusal.code), "{name} {kind} {tool}: {refusal:?}");
                }
            }
            let now = state(&desk);
            let all = ["inProgressTasks", "completedTasks", "availableTasks", "blockedTasks"];
            let listed: Vec<String> = all.iter().flat_map(|list| ids(&now[*list])).map(str::to_owned).collect();
            assert!(listed.iter().any(|id| id.starts_with("01")), "{name} {kind}: {listed:?}");
            assert_eq!(desk.text(&at("tasks/01-a/progress-details.md")), "did it\n", "{name} {kind}");
            let kept = desk
                .names(super::SCENARIO)
                .into_iter()
                .any(|other| other.starts_with(name) && fs::read(desk.at(&at(&other))).unwrap() == bytes);
            // Blank or known text is nobody's; what says nothing to us lies there or beside.
            assert!(
                kept || kind == "empty" || (name, kind) == ("tasks.md", "mojibake") || name == "plan.md",
                "{name} {kind}"
            );
        }
    }
}

#[test]
fn marks_that_mean_nothing_are_no_status() {
    let desk = planned();
    desk.done("start_task", json!({"taskId": "01"}));
    let text = desk.text(&at("tasks.md"));
    desk.edit(&at("tasks.md"), text.replace("🔄 01-a", "ðŸ”„ 01-a").replace("🔲 02-b", "âœ… 02-b"));
    let now = state(&desk);
    assert_eq!(ids(&now["inProgressTasks"]), ["01-a"]);
    assert!(now["drift"].is_null() || now["drift"]["statusEdits"] == json!([]), "{now}");
    desk.done("activity", json!({"text": "on"}));
    assert_eq!(super::without(&desk.text(&at("tasks.md")), "2026-"), super::without(&text, "2026-"));
}

#[test]
fn a_plan_that_is_missing_and_two_scenarios_are_told() {
    let desk = Desk::new().write(&at("tasks.md"), "## Tasks\n- ✅ 01-a: A\n- 🔲 02-b: B\n");
    let now = state(&desk);
    assert!(codes(&now).contains(&"plan_missing"), "{now}");
    assert_eq!(now["progress"]["completed"], 1);
    desk.edit(".github/upgrades/other/plan.md", PLAN);
    assert_eq!(desk.refused("start_task", json!({"taskId": "02"})), "ambiguous_scenario");
    assert_eq!(state(&desk)["hasActiveScenario"], false);
    assert_eq!(reply(&desk, "start_task", json!({"taskId": "02", "scenarioId": "net"}))["task"]["id"], "02-b");
}

#[test]
fn a_path_to_look_at_lies_in_the_project() {
    let desk = planned().write("src/file", "x");
    let outside = tempfile::TempDir::new().unwrap();
    symlink(outside.path(), desk.at("out")).unwrap();
    symlink("nowhere", desk.at("dangling")).unwrap();
    for (path, code) in [
        ("../x", "path_outside_project"),
        ("/etc", "path_outside_project"),
        ("out", "path_outside_project"),
        ("out/x", "path_outside_project"),
        ("dangling", "path_outside_project"),
        ("nothing", "path_not_found"),
        (&"n".repeat(5_000), "path_not_found"),
    ] {
        assert_eq!(desk.refused("get_state", json!({"path": path})), code, "{path}");
    }
    for path in [".", "src", "src/file", "src/../src"] {
        assert_eq!(reply(&desk, "get_state", json!({"path": path}))["scenarioId"], "net", "{path}");
    }
}
