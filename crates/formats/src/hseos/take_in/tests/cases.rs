//! Single edits of the two files.

use format::{FileState, Irregular, Seen, SeenFile};
use model::{ProjectPath, Value};
use serde_json::json;

use super::{file, taken, told};
use crate::hseos::tests::{World, context};

fn world() -> World {
    let mut world = World::new();
    let mut call = |tool: &str, arguments: Value| drop(world.call(tool, arguments, &context()).unwrap());
    let fields = json!({
        "phase": "planning", "branch": "a<br>b", "notes": "old", "feature.F1.name": "one|1", "feature.F2.name": "two",
        "deployment.dev.version": "1",
    });
    call("state_write", json!({"fields": fields}));
    for (id, description, depends) in
        [("T1", "one", json!([])), ("T2", "two (depends: T9)", json!(["T1"])), ("T3", "three", json!([]))]
    {
        call("tasks_add", json!({"id": id, "owner": "GHOST", "description": description, "depends": depends}));
    }
    call("tasks_update", json!({"id": "T2", "status": "blocked", "note": "why"}));
    call("tasks_update", json!({"id": "T3", "status": "done"}));
    world
}

/// Replaces `from` by `to` in the rendered STATE.md and TASKS.md.
fn check(from: &str, to: &str, expected: &[&str]) {
    let world = world();
    let (state, tasks) = world.images();
    let mut seen = Vec::new();
    for (path, text) in [("STATE.md", state), ("TASKS.md", tasks)] {
        if text.contains(from) {
            seen.push(file(path, Some(&text), &text.replacen(from, to, 1)));
        }
    }
    assert_eq!(seen.len(), 1, "{from:?} stands in one file");
    assert_eq!(told(&taken(&world, &seen)), expected, "{from:?} to {to:?}");
}

#[test]
fn bullets() {
    check(
        "**phase:** planning",
        "**phase:** x|y<br>z",
        &["history/7: phase \"planning\"->\"x|y\\nz\" external", "state/phase: \"x|y\\nz\""],
    );
    check(
        "**branch:** a<br>b",
        "**branch:** a<br>c",
        &["history/7: branch \"a<br>b\"->\"a<br>c\" external", "state/branch: \"a<br>c\""],
    );
    check(
        "**phase:** planning",
        "**phase:** —",
        &["history/7: phase \"planning\"->\"\" external", "state/phase: \"\""],
    );
    check("- **phase:** planning\n", "", &[]);
    check(
        "**epic_id:** —",
        "**epic_id:**  E1 ",
        &["history/7: epic_id null->\"E1\" external", "state/epic_id: \"E1\""],
    );
    check(
        "- **status:** —",
        "- **status:** —\n- **own.key:** v",
        &["history/7: own.key null->\"v\" external", "state/own.key: \"v\""],
    );
    check("- **status:** —", "- **status:** —\n- **own.key:** —", &[]);
    let emptied = ["history/7: feature.F2.name \"two\"->\"\" external", "state/feature.F2.name: \"\""];
    check("- **status:** —", "- **status:** —\n- **feature.F2.name:** —", &emptied);
    check("- **status:** —", "- **status:** —\n- **9:** v", &["image_conflict"]);
    check("- **status:** —", "- **status:** —\n- **status:** up", &["image_conflict"]);
    check("- **last_updated:** 2026", "- **last_updated:** 2027", &[]);
    check("> Last updated: 2026", "> Last updated: 2027", &[]);
    check("- **status:** —", "some text", &["image_conflict"]);
    check("## Current State", "## Current Stat", &["image_conflict"]);
}

#[test]
fn tables_and_notes() {
    check(
        "one\\|1",
        "one\\|2",
        &["history/7: feature.F1.name \"one|1\"->\"one|2\" external", "state/feature.F1.name: \"one|2\""],
    );
    check("| F2 | two | — | — |\n", "", &["state/feature.F2.name: gone"]);
    check("| dev | 1 | — | — |\n", "", &["state/deployment.dev.version: gone"]);
    check("| prod | — | — | — |\n", "", &[]);
    check(
        "| F2 | two | — | — |",
        "| F2 | two | — | — |\n| F3 | | up | — |",
        &["history/7: feature.F3.status null->\"up\" external", "state/feature.F3.status: \"up\""],
    );
    check("| F2 | two | — | — |", "| F2 | two | — | — |\n| F 3 | x | — | — |", &["image_conflict"]);
    check("| F2 | two | — | — |", "| F2 | two | — | — |\n| F3 | — | — | — |", &["image_conflict"]);
    check("| F2 | two | — | — |", "| F2 | two | — |", &["image_conflict"]);
    check("| F2 | two | — | — |", "| F2 | two | — | —", &["image_conflict"]);
    check("| F2 | two | — | — |", "my own line", &["image_conflict"]);
    check("| ID | Feature | Status | Branch |", "| ID | Fea", &["image_conflict"]);
    check("| ID | Feature | Status | Branch |", "| ID | Name | Status | Branch |", &["image_conflict"]);
    check("| ID | Feature | Status | Branch |", "|  ID  | Feature  | Status | Branch |", &[]);
    check(
        "old",
        "new\n\n## Notes\n| x |",
        &[
            "history/7: notes \"old\"->\"new\\n\\n## Notes\\n| x |\" external",
            "state/notes: \"new\\n\\n## Notes\\n| x |\"",
        ],
    );
    check("old", "—", &["history/7: notes \"old\"->\"\" external", "state/notes: \"\""]);
    check("## Features\n", "## Risks\n", &["image_conflict"]);
}

#[test]
fn line_ends_and_marks_do_not_matter() {
    let world = world();
    let (state, tasks) = world.images();
    for (path, text) in [("STATE.md", state), ("TASKS.md", tasks)] {
        for other in [
            text.replace('\n', "\r\n"),
            text.replace('\n', "\r"),
            format!("\u{feff}{text}"),
            text.trim_end().to_owned(),
        ] {
            assert_eq!(told(&taken(&world, &[file(path, Some(&text), &other)])), [""; 0]);
        }
    }
}

#[test]
fn marks_of_tasks() {
    check("- [ ] T1", "- [x] T1", &["task/T1: done GHOST one [] null"]);
    check("- [ ] T1", "- [~] T1", &["task/T1: in_progress GHOST one [] null"]);
    check("- [ ] T1 — [GHOST] one", "- [~] T1 — [GHOST] Blocked: rain", &["task/T1: blocked GHOST one [] rain"]);
    check(
        "- [ ] T1 — [GHOST] one",
        "- [~] T1 — [GHOST] one **Blocked:** rain",
        &["task/T1: blocked GHOST one [] rain"],
    );
    check("- [~] T2", "- [ ] T2", &["task/T2: pending GHOST two (depends: T9) [\"T1\"] why"]);
    check(" — **Blocked:** why", "", &[]);
    check("**Blocked:** why", "**Blocked:** —", &["task/T2: blocked GHOST two (depends: T9) [\"T1\"] null"]);
    check("- [x] T3", "- [ ] T3", &["task/T3: pending GHOST three [] null"]);
    check("- [ ] T1", "- [?] T1", &["image_conflict"]);
}

#[test]
fn parts_of_task_lines() {
    check("[GHOST] one", "[RAZOR] one", &["task/T1: pending RAZOR one [] null"]);
    check("[GHOST] one", "[no name] two words", &["task/T1: pending GHOST two words [] null", "image_conflict"]);
    check(
        "one *(depends: none)*",
        "one <br> more (depends: T3, 4)",
        &["task/T1: pending GHOST one <br> more [\"T3\",\"T4\"] null"],
    );
    check("one *(depends: none)*", "one", &[]);
    check("one *(depends: none)*", "one *(depends: T3, no!)*", &["image_conflict"]);
    check("two (depends: T9) *(depends: T1)*", "two (depends: T9)", &[]);
    check(
        "two (depends: T9) *(depends: T1)*",
        "two (depends: T9) *(depends: T3)*",
        &["task/T2: blocked GHOST two (depends: T9) [\"T3\"] why"],
    );
    check("[GHOST] three", "[GHOST] ", &["image_conflict"]);
}

#[test]
fn new_and_removed_task_lines() {
    let after = "- [x] T3 — [GHOST] three\n";
    let with = |line: &str| format!("{after}{line}\n");
    check(after, &with("- [ ] 7 — [ORBIT] new"), &["task/T7: pending ORBIT new [] null"]);
    check(
        after,
        &with("- [~] T7 — [ORBIT] Blocked: rain *(depends: T1)*"),
        &["task/T7: blocked ORBIT rain [\"T1\"] rain"],
    );
    check(
        after,
        &with("- [~] T7 — [ORBIT] new — **Blocked:** rain *(depends: T1)*"),
        &["task/T7: blocked ORBIT new [\"T1\"] rain"],
    );
    check(
        after,
        &with("- [ ] T7 — [ORBIT] new (depends: a) *(depends: T1)*"),
        &["task/T7: pending ORBIT new (depends: a) [\"T1\"] null"],
    );
    check(
        after,
        &with("- [ ] T7 — [ORBIT] new *(depends: no!)*"),
        &["task/T7: pending ORBIT new [] null", "image_conflict"],
    );
    check(after, &with("- [ ] T! — [ORBIT] new"), &["image_conflict"]);
    check(after, &with("- [ ] T7 — new"), &["image_conflict"]);
    check(after, &with("- [ ] T1 — [GHOST] again"), &["image_conflict"]);
    check(after, "", &["task/T3: done GHOST three [] null true"]);
    check(after, "- [done] T3 — [GHOST] three\n", &["image_conflict"]);
    check("- [ ] T1 — [GHOST] one *(depends: none)*\n", "", &["task_line_restored"]);
    check("## Pending\n", "## Later\n", &["image_conflict"]);
}

#[test]
fn first_contact_imports_what_is_missing_and_the_records_win() {
    let world = world();
    let (state, tasks) = world.images();
    assert_eq!(told(&taken(&world, &[file("STATE.md", None, &state), file("TASKS.md", None, &tasks)])), [""; 0]);
    let other = state.replace("**epic_id:** —", "**epic_id:** E1").replace("**phase:** planning", "**phase:** release");
    assert_eq!(
        told(&taken(&world, &[file("STATE.md", None, &other)])),
        ["history/7: epic_id null->\"E1\" external", "state/epic_id: \"E1\"", "image_conflict",]
    );
    let other = tasks.replace("- [ ] T1", "- [x] T1").replace("## Blocked", "- [ ] T9 — [GHOST] nine\n\n## Blocked");
    assert_eq!(
        told(&taken(&world, &[file("TASKS.md", None, &other)])),
        ["task/T9: pending GHOST nine [] null", "image_conflict"]
    );
    let empty = World::new();
    let both = taken(&empty, &[file("STATE.md", None, &state), file("TASKS.md", None, &tasks)]);
    let mut again = empty.clone();
    again.apply(&both.changes);
    assert_eq!((again.images().1, both.conflicts.len()), (tasks, 0));
}

#[test]
fn what_is_no_text_is_kept_and_what_is_no_file_blocks() {
    let world = world();
    let seen = |now: FileState, known: bool| {
        [Seen::File(SeenFile { path: ProjectPath::known("STATE.md"), known, base: Some(b"x".to_vec()), now })]
    };
    for bytes in [&b"\xff\xfeS\0"[..], b"# Project State\n\n## Current State\n\0", b"\xc3("] {
        let taken = taken(&world, &seen(FileState::Bytes(bytes.to_vec()), true));
        assert_eq!((told(&taken), taken.conflicts.len()), (vec!["image_conflict".to_owned()], 1));
    }
    assert_eq!(told(&taken(&world, &seen(FileState::Absent, true))), ["missing_file"]);
    assert_eq!(told(&taken(&world, &seen(FileState::Absent, false))), [""; 0]);
    let cases = [
        (Irregular::Link, "path_outside_project"),
        (Irregular::TooLarge, "too_large"),
        (Irregular::Folder, "image_unreadable"),
        (Irregular::Special, "image_unreadable"),
        (Irregular::Unreadable, "image_unreadable"),
    ];
    for (what, code) in cases {
        let taken = taken(&world, &seen(FileState::Irregular(what), true));
        assert_eq!((told(&taken), taken.blocked.unwrap().code.as_ref()), (vec![code.to_owned()], code));
    }
}
