//! What stands in a file so that nothing reads it is not gone, and what is too large is bounded.

use serde_json::{Value, json};

use super::{PLAN, at, codes, ids, planned, reply, state};
use crate::desk::Desk;

/// As many headings as a reader of eight megabytes could meet, on a small scale.
const MANY: usize = 20_000;

fn begun() -> Desk {
    let desk = planned();
    desk.done("activity", json!({"text": "begin"}));
    desk
}

fn many(numbers: impl Iterator<Item = usize>, line: impl Fn(usize) -> String) -> String {
    numbers.map(line).collect::<Vec<_>>().concat()
}

fn bytes(desk: &Desk) -> usize {
    state(desk).to_string().len()
}

#[test]
fn a_reply_stays_short_whatever_a_plan_repeats() {
    let first = "### 01-a: A\n".repeat(MANY);
    let dotted = many(0..MANY, |n| format!("#### 01.{:02}-x{n}: X\n", n % 99));
    let without = many(0..MANY, |n| format!("### do {n} {}\n", "word ".repeat(80)));
    let rows = many(0..MANY, |n| format!("- 🔲 TASK-{n}\n"));
    for (name, plan, tasks) in [
        ("repeated", first, None),
        ("dotted", format!("### 01-a: A\n{dotted}"), None),
        ("without ids", format!("## Tasks\n{without}"), None),
        ("rows", "### 01-a: A\n".to_owned(), Some(format!("## Tasks\n{rows}"))),
    ] {
        let desk = Desk::new().write(&at("plan.md"), &plan);
        if let Some(tasks) = tasks {
            desk.edit(&at("tasks.md"), tasks);
        }
        let length = bytes(&desk);
        assert!(length < 80_000, "{name}: {length} bytes");
    }
}

#[test]
fn what_is_left_out_is_counted() {
    let desk = Desk::new().write(&at("plan.md"), &"### 01-a: A\n".repeat(31));
    let told = state(&desk);
    let about: Vec<&Value> = told["warnings"].as_array().unwrap().iter().collect();
    assert_eq!((about.len(), &about[20]["more"], &about[20]["code"]), (21, &json!(10), &json!("duplicate_plan_id")));
}

#[test]
fn a_section_that_is_longer_than_a_task_md_stops_nobody() {
    let long = format!("# P\n\n### 01-a: A\n\n{}\n\n### 02-b: B\n", "words ".repeat(250_000));
    let desk = Desk::new().write(&at("plan.md"), &long);
    let started = reply(&desk, "start_task", json!({"taskId": "01"}));
    assert_eq!(codes(&started), ["text_not_kept"]);
    let file = desk.text(&at("tasks/01-a/task.md"));
    assert!(file.starts_with("# 01-a: A\n\nwords words") && file.len() <= 1024 * 1024, "{}", file.len());
    // The file is read like any other, and follows the plan.
    assert_eq!(codes(&reply(&desk, "activity", json!({"text": "on"}))), [""; 0]);
    desk.edit(&at("plan.md"), long.replace("01-a: A", "01-a: Other"));
    assert_eq!(codes(&reply(&desk, "activity", json!({"text": "on"}))), [""; 0]);
    assert!(desk.text(&at("tasks/01-a/task.md")).starts_with("# 01-a: Other\n"));
    assert_eq!(reply(&desk, "complete_task", json!({"taskId": "01"}))["completed"]["id"], "01-a");
}

#[test]
fn titles_of_files_have_a_length_too() {
    let long = "ö".repeat(1_000_000);
    let desk = begun();
    desk.edit(&at("plan.md"), PLAN.replace("Alpha", &long));
    let told = reply(&desk, "start_task", json!({"taskId": "01"}));
    assert_eq!((codes(&told), &told["warnings"][0]["allowed"]), (vec!["too_large"], &json!(200)));
    assert_eq!(told["task"]["name"], "ö".repeat(200));
    assert!(desk.text(&at("plan.md")).contains(&long), "the plan is its owner's");
    assert!(desk.text(&at("tasks.md")).len() < 2_000);
    // In a row it is cut, and the row is kept beside.
    let desk = begun();
    let tasks = desk.text(&at("tasks.md"));
    desk.edit(&at("tasks.md"), tasks.replace("Beta", &long));
    let told = reply(&desk, "start_task", json!({"taskId": "01"}));
    assert_eq!(codes(&told), ["text_not_kept"]);
    let copy = told["warnings"][0]["keptAs"].as_str().unwrap();
    assert!(desk.text(copy).contains(&long) && desk.text(&at("plan.md")).contains(&"ö".repeat(200)));
    assert!(!desk.text(&at("plan.md")).contains(&"ö".repeat(201)));
}

#[test]
fn more_headings_than_numbers_are_not_adopted_in_part() {
    let plan = many(0..1_200, |n| format!("### do {n}\n"));
    let desk = Desk::new().write(&at("plan.md"), &format!("## Tasks\n{plan}"));
    let before = desk.snapshot();
    let refused = desk.call("reconcile", json!({"adoptIds": true})).unwrap_err();
    assert_eq!((&*refused.code, refused.field.as_deref()), ("too_large", Some("adoptIds")));
    assert_eq!(desk.snapshot(), before);
}

#[test]
fn rows_added_under_many_parents_are_read_once() {
    let plan = many(1..=990, |n| format!("### {n:02}-task: T{n}\n\n"));
    let desk = Desk::new().write(&at("plan.md"), &plan);
    desk.done("activity", json!({"text": "begin"}));
    let mut tasks = desk.text(&at("tasks.md"));
    for n in (1..=990).rev() {
        let row = format!("- 🔲 {n:02}-task: T{n}\n");
        tasks = tasks.replace(&row, &format!("{row}  - 🔲 {n:02}.01-part: Part\n"));
    }
    desk.edit(&at("tasks.md"), tasks);
    let now = state(&desk);
    assert_eq!((now["drift"]["added"].as_array().unwrap().len(), &now["progress"]["total"]), (990, &json!(990)));
    assert_eq!(ids(&now["availableTasks"]), ["01.01-part"]);
}

#[test]
fn held_and_failed_work_gives_no_text_for_an_id() {
    let desk = begun();
    desk.done("complete_task", json!({"taskId": "01", "failed": true, "errorMessage": "02-b"}));
    let next = Value::Object(desk.engine().next().unwrap());
    assert_eq!(next["blocked"][0]["blocked_by"], json!(["failed"]), "{next}");
    assert_eq!(next["blocked"][1]["blocked_by"], json!(["01-a"]), "{next}");
}
